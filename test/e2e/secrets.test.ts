import assert from 'node:assert/strict';
import type { HttpServer } from '../support/httpServer.ts';
import { bodyOf, startHttpServer } from '../support/httpServer.ts';
import { pngBytes } from '../support/mediaBytes.ts';
import { eventually } from './eventually.ts';
import { setApiKey } from './setApiKey.ts';
import { story } from './story.ts';
import { Workbench } from './workbench.ts';

const canaries = { key: 'canary-key-4711-of-a-person', signature: 'canary-signature-0815', prompt: 'Canarybird' };

/** Works with a key, then searches everything on the disk for it. */
story('the secrets of a user (promise 3)', () => {
  let service: HttpServer;
  let workbench: Workbench;

  before(async () => {
    service = await startHttpServer(async (request, response) => {
      if (request.method === 'GET') return void response.end(pngBytes);
      const { prompt } = JSON.parse(String(await bodyOf(request))) as { prompt: string };
      const isFirst = !prompt.includes('again');
      if (isFirst) response.end(JSON.stringify({ data: [{ url: `/result?signature=${canaries.signature}` }] }));
      // Some services echo the request.
      else
        response.writeHead(401).end(JSON.stringify({ error: { message: `Bad key ${request.headers.authorization}` } }));
    });
    workbench = await Workbench.start({
      machineSettings: {
        'unifiedMedia.imageBaseUrl': service.origin,
        'unifiedMedia.models': { generateImage: ['painter'] },
      },
    });
  });

  after(async () => {
    await workbench?.stop();
    await service[Symbol.asyncDispose]();
  });

  async function generate(prompt: string): Promise<void> {
    await workbench.runCommand('Media: Generate Image…');
    await workbench.answerInput('What the image shows', prompt);
  }

  it('appear in no message', async () => {
    await setApiKey(workbench, canaries.key);
    await generate(canaries.prompt);
    await workbench.editorTab('canarybird.png');
    await generate(`${canaries.prompt} again`);
    const message = await workbench.notification('The service did not accept the API key.');
    const text = await message.innerText();
    assert.match(text, /Bad key \[redacted\]/);
    assert(!text.includes(canaries.key), text);
    assert.equal(service.requests.filter(({ headers }) => headers.authorization === canaries.key).length, 3);
  });

  it('appear in no file of the extension, the editor or the workspace', () => {
    assert.deepEqual(workbench.filesWith(canaries.key), []);
    assert.deepEqual(workbench.filesWith(canaries.signature), []);
  });

  it('appear in no log, and neither does a prompt', async () => {
    await eventually('the requests are logged', async () => /generateImage: POST http/.test(workbench.log()));
    const log = workbench.log();
    for (const [name, canary] of Object.entries(canaries)) assert(!log.includes(canary), name);
  });
});
