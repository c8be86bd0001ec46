import assert from 'node:assert/strict';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { LibraryRecord } from '../../../src/library/LibraryRecord.ts';
import { marksIn } from '../../../src/marks/readMarks.ts';
import { operations } from '../../../src/operations/operations.ts';
import { makeAssets } from '../../../src/wholes/makeAssets.ts';
import { maxCharactersOf, speakInParts } from '../../../src/wholes/speakInParts.ts';
import { type SpeechRequest, speechKey, wholeKey } from '../../../src/wholes/wholeKey.ts';
import { UnknownOutcome } from '../../../src/work/jobErrors.ts';
import { Lease } from '../../../src/work/Lease.ts';
import { Store } from '../../../src/work/Store.ts';
import { sweep } from '../../../src/work/sweep.ts';
import { failureOf } from '../../support/failureOf.ts';
import { bodyOf, startHttpServer } from '../../support/httpServer.ts';
import { jobRunnerAt } from '../../support/jobRunner.ts';
import { flacWith, manifestStore, riffWith } from '../../support/markedFiles.ts';
import { wavOf } from '../../support/mediaBytes.ts';

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

  interface Wanted {
    readonly sandbox?: boolean;
    readonly format?: 'wav' | 'pcm';
    readonly exactName?: string;
    readonly again?: boolean;
    readonly texts?: readonly string[];
    readonly marksGenerated?: boolean;
  }

  const works = () => join(storage, 'work');
  const windowAt = (host: string, marksGenerated = true) =>
    jobRunnerAt(host, { root, journal: works(), marksGenerated }, 1);

  async function speak(host: string, wanted: Wanted = {}) {
    await using window = windowAt(host, wanted.marksGenerated);
    await window.recover();
    return await speakIn(window, wanted);
  }

  async function speakIn(window: ReturnType<typeof windowAt>, wanted: Wanted = {}) {
    const { sandbox = false, exactName, again = false, texts: spoken = texts } = wanted;
    const place = {
      root: pathToFileURL(root).href,
      path: 'media/speech',
      fileName: '${prompt}',
      transcriptFormat: 'markdown',
      ...(exactName === undefined ? {} : { exactName }),
    } as const;
    const request = requestFor(spoken.join(' '), wanted.format);
    const parts = { texts: spoken, maxCharacters: 10 };
    return await speakInParts({ operation: 'speak', request, place, sandbox }, parts, window.runner, {
      signal: new AbortController().signal,
      again,
      onProgress: () => undefined,
      onNotice: (sentence) => notices.push(sentence),
    });
  }

  const requestFor = (input: string, response_format: 'wav' | 'pcm' = 'wav') =>
    ({ model: 'm', input, voice: 'nova', response_format }) as const;
  /** The folder whose lease is held while the whole text is spoken. */
  const heldFolder = () => join(works(), wholeKey(keyFor(texts.join(' '))));
  const keyFor = (text: string) => speechKey({ sandbox: false, request: requestFor(text) });

  /** Starts a service that speaks each text as distinct samples, and fails for the text that `fails` returns. */
  async function service(spoken: string[], fails: () => string | undefined, answer = wavFor, status = 400) {
    const listener: RequestListener = async (request, response) => {
      const { input } = JSON.parse(String(await bodyOf(request))) as { input: string };
      spoken.push(input);
      if (input === fails()) response.writeHead(status).end('{"error":"no"}');
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
  /** Sounds of parts in the store. */
  const partsLeft = async () => (await filesIn(storage)).filter((path) => /part\.\w+$/.test(path));
  const notes = async () =>
    (await filesIn(root)).filter((path) => path.includes('jobs') && !path.endsWith('.gitignore'));

  /** Fails unless nothing is left of the parts, once their leftovers have no owner any more. */
  async function checkNothingLeft(): Promise<void> {
    assert.deepEqual(await partsLeft(), []);
    assert.deepEqual(await notes(), []);
    await sweep(new Store(works(), 0), []);
    assert.deepEqual(await readdir(works()), []);
    assert.deepEqual(await readdir(storage), ['work']);
  }

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
    assert.deepEqual((await filesIn(root)).sort(), ['.unified-media/library.jsonl', 'media/speech/one-two-three.wav']);
    await checkNothingLeft();
  });

  it('says that a model spoke the joined file, unless that is off, and that credentials of parts were not kept', async () => {
    const source = 'trainedAlgorithmicMedia';
    const signed = (text: string) => riffWith(wavFor(text), 'C2PA', manifestStore());
    const expected = [
      [wavFor, true, { kinds: ['iptc'], source }, [undefined, source]],
      [signed, true, { kinds: ['iptc'], source }, ['lost', source]],
      [signed, false, { kinds: [], source: undefined }, ['lost', undefined]],
    ] as const;
    for (const [answer, marksGenerated, marks, recorded] of expected) {
      await using server = await service([], () => undefined, answer);
      const [asset] = await speak(server.origin, { marksGenerated });
      assert.deepEqual(marksIn(await readFile(fileURLToPath(asset?.uri ?? ''))), marks);
      const lines = (await readFile(join(root, '.unified-media/library.jsonl'), 'utf8')).trimEnd().split('\n');
      const { credentials, digitalSourceType } = JSON.parse(lines.at(-1) ?? '') as LibraryRecord;
      assert.deepEqual([credentials, digitalSourceType], recorded);
    }
    await checkNothingLeft();
  });

  it('keeps the credentials of parts that cannot be joined', async () => {
    await using server = await service(
      [],
      () => undefined,
      (text) => flacWith(2, Buffer.from(`c2pa....jumb....jumdc2pa${text}`)),
    );
    const assets = await speak(server.origin);
    assert.equal(assets.length, texts.length);
    const lines = (await readFile(join(root, '.unified-media/library.jsonl'), 'utf8')).trimEnd().split('\n');
    for (const line of lines) assert.deepEqual((JSON.parse(line) as LibraryRecord).credentials, ['c2pa']);
  });

  it('gives the exact name to the joined file, not to a part', async () => {
    await using server = await service([], () => undefined);
    const [asset, ...others] = await speak(server.origin, { exactName: 'guide.wav' });
    assert.deepEqual(others, []);
    assert.equal(asset?.uri, pathToFileURL(join(root, 'media/speech/guide.wav')).href);
    assert.deepEqual(await partsLeft(), []);
  });

  it('requests only the failed part again', async () => {
    const spoken: string[] = [];
    let failing: string | undefined = 'Two.';
    await using server = await service(spoken, () => failing);
    const message = /^One part failed: .* The parts already spoken are kept; you will not pay for them again\.$/;
    await assert.rejects(speak(server.origin), { kind: 'badRequest', message });
    assert.equal((await partsLeft()).length, 1);
    assert.deepEqual(
      (await filesIn(storage)).filter((path) => !path.startsWith('work/')),
      [],
    );
    assert.equal((await notes()).length, 2, 'of the part, and of the whole');
    failing = undefined;
    assert.equal((await speak(server.origin)).length, 1);
    assert.deepEqual(spoken, ['One.', 'Two.', 'Two.', 'Three.']);
    await checkNothingLeft();
  });

  it('says only of the failed part that it was not sent, and nothing of parts where there are none', async () => {
    const spoken: string[] = [];
    const nobody = 'http://127.0.0.1:1';
    await assert.rejects(speak(nobody), { message: /^Cannot reach .* Nothing was sent\.$/ });
    await using server = await service(spoken, () => 'Two.');
    await failureOf(speak(server.origin));
    const message = /^One part failed: Cannot reach .* Nothing was sent\. The parts already spoken are kept/;
    await assert.rejects(speak(nobody), { kind: 'network', message });
  });

  it('does not say that nothing was sent when a part that was paid for cannot be taken', async () => {
    const spoken: string[] = [];
    let isBlocked = true;
    let folders: readonly string[] = [];
    await using server = await service(spoken, () => {
      folders = readdirSync(heldFolder()).filter((name) => name.startsWith('parts-'));
      for (const name of isBlocked ? folders : []) {
        rmSync(join(heldFolder(), name), { recursive: true });
        writeFileSync(join(heldFolder(), name), '');
      }
      return undefined;
    });
    const message = /^The spoken part .* cannot be read: .*ENOTDIR.* You will not pay for it again\.$/;
    const failure = await failureOf(speak(server.origin));
    assert.equal(folders.length, 1, 'a full disk would be noticed only after the part was paid for');
    assert.match(failure.message, message);
    isBlocked = false;
    assert.equal((await speak(server.origin)).length, 1);
    assert.deepEqual(spoken, texts);
  });

  it('sends a part that may be billed again only after a yes, and none of the others before', async () => {
    const spoken: string[] = [];
    let failing: string | undefined = 'Two.';
    await using server = await service(spoken, () => failing, wavFor, 500);
    await assert.rejects(speak(server.origin), { kind: 'server', mayBeBilled: true });
    failing = undefined;
    const error = await failureOf(speak(server.origin, { texts: ['New.', ...texts] }));
    assert(error instanceof UnknownOutcome, error.message);
    assert.match(error.message, /^Nothing was sent, because the same request was sent before\. Its outcome is unknown/);
    assert.deepEqual(spoken, ['One.', 'Two.']);
    assert.equal((await speak(server.origin, { again: true })).length, 1);
    assert.deepEqual(spoken, ['One.', 'Two.', 'Two.', 'Three.']);
    await checkNothingLeft();
  });

  describe('goes on with the parts of an earlier run when the setting has changed', () => {
    async function run(host: string, speechMaxCharacters: number, { again = false, splitsAnew = true } = {}) {
      await using window = windowAt(host);
      await window.recover();
      const place = {
        root: pathToFileURL(root).href,
        path: 'media',
        fileName: 'a',
        transcriptFormat: 'markdown',
      } as const;
      const input = { operation: 'speak', request: requestFor(texts.join(' ')), place, sandbox: false } as const;
      const limits = { speechMaxCharacters, splitsAnew, soundOnly: false, maxBytes: 0 };
      const report = { onProgress: () => undefined, onNotice: () => undefined };
      await makeAssets(input, window.runner, limits, { signal: new AbortController().signal, again, ...report });
    }

    const endings: readonly (readonly [string, number, readonly string[]])[] = [
      ['whose outcome is unknown, after a yes', 500, ['Two.', 'Three.']],
      ['that was refused for the key', 403, ['Two.', 'Three.']],
      ['that was refused as it is, because the others are kept', 400, ['Two.', 'Three.']],
    ];
    for (const [what, status, sent] of endings) {
      it(`${what} (${status})`, async () => {
        const spoken: string[] = [];
        let failing: string | undefined = 'Two.';
        await using server = await service(spoken, () => failing, wavFor, status);
        await failureOf(run(server.origin, 6));
        assert.deepEqual(spoken.splice(0), ['One.', 'Two.']);
        failing = undefined;
        if (status === 500) await assert.rejects(run(server.origin, 100), UnknownOutcome);
        await run(server.origin, 100, { again: status === 500 });
        assert.deepEqual(spoken, sent);
      });
    }

    for (const [what, status, sent] of [
      ['but not when a person has lowered it', 403, ['One.', 'Two.', 'Three.']],
      ['also when it was lowered, while the outcome of one is unknown', 500, ['Three.']],
    ] as const) {
      it(`${what} (${status})`, async () => {
        const spoken: string[] = [];
        let failing: string | undefined = 'Three.';
        await using server = await service(spoken, () => failing, wavFor, status);
        await failureOf(run(server.origin, 10));
        spoken.splice(0);
        failing = undefined;
        await run(server.origin, 6, { again: status === 500 });
        assert.deepEqual(spoken, sent);
      });
    }

    for (const status of [400, 403]) {
      it(`also when a default is shorter, which nobody has chosen (${status})`, async () => {
        const spoken: string[] = [];
        let failing: string | undefined = 'Three.';
        await using server = await service(spoken, () => failing, wavFor, status);
        await failureOf(run(server.origin, 10));
        assert.deepEqual(spoken.splice(0), ['One. Two.', 'Three.']);
        failing = undefined;
        await run(server.origin, 6, { splitsAnew: false });
        assert.deepEqual(spoken, ['Three.']);
      });
    }
  });

  it('asks in another folder, too, and pays for nothing that was kept for the first', async () => {
    const spoken: string[] = [];
    let failing: string | undefined = 'Two.';
    await using server = await service(spoken, () => failing, wavFor, 500);
    await assert.rejects(speak(server.origin), { kind: 'server' });
    failing = undefined;
    const first = root;
    root = await mkdtemp(join(tmpdir(), 'speech-other-'));
    try {
      await assert.rejects(speak(server.origin), UnknownOutcome);
      assert.equal((await speak(server.origin, { again: true })).length, 1);
      assert.deepEqual(spoken.splice(0), ['One.', 'Two.', 'Two.', 'Three.']);
      assert.deepEqual(await notes(), []);
    } finally {
      await rm(root, { recursive: true });
      root = first;
    }
    await assert.rejects(speak(server.origin), UnknownOutcome, 'nobody has agreed in the first folder');
    assert.equal((await speak(server.origin, { again: true })).length, 1);
    assert.deepEqual(spoken, ['Two.', 'Three.'], 'its own part is still kept');
    await checkNothingLeft();
    assert.deepEqual(await notes(), []);
  });

  it('finds a part whose name a crash has left to an empty file', async () => {
    const spoken: string[] = [];
    await using server = await service(spoken, () => undefined);
    const folder = join(works(), keyFor('Two.'));
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'part.wav'), '');
    assert.equal((await speak(server.origin)).length, 1);
    assert.deepEqual(spoken, texts);
    await checkNothingLeft();
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
    await assert.rejects(speak(server.origin, { sandbox: true }), { kind: 'badRequest' });
    failing = undefined;
    await speak(server.origin);
    assert.deepEqual(spoken, ['One.', 'Two.', ...texts]);
  });

  it('rejects a second window that speaks the same text, so it is paid once', async () => {
    await using server = await startHttpServer();
    const incoming = server.next();
    const first = speak(server.origin);
    const [, response] = await incoming;
    await assert.rejects(speak(server.origin), { kind: 'invalidInput', message: 'This text is already being spoken.' });
    assert.equal(server.requests.length, 1);
    response.writeHead(400).end('{"error":"no"}');
    await assert.rejects(first, { kind: 'badRequest' });
    // The lease was released, so the same text can be spoken again.
    assert((await Lease.take(heldFolder())) !== undefined);
  });

  it('requests no more parts once another window has taken the text over', async () => {
    const spoken: string[] = [];
    await using server = await startHttpServer(async (request, response) => {
      const { input } = JSON.parse(String(await bodyOf(request))) as { input: string };
      spoken.push(input);
      await writeFile(join(heldFolder(), 'lease-1'), '{"isReleased":true}');
      const other = await Lease.take(heldFolder());
      assert(other);
      response.end(wavFor(input));
    });
    await assert.rejects(speak(server.origin), { kind: 'invalidInput', message: /already being spoken/ });
    assert.deepEqual(spoken, ['One.']);
  });

  it('keeps paid parts for ever', async () => {
    const spoken: string[] = [];
    let failing: string | undefined = 'Two.';
    await using server = await service(spoken, () => failing);
    await assert.rejects(speak(server.origin), { kind: 'badRequest' });
    const folder = join(works(), keyFor('One.'));
    const year = new Date(Date.now() - 365 * 24 * 60 * 60 * 1000);
    const journal = join(folder, 'journal.jsonl');
    const text = await readFile(journal, 'utf8');
    await writeFile(journal, text.replace(/"createdAt":"[^"]+"/, `"createdAt":"${year.toISOString()}"`));
    for (const path of ['', ...(await readdir(folder))]) await utimes(join(folder, path), year, year);
    failing = undefined;
    await speak(server.origin);
    assert.deepEqual(spoken, ['One.', 'Two.', 'Two.', 'Three.']);
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
      response.writeHead(200, { 'content-type': 'audio/pcm' }).end(Buffer.alloc(100, 128 + input.charCodeAt(0)));
    });
    const assets = await speak(server.origin, { format: 'pcm' });
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

describe('maxCharactersOf', () => {
  it('is not that of a part that was given up', () => {
    const request = { model: 'm', input: 'One. Two.', voice: 'nova', response_format: 'wav' } as const;
    const place = { root: 'file:///a', path: 'media', fileName: '', transcriptFormat: 'markdown' } as const;
    const whole = { key: 'whole', request, place, maxCharacters: 4096 };
    const facts = { id: 'a', operation: 'speak', request, createdAt: '', place, sandbox: false, whole } as const;
    const part = { ...facts, state: 'unknown', assets: {}, hasAnswer: false } as const;
    const limits = { speechMaxCharacters: 1000, splitsAnew: true };
    assert.equal(maxCharactersOf(whole, [{ ...part, key: 'b' }], limits), 4096);
    assert.equal(maxCharactersOf(whole, [{ ...part, key: 'b.c' }], limits), 1000);
  });
});

describe('speechKey', () => {
  /** As a store may hold it from before there was another field. */
  const kept: object = { model: 'm', input: 'One.', voice: 'nova', response_format: 'wav' };
  const request = kept as SpeechRequest;
  const keyOf = (changed: object) => speechKey({ sandbox: false, request: { ...request, ...changed } });

  it('stays the same, so that what was paid for is found', () => {
    assert.equal(keyOf({}), '61be0e6637b277bad1c6f9f34c85733b6dbfae451c98c2eed0d12733f419bbe6');
    const further = { values: { speed: 2 } };
    const key = speechKey({ sandbox: true, request: { ...request, further } });
    assert.equal(key, 'a3754d3822e6dcb19ef005bc27943980d6a8bd8bd3dfe52723bf504b731a7cd5');
  });

  for (const { name } of operations.speak.fields) {
    it(`is another one for another ${name}`, () => {
      assert.notEqual(keyOf({ [name]: 'other' }), keyOf({}));
    });
  }

  it('does not depend on the order of the fields', () => {
    const reversed = Object.fromEntries(Object.entries(request).reverse()) as typeof request;
    assert.equal(speechKey({ sandbox: false, request: reversed }), keyOf({}));
  });
});

/** Returns the paths of the files below a folder, with forward slashes. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
}
