import assert from 'node:assert/strict';
import { copyFile, cp, mkdir, readdir, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { JobsInShell } from '../../../src/cli/JobsInShell.ts';
import { libraryIn } from '../../../src/cli/libraryIn.ts';
import { type ApplyOptions, applyAssets } from '../../../src/manifest/applyAssets.ts';
import { ManifestProject } from '../../../src/manifest/ManifestProject.ts';
import { planAssets } from '../../../src/manifest/plan.ts';
import { Store } from '../../../src/work/Store.ts';
import { pngBytes } from '../../support/mediaBytes.ts';
import { type MediaService, type PaidRequest, startMediaService } from '../../support/mediaService.ts';
import { outcomeOf, Repository } from '../../support/repository.ts';
import { kill, startProcess } from '../../support/startProcess.ts';

const picture = { 'a.png': { operation: 'generateImage', prompt: 'a', model: 'm' } };
const video = { 'a.mp4': { operation: 'generateVideo', prompt: 'a', model: 'm' } };
const paragraphs = ['The first paragraph.', 'The second paragraph.', 'The third paragraph.', 'The fourth paragraph.'];
const guide = { 'guide.mp3': { operation: 'speak', document: 'guide.md', model: 'm', voice: 'nova' } };
/** Spoken in three parts. */
const longText = Array.from({ length: 300 }, (_, index) => `This is sentence number ${index} of a text.`).join(' ');
const speech = { 'long.mp3': { operation: 'speak', input: longText, model: 'm', voice: 'nova' } };

/** Paths of the journals in a folder of paid work. */
async function journalsIn(work: string): Promise<readonly string[]> {
  const names = await readdir(work, { recursive: true });
  return names.filter((name) => name.endsWith('journal.jsonl')).map((name) => join(work, name));
}

/** How often each input was paid for, in the order of the first payments. */
function timesPaid({ paid }: MediaService): readonly number[] {
  const times = new Map<string, number>();
  for (const request of paid) times.set(textOf(request), (times.get(textOf(request)) ?? 0) + 1);
  return [...times.values()];
}

function textOf({ path, body }: PaidRequest): string {
  return JSON.stringify([path, body]);
}

/** What is paid for is never sent again, unless a person says “--again”. */
describe('apply pays once (promise 37)', () => {
  let service: MediaService;
  let repository: Repository;

  beforeEach(async () => {
    service = await startMediaService();
    repository = await Repository.make(service.origin, { 'guide.md': paragraphs.join('\n\n') });
    await repository.declare(picture);
  });

  afterEach(async () => {
    await service[Symbol.asyncDispose]();
    await repository[Symbol.asyncDispose]();
  });

  /** @param path of the entry whose request is left, because it may be billed */
  async function leavesUnknown(path: string, ...[words = ['apply'], ...where]: Partial<Parameters<Repository['run']>>) {
    const { code, stdout, stderr } = await repository.run(words, ...where);
    assert.match(stdout, new RegExp(`left +${path} +Outcome unknown`), stdout + stderr);
    assert.equal(code, 1);
  }

  async function succeeds(...[words = ['apply'], ...where]: Partial<Parameters<Repository['run']>>) {
    const { code, stdout, stderr } = await repository.run(words, ...where);
    assert.equal(code, 0, stdout + stderr);
    return stdout;
  }

  describe('when the project or this computer looks different after a kill:', () => {
    interface Change {
      /** @returns how the next apply is started */
      make(): Promise<Parameters<Repository['run']>>;
      /** Whether the answer that was kept is out of reach. */
      readonly isForgotten?: boolean;
    }

    const changes: Readonly<Record<string, Change>> = {
      'through a link to the project': {
        make: async () => {
          const link = `${repository.root}-link`;
          await symlink(repository.root, link, 'junction');
          return [['apply', '--manifest', join(link, 'media.jsonc')]];
        },
      },
      'after its folder was renamed': {
        make: async () => {
          const renamed = `${repository.root}-renamed`;
          await rename(repository.root, renamed);
          return [['apply'], {}, renamed];
        },
      },
      'after its parent became a repository': {
        make: async () => {
          await mkdir(join(dirname(repository.root), '.git'));
          return [['apply']];
        },
      },
      'with an empty state folder, as in a new container': {
        make: async () => [['apply'], { XDG_STATE_HOME: `${repository.root}-fresh` }],
        isForgotten: true,
      },
      'with a journal that a crash has cut': {
        make: async () => {
          for (const journal of await journalsIn(repository.work)) await truncate(journal, 40);
          return [['apply']];
        },
        isForgotten: true,
      },
    };

    beforeEach(() => rm(join(repository.root, '.git'), { recursive: true }));

    for (const [how, { make, isForgotten = false }] of Object.entries(changes)) {
      it(`a request that was out is not sent again ${how}`, async () => {
        await repository.crash(service.stand());
        service.answerWith();
        await leavesUnknown('a.png', ...(await make()));
        assert.equal(service.paid.length, 1);
      });

      it(`a paragraph that was out is not sent again, nor one that was spoken, ${how}`, async () => {
        await repository.declare(guide);
        await repository.crash(service.stand(1));
        service.answerWith();
        const [words, ...where] = await make();
        await leavesUnknown('guide.mp3', words, ...where);
        assert.deepEqual(timesPaid(service), [1, 1]);
        await succeeds([...words, '--again'], ...where);
        // A new container has no sound of the first one.
        assert.deepEqual(timesPaid(service), where[0]?.XDG_STATE_HOME ? [2, 2, 1, 1] : [1, 2, 1, 1]);
      });

      it(`an answer that was in is ${isForgotten ? 'not paid for again' : 'saved'} ${how}`, async () => {
        service.answerWith((response) => response.end(`{"data":[{"url":"${service.origin}/a.png"}]}`));
        await repository.crash(service.standDownloads());
        service.downloadWith();
        const next = await make();
        if (isForgotten) await leavesUnknown('a.png', ...next);
        else await succeeds(...next);
        assert.equal(service.paid.length, 1);
      });
    }
  });

  for (const [what, isRepository] of [
    ['clone', true],
    ['package of the repository', false],
  ] as const) {
    describe(`when another ${what} has the same entry:`, () => {
      let first: string;
      let second: string;

      beforeEach(async () => {
        first = join(repository.root, 'first');
        second = join(repository.root, 'second');
        for (const folder of [first, second]) {
          await mkdir(join(folder, isRepository ? '.git' : 'docs'), { recursive: true });
          await copyFile(join(repository.root, 'media.jsonc'), join(folder, 'media.jsonc'));
        }
      });

      /** Kills apply in the first folder. */
      const crash = (reached: Promise<unknown>) =>
        repository.crash(reached, ['apply', '--manifest', join(first, 'media.jsonc')]);

      it('each asks about its own request that was out, also after it was renamed', async () => {
        await crash(service.stand());
        service.answerWith();
        const { stdout } = await repository.run(['plan'], {}, second);
        assert.match(stdout, /missing +a\.png +1 request/);
        assert.doesNotMatch(stdout, /may be billed/);
        await repository.crash(service.stand(), ['apply', '--manifest', join(second, 'media.jsonc')]);
        service.answerWith();
        await rename(second, `${second}-renamed`);
        second = `${second}-renamed`;
        await leavesUnknown('a.png', ['apply'], {}, second);
        assert.equal(service.paid.length, 2);
        await succeeds(['apply', '--again'], {}, second);
        await leavesUnknown('a.png', ['apply'], {}, first);
        assert.equal(service.paid.length, 3);
        await rename(first, `${first}-renamed`);
        await leavesUnknown('a.png', ['apply'], {}, `${first}-renamed`);
      });

      it('each saves its own answer', async () => {
        service.answerWith((response) => response.end(`{"data":[{"url":"${service.origin}/a.png"}]}`));
        await crash(service.standDownloads());
        service.downloadWith();
        await succeeds(['apply'], {}, second);
        assert.equal(service.paid.length, 2);
        assert.match(await succeeds(['apply'], {}, first), /without a request|0 requests|Saved/);
        assert.equal(service.paid.length, 2);
        assert.deepEqual(await journalsIn(repository.work), []);
      });

      it('another computer asks about each', async () => {
        await crash(service.stand());
        await repository.crash(service.stand(), ['apply', '--manifest', join(second, 'media.jsonc')]);
        service.answerWith();
        const other = { XDG_STATE_HOME: `${repository.root}-other` };
        for (const folder of [first, second]) await leavesUnknown('a.png', ['apply'], other, folder);
        await succeeds(['apply', '--again'], other, second);
        await leavesUnknown('a.png', ['apply'], other, first);
      });

      it('one that was renamed asks about its request, also when another takes its old place', async () => {
        await crash(service.stand());
        service.answerWith();
        await rename(first, `${first}-renamed`);
        await rename(second, first);
        await leavesUnknown('a.png', ['apply'], {}, first);
        await leavesUnknown('a.png', ['apply'], {}, `${first}-renamed`);
        assert.equal(service.paid.length, 1);
      });

      it('a copy pays for itself, and leaves the first one its request and its answer', async () => {
        const copy = async () => {
          await rm(second, { recursive: true });
          await cp(first, second, { recursive: true });
        };
        await crash(service.stand());
        service.answerWith();
        await copy();
        await succeeds(['apply'], {}, second);
        await leavesUnknown('a.png', ['apply'], {}, first);
        assert.equal(service.paid.length, 2);
        service.answerWith((response) => response.end(`{"data":[{"url":"${service.origin}/a.png"}]}`));
        const reached = service.standDownloads();
        await repository.crash(reached, ['apply', '--again', '--manifest', join(first, 'media.jsonc')]);
        service.downloadWith();
        await copy();
        await succeeds(['apply'], {}, second);
        assert.match(await succeeds(['apply'], {}, first), /Saved/);
        assert.equal(service.paid.length, 4);
      });

      it('one that is reached by a link is no other', async () => {
        await crash(service.stand());
        service.answerWith();
        const link = join(repository.root, 'link');
        await symlink(first, link, 'junction');
        await leavesUnknown('a.png', ['apply', '--manifest', join(link, 'media.jsonc')]);
        assert.equal(service.paid.length, 1);
      });

      it('a manifest that is moved finds what was sent for it', async () => {
        await crash(service.stand());
        service.answerWith();
        await mkdir(join(second, 'docs'), { recursive: true });
        await rename(join(first, 'media.jsonc'), join(second, 'docs/media.jsonc'));
        await leavesUnknown('a.png', ['apply'], {}, join(second, 'docs'));
        assert.equal(service.paid.length, 1);
      });
    });
  }

  describe('when several programs work on a document:', () => {
    beforeEach(() => repository.declare(guide));

    /** Narrates the document in a window of the editor, which shares its paid work with the command line. */
    function startEditor() {
      return startProcess('narrate', {
        host: service.origin,
        root: repository.root,
        storage: dirname(repository.work),
        texts: paragraphs,
        document: 'guide.md',
      });
    }

    it('the command line sends only what the editor has not sent before it died', async () => {
      const reached = service.stand(2);
      const editor = startEditor();
      await reached;
      await kill(editor);
      service.answerWith();
      await leavesUnknown('guide.mp3');
      assert.deepEqual(timesPaid(service), [1, 1, 1]);
      assert.match(await succeeds(['apply', '--again']), /Made with 2 requests/);
      assert.deepEqual(timesPaid(service), [1, 1, 2, 1]);
    });

    for (const [what, entry] of Object.entries({ document: guide, 'long text': speech })) {
      it(`a ${what} that is finished leaves nothing behind that stops another computer`, async () => {
        const [path = ''] = Object.keys(entry);
        await repository.declare(entry);
        await succeeds();
        await rm(join(repository.root, path));
        await rm(join(repository.root, 'media.lock.jsonl'));
        await succeeds(['apply'], { XDG_STATE_HOME: `${repository.root}-other` });
        assert(timesPaid(service).every((times) => times === 2));
      });
    }
  });

  describe('when the outcome of a request is unknown, and only “--again” sends it once more:', () => {
    /** Plans and applies after the first attempt. @param count what the service got in the first attempt */
    async function staysUnknown(path: string, count: number): Promise<void> {
      service.answerWith();
      assert.equal(service.paid.length, count);
      const { stdout } = await repository.run(['plan']);
      assert.match(stdout, /may be billed/);
      await leavesUnknown(path);
      await leavesUnknown(path, ['apply', '--yes']);
      assert.equal(service.paid.length, count);
      await succeeds(['apply', '--again']);
    }

    it('a video that was accepted, and then failed', async () => {
      await repository.declare(video);
      const failing = { id: 'v1', status: 'failed', error: { message: 'No capacity' } };
      const queued = { id: 'v1', status: 'queued', status_url: `${service.origin}/v1` };
      service.answerWith((response) => response.writeHead(202).end(JSON.stringify(queued)));
      service.downloadWith((response) => response.end(JSON.stringify(failing)));
      await repository.run(['apply']);
      service.downloadWith();
      await staysUnknown('a.mp4', 1);
      assert.deepEqual(timesPaid(service), [2]);
    });

    const interrupt = async (after: number): Promise<void> => {
      const reached = service.stand(after);
      const child = repository.start(['apply']);
      const outcome = outcomeOf(child);
      await reached;
      child.kill('SIGTERM');
      await outcome;
    };

    it('SIGTERM while it is out', async () => {
      await interrupt(0);
      await staysUnknown('a.png', 1);
      assert.deepEqual(timesPaid(service), [2]);
    });

    it('SIGTERM while a part of a long text is out', async () => {
      await repository.declare(speech);
      await interrupt(1);
      await staysUnknown('long.mp3', 2);
      assert.deepEqual(timesPaid(service), [1, 2, 1]);
    });

    it('SIGTERM while a paragraph of a document is out', async () => {
      await repository.declare(guide);
      await interrupt(1);
      await staysUnknown('guide.mp3', 2);
      assert.deepEqual(timesPaid(service), [1, 2, 1, 1]);
    });
  });

  it('and removes the parts of a long text that was saved just before a kill', async () => {
    await repository.declare(speech);
    service.answerWith((response, answer) => {
      return service.paid.length < 3 ? answer() : response.writeHead(400).end('{"error":{"message":"No"}}');
    });
    await repository.run(['apply']);
    const names = await readdir(repository.work, { recursive: true });
    const part = join(repository.work, names.find((name) => name.endsWith('part.mp3')) ?? '');
    const [, folder = ''] = /"path":"([^"]+)"/.exec(await readFile(join(part, '../journal.jsonl'), 'utf8')) ?? [];
    await mkdir(join(repository.root, folder), { recursive: true });
    await copyFile(part, join(repository.root, folder, 'variant.mp3'));
    assert.match(await succeeds(), /Saved the results of an earlier run/);
    assert.deepEqual(await journalsIn(repository.work), []);
    assert.equal(service.paid.length, 3);
  });

  describe('whatever the clock shows:', () => {
    /** Moves the times of all requests that are known here. */
    async function moveTimes(milliseconds: number): Promise<void> {
      for (const journal of await journalsIn(repository.work)) {
        const text = await readFile(journal, 'utf8');
        const moved = (_: string, time: string) =>
          `"createdAt":"${new Date(Date.parse(time) + milliseconds).toISOString()}"`;
        await writeFile(journal, text.replace(/"createdAt":"([^"]*)"/g, moved));
      }
    }

    it('a request that was out a month ago is still unknown', async () => {
      await repository.crash(service.stand());
      service.answerWith();
      await moveTimes(-31 * 24 * 60 * 60 * 1000);
      await leavesUnknown('a.png');
      await leavesUnknown('a.png');
      assert.equal(service.paid.length, 1);
    });

    it('a request that was refused is forgotten after 30 days, with its prompt and its pictures', async () => {
      const prompt = 'a secret prompt';
      await repository.write({ 'in.png': pngBytes });
      await repository.declare({ 'a.png': { operation: 'editImage', prompt, model: 'm', images: ['in.png'] } });
      service.answerWith((response) => response.writeHead(400).end('{"error":{"message":"No"}}'));
      assert.equal((await repository.run(['apply'])).code, 1);
      service.answerWith();
      await repository.declare({});
      const day = 24 * 60 * 60 * 1000;
      for (const days of [29, 2]) {
        const [journal = ''] = (await readdir(repository.work, { recursive: true })).filter((name) =>
          /journal/.test(name),
        );
        assert((await readFile(join(repository.work, journal), 'utf8')).includes(prompt));
        await moveTimes(-days * day);
        assert.equal((await repository.run(['apply'])).code, 0);
      }
      const left = await readdir(repository.work, { recursive: true });
      assert.deepEqual(
        left.filter((name) => /journal|input/.test(name)),
        [],
      );
    });

    it('an older refusal with a later time does not hide a part that is unknown', async () => {
      await repository.declare(speech);
      service.answerWith((response, answer) => {
        return service.paid.length < 2 ? answer() : response.writeHead(400).end('{"error":{"message":"No"}}');
      });
      assert.equal((await repository.run(['apply'])).code, 1);
      await moveTimes(60 * 60 * 1000);
      await repository.crash(service.stand());
      service.answerWith();
      await leavesUnknown('long.mp3');
      assert.equal(service.paid.length, 3);
    });
  });

  describe('when something changes while apply runs:', () => {
    /** Starts apply, changes something while its first request is out, and lets it go on. */
    async function changeMeanwhile(change: () => Promise<void>): Promise<string> {
      const goOn = service.hold();
      const sent = service.next();
      const outcome = outcomeOf(repository.start(['apply']));
      await sent;
      await change();
      goOn();
      const { code, stdout } = await outcome;
      assert.equal(code, 1, stdout);
      assert.match(stdout, /made +a\.png/);
      return stdout;
    }

    it('nothing more is sent when the lock cannot be changed any more', async () => {
      await repository.declare({ ...picture, 'b.png': { ...picture['a.png'], prompt: 'b' } });
      const goOn = service.hold();
      const sent = service.next();
      const outcome = outcomeOf(repository.start(['apply']));
      await sent;
      await repository.write({ 'media.lock.jsonl': '{"path":\n' });
      goOn();
      assert.match((await outcome).stdout, /failed +a\.png .*\nleft +b\.png +.*media\.lock\.jsonl/);
      assert.equal(service.paid.length, 1);
      await repository.write({ 'media.lock.jsonl': '' });
      await succeeds();
      assert.equal(service.paid.length, 2);
    });

    it('assets whose input was saved are left and named', async () => {
      const names = Array.from({ length: 8 }, (_, index) => `edit-${index}.png`);
      const edits = Object.fromEntries(
        names.map((name) => [name, { operation: 'editImage', prompt: name, model: 'm', images: ['in.png'] }]),
      );
      await repository.write({ 'in.png': pngBytes });
      await repository.declare(edits);
      await succeeds(['apply', '--yes']);
      await repository.declare({ ...picture, ...edits });
      const stdout = await changeMeanwhile(() => repository.write({ 'in.png': Buffer.concat([pngBytes, pngBytes]) }));
      for (const name of names) assert.match(stdout, new RegExp(`left +${name} +Not sent`));
      assert.equal(service.paid.length, names.length + 1);
    });
  });

  describe('when the editor applies the same manifest:', () => {
    const nothing = () => undefined;

    async function openProject(root: string): Promise<ManifestProject> {
      const store = new Store(repository.work);
      return ManifestProject.open(join(root, 'media.jsonc'), { root, library: libraryIn(root), store });
    }

    /** Applies in this process. @returns the outcomes */
    async function applyHere(project: ManifestProject, confirm: ApplyOptions['confirm'] = async () => true) {
      const environment = { UNIFIED_MEDIA_API_KEY: 'key-1', UNIFIED_MEDIA_IMAGE_BASE_URL: service.origin };
      const { store } = project;
      await using jobs = new JobsInShell({ environment, state: dirname(repository.work), store, sandbox: false });
      const reports = await applyAssets(project, {
        sandbox: false,
        again: false,
        speechMaxCharacters: 0,
        runner: jobs.runner,
        limits: jobs.limits,
        signal: new AbortController().signal,
        checkReady: (id) => jobs.checkReady(id),
        confirm,
        onProgress: nothing,
        onNotice: nothing,
        onReport: nothing,
      });
      return reports?.map(({ outcome, isUnknown }) => [outcome, isUnknown]);
    }

    it('a window on a part of the project knows what a window on the whole has sent', async () => {
      await mkdir(join(repository.root, 'site'));
      await rename(join(repository.root, 'media.jsonc'), join(repository.root, 'site/media.jsonc'));
      await repository.crash(service.stand(), ['apply', '--manifest', 'site/media.jsonc']);
      service.answerWith();
      assert.deepEqual(await applyHere(await openProject(join(repository.root, 'site'))), [['left', true]]);
      assert.equal(service.paid.length, 1);
    });

    it('a request that appears after it has planned is not sent again', async () => {
      const project = await openProject(repository.root);
      await planAssets(project, { sandbox: false, speechMaxCharacters: 0, seesWork: true });
      await repository.crash(service.stand());
      service.answerWith();
      assert.deepEqual(await applyHere(project), [['left', true]]);
      assert.equal(service.paid.length, 1);
    });

    it('a request of another computer that appears while a person is asked is not sent again', async () => {
      const reports = await applyHere(await openProject(repository.root), async () => {
        await repository.crash(service.stand(), ['apply'], { XDG_STATE_HOME: `${repository.root}-other` });
        service.answerWith();
        return true;
      });
      assert.deepEqual(reports, [['left', true]]);
      assert.equal(service.paid.length, 1);
    });
  });
});
