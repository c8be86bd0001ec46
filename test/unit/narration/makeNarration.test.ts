import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Library } from '../../../src/library/Library.ts';
import { LocalFolder } from '../../../src/library/LocalFolder.ts';
import type { HttpServer } from '../../support/httpServer.ts';
import { bodyOf, startHttpServer } from '../../support/httpServer.ts';
import { kill } from '../../support/jobProcess.ts';
import { narrateDocument } from '../../support/narrateDocument.ts';
import type { Kind } from '../../support/narrations.ts';
import { samplesOf, soundOf } from '../../support/narrations.ts';
import { skipUnless } from '../../support/skipUnless.ts';

const texts = ['One.', 'Two, longer.', 'Three is the longest.', 'Four.', 'Five!'];

describe('makeNarration', () => {
  let root: string;
  let storage: string;
  let server: HttpServer;
  let spoken: string[];
  /** A text whose request receives this response instead of its sound. */
  let instead: { text: string; status?: number };
  let held: PromiseWithResolvers<void>;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'narration-workspace-'));
    storage = await mkdtemp(join(tmpdir(), 'narration-storage-'));
    spoken = [];
    instead = { text: '' };
    held = Promise.withResolvers();
    server = await startHttpServer(async (request, response) => {
      const body = JSON.parse(String(await bodyOf(request))) as { input: string; response_format: Kind };
      spoken.push(body.input);
      if (body.input !== instead.text) return response.end(soundOf(body.response_format, body.input));
      // Without a status, the service does not respond.
      if (instead.status === undefined) return held.resolve();
      return response.writeHead(instead.status).end('{"error":"no"}');
    });
  });

  afterEach(async () => {
    await server[Symbol.asyncDispose]();
    await rm(root, { recursive: true });
    await rm(storage, { recursive: true });
  });

  const narrate = (document: readonly string[], kind: Kind = 'mp3', at = { root, storage }) =>
    narrateDocument({ host: server.origin, ...at, texts: document, kind });
  const files = async () => (await readdir(join(root, 'media'))).sort();
  const soundFile = (name = 'guide.mp3') => readFile(join(root, 'media', name));
  const library = () => new Library(new LocalFolder(join(root, '.unified-media'), root));
  const soundsOf = (document: readonly string[], kind: Kind = 'mp3') =>
    Buffer.concat(document.map((text) => samplesOf(kind, text)));

  /** Narrates once more. @returns the texts of its requests */
  async function again(document: readonly string[], kind: Kind = 'mp3'): Promise<readonly string[]> {
    const before = spoken.length;
    await narrate(document, kind);
    return spoken.slice(before);
  }

  /** Narrates in another process, which dies at the given point. */
  function spawnNarration(document: readonly string[], dieAt?: object) {
    const script = join(import.meta.dirname, '../../support/narrateInProcess.ts');
    const options = { host: server.origin, root, storage, texts: document, dieAt };
    return spawn(process.execPath, [script, JSON.stringify(options)], { stdio: ['ignore', 'inherit', 'inherit'] });
  }

  it('saves one sound file, its cues and one record, and nothing else', async () => {
    const { asset, transcript } = await narrate(texts);
    assert.deepEqual(spoken, texts);
    assert.deepEqual(await files(), ['guide.mp3', 'guide.vtt']);
    assert.deepEqual(await soundFile(), soundsOf(texts));
    assert.match(transcript, /\/media\/guide\.vtt$/);
    assert.match(await readFile(join(root, 'media/guide.vtt'), 'utf8'), /^WEBVTT\n\n00:00:00\.000 --> \S+\nOne\.\n\n/);
    const [entry, ...others] = await library().entries();
    assert.deepEqual(others, []);
    assert.equal(entry?.file, 'media/guide.mp3');
    assert.equal(entry?.sha256, asset.sha256);
    assert.equal(asset.sha256, sha256(await soundFile()));
    assert.deepEqual(entry?.narration, {
      document: 'docs/guide.md',
      voice: 'nova',
      response_format: 'mp3',
      transcript: { name: 'guide.vtt', sha256: sha256(await readFile(join(root, 'media/guide.vtt'))) },
    });
    assert.equal(entry?.blocks?.length, texts.length);
    assert.deepEqual(await readdir(join(storage, 'speech')).then(partsIn), []);
  });

  it('replaces its own files when a block changed, and keeps one library entry', async () => {
    await narrate(texts);
    const changed = texts.with(1, 'Two.');
    assert.deepEqual(await again(changed), ['Two.']);
    assert.deepEqual(await files(), ['guide.mp3', 'guide.vtt']);
    assert.deepEqual(await soundFile(), soundsOf(changed));
    assert.match(await readFile(join(root, 'media/guide.vtt'), 'utf8'), /\nTwo\.\n/);
    const entries = await library().entries();
    assert.deepEqual(
      entries.map(({ sha256: hash }) => hash),
      [sha256(await soundFile())],
    );
    assert.deepEqual(await again(changed.toReversed()), []);
    assert.deepEqual(await soundFile(), soundsOf(changed.toReversed()));
  });

  it('gives each document its own file, even if two have the same name and text', async () => {
    const other = { host: server.origin, root, storage, document: 'other/guide.md' };
    await narrate(texts);
    await narrateDocument({ ...other, texts });
    assert.deepEqual(await files(), ['guide-2.mp3', 'guide-2.vtt', 'guide.mp3', 'guide.vtt']);
    assert.deepEqual(await again(texts.with(1, 'Two.')), ['Two.']);
    assert.deepEqual(await soundFile('guide-2.mp3'), soundsOf(texts));
    spoken = [];
    await narrateDocument({ ...other, texts: texts.with(0, 'New.') });
    assert.deepEqual(spoken, ['New.']);
  });

  it('requests only the changed block in a clone without storage', async () => {
    await narrate(texts);
    const clone = { root: `${root}-clone`, storage: await mkdtemp(join(tmpdir(), 'narration-empty-')) };
    try {
      await cp(root, clone.root, { recursive: true });
      spoken = [];
      await narrate(texts.with(3, 'New.'), 'mp3', clone);
      assert.deepEqual(spoken, ['New.']);
    } finally {
      await rm(clone.root, { recursive: true });
      await rm(clone.storage, { recursive: true });
    }
  });

  it('finds its file after it was moved', async () => {
    await narrate(texts);
    const [entry] = await library().entries();
    await cp(join(root, 'media/guide.mp3'), join(root, 'media/moved.mp3'));
    await rm(join(root, 'media/guide.mp3'));
    await library().append({ moved: entry?.id ?? '', file: 'media/moved.mp3' });
    assert.deepEqual(await again([...texts, 'Six.']), ['Six.']);
    assert.deepEqual(await files(), ['guide.vtt', 'moved.mp3']);
    assert.deepEqual(
      (await library().entries()).map(({ file }) => file),
      ['media/moved.mp3'],
    );
    assert.deepEqual(await again([...texts, 'Seven.']), ['Seven.']);
  });

  it('leaves an edited sound file alone and makes a new one', async () => {
    await narrate(texts);
    await writeFile(join(root, 'media/guide.mp3'), 'mine');
    assert.deepEqual(await again(texts), texts);
    assert.deepEqual(await files(), ['guide-2.mp3', 'guide-2.vtt', 'guide.mp3', 'guide.vtt']);
    assert.equal(String(await soundFile()), 'mine');
  });

  it('leaves edited cues alone, but not cues with Windows line breaks', async () => {
    await narrate(texts);
    const cues = join(root, 'media/guide.vtt');
    const text = await readFile(cues, 'utf8');
    await writeFile(cues, text.replaceAll('\n', '\r\n'));
    assert.deepEqual(await again([...texts, 'Six.']), ['Six.']);
    assert.deepEqual(await files(), ['guide.mp3', 'guide.vtt']);
    await writeFile(cues, 'WEBVTT\n\nmine');
    assert.deepEqual(await again([...texts, 'Seven.']), ['Seven.']);
    assert.equal(await readFile(cues, 'utf8'), 'WEBVTT\n\nmine');
    assert.match(await readFile(join(root, 'media/guide-2.vtt'), 'utf8'), /Seven/);
    assert.deepEqual(await again([...texts, 'Eight.']), ['Eight.']);
    assert.deepEqual(await files(), ['guide-2.vtt', 'guide.mp3', 'guide.vtt']);
    await rm(join(root, 'media/guide-2.vtt'));
    assert.deepEqual(await again([...texts, 'Eight.']), []);
    assert.match(await readFile(join(root, 'media/guide-2.vtt'), 'utf8'), /Eight/);
  });

  it('makes a new file for another format', async () => {
    await narrate(texts);
    assert.deepEqual(await again(texts, 'wav'), texts);
    assert.deepEqual(await files(), ['guide-2.vtt', 'guide.mp3', 'guide.vtt', 'guide.wav']);
    assert.equal((await library().entries()).length, 2);
  });

  it('leaves the previous file intact for its open readers', async function () {
    skipUnless(this, process.platform !== 'win32', 'replacing an open file');
    await narrate(texts);
    const before = await soundFile();
    await using reader = await open(join(root, 'media/guide.mp3'));
    await narrate(texts.slice(1));
    assert.deepEqual(await buffer(reader.createReadStream({ autoClose: false })), before);
    assert.notEqual((await reader.stat()).ino, (await stat(join(root, 'media/guide.mp3'))).ino);
  });

  it('keeps paid blocks when a later block fails, and reports it', async () => {
    instead = { text: 'Three is the longest.', status: 400 };
    await assert.rejects(narrate(texts), { kind: 'badRequest', message: /already spoken are kept/ });
    assert.deepEqual(await files(), []);
    instead = { text: '' };
    assert.deepEqual(await again(texts), texts.slice(2));
    assert.deepEqual(await soundFile(), soundsOf(texts));
  });

  it('rejects a second window', async () => {
    instead = { text: 'One.' };
    const first = narrate(texts);
    await held.promise;
    await assert.rejects(narrate(texts), { kind: 'invalidInput', message: 'This text is already being spoken.' });
    assert.deepEqual(spoken, ['One.']);
    server[Symbol.asyncDispose]().catch(() => undefined);
    await assert.rejects(first, { kind: 'network' });
    server = await startHttpServer();
  });

  describe('after a crash', () => {
    it('before the fourth of five blocks: requests two', async () => {
      const child = spawnNarration(texts, { block: 3 });
      await once(child, 'exit');
      assert.deepEqual(spoken, texts.slice(0, 3));
      assert.deepEqual(await again(texts), texts.slice(3));
      assert.deepEqual(await soundFile(), soundsOf(texts));
    });

    it('during the request of the fourth of five blocks: repeats it, because its outcome is unknown', async () => {
      instead = { text: 'Four.' };
      const child = spawnNarration(texts);
      await held.promise;
      await kill(child);
      instead = { text: '' };
      assert.deepEqual(await again(texts), texts.slice(3));
      assert.deepEqual(await soundFile(), soundsOf(texts));
    });

    for (const [replace, what] of ['cues', 'sound'].entries()) {
      for (const when of ['before', 'after'] as const) {
        it(`${when} the ${what} were replaced: pays for nothing again and leaves no extra file`, async () => {
          await narrate(texts);
          const changed = texts.with(0, 'First.');
          const child = spawnNarration(changed, { replace, when });
          await once(child, 'exit');
          assert.deepEqual(spoken, [...texts, 'First.']);
          const between = await soundFile();
          const isNew = what === 'sound' && when === 'after';
          assert.deepEqual(between, soundsOf(isNew ? changed : texts), 'the sound is complete, old or new');
          assert.deepEqual(await again([...changed, 'Last.']), ['Last.']);
          assert.deepEqual(await files(), ['guide.mp3', 'guide.vtt']);
          assert.deepEqual(await soundFile(), soundsOf([...changed, 'Last.']));
          assert.equal((await library().entries()).length, 1);
        });
      }
    }
  });
});

/** Returns the names of files with a spoken block. */
function partsIn(names: readonly string[]): readonly string[] {
  return names.filter((name) => /^[0-9a-f]{64}\./.test(name));
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
