import assert from 'node:assert/strict';
import { importWithEditor, Uri } from '../../support/editorStub.ts';

let files: Set<string>;
let hasTrash: boolean;
let asked: string[];
let warned: string[];
/** The buttons that the person knows. */
let buttons: readonly string[];
let folder: string | undefined;

class WorkspaceEdit {
  readonly renamed: [from: string, to: string][] = [];
  renameFile(from: Uri, to: Uri): void {
    this.renamed.push([from.path, to.path]);
  }
}

const editor = {
  WorkspaceEdit,
  window: {
    showWarningMessage: async (sentence: string, ...[options, ...offered]: readonly unknown[]) => {
      if (typeof options !== 'object') return void warned.push(sentence);
      asked.push(sentence);
      return offered.find((one) => buttons.includes(String(one)));
    },
    showOpenDialog: async () => (folder === undefined ? undefined : [Uri.file(folder)]),
  },
  workspace: {
    asRelativePath: ({ path }: Uri) => path.slice('/w/'.length),
    getWorkspaceFolder: ({ path }: Uri) => (path.startsWith('/w/') ? { uri: Uri.file('/w') } : undefined),
    applyEdit: async ({ renamed }: WorkspaceEdit) => {
      for (const [from, to] of renamed) if (files.delete(from)) files.add(to);
      return true;
    },
    fs: {
      stat: async ({ path }: Uri) => {
        if (!files.has(path)) throw new Error('There is no such file.');
        return { type: 1 };
      },
      delete: async ({ path }: Uri, options?: { readonly useTrash: boolean }) => {
        if (options?.useTrash && !hasTrash) throw new Error('There is no trash.');
        if (!files.delete(path)) throw new Error('There is no such file.');
      },
    },
  },
};

const { deleteFiles, moveFiles } = await importWithEditor<typeof import('../../../src/editor/changeFiles.ts')>(
  new URL('../../../src/editor/changeFiles.ts', import.meta.url),
  editor,
);

describe('files of results', () => {
  const uris = (...paths: readonly string[]) => paths.map(Uri.file);

  beforeEach(() => {
    files = new Set(['/w/a.png', '/w/b.png', '/w/c.png', '/w/static/b.png']);
    [hasTrash, asked, warned, buttons, folder] = [true, [], [], ['Move to Trash', 'Delete Permanently'], '/w/static'];
  });

  it('are deleted after one question, and after a second one where there is no trash', async () => {
    hasTrash = false;
    files.delete('/w/b.png');
    assert.equal(await deleteFiles(uris('/w/a.png', '/w/b.png', '/w/c.png'), 'Kept.'), true);
    assert.deepEqual(asked, ['Delete 3 files?', '2 files cannot be moved to the trash. Delete them permanently?']);
    assert.deepEqual([...files], ['/w/static/b.png']);
  });

  it('go to the trash without a second question, also what somebody else has deleted meanwhile', async () => {
    files.delete('/w/b.png');
    assert.equal(await deleteFiles(uris('/w/a.png', '/w/b.png'), 'Kept.'), true);
    assert.deepEqual(asked, ['Delete 2 files?']);
    assert.deepEqual([...files], ['/w/c.png', '/w/static/b.png']);
  });

  it('stay without a yes to each question', async () => {
    hasTrash = false;
    for (buttons of [[], ['Move to Trash']]) {
      assert.equal(await deleteFiles(uris('/w/a.png', '/w/c.png'), 'Kept.'), false);
      assert.equal(files.size, 4);
    }
  });

  it('are moved to a folder, and replace no file there', async () => {
    files.add('/w/sub/A.png');
    await moveFiles(uris('/w/a.png', '/w/b.png', '/w/sub/A.png', '/w/gone.png'));
    assert.deepEqual([...files].sort(), ['/w/b.png', '/w/c.png', '/w/static/a.png', '/w/static/b.png', '/w/sub/A.png']);
    assert.deepEqual(warned, [
      'Not moved, because static has a file of that name or the file is gone: b.png, A.png, gone.png',
    ]);
  });

  it('are moved nowhere without a folder, or to one outside of their own', async () => {
    folder = undefined;
    await moveFiles(uris('/w/a.png'));
    folder = '/elsewhere';
    await assert.rejects(moveFiles(uris('/w/a.png')), { kind: 'save', message: /within their workspace folder/ });
    assert.equal(files.size, 4);
  });
});
