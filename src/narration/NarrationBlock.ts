import type { SpeechRequest } from '../work/speakInParts.ts';
import { speechKey, splitText } from '../work/speakInParts.ts';

/** Model, voice and format of a narration. */
export type Speaker = Omit<SpeechRequest, 'input'>;

/** A piece of a document that is spoken with one request. */
export interface NarrationBlock {
  /** SHA-256 of the request, hexadecimal; different for the sandbox. */
  readonly key: string;
  readonly request: SpeechRequest;
}

export interface NarrationLimits {
  readonly sandbox: boolean;
  /** Longer text becomes several blocks; 0 for no limit. */
  readonly maxCharacters: number;
}

/** Returns the blocks for the texts of a document. Skips texts without letters or digits, such as a row of stars. */
export function narrationBlocks(
  texts: readonly string[],
  { model, voice, response_format }: Speaker,
  { sandbox, maxCharacters }: NarrationLimits,
): readonly NarrationBlock[] {
  return texts
    .flatMap((text) => splitText(text, maxCharacters))
    .filter(isSpoken)
    .map((input) => {
      const request: SpeechRequest = { model, input, voice, response_format };
      return { key: speechKey({ sandbox, request }), request };
    });
}

/** Whether a text has anything to speak. */
export function isSpoken(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}
