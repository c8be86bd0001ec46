import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { operations } from '../../../src/operations/operations.ts';
import { jpegFile } from '../../support/pictureFiles.ts';
import { type Hosts, post, urlOf } from '../../support/sandboxClient.ts';

const count = 100;
/** Maximum growth of the memory, in bytes. */
const tolerance = 50_000_000;
const image_url = `data:image/jpeg;base64,${jpegFile.toString('base64')}`;

describe('sandbox: many concurrent requests', () => {
  let child: ChildProcess;
  let hosts: Hosts;

  before(async () => {
    child = fork('test/support/measuredSandbox.ts', { execArgv: ['--expose-gc'] });
    [hosts] = (await once(child, 'message')) as [Hosts];
  });
  after(async () => {
    const ended = once(child, 'exit');
    child.disconnect();
    await ended;
  });

  /** Memory of the sandbox process after a garbage collection, in bytes. */
  const memory = async () => {
    const answer = once(child, 'message');
    child.send('memory');
    return ((await answer) as [number])[0];
  };
  const ask = async (path: string, fields: object) => (await post(hosts, path, { model: 'm', ...fields })).status;

  const transcribe = async () => {
    const speech = await post(hosts, operations.speak.path, { model: 'm', input: 'One.', response_format: 'wav' });
    const form = new FormData();
    form.set('model', 'm');
    form.set('file', new Blob([new Uint8Array(speech.body)]), 'a.wav');
    const url = urlOf(hosts, operations.transcribe.path);
    const answer = await fetch(url, { method: 'POST', headers: { authorization: hosts.key }, body: form });
    await answer.arrayBuffer();
    return answer.status;
  };

  const send = (index: number): Promise<number> => {
    const prompt = `Picture ${index}`;
    switch (index % 20) {
      case 0:
        return ask(operations.generateVideo.path, { prompt });
      case 1:
        return ask(operations.generateVideo.path, { prompt, image_url });
      case 2:
      case 3:
        return ask(operations.editImage.path, { prompt, image_urls: [image_url] });
      case 4:
        return ask(operations.speak.path, { input: prompt, response_format: 'wav' });
      case 5:
        return transcribe();
      default:
        return ask(operations.generateImage.path, { prompt, output_format: index % 2 === 0 ? 'url' : 'b64_json' });
    }
  };

  const sendAtOnce = async (length: number) => {
    const statuses = await Promise.all(Array.from({ length }, (_, index) => send(index)));
    assert.deepEqual(
      statuses.filter((status) => status !== 200),
      [],
    );
  };

  it('answers all of them without growing in memory', async () => {
    // The engine keeps about 50 MB from the first burst of requests for reuse, so that burst is not measured.
    await sendAtOnce(40);
    const before = await memory();
    await sendAtOnce(count);
    // The worker thread is stopped some seconds after its last task, later on a busy machine.
    const deadline = performance.now() + 40_000;
    let after = await memory();
    while (after > before + tolerance && performance.now() < deadline) {
      await setTimeout(100);
      after = await memory();
    }
    assert(after <= before + tolerance, `${before} bytes before, ${after} after`);
  });
});
