import { escapeMarkdown, escapeSrt, escapeVtt, quoteYaml } from '../../foreign/escape.ts';
import type { PlainLine } from '../../foreign/plainText.ts';
import { plainLine } from '../../foreign/plainText.ts';
import { frontMatterSpeakers } from '../../transcripts/frontMatter.ts';

/** Start and end offset of a speaker's name. */
export interface SpeakerPlace {
  readonly start: number;
  readonly end: number;
}

interface NameFormat {
  readonly name: RegExp;
  /** What stands before the first name, where any words before a colon look like one. */
  readonly first?: RegExp;
  /** Characters before and after a name, which go with it; undefined where each cue names its speaker. */
  readonly around?: readonly [before: number, after: number];
  write(name: PlainLine): string;
}

/** How names look in files of each extension, and how a new name is written there. */
const formats: Readonly<Record<string, NameFormat>> = {
  md: {
    name: /(?<=^(?:\[[\d:]{4,9}\](?:\([^()\s]*\))? )?\*\*)(?:\\.|[^*\\\n])+(?=:\*\* )/gm,
    around: [2, 4],
    write: escapeMarkdown,
  },
  vtt: { name: /(?<=<v(?:\.[^ \t>\n]*)?[ \t]+)[^>\n]+(?=>)/g, write: escapeVtt },
  // The name is on the line after the times of a cue.
  srt: {
    name: /(?<=--> [^\n]*\n)[^\s:<>.!?,;][^:<>.!?,;\n]{0,59}(?=: )/g,
    first: /^(?:(?!-->)[\s\S])*-->[^\n]*\n$/,
    around: [0, 2],
    write: escapeSrt,
  },
  txt: {
    name: /(?<=(?:^|\n\r?\n)(?:\[[\d:]{4,9}\] )?)(?!\[\d)[^\s:<>.!?,;][^:<>.!?,;\n]{0,59}(?=: )/g,
    first: /^\s*(?:\[[\d:]{4,9}\] )?$/,
    around: [0, 2],
    write: (name) => name,
  },
};

/**
 * Finds the speakers of a transcript, as written there, with all places of each. A text or SubRip file has speakers only
 * if it begins with the name of one.
 *
 * @param extension without the dot
 */
export function findSpeakers(extension: string, text: string): ReadonlyMap<string, readonly SpeakerPlace[]> {
  const speakers = new Map<string, SpeakerPlace[]>();
  const format = formats[extension.toLowerCase()];
  for (const { 0: name, index } of format ? text.matchAll(format.name) : []) {
    if (speakers.size === 0 && format?.first?.test(text.slice(0, index)) === false) break;
    const places = speakers.get(name) ?? [];
    places.push({ start: index, end: index + name.length });
    speakers.set(name, places);
  }
  return speakers;
}

/** Returns a name as written in files of an extension. */
export function writtenName(extension: string, name: PlainLine): string {
  return formats[extension.toLowerCase()]?.write(name) ?? name;
}

/** A change of a text. */
export interface SpeakerEdit extends SpeakerPlace {
  readonly text: string;
}

/**
 * Returns the changes that give speakers new names: at once, so that two can exchange theirs. Two that get the same name
 * become one, who is named once where both spoke in a row.
 *
 * @param names new names by the old ones
 */
export function renamedSpeakers(
  extension: string,
  text: string,
  names: ReadonlyMap<string, string>,
): readonly SpeakerEdit[] {
  const byWritten = new Map(
    [...names].flatMap(([old, name]) =>
      [old, writtenName(extension, plainLine(old))].map((written) => [written, name] as const),
    ),
  );
  const places = [...findSpeakers(extension, text)]
    .flatMap(([old, found]) => found.map((place) => ({ ...place, old })))
    .sort((one, other) => one.start - other.start);
  const around = formats[extension.toLowerCase()]?.around;
  const edits: SpeakerEdit[] = [];
  for (const [index, { start, end, old }] of places.entries()) {
    const before = places[index - 1];
    const name = writtenAs(extension, byWritten, old);
    const isJoined = before && before.old !== old && writtenAs(extension, byWritten, before.old) === name;
    if (around && isJoined) edits.push({ start: start - around[0], end: end + around[1], text: '' });
    else if (name !== old) edits.push({ start, end, text: name });
  }
  return [...frontMatterEdits(extension, text, names), ...edits];
}

function writtenAs(extension: string, names: ReadonlyMap<string, string>, old: string): string {
  const name = names.get(old);
  return name === undefined ? old : writtenName(extension, plainLine(name));
}

function frontMatterEdits(extension: string, text: string, names: ReadonlyMap<string, string>): readonly SpeakerEdit[] {
  const found = extension.toLowerCase() === 'md' ? frontMatterSpeakers(text) : undefined;
  if (!found?.names.some((name) => names.has(name))) return [];
  const renamed = new Set(found.names.map((name) => names.get(name) ?? name));
  const list = [...renamed].map((name) => quoteYaml(plainLine(name))).join(', ');
  return [{ start: found.start, end: found.end, text: list }];
}
