import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Requested, RequestOptions } from '../../../../src/editor/requests/requests.ts';
import { importWithEditor, Uri } from '../../../support/editorStub.ts';

const editor = {
  workspace: {
    fs: {
      createDirectory: ({ fsPath }: Uri) => mkdir(fsPath, { recursive: true }),
      readDirectory: async ({ fsPath }: Uri) => (await readdir(fsPath)).map((name) => [name, 1]),
    },
  },
};
const { Voices } = await importWithEditor<typeof import('../../../../src/features/create/Voices.ts')>(
  new URL('../../../../src/features/create/Voices.ts', import.meta.url),
  editor,
);

describe('Voices', () => {
  let folder: string;
  let asked: RequestOptions[];
  let sent: (readonly Requested[])[];
  let answer: 'no' | 'yes' | Error;
  let usesSandbox: boolean;

  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'voices-')), 'samples');
    [asked, sent, answer, usesSandbox] = [[], [], 'yes', false];
  });

  afterEach(() => rm(join(folder, '..'), { recursive: true }));

  const run = async (requests: readonly Requested[], _caller: unknown, options: RequestOptions) => {
    asked.push(options);
    if (answer === 'no') return undefined;
    sent.push(requests);
    if (answer instanceof Error) return [{ status: 'rejected', reason: answer }];
    const file = join(folder, requests[0]?.place?.exactName ?? '');
    await writeFile(file, 'sound');
    return [{ status: 'fulfilled', value: [{ uri: pathToFileURL(file).href }] }];
  };

  /** Returns the voices of a window; the folder stays when it is closed. */
  function open() {
    const settings = { usesSandbox, hosts: { audio: 'https://a.example' }, declaredFields: undefined };
    const places = { referenceIn: () => ({}) };
    return new Voices(Uri.file(folder), { settings, places, runs: { run } } as never);
  }

  const paths = async (...heard: readonly Promise<Uri | undefined>[]) =>
    (await Promise.all(heard)).map((sample) => sample?.path);

  it('says what a sample costs, and has none without a yes', async () => {
    answer = 'no';
    assert.equal(await open().hear('reader', 'nova'), undefined);
    const [{ question = '', billing = '', isAgreed } = {}] = asked;
    assert.equal(question, 'Hear the voice nova?');
    assert.match(billing, /27 characters once/);
    assert.equal(isAgreed, undefined);
    assert.deepEqual([sent, await readdir(folder)], [[], []]);
  });

  it('pays for a sample once: for two clicks, and in the next window', async () => {
    const voices = open();
    const [first, second] = await paths(voices.hear('reader', 'nova'), voices.hear('reader', 'nova'));
    assert(first);
    assert.deepEqual([second, ...(await paths(open().hear('reader', 'nova')))], [first, first]);
    const text = { model: 'reader', voice: 'nova', input: 'Hello, this is how I sound.', response_format: 'mp3' };
    assert.deepEqual(
      sent.map(([request]) => request?.fields),
      [text],
    );
    const others = await paths(open().hear('reader', 'sage'), open().hear('other', 'nova'));
    assert.equal(new Set([first, ...others]).size, 3);
  });

  it('asks for no yes in the sandbox, and takes its sample for no service’s', async () => {
    usesSandbox = true;
    const [free] = await paths(open().hear('reader', 'nova'));
    assert.deepEqual(
      asked.map(({ question, isAgreed }) => [question, isAgreed]),
      [[undefined, true]],
    );
    usesSandbox = false;
    assert.notDeepEqual(await paths(open().hear('reader', 'nova')), [free]);
  });

  it('tells when one could not be spoken, and tries again', async () => {
    answer = new Error('There is no API key');
    const voices = open();
    await assert.rejects(voices.hear('reader', 'nova'), answer);
    answer = 'yes';
    assert((await paths(voices.hear('reader', 'nova')))[0]);
  });
});
