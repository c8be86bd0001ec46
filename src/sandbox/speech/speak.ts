import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { checkRequest } from '../checkRequest.ts';
import type { Exchange } from '../http/Exchange.ts';
import { SandboxError } from '../http/SandboxError.ts';
import type { Workshop } from '../Workshop.ts';
import type { SpeechFormat } from './makeSpeech.ts';
import { makeSpeech } from './makeSpeech.ts';

const mediaTypes: ReadonlyMap<string, readonly [SpeechFormat, string]> = new Map([
  ['mp3', ['mp3', 'audio/mpeg']],
  ['wav', ['wav', 'audio/wav']],
]);

/** Answers the bytes of a sound file. It lies on disk until it is sent, so a slow client costs no memory. */
export async function speak(body: unknown, { response, signal }: Exchange, workshop: Workshop): Promise<void> {
  const { input: text, voice, response_format } = checkRequest('speak', body);
  const [format, mediaType] = mediaTypes.get(response_format) ?? refuseFormat(response_format);
  workshop.accept('speak');
  const folder = await mkdtemp(join(workshop.folder, 'speech-'));
  try {
    const order = { text, voice, format };
    const path = await workshop.speechQueue(signal, () => makeSpeech(order, folder, workshop.findVoice, signal));
    const { size } = await stat(path);
    response.writeHead(200, { 'content-type': mediaType, 'content-length': size, 'cache-control': 'no-store' });
    await pipeline(createReadStream(path), response, { signal });
  } finally {
    // Windows may need a moment until it lets go of a file.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function refuseFormat(format: string): never {
  throw new SandboxError(
    400,
    `Audio format (response_format) "${format.slice(0, 60)}" is not made by the sandbox: it makes ${[...mediaTypes.keys()].join(', ')}.`,
    { param: 'response_format', code: 'unsupported_format' },
  );
}
