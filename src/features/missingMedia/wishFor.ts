import { posix } from 'node:path';
import { mediaKindOf } from '../../documents/MediaReference.ts';
import { nameParts } from '../../library/fileName.ts';
import type { MissingFile } from '../../places/findMissing.ts';

/** What is sent to get a missing file. */
export interface Wish {
  readonly operation: 'generateImage' | 'speak' | 'generateVideo';
  /** The words of the document for it; undefined where they say nothing. */
  readonly prompt: string | undefined;
  /** What a person who is asked for the words can start from. */
  readonly start: string;
}

/** Services make no drawings and no sets of icons. */
const notMade = /\.(?:svg|ico)$/i;
const empty =
  /^(?:an? |the )?(?:alt(?: text)?|image|img|picture|photo|figure|screenshot|audio|sound|video|bild|foto|abbildung)(?: \d+)?$/i;

/** How a missing file can be made; undefined for types that no service makes. */
export function wishFor({ path, references }: Pick<MissingFile, 'path' | 'references'>): Wish | undefined {
  const [reference] = references;
  if (!reference || notMade.test(path)) return undefined;
  const words = posix.basename(nameParts(path).name).replace(/[-_\s]+/g, ' ');
  const prompt = references.map(({ altText }) => altText).find((text) => saysSomething(text, words));
  const start = references.find(({ heading }) => heading !== '')?.heading ?? words.trim();
  return { operation: operationOf[reference.kind], prompt, start };
}

const operationOf = { image: 'generateImage', audio: 'speak', video: 'generateVideo' } as const;

/** The fields of the request for a wish, but for the model. */
export function fieldsOf({ operation }: Wish, prompt: string, path: string): Readonly<Record<string, unknown>> {
  if (operation === 'generateImage') return { prompt, n: 1 };
  if (operation === 'generateVideo') return { prompt };
  const format = soundFormats[nameParts(path).extension?.toLowerCase() ?? ''];
  return { input: prompt, ...(format === undefined ? {} : { response_format: format }) };
}

/** By extension. */
const soundFormats: Readonly<Record<string, string>> = {
  mp3: 'mp3',
  wav: 'wav',
  ogg: 'opus',
  oga: 'opus',
  opus: 'opus',
  flac: 'flac',
  aac: 'aac',
  m4a: 'aac',
};

/** Whether an alternative text describes a file. Many editors write its name there. */
function saysSomething(text: string, fileWords: string): boolean {
  if (text === '' || empty.test(text) || mediaKindOf(text) !== undefined) return false;
  const plain = (words: string) => words.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  // A name of several words may describe a file, but nobody wrote it to do so.
  return plain(text) !== plain(fileWords) || (/\s/.test(text) && text !== fileWords);
}

/** A missing file that can be made. */
export interface WantedFile extends MissingFile {
  /** Relative to the workspace folder. */
  readonly name: string;
  readonly wish: Wish;
}
