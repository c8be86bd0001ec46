import type { SpeechRequest } from '../jobs/speech/speechParts.ts';
import { speechKey } from '../jobs/speech/speechParts.ts';
import { splitText } from '../jobs/speech/splitText.ts';

/** How a document is spoken. */
export type Speaker = Omit<SpeechRequest, 'input'>;

/** A piece of a document that is one request. */
export interface NarrationBlock {
  /** SHA-256 of exactly what is sent, hexadecimal; the sandbox has keys of its own. */
  readonly key: string;
  readonly request: SpeechRequest;
}

export interface NarrationLimits {
  readonly sandbox: boolean;
  /** A longer text becomes several blocks; 0 for no limit. */
  readonly maxCharacters: number;
}

/** The requests for the texts of a document; a text without a letter or digit, such as a row of stars, is left out. */
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

/** Whether a text has anything that is spoken. */
export function isSpoken(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}
