import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { speakInParts } from '../../../../src/jobs/speech/speakInParts.ts';
import { Library } from '../../../../src/library/Library.ts';
import { LocalFolder } from '../../../../src/library/LocalFolder.ts';
import { bodyOf, startHttpServer } from '../../../support/httpServer.ts';
import { jobRunnerAt } from '../../../support/jobRunner.ts';
import { wavOf } from '../../../support/mediaBytes.ts';

const texts = ['One.', 'Two.', 'Three.'];

describe('speakInParts', () => {
  let root: string;
  let storage: string;
  let notices: string[];

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'speech-workspace-'));
    storage = await mkdtemp(join(tmpdir(), 'speech-storage-'));
    notices = [];
  });

  afterEach(async () => {
    await rm(root, { recursive: true });
    await rm(storage, { recursive: true });
  });

  async function speak(host: string) {
    await using jobs = jobRunnerAt(host, { root: storage, journal: join(storage, 'jobs') });
    const place = {
      root: pathToFileURL(root).href,
      path: 'media/speech',
      fileName: '${prompt}',
      transcriptFormat: 'markdown',
    } as const;
    const request = { model: 'm', input: texts.join(' '), voice: 'nova', response_format: 'wav' } as const;
    return await speakInParts({ operation: 'speak', request, place, sandbox: false }, texts, {
      runner: jobs.runner,
      jobs: jobs.jobs,
      place: {
        folder: new LocalFolder(join(root, 'media/speech'), root),
        library: new Library(new LocalFolder(join(root, '.unified-media'), root)),
        recordedName: (name) => `media/speech/${name}`,
      },
      partsFolder: storage,
      signal: new AbortController().signal,
      onProgress: () => undefined,
      onNotice: (sentence) => notices.push(sentence),
    });
  }

  /** Speaks each text as samples of its own; a text can be made to fail. */
  async function service(spoken: string[], fails: () => string | undefined, answer = wavFor) {
    const listener: RequestListener = async (request, response) => {
      const { input } = JSON.parse(String(await bodyOf(request))) as { input: string };
      spoken.push(input);
      if (input === fails()) response.writeHead(500).end('{"error":"busy"}');
      else response.end(answer(input));
    };
    return startHttpServer(listener);
  }

  const wavFor = (text: string) => wavOf(Buffer.alloc(100, text.charCodeAt(0)));
  const partsLeft = async () => (await readdir(storage)).filter((name) => /^[0-9a-f]{64}\./.test(name));

  it('speaks in order and joins into one file, with one record of the whole text', async () => {
    const spoken: string[] = [];
    await using server = await service(spoken, () => undefined);
    const [asset, ...others] = await speak(server.origin);
    assert.deepEqual(others, []);
    assert.deepEqual(spoken, texts);
    const samples = Buffer.concat(texts.map((text) => Buffer.alloc(100, text.charCodeAt(0))));
    assert((await readFile(join(root, 'media/speech/one-two-three.wav'))).includes(samples));
    assert.equal(asset?.prompt, 'One. Two. Three.');
    const library = await readFile(join(root, '.unified-media/library.jsonl'), 'utf8');
    assert.equal(library.trimEnd().split('\n').length, 1);
    assert.deepEqual(await partsLeft(), []);
  });

  it('speaks a failed part again alone', async () => {
    const spoken: string[] = [];
    let failing: string | undefined = 'Two.';
    await using server = await service(spoken, () => failing);
    await assert.rejects(speak(server.origin), { kind: 'server' });
    assert.equal((await partsLeft()).length, 1);
    failing = undefined;
    assert.equal((await speak(server.origin)).length, 1);
    assert.deepEqual(spoken, ['One.', 'Two.', 'Two.', 'Three.']);
    assert.deepEqual(await partsLeft(), []);
  });

  it('pays nothing again after the joined file could not be saved', async () => {
    const spoken: string[] = [];
    const media = join(root, 'media');
    await using server = await service(spoken, () => {
      if (spoken.length === texts.length) rmSync(media, { recursive: true });
      return undefined;
    });
    await assert.rejects(speak(server.origin), {
      kind: 'save',
      message: /What is spoken is kept: the same text is not paid for again\.$/,
    });
    assert.equal((await partsLeft()).length, texts.length);
    assert.equal((await speak(server.origin)).length, 1);
    assert.deepEqual(spoken, texts);
  });

  it('finds before it pays that its file cannot be recorded', async () => {
    await writeFile(join(root, '.unified-media'), 'a file where the folder should be');
    const spoken: string[] = [];
    await using server = await service(spoken, () => undefined);
    await assert.rejects(speak(server.origin), { kind: 'save', message: /^Nothing was sent\./ });
    assert.deepEqual(spoken, []);
  });

  it('saves the parts one by one where they cannot be joined, and says so', async () => {
    const flac = (text: string) => Buffer.from(`fLaC\0\0\0\x22${text}${'\0'.repeat(40)}`, 'latin1');
    await using server = await service([], () => undefined, flac);
    const assets = await speak(server.origin);
    assert.deepEqual(
      assets.map(({ uri }) => uri.slice(uri.lastIndexOf('/') + 1)),
      ['one-two-three.flac', 'one-two-three-2.flac', 'one-two-three-3.flac'],
    );
    assert.match(notices.join(), /3 spoken parts cannot be joined/);
    for (const [index, text] of texts.entries()) {
      const name = `one-two-three${index === 0 ? '' : `-${index + 1}`}.flac`;
      assert((await readFile(join(root, 'media/speech', name), 'latin1')).includes(text));
    }
  });
});
