import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdtemp, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { LocalFolder } from '../../../src/files/LocalFolder.ts';
import { hashOf } from '../../../src/files/sha256.ts';
import { Library } from '../../../src/library/Library.ts';
import { marksIn } from '../../../src/marks/readMarks.ts';
import { MediaError } from '../../../src/operations/MediaError.ts';
import { UnknownOutcome } from '../../../src/work/jobErrors.ts';
import { Store } from '../../../src/work/Store.ts';
import { sweep } from '../../../src/work/sweep.ts';
import { failureOf } from '../../support/failureOf.ts';
import { bodyOf, type HttpServer, startHttpServer } from '../../support/httpServer.ts';
import type { OptionsOf } from '../../support/inProcess.ts';
import { jobRunnerAt } from '../../support/jobRunner.ts';
import { type DocumentOptions, narrateDocument } from '../../support/narrateDocument.ts';
import { type Kind, samplesOf, soundOf } from '../../support/narrations.ts';
import { skipUnless } from '../../support/skipUnless.ts';
import { kill, startProcess } from '../../support/startProcess.ts';

const texts = ['One.', 'Two, longer.', 'Three is the longest.', 'Four.', 'Five!'];

describe('makeNarration', () => {
  let root: string;
  let storage: string;
  let server: HttpServer;
  let spoken: string[];
  /** A text whose request receives this response instead of its sound. */
  let instead: { text: string; status?: number; body?: string | Buffer };
  /** The sound that a link in such a response leads to. */
  let linked: Buffer | undefined;
  let held: PromiseWithResolvers<void>;
  /** What the service waits for before it answers. */
  let waitsFor: Promise<unknown>;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'narration-workspace-'));
    storage = await mkdtemp(join(tmpdir(), 'narration-storage-'));
    spoken = [];
    instead = { text: '' };
    linked = undefined;
    held = Promise.withResolvers();
    waitsFor = Promise.resolve();
    server = await startHttpServer(async (request, response) => {
      if (request.method !== 'POST') return response.writeHead(linked ? 200 : 410).end(linked);
      const body = JSON.parse(String(await bodyOf(request))) as { input: string; response_format: Kind };
      spoken.push(body.input);
      await waitsFor;
      if (body.input !== instead.text) return response.end(soundOf(body.response_format, body.input));
      // Without a status, the service does not respond.
      if (instead.status === undefined) return held.resolve();
      return response.writeHead(instead.status).end(instead.body ?? '{"error":"no"}');
    });
  });

  afterEach(async () => {
    await server[Symbol.asyncDispose]();
    await rm(root, { recursive: true });
    await rm(storage, { recursive: true });
  });

  const narrate = (
    document: readonly string[],
    kind: Kind = 'mp3',
    more: Partial<Omit<DocumentOptions, 'texts' | 'kind'>> = {},
  ) => narrateDocument({ host: server.origin, root, storage, ...more, texts: document, kind });
  const files = async () => (await readdir(join(root, 'media'))).sort();
  const wholeFile = (name = 'guide.mp3', folder = root) => readFile(join(folder, 'media', name));
  /** The sound without the tag that says that a model spoke it. */
  const soundFile = async (...place: Parameters<typeof wholeFile>) => {
    const file = await wholeFile(...place);
    const isMarked = file.toString('latin1', 0, 3) === 'ID3' && marksIn(file).source === 'trainedAlgorithmicMedia';
    return isMarked ? file.subarray(10 + file.readUInt8(9)) : file;
  };
  const library = () => new Library(new LocalFolder(join(root, '.unified-media'), root));
  const soundsOf = (document: readonly string[], kind: Kind = 'mp3') =>
    Buffer.concat(document.map((text) => samplesOf(kind, text)));

  /** Narrates once more. @returns the texts of its requests */
  async function again(
    document: readonly string[],
    kind: Kind = 'mp3',
    more: Parameters<typeof narrate>[2] = {},
  ): Promise<readonly string[]> {
    const before = spoken.length;
    await narrate(document, kind, more);
    return spoken.slice(before);
  }

  /** Fails unless a narration is refused, because one of its blocks may be billed, and nothing is sent for it. */
  async function checkAsks(document: readonly string[], more: Parameters<typeof narrate>[2] = {}): Promise<void> {
    const before = spoken.length;
    const error = await failureOf(narrate(document, 'mp3', more));
    assert(error instanceof UnknownOutcome, error.message);
    assert.match(error.message, /^Nothing was sent, because the same request was sent before\. Its outcome is unknown/);
    assert.deepEqual(spoken.slice(before), []);
  }

  /** Fails unless nothing is left of the blocks, once their leftovers have no owner any more. */
  async function checkNothingLeft(...roots: readonly string[]): Promise<void> {
    for (const folder of roots) {
      const names = await readdir(join(folder, '.unified-media'), { recursive: true });
      assert.deepEqual(
        names.filter((name) => name.includes('jobs')),
        [],
      );
    }
    await sweep(new Store(join(storage, 'work'), 0), []);
    assert.deepEqual(await readdir(storage, { recursive: true }), ['work']);
  }

  /** Narrates in another process, which dies at the given point. */
  function spawnNarration(document: readonly string[], dieAt?: OptionsOf<'narrate'>['dieAt']) {
    return startProcess('narrate', { host: server.origin, root, storage, texts: document, dieAt });
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
    assert.equal(asset.sha256, sha256(await wholeFile()));
    assert.deepEqual(entry?.narration, {
      document: 'docs/guide.md',
      voice: 'nova',
      response_format: 'mp3',
      transcript: { name: 'guide.vtt', sha256: sha256(await readFile(join(root, 'media/guide.vtt'))) },
    });
    assert.deepEqual(entry?.inputs, [{ field: 'input', file: 'docs/guide.md', sha256: hashOf(texts) }]);
    assert.deepEqual(entry?.values, { voice: 'nova', response_format: 'mp3' });
    assert.equal(entry?.blocks?.length, texts.length);
    await checkNothingLeft(root);
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
      [sha256(await wholeFile())],
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
    const before = await wholeFile();
    await using reader = await open(join(root, 'media/guide.mp3'));
    await narrate(texts.slice(1));
    assert.deepEqual(await buffer(reader.createReadStream({ autoClose: false })), before);
    assert.notEqual((await reader.stat()).ino, (await stat(join(root, 'media/guide.mp3'))).ino);
  });

  it('says that another program has the file open, and speaks nothing again', async () => {
    await narrate(texts);
    const changed = ['One more.', ...texts.slice(1)];
    const { replace } = LocalFolder.prototype;
    const heldFile = Object.assign(new Error('EPERM: operation not permitted'), { code: 'EPERM' });
    LocalFolder.prototype.replace = () => Promise.reject(heldFile);
    try {
      const error = await failureOf(narrate(changed));
      assert.match(error.message, /^media\/guide\.mp3 could not be replaced: another program has it open/);
    } finally {
      LocalFolder.prototype.replace = replace;
    }
    assert.deepEqual(await again(changed), []);
    assert.deepEqual(await files(), ['guide.mp3', 'guide.vtt']);
  });

  it('keeps paid blocks when a later block fails, and reports it', async () => {
    instead = { text: 'Three is the longest.', status: 400 };
    await assert.rejects(narrate(texts), { kind: 'badRequest', message: /already spoken are kept/ });
    assert.deepEqual(await files(), []);
    instead = { text: '' };
    assert.deepEqual(await again(texts), texts.slice(2));
    assert.deepEqual(await soundFile(), soundsOf(texts));
  });

  it('speaks as many blocks at a time as jobs may run, and joins them in the order of the document', async () => {
    const three = Promise.withResolvers<void>();
    await narrate(texts, 'mp3', {
      atOnce: 3,
      onBlock: (index) => {
        // The first is alone.
        if (index === 1) waitsFor = three.promise;
        if (index === 3) three.resolve();
      },
    });
    assert.deepEqual(spoken.toSorted(), texts.toSorted());
    assert.deepEqual(await soundFile(), soundsOf(texts));
    assert.deepEqual(await again(texts.with(1, 'Two.'), 'mp3', { atOnce: 3 }), ['Two.']);
    await checkNothingLeft(root);
  });

  it('asks before it sends a block that may be billed, and sends no other block before', async () => {
    instead = { text: 'Three is the longest.', status: 500 };
    await assert.rejects(narrate(texts), { kind: 'server', mayBeBilled: true });
    instead = { text: '' };
    await checkAsks(['New.', ...texts]);
    // The text without that block needs no yes.
    assert.deepEqual(await again(texts.toSpliced(2, 1)), ['Four.', 'Five!']);
    assert.deepEqual(await again(texts, 'mp3', { again: true }), ['Three is the longest.']);
    assert.deepEqual(await soundFile(), soundsOf(texts));
    await checkNothingLeft(root);
  });

  describe('of the same text in another folder', () => {
    let other: string;

    beforeEach(async () => {
      other = await mkdtemp(join(tmpdir(), 'narration-other-'));
    });

    afterEach(() => rm(other, { recursive: true }));

    it('saves a block whose answer could not be saved for the first, and pays for nothing twice', async () => {
      instead = { text: 'Two, longer.', status: 200, body: '{"audio":{"url":"/two.mp3"}}' };
      await assert.rejects(narrate(texts), { kind: 'download' });
      assert.deepEqual(spoken, texts.slice(0, 2));
      linked = soundOf('mp3', 'Two, longer.');
      assert.deepEqual(await again(texts, 'mp3', { root: other }), texts.slice(2));
      assert.deepEqual(await soundFile('guide.mp3', other), soundsOf(texts));
      assert.deepEqual(await again(texts), texts.slice(2), 'what was paid for the first is kept for it');
      await checkNothingLeft(root, other);
    });

    it('does not send a block without a yes that may be billed for the first', async () => {
      instead = { text: 'Two, longer.', status: 500 };
      await assert.rejects(narrate(texts), { kind: 'server' });
      instead = { text: '' };
      await checkAsks(texts, { root: other });
      assert.deepEqual(await again(texts, 'mp3', { root: other, again: true }), texts.slice(1));
      assert.deepEqual(await soundFile('guide.mp3', other), soundsOf(texts));
      await checkAsks(texts);
      assert.deepEqual(await again(texts, 'mp3', { again: true }), texts.slice(1), 'its first block is still kept');
      await checkNothingLeft(root, other);
    });
  });

  it('removes blocks that were paid for and are no longer in the document, once it is saved', async () => {
    instead = { text: 'Three is the longest.', status: 400 };
    await assert.rejects(narrate(texts), { kind: 'badRequest' });
    await narrate(['One.', 'Four.']);
    await checkNothingLeft(root);
  });

  it('removes the blocks of a folder that was renamed before the narration was saved', async () => {
    instead = { text: 'Three is the longest.', status: 400 };
    await assert.rejects(narrate(texts), { kind: 'badRequest' });
    instead = { text: '' };
    await rename(root, `${root}-new`);
    root = `${root}-new`;
    assert.deepEqual(await again(texts), texts.slice(2));
    await checkNothingLeft(root);
  });

  it('keeps what it has taken when another document that shares it is saved first', async () => {
    instead = { text: 'Three is the longest.', status: 400 };
    await assert.rejects(narrate(texts.slice(0, 3)), { kind: 'badRequest' });
    // Saves the document that has paid for the first two blocks, which removes them.
    const onBlock = (index: number) => {
      if (index === 0) waitsFor = narrate(texts.slice(0, 2));
    };
    const other = await narrate(['One.', 'Two, longer.', 'Four.', 'Five!'], 'mp3', {
      document: 'docs/other.md',
      onBlock,
    });
    assert.equal(other.asset.mediaType, 'audio/mpeg');
    assert.deepEqual(await soundFile('other.mp3'), soundsOf(['One.', 'Two, longer.', 'Four.', 'Five!']));
    assert.deepEqual(spoken, [...texts.slice(0, 3), 'Four.', 'Five!']);
    await checkNothingLeft(root);
  });

  it('does not pay for a block again that can be downloaded by now, when another is sent again with a yes', async () => {
    instead = { text: 'Two, longer.', status: 200, body: '{"audio":{"url":"/two.mp3"}}' };
    await assert.rejects(narrate(texts), { kind: 'download' });
    instead = { text: 'Three is the longest.', status: 500 };
    await assert.rejects(narrate(texts.slice(2), 'mp3', { document: 'docs/other.md' }), { kind: 'server' });
    instead = { text: '' };
    linked = soundOf('mp3', 'Two, longer.');
    await checkAsks(texts);
    assert.deepEqual(await again(texts, 'mp3', { again: true }), texts.slice(2));
    assert.deepEqual(await soundFile(), soundsOf(texts));
  });

  it('keeps the blocks of a narration that failed while another format is saved', async () => {
    instead = { text: 'Four.', status: 402 };
    await assert.rejects(narrate(texts), /you will not pay for them again/);
    instead = { text: '' };
    assert.deepEqual(await again(texts.slice(0, 1), 'wav'), ['One.']);
    assert.deepEqual(await again(texts), ['Four.', 'Five!']);
    await checkNothingLeft(root);
  });

  it('speaks a block again whose sound could not be used only with a yes, and keeps that sound', async () => {
    const body = soundOf('wav', '');
    instead = { text: 'Two, longer.', status: 200, body };
    const words =
      /not a complete wav file.* is kept\. The paragraph is spoken again only if you agree\. The service may still bill this request\./;
    const refused = await failureOf(narrate(texts.slice(0, 2), 'wav'));
    assert.match(refused.message, words);
    assert.match(refused.message, /The parts already spoken/);
    assert(refused instanceof MediaError && refused.actions.includes('saveRawAnswer'));
    instead = { text: '' };
    await assert.rejects(narrate(texts.slice(0, 2), 'wav'), UnknownOutcome);
    assert.deepEqual(await again(texts.slice(0, 2), 'wav', { again: true }), ['Two, longer.']);
    await using jobs = jobRunnerAt(server.origin, { root, journal: join(storage, 'work') });
    await jobs.recover();
    const [job] = jobs.runner.jobs.all;
    assert(job?.error?.hasRawAnswer, 'its data can be saved');
    assert.match(job.error.message, words);
    await jobs.runner.withRawFiles(job.id, async ([file]) => {
      assert.deepEqual(await readFile(file?.path ?? ''), body);
    });
  });

  it('speaks a block of the sandbox again at once whose sound could not be used, and says nothing else', async () => {
    instead = { text: 'Two, longer.', status: 200, body: soundOf('wav', '') };
    const sandboxed = { sandbox: true };
    for (const count of [2, 3]) {
      const { message } = await failureOf(narrate(texts.slice(0, 2), 'wav', sandboxed));
      assert.match(message, /not a complete wav file/);
      assert.doesNotMatch(message, /agree|bill/);
      assert.equal(spoken.length, count);
    }
  });

  it('sends nothing when another window has narrated the document since this one planned to', async () => {
    const meanwhile = narrate(texts, 'mp3', { beforeRun: () => narrate(texts) });
    await assert.rejects(meanwhile, {
      kind: 'invalidInput',
      message: /^Nothing was sent, .* narrated in the meantime/,
    });
    assert.deepEqual(spoken, texts);
    assert.deepEqual(await files(), ['guide.mp3', 'guide.vtt']);
    const changed = narrate(texts.with(0, 'B.'), 'mp3', { beforeRun: () => narrate(texts.with(0, 'A.')) });
    await assert.rejects(changed, { message: /narrated in the meantime/ });
    assert.deepEqual(spoken, [...texts, 'A.']);
    assert.deepEqual(await soundFile(), soundsOf(texts.with(0, 'A.')));
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

    it('during the request of the fourth of five blocks: repeats it only after a yes, since it may be billed', async () => {
      instead = { text: 'Four.' };
      const child = spawnNarration(texts);
      await held.promise;
      await kill(child);
      instead = { text: '' };
      await checkAsks(['New.', ...texts]);
      assert.deepEqual(await again(texts, 'mp3', { again: true }), texts.slice(3));
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

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
