// Saves four images of 30 MiB each from one JSON response.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import OpenAI from 'openai';
import { imageJob, jobRunnerAt } from '../support/jobRunner.ts';
import { measureAgainstServer } from './measureAgainstServer.ts';

await measureAgainstServer({
  client: {
    run: (host, folder) => {
      const { runner } = jobRunnerAt(host, { root: folder, journal: join(folder, 'journal') });
      const nothing = () => undefined;
      return runner.run(imageJob(folder, 4), {
        signal: new AbortController().signal,
        onProgress: nothing,
        onNotice: nothing,
      });
    },
  },
  openai: {
    run: async (host, folder) => {
      const client = new OpenAI({ baseURL: `${host}/v1`, apiKey: 'key', maxRetries: 0 });
      const { data = [] } = await client.images.generate({ model: 'm', prompt: 'a fox', n: 4 });
      for (const [index, { b64_json = '' }] of data.entries()) {
        await writeFile(join(folder, `${index}.png`), Buffer.from(b64_json, 'base64'));
      }
    },
  },
});
