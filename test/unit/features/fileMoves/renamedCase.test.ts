import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { LocalFolder } from '../../../../src/files/LocalFolder.ts';
import { Library } from '../../../../src/library/Library.ts';
import { importWithEditor } from '../../../support/editorStub.ts';

const root = mkdtempSync(join(tmpdir(), 'renamed-case-'));

/** A URI of a file whose path below `/w` is one in the folder. */
class Uri {
  readonly scheme = 'file';
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** The name on disk, in whatever case it is asked for, as on Windows and macOS. */
  get fsPath(): string {
    const name = posix.basename(this.path);
    return join(root, readdirSync(root).find((one) => one.toLowerCase() === name.toLowerCase()) ?? name);
  }

  toString(): string {
    return `file://${this.path}`;
  }

  static joinPath({ path }: Uri, ...parts: readonly string[]): Uri {
    return new Uri(posix.join(path, ...parts));
  }
}

const folder = { uri: new Uri('/w') };
const editor = {
  Uri,
  workspace: {
    getWorkspaceFolder: () => folder,
    fs: { stat: async ({ fsPath }: Uri) => ({ type: 1, size: statSync(fsPath).size }) },
  },
};
const { FileMoves } = await importWithEditor<typeof import('../../../../src/features/fileMoves/LibraryFollower.ts')>(
  new URL('../../../../src/features/fileMoves/LibraryFollower.ts', import.meta.url),
  editor,
);

describe('FileMoves where the disk ignores case', () => {
  after(() => rmSync(root, { recursive: true }));

  it('records a name whose case alone has changed, and later moves of that file', async () => {
    const library = new Library(new LocalFolder(join(root, '.unified-media'), root));
    const moves = new FileMoves({ libraryOf: () => library });
    const bytes = Buffer.from('picture');
    writeFileSync(join(root, 'Hero.png'), bytes);
    await library.append({
      file: 'Hero.png',
      kind: 'images',
      operation: 'generateImage',
      model: 'm',
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      createdAt: '2026-11-01T00:00:00.000Z',
      jobId: 'job',
    } as never);
    const moved = async (from: string, to: string) => {
      renameSync(join(root, from), join(root, to));
      moves.deleted(Uri.joinPath(folder.uri, from) as never);
      moves.created(Uri.joinPath(folder.uri, to) as never);
      await moves.follow();
      return (await library.entries()).map(({ file }) => file);
    };
    assert.deepEqual(await moved('Hero.png', 'hero.png'), ['hero.png']);
    assert.deepEqual(await moved('hero.png', 'hero.png'), ['hero.png']);
    assert.deepEqual(await moved('hero.png', 'HERO.png'), ['HERO.png']);
    assert.deepEqual(await moved('HERO.png', 'HERO.png'), ['HERO.png']);
    assert.deepEqual(await moved('HERO.png', 'other.png'), ['other.png']);
  });
});
