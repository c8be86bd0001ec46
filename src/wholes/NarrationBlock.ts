import { isDeepStrictEqual } from 'node:util';
import type { NarrationFacts } from '../library/LibraryRecord.ts';
import { fieldTable } from '../operations/declarations.ts';
import { spokenField } from '../operations/fields.ts';
import { operations } from '../operations/operations.ts';
import { inOrder } from '../operations/validateRequest.ts';
import { isInWord } from '../transcripts/words.ts';
import { type SpeechRequest, speechKey } from './speakInParts.ts';
import { splitText } from './splitText.ts';

/** Model, voice and format of a narration: its request without the text. */
export type Speaker = Omit<SpeechRequest, 'input'>;

const spoken = spokenField(operations.speak.fields);
export const speakerFields = inOrder(operations.speak.fields).filter(({ name }) => name !== spoken?.name);

/**
 * Returns the further values of a speaker that are not the declared defaults. Files are not recorded.
 *
 * @param declared the setting `fields`, or what a manifest accepts
 */
export function chosenValues({ model, further }: Speaker, declared: unknown): NarrationFacts['fields'] {
  const values = new Map(Object.entries(further?.values ?? {}));
  const chosen = fieldTable('speak', declared, model).further.flatMap(({ name, type, default: standard }) => {
    const value = values.get(name);
    return type === 'file' || value === undefined || isDeepStrictEqual(value, standard) ? [] : [[name, value] as const];
  });
  return chosen.length > 0 ? Object.fromEntries(chosen) : undefined;
}

/** Whether a recorded speaker, whose further fields are those that were chosen, is this one. */
export function isSameSpeaker(recorded: Speaker, speaker: Speaker, declared: unknown): boolean {
  const chosen = { ...speaker, further: chosenValues(speaker, declared) };
  return isDeepStrictEqual({ ...recorded, further: recorded.further?.values }, chosen);
}

/** A piece of a document that is spoken with one request. */
export interface NarrationBlock {
  /** SHA-256 of the request, hexadecimal; different for the sandbox. */
  readonly key: string;
  readonly request: SpeechRequest;
  /** The text as it is written, for the cue, if something else is spoken; empty if an earlier block has it. */
  readonly text?: string;
}

export interface NarrationLimits {
  readonly sandbox: boolean;
  /** Longer text becomes several blocks; 0 for no limit. */
  readonly maxCharacters: number;
  /** Words as they are to be spoken. */
  readonly pronunciations?: Readonly<Record<string, string>>;
}

/**
 * Returns the blocks for the texts of a document. Skips texts without letters or digits, such as a row of stars. The key
 * of a block depends on what is spoken, so other words for the ear concern the blocks that have them alone.
 */
export function narrationBlocks(
  texts: readonly { readonly text: string; readonly say?: string; readonly voice?: string }[],
  speaker: Speaker,
  { sandbox, maxCharacters, pronunciations = {} }: NarrationLimits,
): readonly NarrationBlock[] {
  const pronounce = pronouncer(pronunciations);
  return texts.flatMap(({ text, say = text, voice = speaker.voice }) => {
    const spoken = pronounce(say);
    return splitText(spoken, maxCharacters)
      .filter(isSpoken)
      .map((input, index): NarrationBlock => {
        const request: SpeechRequest = { ...speaker, input, voice };
        const block = { key: speechKey({ sandbox, request }), request };
        return spoken === text ? block : { ...block, text: index === 0 ? text : '' };
      });
  });
}

/** Occurs in no text, and no language gives it a meaning. */
const mark = '\u{10fffd}';

/** Longer ends are not searched, because searching takes the square of their length. */
const maxEnd = 500;

/** Returns a line of a document with a mark in its text, before the tags, comments and cells that end there. */
export function lineWithMark(line: string): string {
  const from = Math.max(0, line.length - maxEnd);
  const end = line.slice(from).replace(/(?:<\/[^<>]*>|-->|\*\/\}|::|[|\s])*$/, (closing) => mark + closing);
  return line.slice(0, from) + end;
}

/**
 * Returns the block that a line of a document belongs to: the one with its mark.
 *
 * @param marked the blocks of the document with a mark in the line
 * @returns undefined where nothing is spoken, as in code
 */
export function markedBlock<Block extends object>(
  blocks: readonly Block[],
  marked: readonly Block[],
): Block | undefined {
  const index = marked.findIndex((block) => JSON.stringify(block).includes(mark));
  const block = blocks[index];
  // A mark may also make another text of a line, such as the last one of a code block.
  const isSame = marked.length === blocks.length && block && wordsOf(block) === wordsOf(marked[index]);
  return isSame ? block : undefined;
}

function wordsOf(block: object | undefined): string {
  return JSON.stringify(block ?? {}).replace(/[^\p{L}\p{N}]/gu, '');
}

/**
 * Returns a function that replaces whole words by how they are to be spoken. The case must be as given. In scripts without
 * spaces a word may begin at any character.
 */
function pronouncer(pronunciations: Readonly<Record<string, string>>): (text: string) => string {
  const words = Object.keys(pronunciations).filter((word) => word !== '');
  // The longest word that fits counts.
  words.sort((one, other) => other.length - one.length);
  const byFirst = Map.groupBy(words, (word) => word.charAt(0));
  return (text) => {
    if (words.length === 0) return text;
    let spoken = '';
    for (let at = 0; at < text.length; ) {
      const word = byFirst
        .get(text.charAt(at))
        ?.find((one) => text.startsWith(one, at) && !isInWord(text, at) && !isInWord(text, at + one.length));
      spoken += word === undefined ? text.charAt(at) : (pronunciations[word] ?? word);
      at += word?.length ?? 1;
    }
    return spoken;
  };
}

/** Whether a text has anything to speak. */
export function isSpoken(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}
