import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { VirtualFolder } from '../../../src/editor/VirtualFolder.ts';
import { importWithEditor, Uri } from '../../support/editorStub.ts';

describe('VirtualFolder, in two windows', () => {
  let content: Buffer | undefined;
  let writes: number;
  let loses: boolean;

  const editor = {
    FileSystemError: class extends Error {
      readonly code = 'FileNotFound';
    },
    workspace: {
      fs: {
        readFile: async () => {
          await sleep(2);
          if (content === undefined) throw new editor.FileSystemError();
          return content;
        },
        writeFile: async (_: Uri, bytes: Uint8Array) => {
          await sleep(2);
          writes++;
          if (!loses) content = Buffer.from(bytes);
        },
      },
    },
  };

  async function openWindow(): Promise<VirtualFolder> {
    const file = new URL('../../../src/editor/VirtualFolder.ts', import.meta.url);
    const loaded = await importWithEditor<typeof import('../../../src/editor/VirtualFolder.ts')>(file, editor);
    return new loaded.VirtualFolder(Uri.file('/w'));
  }

  beforeEach(() => {
    content = undefined;
    writes = 0;
    loses = false;
  });

  it('keeps the lines of both when they append at the same time', async () => {
    const [one, two] = [await openWindow(), await openWindow()];
    await one.append('library.jsonl', 'a\n');
    await Promise.all([one.append('library.jsonl', 'b\n'), two.append('library.jsonl', 'c\n')]);
    assert.deepEqual(String(content).trim().split('\n').sort(), ['a', 'b', 'c']);
  });

  it('says so when lines cannot be kept, and writes a file without lines once', async () => {
    const folder = await openWindow();
    await folder.append('library.jsonl', '');
    assert.deepEqual([writes, String(content)], [1, '']);
    loses = true;
    await assert.rejects(folder.append('library.jsonl', 'a\n'), /other programs write/);
    assert.equal(writes, 6);
  });

  it('does not take an equal line for the one that was lost', async () => {
    const folder = await openWindow();
    await folder.append('library.jsonl', 'starred\n');
    loses = true;
    await assert.rejects(folder.append('library.jsonl', 'starred\n'), /other programs write/);
  });
});
