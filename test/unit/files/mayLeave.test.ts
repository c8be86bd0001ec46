import assert from 'node:assert/strict';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { libraryIn } from '../../../src/cli/libraryIn.ts';
import { Store } from '../../../src/work/Store.ts';
import { openDesk } from '../../support/agentDesk.ts';
import { importWithEditor, Uri } from '../../support/editorStub.ts';
import { mp3Bytes, pngBytes } from '../../support/mediaBytes.ts';
import { type MediaService, startMediaService } from '../../support/mediaService.ts';
import { Repository } from '../../support/repository.ts';
import { settingsWith } from '../../support/settingsWith.ts';

const canary = 'DATABASE_PASSWORD=canary-secret-1234\n';

/** Files that a person keeps in a project and does not mean to publish, by what they are. */
const secrets = {
  '.env': canary,
  '.npmrc': canary,
  'a/.ssh/id': canary,
  'ignored.txt': canary,
  'plain.txt': canary,
  // Hidden, whatever they hold.
  '.hidden/in.png': pngBytes,
  '.hidden.md': canary,
};
const files = { ...secrets, '.gitignore': 'ignored.*\n', 'in.png': pngBytes, 'call.mp3': mp3Bytes };

type Entry = (file: string) => readonly [path: string, entry: object];

/** An entry of a manifest for each kind of input. */
const kinds: Readonly<Record<string, Entry>> = {
  document: (file) => ['a.mp3', { operation: 'speak', document: file }],
  images: (file) => ['a.png', { operation: 'editImage', prompt: 'p', images: ['in.png', file] }],
  image: (file) => ['a.mp4', { operation: 'animateImage', prompt: 'p', image: file }],
  file: (file) => ['a.md', { operation: 'transcribe', file }],
  video: (file) => ['a.mp4', { operation: 'remixVideo', prompt: 'p', video: file }],
  extra: (file) => ['a.png', { operation: 'generateImage', prompt: 'p', fields: { extra: file } }],
};

const accepts = { generateImage: { extra: { type: 'file' } } };

/** Tools of agents by the same kinds; a video is an asset of the library and never a file. */
const calls: Readonly<Record<string, (file: string) => readonly [tool: string, input: object, field: string]>> = {
  document: (file) => ['media_speak', { file, voice: 'alloy' }, 'file'],
  images: (file) => ['media_edit_image', { prompt: 'p', images: ['in.png', file] }, 'images'],
  image: (file) => ['media_animate_image', { prompt: 'p', image: file }, 'image'],
  file: (file) => ['media_transcribe', { file }, 'file'],
  extra: (file) => ['media_generate_image', { prompt: 'p', fields: { extra: file } }, 'extra'],
};

let root = '';
let storage = '';
const editor = {
  workspace: {
    isTrusted: true,
    textDocuments: [],
    getWorkspaceFolder: () => ({ uri: Uri.file(root) }),
    asRelativePath: ({ path }: Uri) => path,
    fs: { stat: async () => ({ size: 0 }) },
  },
};
const { ManifestProjects } = await importWithEditor<
  typeof import('../../../src/features/manifest/ManifestProjects.ts')
>(new URL('../../../src/features/manifest/ManifestProjects.ts', import.meta.url), editor);

describe('a file that nobody picked (promises 20, 33)', () => {
  let service: MediaService;
  let repository: Repository;
  /** How many requests the tests before have sent. */
  let seen = 0;
  const sent = () => service.requests.slice(seen);

  before(async () => {
    service = await startMediaService();
    repository = await Repository.make(service.origin, files);
    await repository.git('init', '-q');
    root = repository.root;
    storage = join(root, '..', 'storage');
  });
  after(async () => {
    await repository[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });
  afterEach(async () => {
    seen = service.requests.length;
    for (const made of ['a.mp3', 'a.png', 'a.mp4', 'a.md', 'media.lock.jsonl', '.unified-media']) {
      await rm(join(root, made), { recursive: true, force: true });
    }
  });

  async function declare([path, entry]: ReturnType<Entry>, more: object = {}): Promise<void> {
    const model = 'operation' in entry && entry.operation !== 'remixVideo' ? { model: 'm' } : {};
    await repository.declare({ [path]: { ...model, ...entry }, ...more }, { accepts });
  }

  /** Plans as the editor does, asked and unasked. @returns the fields with a problem */
  async function plannedInEditor(): Promise<readonly (string | undefined)[]> {
    const projects = new ManifestProjects({
      settings: { ...settingsWith(), usesSandbox: false, declaredFields: undefined, models: () => [] },
      models: { readGone: async () => undefined, isGone: () => false },
      places: { libraryOf: () => libraryIn(root) },
      runs: { forManifests: async () => ({ runner: { store: new Store(storage) } }) },
    } as never);
    const uri = Uri.file(join(root, 'media.jsonc'));
    const plans = [await projects.plan(uri as never), await projects.planUnasked(uri as never)];
    return plans.flatMap(({ evaluated }) => evaluated.map(({ problem }) => problem?.field));
  }

  function deskHere() {
    return openDesk(service.origin, {
      folder: storage,
      moreRoots: [{ name: 'project', path: root }],
      declared: accepts,
      answer: async () => 'yes',
    });
  }

  for (const file of Object.keys(secrets)) {
    for (const [field, entry] of Object.entries(kinds)) {
      // What a document may be is text, and of a video only its ID is sent.
      if (file === 'plain.txt' && field === 'document') continue;
      it(`is not sent: ${file} as ${field} of a manifest`, async () => {
        await declare(entry(file));
        for (const verb of ['plan', 'check', 'apply']) {
          const { code, stdout, stderr } = await repository.run([verb, ...(verb === 'apply' ? ['--yes'] : [])]);
          assert.equal(code, 1, verb);
          assert(`${stdout}${stderr}`.includes(`${field}: `) && `${stdout}${stderr}`.includes(file), stdout + stderr);
        }
        assert.deepEqual(await plannedInEditor(), [field, field]);
        assert.equal(sent().length, 0);
      });
    }
    for (const [kind, call] of Object.entries(calls)) {
      if (file === 'plain.txt' && kind === 'document') continue;
      it(`is not sent: ${file} as ${kind} of an agent`, async () => {
        await using desk = deskHere();
        const [tool, input, field] = call(join(root, file));
        const { status, error } = await desk.ask(tool, { model: 'm', ...input });
        assert.deepEqual([status, error?.kind, desk.asked.length], ['failed', 'invalidInput', 0]);
        assert(error?.message.startsWith(`"${field}": ${join(root, file)} `), error?.message);
        assert.equal(sent().length, 0);
      });
    }
  }

  const allowed: Readonly<Record<string, string>> = {
    document: 'plain.txt',
    images: 'ignored.png',
    image: 'ignored.png',
    file: 'ignored.mp3',
    extra: 'ignored.mp3',
  };
  for (const [kind, file] of Object.entries(allowed)) {
    it(`is sent if it may leave, also a recording or a picture that git ignores: ${file} as ${kind}`, async () => {
      await repository.write({ 'ignored.png': pngBytes, 'ignored.mp3': mp3Bytes });
      const entry = kinds[kind];
      assert(entry);
      await declare(entry(file));
      assert.deepEqual(await plannedInEditor(), [undefined, undefined]);
      const { code, stdout, stderr } = await repository.run(['apply', '--yes']);
      assert.equal(code, 0, stdout + stderr);
      seen = service.requests.length;
      await using desk = deskHere();
      const [tool, input] = calls[kind]?.(join(root, file)) ?? ['', {}];
      assert.equal((await desk.ask(tool, { model: 'm2', ...input })).status, 'done');
      assert(sent().length > 0);
    });
  }

  it('is not remixed: a hidden video, whatever the library of the folder says of it', async () => {
    const facts = {
      kind: 'videos',
      operation: 'generateVideo',
      model: 'm',
      createdAt: '2026-01-01',
      jobId: 'j',
    } as const;
    for (const file of ['.env', 'gone.mp4']) await libraryIn(root).append({ ...facts, file, videoId: 'v' });
    const fieldsFor = async (video: string) => {
      await declare(['a.mp4', { operation: 'remixVideo', prompt: 'p', video }]);
      return plannedInEditor();
    };
    assert.deepEqual(await fieldsFor('gone.mp4'), [undefined, undefined]);
    assert.deepEqual(await fieldsFor('.env'), ['video', 'video']);
  });

  it('is named by the plan, with each further field (promise 33)', async () => {
    const fields = { extra: 'in.png', seed: 7 };
    const more = { accepts: { generateImage: { ...accepts.generateImage, seed: { type: 'integer' } } } };
    const assets = {
      'a.png': { operation: 'generateImage', model: 'm', prompt: 'p', fields },
      'a.mp3': { operation: 'speak', model: 'm', document: 'plain.txt' },
    };
    await repository.declare(assets, more);
    const { stdout } = await repository.run(['plan']);
    assert.match(stdout, /a\.png {2}1 request · sends extra: in\.png, seed: 7\n/);
    assert.match(stdout, /a\.mp3 {2}1 request · sends document: plain\.txt\n/);
    const markdown = await repository.run(['plan', '--markdown']);
    assert.match(markdown.stdout, /sends extra: in\.png, seed: 7/);
    const { entries } = JSON.parse((await repository.run(['plan', '--json'])).stdout);
    assert.deepEqual(entries[0].sends, [
      { field: 'extra', file: 'in.png' },
      { field: 'seed', value: 7 },
    ]);
  });

  it('is a document that git ignores only where an entry has made it', async () => {
    const transcript = { 'ignored.md': { operation: 'transcribe', model: 'm', file: 'call.mp3' } };
    const spoken: ReturnType<Entry> = ['a.mp3', { operation: 'speak', document: 'ignored.md' }];
    await declare(spoken, transcript);
    // The transcript is made first, and read aloud by the next run.
    await repository.run(['apply', '--yes']);
    const { code, stdout, stderr } = await repository.run(['apply', '--yes']);
    assert.equal(code, 0, stdout + stderr);
    assert.match(String(sent().at(-1)?.url), /speech/);
    seen = service.requests.length;
    for (const content of [canary, undefined]) {
      // Whatever lies in its place was not made by it, and an entry alone makes nothing.
      await rm(join(root, 'a.mp3'));
      if (content === undefined) await rm(join(root, 'media.lock.jsonl'));
      else await repository.write({ 'ignored.md': content });
      const again = await repository.run(['apply', '--yes']);
      assert.match(again.stderr, /document: ignored\.md is ignored by git/);
      await repository.write({ 'a.mp3': mp3Bytes });
    }
    assert.equal(sent().length, 0);
    await rm(join(root, 'ignored.md'));
  });

  it('is judged by where a linked folder leads', async () => {
    await mkdir(join(root, 'docs'));
    await writeFile(join(root, 'a/.ssh/notes.md'), canary);
    await symlink(join(root, 'a/.ssh'), join(root, 'docs/open'), 'junction');
    await declare(['a.mp3', { operation: 'speak', document: 'docs/open/notes.md' }]);
    const { stderr } = await repository.run(['apply', '--yes']);
    assert.match(stderr, /document: docs\/open\/notes\.md is hidden or in a hidden folder/);
    assert.equal(sent().length, 0);
    await rm(join(root, 'docs'), { recursive: true });
  });

  it('asks git once for all documents, and for each submodule by itself', async () => {
    await repository.write({ 'sub/.gitignore': 'secret.md\n', 'sub/secret.md': canary, 'sub/open.md': 'Hello.' });
    await repository.git('init', '-q', 'sub');
    const speak = (document: string) => ({ operation: 'speak', model: 'm', document });
    const documents = ['sub/secret.md', 'sub/open.md', 'plain.txt', 'ignored.txt'];
    await repository.declare(Object.fromEntries(documents.map((one, index) => [`${index}.mp3`, speak(one)])));
    assert.deepEqual((await plannedInEditor()).slice(0, 4), ['document', undefined, undefined, 'document']);
    await rm(join(root, 'sub'), { recursive: true });
  });

  it('is not sent from a repository of its own that the project ignores, unless that is the project', async () => {
    await repository.write({ 'ignored.own/notes.md': 'Hello.', 'ignored.own/media.jsonc': '{"assets": {}}' });
    await repository.git('init', '-q', 'ignored.own');
    await declare(['a.mp3', { operation: 'speak', document: 'ignored.own/notes.md' }]);
    assert.deepEqual(await plannedInEditor(), ['document', 'document']);
    await using desk = deskHere();
    const speak = { file: join(root, 'ignored.own/notes.md'), voice: 'alloy', model: 'm' };
    assert.match((await desk.ask('media_speak', speak)).error?.message ?? '', /is ignored by git/);
    assert.equal(sent().length, 0);
    const assets = { 'a.mp3': { operation: 'speak', model: 'm', document: 'notes.md' } };
    await repository.write({ 'ignored.own/media.jsonc': JSON.stringify({ assets }) });
    const { code, stderr } = await repository.run(['plan'], {}, join(root, 'ignored.own'));
    assert.equal(code, 2, stderr);
    await rm(join(root, 'ignored.own'), { recursive: true });
  });

  it('is not sent from a work tree whose repository is not there, as in a container', async () => {
    await repository.write({ 'tree/.git': 'gitdir: /nowhere/.git/worktrees/tree\n', 'tree/notes.md': canary });
    await declare(['a.mp3', { operation: 'speak', document: 'tree/notes.md' }]);
    const { stderr } = await repository.run(['apply', '--yes']);
    assert.match(stderr, /tree\/notes\.md is not sent, because git could not say.*not a git repository/);
    assert.equal(sent().length, 0);
    await rm(join(root, 'tree'), { recursive: true });
  });

  it('is not sent as the picture that is made from it (promise 33)', async () => {
    const edit = (image: string) => ({ operation: 'editImage', model: 'm', prompt: 'p', images: [image] });
    await repository.write({ 'shown/in.png': pngBytes });
    await repository.declare({
      'a.png': edit('small.png'),
      'small.png': { from: 'large.png', size: [8, 8] },
      'large.png': { from: '.hidden/in.png', size: [16, 16] },
      'b.png': edit('open.png'),
      'open.png': { from: 'shown/in.png', size: [8, 8] },
    });
    assert.deepEqual((await plannedInEditor()).slice(0, 5), ['images', undefined, undefined, undefined, undefined]);
    for (const _ of [1, 2]) {
      const { stderr } = await repository.run(['apply', '--yes']);
      assert.match(stderr, /images: \.hidden\/in\.png is hidden or in a hidden folder/);
    }
    assert.equal(sent().length, 0);
    await rm(join(root, 'shown'), { recursive: true });
  });

  it('runs no git in a folder that nobody trusts, from which nothing is sent', async () => {
    await declare(['a.mp3', { operation: 'speak', document: 'ignored.txt' }]);
    editor.workspace.isTrusted = false;
    try {
      assert.deepEqual(await plannedInEditor(), [undefined, undefined]);
    } finally {
      editor.workspace.isTrusted = true;
    }
  });

  it('is not sent where git cannot say whether it ignores it', async () => {
    const path = process.env.PATH;
    await declare(['a.mp3', { operation: 'speak', document: 'plain.txt' }]);
    process.env.PATH = join(root, 'no-programs');
    try {
      const { stderr } = await repository.run(['apply', '--yes']);
      assert.match(stderr, /document: plain\.txt is not sent, because git could not say.*git is not installed/);
    } finally {
      process.env.PATH = path;
    }
    assert.equal(sent().length, 0);
  });
});
