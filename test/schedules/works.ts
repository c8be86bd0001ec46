import { deflateSync } from 'node:zlib';
import { pngBytes, pngChunk, wavOf } from '../support/mediaBytes.ts';

/** What a project can have made. The first five are entries of its manifest, the others only the editor makes. */
export const workNames = ['pictures', 'guide', 'text', 'video', 'talk', 'plain', 'notes', 'call'] as const;
/** Entries that only stories have. */
const moreNames = ['edit', 'book'] as const;
export type WorkName = (typeof workNames)[number] | (typeof moreNames)[number];

/** Entries by work. Each has a word in its content by which the service finds the owner of a request. */
const entries: Readonly<Partial<Record<WorkName, object>>> = {
  pictures: {
    'hero.png': { operation: 'generateImage', prompt: 'hero.png', model: 'm', variants: 2 },
    'icon.png': { operation: 'generateImage', prompt: 'icon.png', model: 'm' },
  },
  guide: { 'guide.mp3': { operation: 'speak', document: 'guide.md', model: 'm' } },
  text: { 'long.mp3': { operation: 'speak', input: longText(), model: 'm' } },
  video: { 'intro.mp4': { operation: 'generateVideo', prompt: 'intro.mp4', model: 'm' } },
  talk: { 'talk.md': { operation: 'transcribe', file: 'talk.wav', model: 'm' } },
  edit: { 'edit.png': { operation: 'editImage', prompt: 'edit.png', images: ['photo.png'], model: 'm' } },
  book: { 'book.mp3': { operation: 'speak', document: 'book.md', model: 'm' } },
};

export const notes = blocks('Notes');

/** Larger recordings are sent in parts by the editor: `call.wav` in four. */
export const partBytes = 12_000;

/** Stands in the contents that a person has put in the place of others. */
export const otherMark = 'other';

const talk = soundOf(4000, 7);
const otherTalk = soundOf(4000, 11);
const otherPixel = pngChunk('IDAT', deflateSync(Buffer.from([0, 0, 0, 255])));
const otherPhoto = Buffer.concat([pngBytes.subarray(0, 33), otherPixel, pngBytes.subarray(-12)]);

/** Whether the service got the short recording; all others are parts of the long one. */
export function isTalk(recording: Buffer): boolean {
  return recording.equals(talk) || recording.equals(otherTalk);
}

/** What a person can put in the place of other content. */
const changeable = ['guide', 'talk', 'edit', 'pictures'] as const satisfies readonly WorkName[];
export type Changed = (typeof changeable)[number];

/** Returns other content for the source of a work, which costs no more than the one that is there. */
export function otherFilesOf(what: Changed, works: readonly WorkName[]): Readonly<Record<string, string | Buffer>> {
  switch (what) {
    case 'guide':
      return { 'guide.md': blocks('Guide', otherMark).join('\n\n') };
    case 'talk':
      return { 'talk.wav': otherTalk };
    case 'edit':
      return { 'photo.png': otherPhoto };
    case 'pictures':
      return {
        'media.jsonc': String(filesOf(works)['media.jsonc']).replaceAll(
          '.png",\n      "model',
          `.png ${otherMark}",\n      "model`,
        ),
      };
  }
}

/** Whether something was sent that a person has put in the place of what was there. */
export function isOther(body: Buffer): boolean {
  // Pictures are sent as they are, or as text.
  const photo = otherPhoto.toString('base64');
  return [Buffer.from(otherMark), otherTalk, otherPixel, photo].some((bytes) => body.includes(bytes));
}

/** The files of a project with these works. */
export function filesOf(works: readonly WorkName[]): Readonly<Record<string, string | Buffer>> {
  const assets = Object.assign({}, ...works.map((work) => entries[work])) as object;
  return {
    'media.jsonc': `${JSON.stringify({ assets }, undefined, 2)}\n`,
    'guide.md': blocks('Guide').join('\n\n'),
    'notes.md': notes.join('\n\n'),
    'talk.wav': talk,
    'call.wav': soundOf(40_000, 7),
    ...(works.includes('edit') ? { 'photo.png': pngBytes } : {}),
    ...(works.includes('book') ? { 'book.md': [wordsOf('book', 0, 225), wordsOf('book', 225, 450)].join('\n\n') } : {}),
  };
}

/** Paths of the manifest's entries. */
export function pathsOf(works: readonly WorkName[]): readonly string[] {
  return works.flatMap((work) => Object.keys(entries[work] ?? {}));
}

/** Returns whose content this is: the path of an entry, or the name of a work of the editor. */
export function ownerOf(content: string): string {
  if (content.includes('agent')) return 'agent';
  if (/book\d/.test(content)) return 'book.mp3';
  if (content.includes('longtext')) return 'long.mp3';
  if (content.includes('Guide')) return 'guide.mp3';
  if (content.includes('Notes')) return 'notes';
  if (content.includes('plain')) return 'plain';
  return /hero\.png|icon\.png|edit\.png|intro\.mp4|talk\.md|call/.exec(content)?.[0] ?? 'nobody';
}

/** Returns what nobody may pay for twice: each word of a text that can be cut at any word, else the whole content. */
export function unitsOf(content: string): readonly string[] {
  return content.match(/(?:longtext|book|agent)\d+/g) ?? [content];
}

function blocks(name: string, word = 'block'): readonly string[] {
  return ['one', 'two', 'three', 'four', 'five', 'six'].map((number) => `${name}, ${word} ${number}.`);
}

/** A text of three parts, which all differ. */
function longText(): string {
  return wordsOf('longtext', 0, 770);
}

/** Returns different words, with numbers from `start` to before `end`. */
function wordsOf(name: string, start: number, end: number): string {
  return Array.from({ length: end - start }, (_, index) => `${name}${start + index}`).join(' ');
}

/** A text that agents have read aloud, in three parts. */
export const agentText = wordsOf('agent', 10, 40);

/** A recording without two equal parts, by its number of bytes and where it starts. */
function soundOf(bytes: number, start: number): Buffer {
  let state = start;
  const samples = Buffer.alloc(bytes).map(() => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return 96 + ((state >> 16) & 63);
  });
  return wavOf(Buffer.from(samples));
}
