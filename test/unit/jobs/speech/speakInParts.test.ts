import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Lease } from '../../../../src/jobs/Lease.ts';
import { speakInParts, sweepSpeech } from '../../../../src/jobs/speech/speakInParts.ts';
import { speechKey } from '../../../../src/jobs/speech/speechParts.ts';
import { sweepParts } from '../../../../src/jobs/sweepParts.ts';
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

  const windowAt = (host: string) => jobRunnerAt(host, { root: storage, journal: join(storage, 'jobs') });

  async function speak(host: string, sandbox = false, response_format: 'wav' | 'pcm' = 'wav', exactName?: string) {
    await using jobs = windowAt(host);
    await jobs.runner.recover([pathToFileURL(root).href], new AbortController().signal);
    return await speakIn(jobs, sandbox, response_format, exactName);
  }

  async function speakIn(
    jobs: ReturnType<typeof windowAt>,
    sandbox = false,
    response_format: 'wav' | 'pcm' = 'wav',
    exactName?: string,
  ) {
    const place = {
      root: pathToFileURL(root).href,
      path: 'media/speech',
      fileName: '${prompt}',
      transcriptFormat: 'markdown',
      ...(exactName === undefined ? {} : { exactName }),
    } as const;
    const request = { model: 'm', input: texts.join(' '), voice: 'nova', response_format } as const;
    return await speakInParts({ operation: 'speak', request, place, sandbox }, texts, {
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

  /** Starts a service that speaks each text as distinct samples, and fails for the text that `fails` returns. */
  async function service(spoken: string[], fails: () => string | undefined, answer = wavFor) {
    const listener: RequestListener = async (request, response) => {
      const { input } = JSON.parse(String(await bodyOf(request))) as { input: string };
      spoken.push(input);
      if (input === fails()) response.writeHead(500).end('{"error":"busy"}');
      else response.end(answer(input));
    };
    return startHttpServer(listener);
  }

  /** Starts a service that answers the first text with a URL, which fails as long as `isGone` returns true. */
  function serviceWithLink(spoken: string[], isGone: () => boolean) {
    return startHttpServer(async (request, response) => {
      const isLink = request.method !== 'POST';
      if (isLink) return response.writeHead(isGone() ? 410 : 200).end(isGone() ? '' : wavFor('One.'));
      const { input } = JSON.parse(String(await bodyOf(request))) as { input: string };
      spoken.push(input);
      return response.end(input === 'One.' ? '{"audio":{"url":"/one.wav"}}' : wavFor(input));
    });
  }

  const wavFor = (text: string) => wavOf(Buffer.alloc(100, text.charCodeAt(0)));
  const partsLeft = async () => (await readdir(storage)).filter((name) => /^[0-9a-f]{64}\./.test(name));

  it('speaks in order and joins the parts into one file with one record of the whole text', async () => {
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
    // A part is not an asset of its own.
    assert.equal(await readFile(join(storage, '.unified-media/library.jsonl'), 'utf8'), '');
  });

  it('gives the exact name to the joined file, not to a part', async () => {
    await using server = await service([], () => undefined);
    const [asset, ...others] = await speak(server.origin, false, 'wav', 'guide.wav');
    assert.deepEqual(others, []);
    assert.equal(asset?.uri, pathToFileURL(join(root, 'media/speech/guide.wav')).href);
    assert.deepEqual(await partsLeft(), []);
  });

  it('requests only the failed part again', async () => {
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

  it('finds a part whose name a crash has left to an empty file', async () => {
    const spoken: string[] = [];
    await using server = await service(spoken, () => undefined);
    const request = { model: 'm', input: 'Two.', voice: 'nova', response_format: 'wav' } as const;
    await writeFile(join(storage, `${speechKey({ sandbox: false, request })}.wav`), '');
    assert.equal((await speak(server.origin)).length, 1);
    assert.deepEqual(spoken, texts);
    assert.deepEqual(await partsLeft(), []);
  });

  it('does not pay again for a part that could not be downloaded', async () => {
    const spoken: string[] = [];
    let isGone = true;
    await using server = await serviceWithLink(spoken, () => isGone);
    await assert.rejects(speak(server.origin), { kind: 'download' });
    isGone = false;
    assert.equal((await speak(server.origin)).length, 1);
    assert.deepEqual(spoken, texts);
  });

  it('does not pay again for a part that another window could not download just now', async () => {
    const spoken: string[] = [];
    let isGone = true;
    await using server = await serviceWithLink(spoken, () => isGone);
    await using other = windowAt(server.origin);
    await using window = windowAt(server.origin);
    await assert.rejects(speakIn(other), { kind: 'download' });
    isGone = false;
    assert.equal((await speakIn(window)).length, 1);
    assert.deepEqual(spoken, texts);
  });

  it('does not reuse a sandbox part for the service', async () => {
    const spoken: string[] = [];
    let failing: string | undefined = 'Two.';
    await using server = await service(spoken, () => failing);
    await assert.rejects(speak(server.origin, true), { kind: 'server' });
    failing = undefined;
    await speak(server.origin, false);
    assert.deepEqual(spoken, ['One.', 'Two.', ...texts]);
  });

  it('rejects a second window that speaks the same text, so it is paid once', async () => {
    const folder = join(storage, 'narrations');
    await using server = await startHttpServer();
    const incoming = server.next();
    const first = speak(server.origin);
    const [, response] = await incoming;
    await assert.rejects(speak(server.origin), { kind: 'invalidInput', message: 'This text is already being spoken.' });
    assert.equal(server.requests.length, 1);
    response.writeHead(400).end('{"error":"no"}');
    await assert.rejects(first, { kind: 'badRequest' });
    // The lease was released, so the same text can be spoken again.
    const [narration = ''] = await readdir(folder);
    assert((await Lease.take(join(folder, narration))) !== undefined);
  });

  it('requests no more parts once another window has taken the text over', async () => {
    const spoken: string[] = [];
    await using server = await startHttpServer(async (request, response) => {
      const { input } = JSON.parse(String(await bodyOf(request))) as { input: string };
      spoken.push(input);
      const [name = ''] = await readdir(join(storage, 'narrations'));
      const folder = join(storage, 'narrations', name);
      await writeFile(join(folder, 'lease-1'), '{"isReleased":true}');
      const other = await Lease.take(folder);
      assert(other);
      response.end(wavFor(input));
    });
    await assert.rejects(speak(server.origin), { kind: 'invalidInput', message: /already being spoken/ });
    assert.deepEqual(spoken, ['One.']);
  });

  it('removes parts older than 30 days and temporary files older than an hour (sweepParts)', async () => {
    const day = 24 * 60 * 60 * 1000;
    const ages = { 'old.wav': 30.1 * day, 'young.wav': 29.9 * day, '.old.part': day / 12, '.young.part': day / 48 };
    for (const [name, age] of Object.entries(ages)) {
      await writeFile(join(storage, name), '');
      const then = new Date(Date.now() - age);
      await utimes(join(storage, name), then, then);
    }
    await mkdir(join(storage, 'narrations/left'), { recursive: true });
    const then = new Date(Date.now() - day / 12);
    await utimes(join(storage, 'narrations/left'), then, then);
    await mkdir(join(storage, 'narrations/begun'));
    await sweepSpeech(storage);
    assert.deepEqual((await readdir(storage)).sort(), ['.young.part', 'narrations', 'young.wav']);
    assert.deepEqual(await readdir(join(storage, 'narrations')), ['begun']);
  });

  it('keeps the folder of a text being spoken that looks old after a sleep (sweepParts)', async () => {
    const silence = 300;
    const folder = join(storage, 'narrations', 'spoken');
    await mkdir(folder, { recursive: true });
    const lease = await Lease.take(folder, { silence });
    const then = new Date(Date.now() - 2 * 60 * 60 * 1000);
    for (const path of [join(folder, 'lease-1'), folder]) await utimes(path, then, then);
    await sweepParts(storage, 'narrations', silence);
    assert.deepEqual(await readdir(join(storage, 'narrations')), ['spoken']);
    await lease?.release();
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
      message: /already spoken are kept; you will not pay for them again\.$/,
    });
    assert.equal((await partsLeft()).length, texts.length);
    assert.equal((await speak(server.origin)).length, 1);
    assert.deepEqual(spoken, texts);
  });

  it('rejects before sending when the file cannot be recorded', async () => {
    await writeFile(join(root, '.unified-media'), 'a file where the folder should be');
    const spoken: string[] = [];
    await using server = await service(spoken, () => undefined);
    await assert.rejects(speak(server.origin), { kind: 'save', message: /^Nothing was sent\./ });
    assert.deepEqual(spoken, []);
  });

  it('saves raw PCM parts by their content type', async () => {
    await using server = await startHttpServer(async (request, response) => {
      const { input } = JSON.parse(String(await bodyOf(request))) as { input: string };
      response.writeHead(200, { 'content-type': 'audio/pcm' }).end(Buffer.alloc(100, input.charCodeAt(0)));
    });
    const assets = await speak(server.origin, false, 'pcm');
    assert.deepEqual(
      assets.map(({ uri, mediaType }) => [uri.slice(uri.lastIndexOf('/') + 1), mediaType]),
      ['one-two-three.pcm', 'one-two-three-2.pcm', 'one-two-three-3.pcm'].map((name) => [name, 'audio/pcm']),
    );
  });

  it('saves the parts separately when they cannot be joined, and reports it', async () => {
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
