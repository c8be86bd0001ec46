import { isDeepStrictEqual } from 'node:util';
import type { NarrationFacts } from '../library/LibraryRecord.ts';
import { fieldTable } from '../operations/declarations.ts';
import { spokenField } from '../operations/fields.ts';
import { operations } from '../operations/operations.ts';
import { inOrder } from '../operations/validateRequest.ts';
import type { SpeechRequest } from './wholeKey.ts';

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
