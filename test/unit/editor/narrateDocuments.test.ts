import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, extname, join, relative } from 'node:path';
import type { Caller } from '../../../src/editor/Caller.ts';
import type { RunParts } from '../../../src/editor/requests/requests.ts';
import { LocalFolder } from '../../../src/files/LocalFolder.ts';
import { Library } from '../../../src/library/Library.ts';
import type { Asset } from '../../../src/library/LibraryRecord.ts';
import { commonEditor, importWithEditor, Uri } from '../../support/editorStub.ts';
import { bodyOf, type HttpServer, startHttpServer } from '../../support/httpServer.ts';
import { jobRunnerAt } from '../../support/jobRunner.ts';
import { soundOf } from '../../support/narrations.ts';
import { settingsWith } from '../../support/settingsWith.ts';

let root: string;
const asked: { readonly question: string; readonly detail: string }[] = [];
const told: string[] = [];
const progress: string[] = [];
let answer: string | undefined;

const tell = async (sentence: string) => void told.push(sentence);
const editor = {
  workspace: {
    getWorkspaceFolder: ({ path }: Uri) => (path.startsWith(root) ? { uri: Uri.file(root) } : undefined),
    asRelativePath: ({ path }: Uri) => relative(root, path),
    openTextDocument: async (uri: Uri) => {
      const text = await readFile(uri.fsPath, 'utf8');
      return { uri, languageId: 'markdown', getText: () => text };
    },
    findFiles: async ({ base }: { readonly base: Uri }) => {
      const found = await readdir(base.fsPath, { recursive: true });
      return found.filter((one) => extname(one) === '.md').map((one) => Uri.joinPath(base, one));
    },
    fs: {
      stat: async ({ fsPath }: Uri) => {
        const found = await stat(fsPath);
        const { Directory, File } = commonEditor.FileType;
        return { type: found.isDirectory() ? Directory : File, size: found.size, mtime: found.mtimeMs };
      },
      readFile: ({ fsPath }: Uri) => readFile(fsPath),
    },
  },
  window: {
    showWarningMessage: async (question: string, { detail }: { readonly detail: string }) => {
      asked.push({ question, detail });
      return answer;
    },
    showInformationMessage: tell,
    showErrorMessage: tell,
    withProgress: (_: unknown, work: (...all: unknown[]) => unknown) =>
      work(
        { report: ({ message }: { readonly message: string }) => progress.push(message) },
        { onCancellationRequested: () => ({ dispose: () => undefined }) },
      ),
  },
};
const folder = new URL('../../../src/editor/requests/', import.meta.url);
const { DocumentNarrator } = await importWithEditor<typeof import('../../../src/editor/requests/narrateDocument.ts')>(
  new URL('narrateDocument.ts', folder),
  editor,
);
const { narrateDocuments } = await importWithEditor<typeof import('../../../src/editor/requests/narrateDocuments.ts')>(
  new URL('narrateDocuments.ts', folder),
  editor,
);

describe('Narrate Documents', () => {
  let storage: string;
  let server: HttpServer;
  let sent: string[];
  let failing: string;

  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'narrate-documents-')));
    storage = await mkdtemp(join(tmpdir(), 'narrate-documents-store-'));
    sent = [];
    failing = '';
    answer = 'Narrate';
    for (const list of [asked, told, progress]) list.length = 0;
    server = await startHttpServer(async (request, response) => {
      const { input } = JSON.parse(String(await bodyOf(request)));
      sent.push(input);
      if (input === failing) return response.writeHead(400).end('{"error":"no"}');
      return response.end(soundOf('mp3', input));
    });
  });

  afterEach(async () => {
    await server[Symbol.asyncDispose]();
    await rm(root, { recursive: true });
    await rm(storage, { recursive: true });
  });

  async function write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
  }

  const uri = (path: string) => Uri.file(join(root, path));
  const speaker = { model: 'm', voice: 'nova', response_format: 'mp3' };
  const namesOf = (assets: readonly Asset[] = []) => assets.map((one) => one.uri.slice(one.uri.lastIndexOf('/') + 1));

  /** Narrates as the window does. */
  async function narrate(argument: object, caller: Caller) {
    await using jobs = jobRunnerAt(server.origin, { root, journal: storage });
    const library = new Library(new LocalFolder(join(root, '.unified-media'), root));
    const remembered = {};
    const parts = {
      settings: {
        ...settingsWith(),
        ...{ usesSandbox: false, declaredFields: undefined, hosts: { audio: '' }, prices: undefined },
        ...{ pronunciations: () => ({}), valueFor: () => undefined },
      },
      service: { checkReady: async () => undefined },
      models: { readGone: async () => undefined, names: () => [], isGone: () => false, canLoad: () => false },
      lastUsed: {
        get: () => remembered,
        sent: async (_id: string, _sandbox: boolean, fields: object) => void Object.assign(remembered, fields),
        worked: async () => undefined,
      },
      places: {
        libraryOf: () => library,
        referenceIn: (_root: Uri, path: string) => placeOf(path),
        referenceForDocument: async () => placeOf('media'),
        placeAt: ({ path }: { readonly path: string }) => ({
          ...{ folder: new LocalFolder(join(root, path), root), library },
          recordedName: (name: string) => `${path}/${name}`,
        }),
      },
      log: { warn: assert.fail },
    } as unknown as RunParts;
    return await narrateDocuments(argument, caller, new DocumentNarrator(jobs.runner, parts), parts, () => undefined);
  }

  const placeOf = (path: string) => ({
    ...{ root: Uri.file(root).toString(), path, fileName: '${prompt}', transcriptFormat: 'markdown' },
  });

  it('asks once about what is new or has changed, and narrates all of it', async () => {
    await write({ 'docs/a.md': 'One.\n\nTwo.\n', 'docs/b.md': 'Three.\n', 'docs/c.md': 'Four.\n' });
    await narrate({ uris: [uri('docs/a.md'), uri('docs/c.md')], ...speaker }, 'program');
    assert.deepEqual([asked, sent.splice(0).sort()], [[], ['Four.', 'One.', 'Two.']]);
    await write({ 'docs/a.md': 'One.\n\nTwo more.\n' });
    const clicked = { uris: ['a', 'b', 'c'].map((name) => uri(`docs/${name}.md`)), model: 'm', voice: 'nova' };
    const narrated = await narrate(clicked, 'person');
    assert.deepEqual(namesOf(narrated?.assets).sort(), ['a.mp3', 'b.mp3', 'c.mp3']);
    assert.deepEqual(sent.sort(), ['Three.', 'Two more.']);
    assert.deepEqual(
      asked.map(({ question, detail }) => [question, ...detail.split('\n').slice(0, 2)]),
      [
        [
          'Narrate 2 documents (2 paragraphs, 15 characters)?',
          'docs/a.md: 1 paragraph, 9 characters',
          'docs/b.md: 1 paragraph, 6 characters',
        ],
      ],
    );
    assert.deepEqual(told, ['2 narrations were saved. Up to date before: 1.']);
    assert.deepEqual(progress.slice(-2), ['1 of 2 documents', '2 of 2 documents']);
  });

  it('sends nothing when the person declines', async () => {
    await write({ 'a.md': 'One.\n', 'b.md': 'Two.\n' });
    answer = undefined;
    assert.equal(await narrate({ uris: [uri('a.md'), uri('b.md')], ...speaker }, 'person'), undefined);
    assert.deepEqual([asked.length, sent, told], [1, [], []]);
  });

  it('makes the others when one fails, and names it', async () => {
    await write({ 'a.md': 'One.\n', 'b.md': 'Two.\n', 'c.md': 'Three.\n', 'd.md': '' });
    failing = 'One.';
    const uris = ['a.md', 'b.md', 'c.md', 'd.md'].map(uri);
    const narrated = await narrate({ uris, ...speaker }, 'program');
    assert.deepEqual(namesOf(narrated?.assets).sort(), ['b.mp3', 'c.mp3']);
    assert.match(String(narrated?.failure), /d\.md: .*There is no text to read aloud/);
    const again = await narrate({ uris: uris.slice(0, 3), ...speaker }, 'person');
    assert.deepEqual([namesOf(again?.assets).sort(), again?.failure], [['b.mp3', 'c.mp3'], undefined]);
    assert.match(told.join('\n'), /a\.md: [\s\S]*Narrations up to date: 2/);
  });

  it('takes the documents of a folder, except hidden ones and those that git ignores', async () => {
    await write({
      ...{ '.gitignore': 'docs/draft.md\n', 'docs/draft.md': 'Draft.\n', 'docs/.private/notes.md': 'Notes.\n' },
      ...{ 'docs/a.md': 'One.\n', 'docs/deep/b.md': 'Two.\n', 'other.md': 'Other.\n' },
    });
    execFileSync('git', ['init', '-q', root]);
    await narrate({ uris: [uri('docs')], ...speaker }, 'person');
    assert.deepEqual(sent.sort(), ['One.', 'Two.']);
    assert.equal(asked.length, 1);
  });

  it('leaves out and names what a person selected that is no document', async () => {
    await write({ 'a.md': 'One.\n', 'b.png': '' });
    await narrate({ uris: [uri('a.md'), uri('b.png')], ...speaker }, 'person');
    assert.deepEqual(sent, ['One.']);
    assert.deepEqual(told, ['Left out, because it is not read aloud: b.png', 'One narration was saved.']);
  });

  it('refuses unknown fields and folders without a document before it asks', async () => {
    await write({ 'docs/a.txt': 'One.\n' });
    await assert.rejects(narrate({ uris: [uri('docs')], ...speaker }, 'person'), { field: 'uris' });
    await assert.rejects(narrate({ uris: [uri('docs/a.txt')], speed: 2 }, 'person'), { field: 'speed' });
    assert.deepEqual([asked, sent], [[], []]);
  });
});
