// A result gets its name in steps that survive a crash: the journal notes the next name, the complete temporary file is
// linked to it, the record is appended, and the journal notes that the result is saved. After a crash in between, the
// file with that name and hash is the result.

import type { Asset } from '../library/Asset.ts';
import { parseJson } from '../operations/parseJson.ts';
import type { RawAnswer } from '../service/Answer.ts';
import type { EndState, JobError, JobFacts } from './JobRecord.ts';

/** An answer that lies beside the journal. */
export interface AnswerEntry {
  readonly answer: Omit<RawAnswer, 'body'>;
  /** Name of the file that holds its body, and the size that it has when it is whole. */
  readonly file: string;
  readonly bytes: number;
}

/** One line of a job's journal. */
export type JournalEntry =
  /** The request is sent next. */
  | { readonly event: 'sending'; readonly job: JobFacts }
  /** The answer is in. `videoId` is what the service called the job whose final answer this is. */
  | ({ readonly event: 'answered'; readonly videoId?: string | undefined } & AnswerEntry)
  /** The connection broke after this much of the answer. */
  | ({ readonly event: 'partial' } & AnswerEntry)
  /** The result is whole in a temporary file, and gets this name next. */
  | { readonly event: 'naming'; readonly index: number; readonly named: NamedResult }
  | { readonly event: 'saved'; readonly index: number; readonly asset: Asset }
  /** `hasAnswer`: results of the answer are still to be saved. */
  | {
      readonly event: 'ended';
      readonly state: EndState;
      readonly error?: JobError | undefined;
      readonly hasAnswer: boolean;
    };

/** A result on its way to its final name. */
export interface NamedResult {
  readonly name: string;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly mediaType: string;
}

/** The entries of a journal; a line that a crash has cut is left out, since what it says has not happened. */
export function entriesIn(text: string): readonly JournalEntry[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : (parseJson<JournalEntry>(line) ?? [])));
}

/** An entry as text. The line break in front closes a line that a crash has cut. */
export function lineOf(entry: JournalEntry): string {
  return `\n${JSON.stringify(entry)}\n`;
}
