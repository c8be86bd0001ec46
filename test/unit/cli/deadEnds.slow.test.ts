import assert from 'node:assert/strict';
import { copyFileSync, existsSync, rmSync, symlinkSync } from 'node:fs';
import { chmod, chown, readdir, readFile, truncate, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { libraryIn } from '../../../src/cli/libraryIn.ts';
import { LocalFolder } from '../../../src/files/LocalFolder.ts';
import { applyAssets, type EntryReport, holdManifest } from '../../../src/manifest/applyAssets.ts';
import { ManifestProject } from '../../../src/manifest/ManifestProject.ts';
import type { Plan } from '../../../src/manifest/plan.ts';
import { Store } from '../../../src/work/Store.ts';
import { jobRunnerAt, type RunnerOptions } from '../../support/jobRunner.ts';
import { pngBytes, wavBytes } from '../../support/mediaBytes.ts';
import { type Download, type MediaService, type Script, startMediaService } from '../../support/mediaService.ts';
import { Repository } from '../../support/repository.ts';
import { skipUnless } from '../../support/skipUnless.ts';

const picture = { 'a.png': { operation: 'generateImage', prompt: 'a', model: 'm' } };
const video = { 'a.mp4': { operation: 'generateVideo', prompt: 'a', model: 'm' } };
const recording = { 'a.md': { operation: 'transcribe', file: 'call.wav', model: 'm' } };
const guide = { 'guide.mp3': { operation: 'speak', document: 'guide.md', model: 'm', voice: 'nova' } };
/** Spoken in three parts. */
const longText = Array.from({ length: 300 }, (_, index) => `This is sentence number ${index} of a text.`).join(' ');
const speech = { 'long.mp3': { operation: 'speak', input: longText, model: 'm', voice: 'nova' } };
const nothing = () => undefined;
const longAgo = new Date(Date.now() - 60 * 60 * 1000);
const nobody = 65534;

/** Gives a folder to a user without rights, except one file, and becomes that user until it is disposed. */
async function withoutRights(folder: string, except: string): Promise<AsyncDisposable> {
  if (process.geteuid?.() !== 0) return { [Symbol.asyncDispose]: async () => undefined };
  for (const name of ['', ...(await readdir(folder, { recursive: true }))]) {
    if (join(folder, name) !== except) await chown(join(folder, name), nobody, nobody);
  }
  process.seteuid?.(nobody);
  return { [Symbol.asyncDispose]: async () => process.seteuid?.(0) };
}

describe('an apply that could not finish (promise 35)', () => {
  let service: MediaService;
  let repository: Repository;

  beforeEach(async () => {
    service = await startMediaService();
    repository = await Repository.make(service.origin, { 'call.wav': wavBytes, 'guide.md': 'The only paragraph.' });
    await repository.declare(picture);
  });

  afterEach(async () => {
    await service[Symbol.asyncDispose]();
    await repository[Symbol.asyncDispose]();
  });

  async function keyOfRequest(): Promise<string> {
    const keys = await readdir(repository.work);
    return keys.find((key) => existsSync(join(repository.work, key, 'journal.jsonl'))) ?? '';
  }

  /** Applies in a new store, but without the pauses in between that the command line would make. */
  async function applyAtOnce(
    again = false,
    options: Partial<RunnerOptions> = {},
    signal = new AbortController().signal,
  ): Promise<readonly EntryReport[]> {
    const { root, work } = repository;
    const place = { root, library: libraryIn(root), store: new Store(work, options.silence) };
    const project = await ManifestProject.open(join(root, 'media.jsonc'), place);
    await using jobs = jobRunnerAt(service.origin, {
      root,
      journal: work,
      videoStatusPath: '/v1/videos/{id}',
      ...options,
    });
    const reports = await applyAssets(project, {
      sandbox: false,
      again,
      speechMaxCharacters: 4096,
      runner: jobs.runner,
      limits: { speechMaxCharacters: 4096, soundOnly: true, maxBytes: 0 },
      signal,
      checkReady: async () => undefined,
      confirm: async () => true,
      onProgress: nothing,
      onNotice: nothing,
      onReport: nothing,
    });
    return reports ?? [];
  }

  for (const [status, kind] of [
    [401, 'unauthorized'],
    [402, 'quota'],
    [403, 'forbidden'],
  ] as const) {
    it(`because the key may not ask for a video (${status}) keeps it until a person has seen that`, async () => {
      await repository.declare(video);
      service.answerWith((response) => response.end('{"id":"v","status":"queued"}'));
      service.downloadWith((response) => response.writeHead(status).end());
      for (const again of [false, false]) {
        const [report] = await applyAtOnce(again);
        assert.deepEqual([report?.outcome, report?.error?.kind], ['failed', kind]);
        assert(report?.sentence.includes(`The request was sent to ${service.origin}.`), report?.sentence);
        assert.match(report?.sentence ?? '', /The answer is kept\. .*“apply --again” stops using it/);
      }
      service.downloadWith((response, answer, path) =>
        path.endsWith('.mp4') ? answer() : response.end('{"id":"v","status":"completed","url":"/a.mp4"}'),
      );
      assert.equal((await applyAtOnce())[0]?.outcome, 'made');
      assert.equal(service.paid.length, 1);
    });
  }

  it('because another account has the key now can be given up with --again alone', async () => {
    await repository.declare(video);
    service.answerWith((response) => response.end('{"id":"v","status":"queued"}'));
    service.downloadWith((response) => response.writeHead(401).end());
    assert.doesNotMatch((await applyAtOnce(true))[0]?.sentence ?? '', /Apply again/);
    assert.match((await applyAtOnce(true))[0]?.sentence ?? '', /cannot be used\. Apply again to send the request/);
    assert.equal(service.paid.length, 1);
    service.answerWith();
    service.downloadWith();
    assert.equal((await applyAtOnce(true))[0]?.outcome, 'made');
    assert.equal(service.paid.length, 2);
  });

  it('because it was cancelled again gives nothing up, whatever was known of the answer', async () => {
    await repository.declare(video);
    service.answerWith((response) => response.end('{"id":"v","status":"queued"}'));
    service.downloadWith((response) => response.writeHead(401).end());
    await applyAtOnce();
    const abort = new AbortController();
    void service.standDownloads().then(() => abort.abort());
    const [report] = await applyAtOnce(true, {}, abort.signal);
    assert.equal(report?.error?.kind, 'cancelled');
    service.downloadWith((response, answer, path) =>
      path.endsWith('.mp4') ? answer() : response.end('{"id":"v","status":"completed","url":"/a.mp4"}'),
    );
    assert.equal((await applyAtOnce())[0]?.outcome, 'made');
    assert.equal(service.paid.length, 1);
  });

  it('because the base URLs have changed since does not blame the key, and sends the others to the new ones', async () => {
    await repository.declare(video);
    service.answerWith((response) => response.end('{"id":"v","status":"queued","status_url":"/v"}'));
    await repository.crash(service.standDownloads());
    await using other = await startMediaService();
    const names = ['IMAGE', 'AUDIO', 'VIDEO'].map((area) => `UNIFIED_MEDIA_${area}_BASE_URL`);
    const moved = Object.fromEntries(names.map((name) => [name, other.origin]));
    await repository.declare({ ...video, 'b.mp4': { ...video['a.mp4'], prompt: 'b' } });
    service.downloadWith((response) => response.writeHead(401).end());
    const { stdout } = await repository.run(['apply'], moved);
    assert.match(stdout, /wants an API key, and none is set\. .* Your key is sent only to the base URLs/);
    assert.match(stdout, /made +b\.mp4/);
    assert.match((await repository.run(['apply', '--again'], moved)).stdout, /Apply again to send the request/);
    const { code } = await repository.run(['apply'], moved);
    assert.deepEqual([code, service.paid.length, other.paid.length], [0, 1, 2]);
  });

  it('because it ended while a video was made gives nothing up before a person knows that it is of no use', async () => {
    await repository.declare(video);
    service.answerWith((response) => response.end('{"id":"v","status":"queued","status_url":"/v"}'));
    await repository.crash(service.standDownloads());
    service.downloadWith((response) => response.writeHead(404).end('{"error":{"message":"No such video"}}'));
    const [known] = await applyAtOnce(true);
    assert.doesNotMatch(known?.sentence ?? '', /Apply again/);
    assert.match((await applyAtOnce(true))[0]?.sentence ?? '', /paid for but cannot be used\./);
    assert.equal(service.paid.length, 1);
  });

  describe('because of an answer that cannot be used, has a way out:', () => {
    interface Useless {
      readonly answer: Script;
      readonly download?: Download;
      readonly assets?: object;
    }

    const json =
      (body: object): Script =>
      (response) =>
        response.end(JSON.stringify(body));
    const atUrl = (url: () => string): Script => {
      return (response) => response.end(JSON.stringify({ data: [{ url: url() }] }));
    };
    const own = atUrl(() => `${service.origin}/a.png`);

    const answers: Readonly<Record<string, Useless>> = {
      'a web page': {
        answer: (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html><p>Hello</p></html>'),
      },
      'no picture': { answer: json({ data: [] }) },
      'nothing at all': { answer: (response) => response.end() },
      'text in place of the picture': { answer: own, download: (response) => response.end('Not found, sorry.') },
      'a picture that its host never delivers': {
        answer: own,
        download: (response) => response.writeHead(500).end('Try later'),
      },
      'a picture on a host that is gone': { answer: atUrl(() => 'http://127.0.0.1:1/a.png') },
      'an error in place of the state of a video': {
        answer: json({ id: 'v', status: 'queued', status_url: '/v' }),
        download: (response) => response.end('{"error":{"message":"Try later"}}'),
        assets: video,
      },
      'an empty transcript': { answer: json({ text: '' }), assets: recording },
      'a web page in place of a paragraph': {
        answer: (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html><p>Hello</p></html>'),
        assets: guide,
      },
      'a video that its service has forgotten': {
        answer: json({ id: 'v', status: 'queued' }),
        download: (response) => response.writeHead(404).end('{"error":{"message":"No such video"}}'),
        assets: video,
      },
      'a video that its service no longer lets us ask for': {
        answer: json({ id: 'v', status: 'queued' }),
        download: (response) => response.writeHead(410).end('{"error":{"message":"The video has expired"}}'),
        assets: video,
      },
      'a video that is never finished': {
        answer: json({ id: 'v', status: 'queued' }),
        download: (response) => response.end('{"id":"v","status":"queued"}'),
        assets: video,
      },
      'half an answer that ended cleanly': { answer: (response) => response.end('{"data":[{"b64_json":"iVBORw0') },
    };

    for (const [what, { answer, download, assets = picture }] of Object.entries(answers)) {
      it(what, async () => {
        const [path = ''] = Object.keys(assets);
        await repository.declare(assets);
        service.answerWith(answer);
        service.downloadWith(download);
        const [first] = await applyAtOnce();
        assert.equal(first?.outcome, 'failed');
        assert.match((await repository.run(['plan'])).stdout, /paid for, but could not be used/);
        const [second] = await applyAtOnce();
        assert.equal(second?.outcome, 'failed');
        assert.match(second?.sentence ?? '', /apply --again/);
        const [third] = await applyAtOnce(true);
        assert.match(third?.sentence ?? '', /cannot be used\. Apply again to send the request once more/);
        const [, files] = /is kept in (.*)\.$/.exec(third?.sentence ?? '') ?? [];
        assert(files !== undefined, third?.sentence);
        for (const file of files.split(', ')) assert(existsSync(file), file);
        assert.equal(service.paid.length, 1);
        service.answerWith();
        service.downloadWith();
        const { code, stdout } = await repository.run(['apply']);
        assert.equal(code, 0, stdout);
        assert(existsSync(join(repository.root, path)));
        assert.equal(service.paid.length, 2);
      });
    }
  });

  it('because another user left its journal names it, asks first, and makes everything else', async function () {
    skipUnless(this, process.platform !== 'win32', 'users');
    await repository.crash(service.stand());
    service.answerWith();
    const journal = join(repository.work, await keyOfRequest(), 'journal.jsonl');
    await repository.declare({ ...picture, ...guide, 'b.png': { ...picture['a.png'], prompt: 'b' } });
    await chmod(journal, 0o000);
    await using _ = await withoutRights(dirname(repository.root), journal);
    for (const verb of ['plan', 'apply']) {
      const { code, stdout, stderr } = await repository.run([verb]);
      assert.equal(stderr.split(`${journal} cannot be read (EACCES`).length, 2, stderr);
      if (verb === 'plan') assert.match(stdout, /missing +a\.png +its request was sent before.*2 requests/s);
      else assert.match(stdout, /left +a\.png.*made +guide\.mp3.*made +b\.png/s);
      assert.equal(code, verb === 'plan' ? 2 : 1);
    }
    assert.equal(service.paid.length, 3);
    assert.match((await repository.run(['apply', '--again'])).stdout, /failed +a\.png .*EACCES.*journal\.jsonl/);
    assert.equal(service.paid.length, 3);
  });

  describe('because its files are damaged', () => {
    const silence = 200;
    const damages = { 'cut to 40 bytes': 40, emptied: 0 };

    /** Damages files of the store as they are long after a crash. */
    async function damage(bytes: number, names: RegExp): Promise<void> {
      for (const file of await readdir(repository.work, { recursive: true })) {
        const path = join(repository.work, file);
        if (names.test(file)) await truncate(path, bytes);
        await utimes(path, longAgo, longAgo);
      }
    }

    for (const [how, bytes] of Object.entries(damages)) {
      it(`(${how}) asks before a request is sent again`, async () => {
        await repository.crash(service.stand());
        service.answerWith();
        await damage(bytes, /lease-|journal/);
        const { stdout } = await repository.run(['plan']);
        assert.match(stdout, /missing +a\.png +its request was sent before, the outcome is unknown/);
        assert.equal((await applyAtOnce(false, { silence }))[0]?.isUnknown, true);
        assert.equal(service.paid.length, 1);
        assert.equal((await applyAtOnce(true, { silence }))[0]?.outcome, 'made');
        assert.equal(service.paid.length, 2);
      });

      it(`(${how}) goes on with a download whose leases alone are`, async () => {
        service.answerWith((response) => response.end(`{"data":[{"url":"${service.origin}/a.png"}]}`));
        await repository.crash(service.standDownloads());
        service.downloadWith();
        // The lease of the manifest would have to be watched for half a minute.
        await damage(bytes, new RegExp(`^${await keyOfRequest()}.lease-`));
        assert.match((await repository.run(['plan'])).stdout, /paid for and only has to be saved/);
        assert.match((await repository.run(['apply'])).stdout, /made +a\.png .*without a request/i);
        assert.equal(service.paid.length, 1);
      });

      it(`(${how}) asks before an answer without its journal is paid for again, and keeps it`, async () => {
        service.answerWith((response) => response.end(`{"data":[{"url":"${service.origin}/a.png"}]}`));
        await repository.crash(service.standDownloads());
        service.answerWith();
        await damage(bytes, /lease-|journal/);
        const { stdout, stderr } = await repository.run(['plan']);
        assert.match(stdout, /the outcome is unknown/);
        assert.match(stderr, /journal\.jsonl cannot be read \(it is damaged/);
        assert.equal((await applyAtOnce(false, { silence }))[0]?.isUnknown, true);
        assert.equal((await applyAtOnce(true, { silence }))[0]?.outcome, 'made');
        const kept = await readdir(repository.work, { recursive: true });
        assert.equal(kept.filter((name) => /answer-/.test(name)).length, 1);
        assert.equal(service.paid.length, 2);
      });
    }
  });

  it('because the computer went down while its clock was ahead, does not stop the next one', async () => {
    const silence = 200;
    const place = { root: repository.root, library: libraryIn(repository.root), store: new Store(repository.work) };
    await using held = await holdManifest(await ManifestProject.open(join(repository.root, 'media.jsonc'), place));
    const [lease = ''] = (await readdir(held.folder)).filter((name) => name.startsWith('lease-'));
    const file = join(held.folder, lease);
    const holder = JSON.parse(await readFile(file, 'utf8')) as object;
    await writeFile(file, JSON.stringify({ ...holder, machine: 'before the computer went down' }));
    const nextYear = new Date(Date.now() + 365 * 24 * 60 * 60 * 1000);
    await utimes(file, nextYear, nextYear);
    const [report] = await applyAtOnce(false, { silence });
    assert.equal(report?.outcome, 'made');
  });

  it('because one part of a long text was refused, is finished by one request, and says so', async () => {
    await repository.declare(speech);
    service.answerWith((response, answer) => {
      return service.paid.length < 3 ? answer() : response.writeHead(400).end('{"error":{"message":"No"}}');
    });
    assert.equal((await repository.run(['apply'])).code, 1);
    service.answerWith();
    const plan = JSON.parse((await repository.run(['plan', '--json'])).stdout) as Plan;
    assert.deepEqual(plan.requests, { speak: 1 });
    const { code, stdout } = await repository.run(['apply', '--max-requests', '1']);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /Made with 1 request\./);
    assert.equal(service.paid.length, 4);
  });

  it('because a part of a long text was refused leaves the other requests that were allowed', async () => {
    const other = { ...picture['a.png'], prompt: 'b' };
    await repository.declare({ ...speech, ...picture, 'b.png': other });
    service.answerWith((response, answer, { path }) => {
      return path.includes('/audio/') ? response.writeHead(400).end('{"error":{"message":"No"}}') : answer();
    });
    const { stdout } = await repository.run(['apply', '--max-requests', '3']);
    assert.match(stdout, /failed +long\.mp3 .*\nmade +a\.png .*Made with 1 request\.\nmade +b\.png /);
    assert.equal(service.paid.length, 3);
  });

  it('because a recording is too large says that the editor can send it in parts', async () => {
    await repository.declare(recording);
    service.answerWith((response) => response.writeHead(413).end('{"error":{"message":"Too large"}}'));
    const { code, stdout } = await repository.run(['apply']);
    assert.equal(code, 1);
    assert.match(stdout, /failed +a\.md .*Transcribe the recording in the editor, which can send it in parts/);
  });

  it('because the host of a result is gone does not say that nothing was sent', async () => {
    service.answerWith((response) => response.end('{"data":[{"url":"http://127.0.0.1:1/a.png"}]}'));
    const [report] = await applyAtOnce();
    assert.match(report?.sentence ?? '', /Cannot reach 127\.0\.0\.1:1/);
    assert.doesNotMatch(report?.sentence ?? '', /Nothing was sent/);
  });

  it('because one of two pictures is gone says what the next one really does', async () => {
    await repository.declare({ 'a.png': { ...picture['a.png'], variants: 2 } });
    const data = [{ url: `${service.origin}/a.png` }, { url: `${service.origin}/gone.png` }];
    service.answerWith((response) => response.end(JSON.stringify({ data })));
    service.downloadWith((response, answer, path) => {
      return path.includes('gone') ? response.writeHead(410).end() : answer();
    });
    assert.equal((await applyAtOnce())[0]?.outcome, 'failed');
    const [given] = await applyAtOnce(true);
    assert.match(given?.sentence ?? '', /Apply again to use what was saved of it/);
    service.answerWith();
    const { code, stdout } = await repository.run(['apply']);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /without a request/);
    assert.equal(service.paid.length, 1);
  });

  const inputs = [
    ['in.png', pngBytes, { 'a.png': { operation: 'editImage', prompt: 'a', model: 'm', images: ['in.png'] } }],
    ['in.wav', wavBytes, { 'a.md': { operation: 'transcribe', model: 'm', file: 'in.wav' } }],
  ] as const;
  for (const [name, bytes, assets] of inputs) {
    for (const how of ['saved', 'replaced by a link']) {
      it(`because ${name} was ${how} after it was hashed never locks another input than was sent`, async function () {
        skipUnless(this, process.platform !== 'win32' || how === 'saved', 'symbolic links');
        const file = join(repository.root, name);
        await repository.write({ [name]: bytes, [`other-${name}`]: Buffer.concat([bytes, Buffer.from('another')]) });
        await repository.declare(assets);
        // The place is opened after the inputs are hashed and before they are copied.
        const folderAt = (path: string, root: string) => {
          rmSync(file);
          if (how === 'saved') copyFileSync(join(repository.root, `other-${name}`), file);
          else symlinkSync(`other-${name}`, file);
          return new LocalFolder(path, root);
        };
        const [report] = await applyAtOnce(false, { folderAt });
        assert.equal(report?.outcome, 'failed');
        const reason = how === 'saved' ? `${name} has changed .*nothing was sent` : `${name} (cannot be read|.*link)`;
        assert.match(report?.sentence ?? '', new RegExp(reason));
        assert.equal(service.paid.length, 0);
      });
    }
  }
});
