// Uploads a large recording.
import { execFileSync } from 'node:child_process';
import { createReadStream, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import OpenAI from 'openai';
import { sendRequest } from '../support/clientOf.ts';
import { wavOf } from '../support/mediaBytes.ts';
import { clientOf, measureAgainstServer, megabytes } from './measureAgainstServer.ts';

const prepare = (_: string, folder: string) => {
  writeFileSync(recordingIn(folder), wavOf(Buffer.alloc(80, 0x80)));
  truncateSync(recordingIn(folder), megabytes * 2 ** 20);
};

await measureAgainstServer({
  client: {
    prepare,
    run: (host, folder) => sendRequest(clientOf(host), 'transcribe', { model: 'm', file: recordingIn(folder) }),
  },
  curl: {
    prepare,
    run: (host, folder) =>
      execFileSync('curl', [
        '-sS',
        '-F',
        'model=m',
        '-F',
        `file=@${recordingIn(folder)}`,
        `${host}/v1/audio/transcriptions`,
      ]),
  },
  openai: {
    prepare,
    run: (host, folder) =>
      new OpenAI({ baseURL: `${host}/v1`, apiKey: 'key', maxRetries: 0 }).audio.transcriptions.create({
        model: 'm',
        file: createReadStream(recordingIn(folder)),
      }),
  },
});

function recordingIn(folder: string): string {
  return join(folder, 'talk.wav');
}
