import { spokenField } from '../operations/fields.ts';
import { operations } from '../operations/operations.ts';
import { inOrder } from '../operations/validateRequest.ts';
import type { SpeechRequest } from './wholeKey.ts';

/** Model, voice and format of a narration: its request without the text. */
export type Speaker = Omit<SpeechRequest, 'input'>;

const spoken = spokenField(operations.speak.fields);
export const speakerFields = inOrder(operations.speak.fields).filter(({ name }) => name !== spoken?.name);
