import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { checkRequest } from '../checkRequest.ts';
import { SandboxError } from '../http/SandboxError.ts';
import type { Exchange, SandboxContext } from '../SandboxContext.ts';
import type { SpeechFormat } from './makeSpeech.ts';
import { makeSpeech } from './makeSpeech.ts';

const mediaTypes: ReadonlyMap<string, readonly [SpeechFormat, string]> = new Map([
  ['mp3', ['mp3', 'audio/mpeg']],
  ['wav', ['wav', 'audio/wav']],
]);

/** Answers with the bytes of a sound file, streamed from disk so that a slow client takes no memory. */
export async function speak(body: unknown, { response, signal }: Exchange, context: SandboxContext): Promise<void> {
  const { input: text, voice, response_format } = checkRequest('speak', body);
  const [format, mediaType] = mediaTypes.get(response_format) ?? rejectFormat(response_format);
  context.accept('speak');
  const folder = await mkdtemp(join(context.folder, 'speech-'));
  try {
    const plan = { text, voice, format };
    const path = await context.speechQueue(signal, () => makeSpeech(plan, folder, context.findVoice, signal));
    const { size } = await stat(path);
    response.writeHead(200, { 'content-type': mediaType, 'content-length': size, 'cache-control': 'no-store' });
    await pipeline(createReadStream(path), response, { signal });
  } finally {
    // Windows may take a moment to release a file.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function rejectFormat(format: string): never {
  throw new SandboxError(
    400,
    `The sandbox does not support the audio format (response_format) "${format.slice(0, 60)}", only ${[...mediaTypes.keys()].join(' and ')}.`,
    { param: 'response_format', code: 'unsupported_format' },
  );
}
