import { type AnswerBody, piecesOf } from './AnswerBody.ts';

const [quote, backslash] = [0x22, 0x5c];
const openings = new Set([0x5b, 0x7b]);
const closings = new Set([0x5d, 0x7d]);
/** White space of JSON, and the three bytes of a byte order mark. */
const between = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

/**
 * Whether a body is one whole JSON object or array, which shows by itself where it ends. Only brackets and strings are
 * looked at; a parser finds other mistakes.
 */
export async function isWholeJson(body: AnswerBody): Promise<boolean> {
  let depth = 0;
  let hasEnded = false;
  let isInString = false;
  let isEscaped = false;
  for await (const chunk of piecesOf(body)) {
    for (const byte of chunk) {
      if (isEscaped) isEscaped = false;
      else if (isInString) {
        isEscaped = byte === backslash;
        isInString = byte !== quote;
      } else if (between.has(byte)) continue;
      else if (hasEnded || (depth === 0 && !openings.has(byte))) return false;
      else if (byte === quote) isInString = true;
      else if (openings.has(byte)) depth++;
      else if (closings.has(byte)) hasEnded = --depth === 0;
    }
  }
  return hasEnded;
}
