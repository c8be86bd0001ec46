import { posix } from 'node:path';
import { mediaKindOf } from '../../documents/MediaReference.ts';
import { nameParts } from '../../library/fileName.ts';
import { valueForPath } from '../../operations/fields.ts';
import { field } from '../../operations/operations.ts';
import type { MissingFile } from '../../projects/Places.ts';

/** The request for a missing file. */
export interface Proposal {
  readonly operation: 'generateImage' | 'speak' | 'generateVideo';
  /** The document's description of the file; undefined when there is none. */
  readonly prompt: string | undefined;
  /** Initial text when the person is asked for a prompt. */
  readonly start: string;
}

/** Services generate neither vector graphics nor icon sets. */
const notMade = /\.(?:svg|ico)$/i;
const empty =
  /^(?:an? |the )?(?:alt(?: text)?|image|img|picture|photo|figure|screenshot|audio|sound|video|bild|foto|abbildung)(?: \d+)?$/i;

/** Returns how a missing file can be generated; undefined for types that no service generates. */
export function proposalFor({ path, references }: Pick<MissingFile, 'path' | 'references'>): Proposal | undefined {
  const [reference] = references;
  if (!reference || notMade.test(path)) return undefined;
  const words = posix.basename(nameParts(path).name).replace(/[-_\s]+/g, ' ');
  const prompt = references.map(({ altText }) => altText).find((text) => saysSomething(text, words));
  const start = references.find(({ heading }) => heading !== '')?.heading ?? words.trim();
  return { operation: operationOf[reference.kind], prompt, start };
}

const operationOf = { image: 'generateImage', audio: 'speak', video: 'generateVideo' } as const;

/** Returns the fields of the request, without the model. */
export function fieldsOf({ operation }: Proposal, prompt: string, path: string): Readonly<Record<string, unknown>> {
  if (operation === 'generateImage') return { prompt, n: 1 };
  if (operation === 'generateVideo') return { prompt };
  return { input: prompt, response_format: valueForPath(field('speak', 'response_format'), path) };
}

/** Whether an alternative text describes a file. Many editors insert the file's name instead. */
function saysSomething(text: string, fileWords: string): boolean {
  if (text === '' || empty.test(text) || mediaKindOf(text) !== undefined) return false;
  const plain = (words: string) => words.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  // A file name of several words may be a description, but nobody wrote it as one.
  return plain(text) !== plain(fileWords) || (/\s/.test(text) && text !== fileWords);
}

/** A missing file that can be generated. */
export interface GenerableFile extends MissingFile {
  /** Path relative to the workspace folder. */
  readonly name: string;
  readonly proposal: Proposal;
}

/** The path that was requested, and the one that was saved because the content is of another type. */
export interface Renamed {
  readonly requested: string;
  readonly saved: string;
}

/**
 * Returns an address with the saved file's extension, otherwise as written; undefined when it need not or cannot be
 * changed.
 */
export function withNameOf(href: string, { requested, saved }: Renamed): string | undefined {
  const [from, to] = [nameParts(posix.basename(requested)), nameParts(posix.basename(saved))];
  const [, front, ending, query = ''] = /^([^?#]*)\.(\w+)([?#].*)?$/.exec(href) ?? [];
  if (front === undefined || ending?.toLowerCase() !== from.extension?.toLowerCase()) return undefined;
  // When the name was taken too, a number follows it.
  const number = to.name.startsWith(from.name) ? to.name.slice(from.name.length) : '';
  return `${front}${number}.${to.extension ?? ''}${query}`;
}
