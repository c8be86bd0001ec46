import { withoutEntities } from '../../documents/characterReferences.ts';
import { frontMatterIn } from '../../documents/frontMatter.ts';
import { escapeMarkdown, escapeSrt, escapeVtt, quoteYaml, unescapeMarkdown } from '../../foreign/escape.ts';
import { type PlainLine, plainLine } from '../../foreign/plainText.ts';
import { alignWords } from '../../transcripts/alignWords.ts';
import { frontMatterSpeakers } from '../../transcripts/frontMatter.ts';
import type { Cue } from '../../transcripts/subtitles.ts';
import { wordsOfCues } from '../../transcripts/times.ts';
import { type Word, wordsIn } from '../../transcripts/words.ts';

/** Start and end offset of a speaker's name. */
export interface SpeakerPlace {
  readonly start: number;
  readonly end: number;
}

const asItIs = (name: string) => name;

/** A word of a name with dots or commas, such as “Dr.”, “Smith,” or “Ph.D.”. A sentence has other words as well. */
const formalWord = '(?:v[ao]n(?: de[nr])?|\\p{Lu}(?:\\.?[^\\s:<>.!?,;]){0,30}(?:\\.(?<=(?<!\\p{L})\\p{L}{1,4}\\.))?,?)';
const formalName = `${formalWord}(?: ${formalWord}){0,5}`;
/** A name in a format that does not mark names. */
const unmarkedName = `(?:[^\\s:<>.!?,;][^:<>.!?,;\\n]{0,59}|${formalName})`;
const isFormal = new RegExp(`^${formalName}$`, 'u');

/** How names look in files of each extension, and how they are read and written there. */
const formats: Readonly<
  Record<
    string,
    {
      /** Captures what is after a name, where a line may end with the colon. */
      readonly name: RegExp;
      /** What stands before the first name, where any words before a colon look like one. */
      readonly first?: RegExp;
      /** Characters before and after a name, which go with it; undefined where each cue names its speaker. */
      readonly around?: readonly [before: number, after: number];
      read(written: string): string;
      write(name: PlainLine): string;
    }
  >
> = {
  md: {
    name: /(?<=^(?:\[[\d:]{4,9}\](?:\([^()\s]*\))? )?\*\*)(?:\\.|[^*\\\n])+(?=:\*\* )/gm,
    around: [2, 4],
    read: unescapeMarkdown,
    write: escapeMarkdown,
  },
  vtt: {
    // Looks ahead first, so that spaces are read back only from the character after them.
    name: /(?=[^\s<>])(?<=<v(?:\.[^ \t<>\n]*)?[ \t]+)[^<>\n]+(?=>)/g,
    read: withoutEntities,
    write: escapeVtt,
  },
  // The name is on the line after the times of a cue.
  srt: {
    name: new RegExp(`(?<=--> [^\\n]*\\n)${unmarkedName}(?=:([ \\n]))`, 'gu'),
    first: /^(?:(?!-->)[\s\S])*-->[^\n]*\n$/,
    around: [0, 2],
    read: asItIs,
    write: escapeSrt,
  },
  // A line of a paragraph begins with any word, but hardly with a capital one before a colon.
  txt: {
    name: new RegExp(
      `(?:(?<=^|\\n\\r?\\n|(?:^|\\n)\\[[\\d:]{4,9}\\] )|(?<=\\n)(?=[\\p{Lu}\\p{Lo}\\d]))(?!\\[\\d)${unmarkedName}(?=: )`,
      'gu',
    ),
    first: /^\s*(?:\[[\d:]{4,9}\] )?$/,
    around: [0, 2],
    read: asItIs,
    write: asItIs,
  },
};

/**
 * Finds the speakers of a transcript, with all places of each. A text or SubRip file has speakers only if it begins with
 * the name of one.
 *
 * @param extension without the dot, in lower case
 */
export function findSpeakers(extension: string, text: string): ReadonlyMap<string, readonly SpeakerPlace[]> {
  const speakers = new Map<string, SpeakerPlace[]>();
  const format = formats[extension];
  const found = format ? [...text.matchAll(format.name)] : [];
  const named = new Set(found.flatMap(([written, after]) => (after === '\n' ? [] : written)));
  for (const { 0: written, index } of found) {
    // A sentence may end with a colon as well.
    if (!named.has(written) && !isFormal.test(written)) continue;
    if (speakers.size === 0 && format?.first?.test(text.slice(0, index)) === false) break;
    const name = plainLine(format?.read(written) ?? written);
    const places = speakers.get(name) ?? [];
    places.push({ start: index, end: index + written.length });
    speakers.set(name, places);
  }
  return speakers;
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
  const places = [...findSpeakers(extension, text)]
    .flatMap(([old, found]) => found.map((place) => ({ ...place, old, name: plainLine(names.get(old) ?? old) })))
    .sort((one, other) => one.start - other.start);
  const { around, write = asItIs } = formats[extension] ?? {};
  const edits: SpeakerEdit[] = [];
  for (const [index, { start, end, old, name }] of places.entries()) {
    const before = places[index - 1];
    const isJoined = before && before.old !== old && before.name === name;
    if (around && isJoined) edits.push({ start: start - around[0], end: end + around[1], text: '' });
    else if (name !== old) edits.push({ start, end, text: write(name) });
  }
  return [...frontMatterEdits(extension, text, names), ...edits];
}

function frontMatterEdits(extension: string, text: string, names: ReadonlyMap<string, string>): readonly SpeakerEdit[] {
  const found = extension === 'md' ? frontMatterSpeakers(text) : undefined;
  if (!found?.names.some((name) => names.has(name))) return [];
  const renamed = new Set(found.names.map((name) => names.get(name) ?? name));
  const list = [...renamed].map((name) => quoteYaml(plainLine(name))).join(', ');
  return [{ start: found.start, end: found.end, text: list }];
}

/** What one person says at a stretch. In milliseconds. */
export interface SpeakerTurn {
  readonly start: number;
  readonly end: number;
  readonly speaker: PlainLine;
}

/** A word of a text, and whether a sentence or a paragraph begins with it. */
interface PlacedWord extends Word {
  readonly beginsSentence: boolean;
  /** Where the name goes if the paragraph begins with the word. */
  readonly paragraph?: number;
}

/** How many turns back a longer one that still goes on is looked for. */
const maxInterruptions = 20;
/** Turns of services are off by a word or two. In words. */
const maxShift = 3;
/** A character that stands right before what it opens. */
const opening = /[\p{Ps}\p{Pi}"'*_]/u;
const sentenceEnd = /[\p{Sentence_Terminal}…]/u;
/** Blocks in which no name can stand, or that nobody says: headings, code, tables, lists, quotes, pictures and links. */
const unspoken =
  /^[ \t]*(?:#|```|~~~|[|<>]|!\[|[-*+][ \t]|\d+[.)][ \t]|[-*_=]{3,}[ \t]*$|\[(?:\\.|[^\]\\])*\]\([^()\s]+\)[ \t]*$)/;
/** The time before a turn. */
const turnTime = /^[ \t]*(?:\[(?:\d+:)?\d\d:\d\d\](?:\([^()\s]*\))? )?/;

/** Returns the turns of cues that name their speakers, in order. */
export function turnsIn(cues: readonly Cue[]): readonly SpeakerTurn[] {
  return cues
    .flatMap(({ start, end, speaker }) => {
      // A colon ends a name in a text.
      const name = plainLine((speaker ?? '').replaceAll(':', ' '));
      return name === '' ? [] : [{ start, end, speaker: name }];
    })
    .toSorted((one, other) => one.start - other.start);
}

/** Gives each cue the speaker whose turn it is for the most part. */
export function withSpeakers(cues: readonly Cue[], turns: readonly SpeakerTurn[]): readonly Cue[] {
  return cues.map((cue) => ({ ...cue, speaker: speakerAt(turns, (cue.start + cue.end) / 2) ?? cue.speaker }));
}

/**
 * Returns the changes that name the speakers in a text: before the first word of each turn, with a new paragraph where
 * it is inside one, and in the front matter. Not a word of the text changes.
 *
 * @param extension `md` or `txt`
 * @param cues when the words are heard
 */
export function namedTurns(
  extension: string,
  text: string,
  cues: readonly Cue[],
  turns: readonly SpeakerTurn[],
): readonly SpeakerEdit[] {
  const isMarkdown = extension === 'md';
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const matter = isMarkdown ? frontMatterIn(text) : undefined;
  const words = placedWords(text, matter?.after ?? 0);
  const changes = changesOf(words, cues, turns);
  const edits = changes.map(({ at, speaker }): SpeakerEdit => {
    const name = isMarkdown ? `**${escapeMarkdown(speaker)}:** ` : `${speaker}: `;
    const [word, before] = [words[at], words[at - 1]];
    if (word?.paragraph !== undefined || !before) {
      const place = word?.paragraph ?? word?.from ?? 0;
      return { start: place, end: place, text: name };
    }
    // What opens a quotation belongs to the word after it.
    let end = word?.from ?? before.to;
    while (end > before.to && opening.test(text.charAt(end - 1))) end--;
    return { start: before.to + text.slice(before.to, end).trimEnd().length, end, text: eol + eol + name };
  });
  if (matter?.format !== 'yaml' || changes.length === 0) return edits;
  const names = [...new Set(changes.map(({ speaker }) => quoteYaml(speaker)))].join(', ');
  const { end } = matter;
  return [{ start: end, end, text: `speakers: [${names}]${eol}` }, ...edits];
}

/** Returns the words of the paragraphs of a text from an offset on. */
function placedWords(text: string, from: number): readonly PlacedWord[] {
  const words: PlacedWord[] = [];
  for (const { block, index } of blocksIn(text, from)) {
    if (unspoken.test(block.split(/\r?\n/, 1)[0] ?? '')) continue;
    const [mark = ''] = turnTime.exec(block) ?? [];
    const paragraph = index + mark.length;
    const spoken = block.slice(mark.length);
    for (const [place, word] of wordsIn(spoken).entries()) {
      const before = words.at(-1);
      const start = paragraph + word.from;
      const isFirst = place === 0;
      const beginsSentence = isFirst || !before || sentenceEnd.test(text.slice(before.to, start));
      words.push({
        key: word.key,
        from: start,
        to: paragraph + word.to,
        beginsSentence,
        ...(isFirst ? { paragraph } : {}),
      });
    }
  }
  return words;
}

/** Yields the lines in a row that are not empty, with the offset of the first one. */
function* blocksIn(text: string, from: number): Generator<{ readonly block: string; readonly index: number }> {
  let block = '';
  let at = from;
  for (const line of text.slice(from).split(/(?<=\n)/)) {
    if (line.trim() !== '') block += line;
    else {
      if (block !== '') yield { block, index: at - block.length };
      block = '';
    }
    at += line.length;
  }
  if (block !== '') yield { block, index: at - block.length };
}

/** Finds the indexes of the words with which another speaker begins; at the beginning of a sentence if one is near. */
function changesOf(
  words: readonly PlacedWord[],
  cues: readonly Cue[],
  turns: readonly SpeakerTurn[],
): readonly { readonly at: number; readonly speaker: PlainLine }[] {
  const spans = alignWords(
    words.map(({ key }) => key),
    wordsOfCues(cues),
  );
  const found = new Map<number, PlainLine>();
  let last: PlainLine | undefined;
  for (const [index, { start, end }] of spans.entries()) {
    const speaker = speakerAt(turns, (start + end) / 2);
    if (speaker === undefined || speaker === last) continue;
    last = speaker;
    // The later of two that begin with the same word has hardly said anything else.
    found.set(beginNear(words, index), speaker);
  }
  const inOrder = [...found].sort(([one], [other]) => one - other).map(([at, speaker]) => ({ at, speaker }));
  return inOrder.filter(({ speaker }, index) => speaker !== inOrder[index - 1]?.speaker);
}

function beginNear(words: readonly PlacedWord[], index: number): number {
  for (let shift = 0; shift <= maxShift; shift++) {
    for (const near of [index - shift, index + shift]) if (words[near]?.beginsSentence) return near;
  }
  return index;
}

/** Returns who speaks at a time; between two turns, the speaker of the nearer one. */
function speakerAt(turns: readonly SpeakerTurn[], time: number): PlainLine | undefined {
  let low = 0;
  let high = turns.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((turns[middle]?.start ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  const earlier = turns.slice(Math.max(0, low - maxInterruptions), low);
  // Whoever was interrupted goes on after it.
  const speaking = earlier.findLast(({ end }) => time < end);
  const before = speaking ?? earlier.toSorted((one, other) => one.end - other.end).at(-1);
  const after = turns[low];
  if (!before || !after || time < before.end) return (before ?? after)?.speaker;
  return time - before.end <= after.start - time ? before.speaker : after.speaker;
}
