import assert from 'node:assert/strict';
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Uri } from 'vscode';
import { commonEditor, importWithEditor } from '../../../support/editorStub.ts';
import { linkFile } from '../../../support/skipUnless.ts';

type Adding = typeof import('../../../../src/features/manifest/addWorkflow.ts');

const { FileType } = commonEditor;

class FileSystemError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** Whether the connection to the files is gone, so that nothing can be told of them. */
let isUnavailable = false;

/** The file system of VS Code: it follows links, says so, creates folders, and knows of links that lead nowhere. */
const files = {
  async stat(path: string) {
    const found = await lstat(path).catch(() => undefined);
    if (!found || isUnavailable) throw new FileSystemError(isUnavailable ? 'Unavailable' : 'FileNotFound');
    const link = found.isSymbolicLink() ? FileType.SymbolicLink : 0;
    const target = await stat(path).catch(() => undefined);
    const type = target ? (target.isDirectory() ? FileType.Directory : FileType.File) : FileType.Unknown;
    return { type: type | link };
  },
  readFile,
  async writeFile(path: string, content: Uint8Array) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  },
};

describe('Add GitHub Workflow', () => {
  let folder: string;
  let addWorkflow: () => Promise<unknown>;
  const workspace = { fs: files, workspaceFolders: [] as { readonly uri: string }[] };
  const messages: string[] = [];

  before(async () => {
    const module = new URL('../../../../src/features/manifest/addWorkflow.ts', import.meta.url);
    const adding = await importWithEditor<Adding>(module, {
      workspace,
      FileSystemError,
      Uri: { joinPath: (...names: readonly string[]) => join(...names) },
      window: {
        showTextDocument: () => undefined,
        showInformationMessage: (message: string) => messages.push(message),
      },
    });
    addWorkflow = () => adding.addWorkflow(process.cwd() as unknown as Uri);
  });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'workflow-'));
    await mkdir(join(folder, 'root'));
    await mkdir(join(folder, 'outside/workflows'), { recursive: true });
    workspace.workspaceFolders = [{ uri: join(folder, 'root') }];
    messages.length = 0;
    isUnavailable = false;
  });

  afterEach(() => rm(folder, { recursive: true }));

  it('writes the workflow once, and never over a file', async () => {
    await addWorkflow();
    const file = join(folder, 'root/.github/workflows/media.yml');
    const text = await readFile(file, 'utf8');
    assert.match(text, /^name: Media$/m);
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { readonly version: string };
    assert(text.includes(`npm install --global --ignore-scripts @unified-media/cli@${version}\n`));
    assert(!text.includes('{version}'));
    await writeFile(file, 'own');
    await addWorkflow();
    assert.equal(await readFile(file, 'utf8'), 'own');
    assert.deepEqual(messages, ['.github/workflows/media.yml already exists and was not changed.']);
  });

  it('writes nothing where it cannot be told whether the file exists', async () => {
    const file = join(folder, 'root/.github/workflows/media.yml');
    await files.writeFile(file, Buffer.from('own'));
    isUnavailable = true;
    await assert.rejects(addWorkflow(), { code: 'Unavailable' });
    assert.equal(await readFile(file, 'utf8'), 'own');
  });

  for (const [link, target] of [
    ['.github', '../outside'],
    ['.github/workflows', '../../outside/workflows'],
  ] as const) {
    it(`writes nothing through a link: ${link}`, async () => {
      await mkdir(dirname(join(folder, 'root', link)), { recursive: true });
      const path = join(folder, 'root', link);
      await symlink(join(dirname(path), target), path, 'junction');
      await assert.rejects(addWorkflow(), {
        name: 'MediaError',
        message: `${link} is a link, so nothing is written there.`,
      });
      assert.deepEqual(await readdir(join(folder, 'outside/workflows')), []);
    });
  }

  it('writes nothing through a link: .github/workflows/media.yml, also where nothing is yet', async function () {
    await mkdir(join(folder, 'root/.github/workflows'), { recursive: true });
    const target = join(folder, 'outside/media.yml');
    await linkFile(this, target, join(folder, 'root/.github/workflows/media.yml'));
    await assert.rejects(addWorkflow(), /media\.yml is a link, so nothing is written there/);
    await assert.rejects(readFile(target), { code: 'ENOENT' });
  });
});
