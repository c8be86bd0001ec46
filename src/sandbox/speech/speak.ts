import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { MediaRequest } from '../../operations/operations.ts';
import { checkRequest } from '../checkRequest.ts';
import type { Exchange } from '../http/Exchange.ts';
import { SandboxError } from '../http/SandboxError.ts';
import type { Workshop } from '../Workshop.ts';
import { planSpeech } from './planSpeech.ts';
import { samplesOf, synthesiseTones } from './synthesiseTones.ts';
import { writeWavHeader } from './writeWavHeader.ts';

/** Of each voice, in Hz. */
const pitches: Readonly<Record<MediaRequest<'speak'>['voice'], number>> = {
  onyx: 98,
  echo: 117,
  ash: 131,
  verse: 147,
  fable: 165,
  alloy: 185,
  sage: 208,
  ballad: 233,
  coral: 262,
  nova: 294,
  shimmer: 330,
};
const made = ['wav'];

/** Answers the bytes of a WAV file. */
export async function speak(body: unknown, { response, signal }: Exchange, { accept }: Workshop): Promise<void> {
  const { input, voice, response_format } = checkRequest('speak', body);
  if (!made.includes(response_format)) {
    throw new SandboxError(
      400,
      `Audio format (response_format) "${response_format.slice(0, 60)}" is not made by the sandbox: it makes ${made.join(', ')}.`,
      { param: 'response_format', code: 'unsupported_format' },
    );
  }
  accept('speak');
  const words = planSpeech(input);
  const samples = words.reduce((sum, word) => sum + samplesOf(word), 0);
  const header = writeWavHeader(samples, input);
  response.writeHead(200, {
    'content-type': 'audio/wav',
    'content-length': header.length + samples * 2,
    'cache-control': 'no-store',
  });
  response.write(header);
  await pipeline(Readable.from(synthesiseTones(words, pitches[voice], signal)), response, { signal });
}
