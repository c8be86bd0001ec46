// Sends 30 edits of a photo of 6 MiB, all at once.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sendRequest } from '../support/clientOf.ts';
import { pngBytes } from '../support/mediaBytes.ts';
import { clientOf, measureAgainstServer } from './measureAgainstServer.ts';

const edits = 30;
const photoBytes = 6 * 2 ** 20;

await measureAgainstServer({
  client: {
    prepare: (_, folder) => {
      writeFileSync(photoIn(folder), Buffer.concat([pngBytes, Buffer.alloc(photoBytes - pngBytes.length, 7)]));
    },
    run: (host, folder) => {
      const request = { model: 'm', prompt: 'at night', image_urls: [pathToFileURL(photoIn(folder)).href] };
      const client = clientOf(host);
      return Promise.all(Array.from({ length: edits }, () => sendRequest(client, 'editImage', request)));
    },
  },
});

function photoIn(folder: string): string {
  return join(folder, 'photo.png');
}
