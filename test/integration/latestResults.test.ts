import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { LatestResults } from '../../src/features/create/LatestResults.ts';
import { Library } from '../../src/library/Library.ts';
import type { LibraryRecord } from '../../src/library/LibraryRecord.ts';
import { LocalFolder } from '../../src/library/LocalFolder.ts';

function image(file: string): LibraryRecord {
  const createdAt = '2026-01-01T00:00:00.000Z';
  return { file, kind: 'images', operation: 'generateImage', model: 'm', createdAt, jobId: file };
}

describe('the latest results', () => {
  let root: string;
  let told: () => void;
  let results: LatestResults;

  const libraryAt = (folder: string) => new Library(new LocalFolder(join(root, folder), root));
  const save = async (library: Library, file: string) => {
    await writeFile(join(root, file), '');
    await library.append(image(file));
  };
  /** The names that are shown when it has read next, because of some work. */
  const shownAfter = async (work: () => unknown) => {
    const read = new Promise<void>((resolve) => {
      told = resolve;
    });
    await work();
    await read;
    return results.latest?.map(({ entry }) => entry.file).sort();
  };

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'latest-'));
    told = () => undefined;
  });

  afterEach(async () => {
    results.dispose();
    await rm(root, { recursive: true });
  });

  it('are those of the library that the settings say, wherever it was before', async () => {
    const [one, other] = [libraryAt('one'), libraryAt('other')];
    await save(one, 'a.png');
    await save(other, 'b.png');
    let library = one;
    results = new LatestResults({ libraryOf: () => library }, () => told());
    assert.deepEqual(await shownAfter(() => results.follow([vscode.Uri.file(root)])), ['a.png']);
    assert.deepEqual(await shownAfter(() => save(one, 'c.png')), ['a.png', 'c.png']);
    library = other;
    assert.deepEqual(await shownAfter(() => results.read()), ['b.png']);
    assert.deepEqual(await shownAfter(() => save(other, 'd.png')), ['b.png', 'd.png']);
    assert.deepEqual(await shownAfter(() => results.follow([])), []);
  });
});
