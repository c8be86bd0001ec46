// Downloads a large video to a file.
import { execFileSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { LocalFolder } from '../../src/files/LocalFolder.ts';
import { saveMedia } from '../../src/library/saveMedia.ts';
import { fetchResult } from '../../src/work/fetchResult.ts';
import { type Contender, clientOf, measureAgainstServer, megabytes } from './measureAgainstServer.ts';

const video = `/video?megabytes=${megabytes}`;

await measureAgainstServer({
  client: {
    run: (host, folder) => {
      const client = clientOf(host);
      const { signal } = new AbortController();
      const onProgress = () => undefined;
      const data = fetchResult(
        (from) => client.download('generateVideo', `${host}${video}`, { base: host }, { signal, onProgress, from }),
        {
          signal,
          onProgress,
        },
      );
      return saveMedia(new LocalFolder(folder, folder), data, { name: 'video', kind: 'videos', id: 'a' });
    },
  },
  curl: curl(),
  // Until the file is on disk, as the client does.
  'curl+sync': curl(['sync']),
  // Everything that the client does.
  'curl+sha256+sync': curl(['openssl', 'dgst', '-sha256'], ['sync']),
  fetch: {
    run: async (host, folder) => {
      const { body } = await fetch(`${host}${video}`);
      await pipeline(Readable.fromWeb(body as ReadableStream), createWriteStream(join(folder, 'video.mp4')));
    },
  },
});

/** Downloads with curl, then runs each of the commands on the file. */
function curl(...commands: readonly (readonly [program: string, ...options: string[]])[]): Contender {
  return {
    run: (host, folder) => {
      const file = join(folder, 'video.mp4');
      execFileSync('curl', ['-sS', '-o', file, `${host}${video}`]);
      for (const [program, ...options] of commands) execFileSync(program, [...options, file]);
    },
  };
}
