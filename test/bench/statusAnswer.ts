// Receives and reads a status response with a video of 60 MiB as base64.
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { FileWriter } from '../../src/files/LocalFolder.ts';
import { clientOf, measureAgainstServer } from './measureAgainstServer.ts';

await measureAgainstServer({
  client: {
    run: async (host, folder) => {
      const client = clientOf(host);
      const source = { base: host, videoStatusPath: '/v1/videos/{id}' };
      const openFile = () => FileWriter.open(join(folder, 'answer'), 'wx+');
      const raw = await client.status('generateVideo', { id: 'v' }, source, { openFile });
      const answer = await client.read('generateVideo', raw, 'v');
      if (answer.type !== 'media' || !('data' in answer.media[0])) throw new Error('the response has no video');
      await pipeline(answer.media[0].data, createWriteStream(join(folder, 'video.mp4')));
    },
  },
});
