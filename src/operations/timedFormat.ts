import type { FieldTable } from './declarations.ts';
import { operations } from './operations.ts';

/** Answers that hold times; `diarized_json` names the speakers, too. */
const timed = ['verbose_json', 'diarized_json'];

/**
 * Returns the further field that makes a service send the times of a transcript; none where it has a default, or where it
 * is not known which of them the model takes.
 *
 * @param table the fields that the model takes
 */
export function timedFormat({ id, further }: FieldTable): Readonly<Record<string, string>> {
  if (operations[id].result !== 'transcripts') return {};
  const { values = [], default: standard } = further.find(({ name }) => name === 'response_format') ?? {};
  const [format, ...others] = values.filter((value) => timed.includes(String(value)));
  return format === undefined || others.length > 0 || standard !== undefined ? {} : { response_format: String(format) };
}
