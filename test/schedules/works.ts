import { wavOf } from '../support/mediaBytes.ts';

/** What a project can have made. The first five are entries of its manifest, the others only the editor makes. */
export const workNames = ['pictures', 'guide', 'text', 'video', 'talk', 'plain', 'notes', 'call'] as const;
export type WorkName = (typeof workNames)[number];

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
};

export const notes = blocks('Notes');

/** Larger recordings are sent in parts by the editor: `call.wav` in four. */
export const partBytes = 12_000;

const talk = soundOf(4000);

/** Whether the service got the short recording; all others are parts of the long one. */
export function isTalk(recording: Buffer): boolean {
  return recording.equals(talk);
}

/** The files of a project with these works. */
export function filesOf(works: readonly WorkName[]): Readonly<Record<string, string | Buffer>> {
  const assets = Object.assign({}, ...works.map((work) => entries[work])) as object;
  return {
    'media.jsonc': `${JSON.stringify({ assets }, undefined, 2)}\n`,
    'guide.md': blocks('Guide').join('\n\n'),
    'notes.md': notes.join('\n\n'),
    'talk.wav': talk,
    'call.wav': soundOf(40_000),
  };
}

/** Paths of the manifest's entries. */
export function pathsOf(works: readonly WorkName[]): readonly string[] {
  return works.flatMap((work) => Object.keys(entries[work] ?? {}));
}

/** Returns whose content this is: the path of an entry, or the name of a work of the editor. */
export function ownerOf(content: string): string {
  if (content.includes('longtext')) return 'long.mp3';
  if (content.includes('Guide')) return 'guide.mp3';
  if (content.includes('Notes')) return 'notes';
  if (content.includes('plain')) return 'plain';
  return /hero\.png|icon\.png|intro\.mp4|talk\.md|call/.exec(content)?.[0] ?? 'nobody';
}

function blocks(name: string): readonly string[] {
  return ['one', 'two', 'three', 'four', 'five', 'six'].map((number) => `${name}, block ${number}.`);
}

/** A text of three parts, which all differ. */
function longText(): string {
  return Array.from({ length: 770 }, (_, index) => `longtext${index}`).join(' ');
}

/** A recording without two equal parts, by its number of bytes. */
function soundOf(bytes: number): Buffer {
  let state = 7;
  const samples = Buffer.alloc(bytes).map(() => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return 96 + ((state >> 16) & 63);
  });
  return wavOf(Buffer.from(samples));
}
