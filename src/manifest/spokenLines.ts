import * as l10n from '@vscode/l10n';
import { hashOf } from '../files/sha256.ts';
import type { Origin } from './describeRequest.ts';
import type { LockLine } from './Lock.ts';
import type { DocumentPlan } from './planDocument.ts';

// Of a narration that the command has made, or that a person kept, only the paragraphs are known, not the text that they
// were. Its line has no hash of the document.

/**
 * Returns what the file of a narration was made from. Where only its paragraphs are known, it counts as made from any text
 * that has the same ones.
 *
 * @returns undefined if neither the lock nor the library knows
 */
export function madeFrom(
  { document, line, isSame }: Pick<DocumentPlan, 'document' | 'line' | 'isSame'>,
  { origin, local }: { readonly origin: Origin; readonly local: string | undefined },
): LockLine | undefined {
  if (!line?.blocks || hasText(line, document)) return line;
  if (isSame) return { ...line, ...origin, local };
  const inputs = Object.entries(origin.inputs).filter(([name]) => name !== nameOf(document));
  return { request: hashOf(line.blocks.map(({ key }) => key)), inputs: Object.fromEntries(inputs), ...line };
}

/** Whether an entry would be spoken as a line says, but for the text. */
export function isSameButText(
  { document }: Pick<DocumentPlan, 'document'>,
  line: LockLine,
  { inputs }: Origin,
): boolean {
  const { inputs: before = {} } = line;
  const names = [...Object.keys(before), ...Object.keys(inputs)].filter((name) => name !== nameOf(document));
  return names.every((name) => before[name] === inputs[name]);
}

/** Whether a line says from which text it was made. */
function hasText({ inputs = {} }: LockLine, document: string): boolean {
  return inputs[nameOf(document)] !== undefined;
}

function nameOf(document: string): string {
  return `./${document}`;
}

/**
 * Returns why a narration is not that of a text, by its paragraphs.
 *
 * @param name of what differs
 * @returns undefined if more is known
 */
export function paragraphsDiffer(
  name: string,
  line: LockLine,
  { document, outOfDate, blocks }: Pick<DocumentPlan, 'document' | 'outOfDate' | 'blocks'>,
): string | undefined {
  if (!line.blocks || name !== nameOf(document) || hasText(line, document)) return undefined;
  if (outOfDate === 0) return l10n.t('paragraphs moved or removed');
  return l10n.t('{0} of {1} paragraphs out of date', outOfDate, blocks.length);
}
