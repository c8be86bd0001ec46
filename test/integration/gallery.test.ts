import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { attachmentOfResult } from '../../src/features/create/attach.ts';
import { Gallery, itemOf } from '../../src/features/create/Gallery.ts';
import { LocalFolder } from '../../src/files/LocalFolder.ts';
import { Library } from '../../src/library/Library.ts';
import type { LibraryRecord } from '../../src/library/LibraryRecord.ts';

function image(file: string, facts: Partial<LibraryRecord> = {}): LibraryRecord {
  const createdAt = '2026-01-01T00:00:00.000Z';
  return { file, kind: 'images', operation: 'generateImage', model: 'm', createdAt, jobId: file, ...facts };
}

describe('the gallery', () => {
  let root: string;
  let told: () => void;
  let gallery: Gallery;

  const libraryAt = (folder: string) => new Library(new LocalFolder(join(root, folder), root));
  const save = async (library: Library, file: string) => {
    await writeFile(join(root, file), '');
    await library.append(image(file));
  };
  /** Does some work and returns the names shown after the next read. */
  const shownAfter = async (work: () => unknown) => {
    const read = new Promise<void>((resolve) => {
      told = resolve;
    });
    await work();
    await read;
    return gallery.all.map(({ entry }) => entry.file).sort();
  };

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'latest-'));
    told = () => undefined;
  });

  afterEach(async () => {
    gallery.dispose();
    await rm(root, { recursive: true });
  });

  it('shows the library of the current settings', async () => {
    const [one, other] = [libraryAt('one'), libraryAt('other')];
    await save(one, 'a.png');
    await save(other, 'b.png');
    let library = one;
    gallery = new Gallery({ libraryOf: () => library }, () => told());
    assert.deepEqual(await shownAfter(() => gallery.follow([vscode.Uri.file(root)])), ['a.png']);
    assert.deepEqual(await shownAfter(() => save(one, 'c.png')), ['a.png', 'c.png']);
    library = other;
    assert.deepEqual(await shownAfter(() => gallery.read()), ['b.png']);
    assert.deepEqual(await shownAfter(() => save(other, 'd.png')), ['b.png', 'd.png']);
    assert.deepEqual(await shownAfter(() => gallery.follow([])), []);
  });

  it('keeps its revision while nothing changes, so that the pages of the views stay current', async () => {
    const library = libraryAt('one');
    let times = 0;
    gallery = new Gallery({ libraryOf: () => library }, () => times++);
    await gallery.follow([vscode.Uri.file(root)]);
    await save(library, 'a.png');
    await gallery.read();
    const before = { revision: gallery.revision, times };
    await gallery.read();
    assert.deepEqual({ revision: gallery.revision, times }, before);
    library.changed();
    await gallery.read();
    assert(gallery.revision > before.revision && times > before.times);
  });

  it('lists newest first, the results of a job in their order, and counts newer ones', async () => {
    const library = libraryAt('one');
    gallery = new Gallery({ libraryOf: () => library }, () => told());
    await gallery.follow([vscode.Uri.file(root)]);
    const at = (minute: number) => ({ createdAt: `2026-01-01T00:0${minute}:00.000Z` });
    await library.append(image('old.png', at(1)));
    await library.append(image('a.png', { ...at(2), jobId: 'j' }), image('b.png', { ...at(2), jobId: 'j' }));
    await gallery.read();
    assert.deepEqual(
      gallery.all.map(({ entry }) => entry.file),
      ['a.png', 'b.png', 'old.png'],
    );
    assert.equal(gallery.filesOf('j'), 2);
    assert.deepEqual(
      [0, 1, 2, 3].map((minute) => gallery.newerThan(at(minute).createdAt)),
      [3, 2, 0, 0],
    );
  });

  it('filters by words in any case and order', async () => {
    const library = libraryAt('one');
    gallery = new Gallery({ libraryOf: () => library }, () => told());
    await library.append(
      image('a.png', { prompt: 'A Fox in the snow' }),
      image('b.png', { prompt: 'a harbour', sandbox: true, model: 'n' }),
    );
    await gallery.follow([vscode.Uri.file(root)]);
    const all = {
      ...{ words: '', kind: null, model: null, sandbox: null as boolean | null, starred: false },
      ...({ sort: 'newest', group: 'none' } as const),
    };
    const found = (filter: Partial<typeof all>) =>
      gallery.select({ ...all, ...filter }, null).results.map(({ entry }) => entry.file);
    assert.deepEqual(found({ words: 'snow fox' }), ['a.png']);
    assert.deepEqual(found({ sandbox: true }), ['b.png']);
    assert.deepEqual(found({ sandbox: false }), ['a.png']);
    assert.deepEqual(gallery.select({ ...all, kind: 'videos' }, null).results, []);
    assert.equal(gallery.select({ ...all, kind: 'videos' }, '').results.length, 2, 'what was just asked for passes');
    const ahead = image('c.png', { prompt: 'Made where the clock runs ahead', createdAt: '2999-01-01T00:00:00.000Z' });
    await library.append(ahead);
    await gallery.read();
    assert.equal(gallery.select({ ...all, kind: 'videos' }, '').results.length, 2, 'it was asked for elsewhere');
    await library.append({ forgotten: 'c.png/c.png' });
    await gallery.read();
    assert.deepEqual(gallery.select({ ...all, model: 'n' }, null).results.length, 1);
    assert.equal(found({}).length, 2);
    await library.append({ starred: 'a.png/a.png' });
    await gallery.read();
    assert.deepEqual(found({ starred: true }), ['a.png']);
    assert.deepEqual(gallery.models, ['m', 'n']);
  });

  it('offers to remix only the videos of the service in use, and attaches no others', async () => {
    const video = { kind: 'videos', operation: 'generateVideo', file: undefined } as const;
    const library = libraryAt('one');
    gallery = new Gallery({ libraryOf: () => library }, () => told());
    await library.append(
      image('paid', { ...video, videoId: 'paid' }),
      image('free', { ...video, videoId: 'free', sandbox: true }),
      image('none', { ...video, sandbox: true }),
    );
    await gallery.follow([vscode.Uri.file(root)]);
    for (const usesSandbox of [false, true]) {
      const context = {
        load: String,
        usesSandbox: () => usesSandbox,
        altTextOf: () => '',
        previewOf: async () => undefined,
      };
      const items = await Promise.all(gallery.all.map((one) => itemOf(one, context)));
      assert.deepEqual(
        items.filter((one) => one.canRemix).map(({ name }) => name),
        [usesSandbox ? 'free' : 'paid'],
      );
      assert.equal(items.filter((one) => one.hasVideoId).length, 2);
      const dependencies = { settings: { usesSandbox }, previews: { of: async () => undefined } };
      const attached = await Promise.allSettled(
        gallery.all.map((one) => attachmentOfResult(one, 'video', { dependencies }, String)),
      );
      assert.deepEqual(
        attached.flatMap((one) => (one.status === 'fulfilled' ? (one.value?.videoId ?? []) : one.reason.kind)).sort(),
        [usesSandbox ? 'free' : 'paid', 'invalidInput'].sort(),
      );
    }
  });

  it('sorts 10,000 results and finds one by its id', async () => {
    const library = libraryAt('one');
    gallery = new Gallery({ libraryOf: () => library }, () => told());
    const moment = (index: number) => new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString();
    await library.append(
      ...Array.from({ length: 10_000 }, (_, index) => image(`${index}.png`, { createdAt: moment(index) })),
    );
    await gallery.follow([vscode.Uri.file(root)]);
    assert.equal(gallery.all[0]?.entry.file, '9999.png');
    assert.equal(gallery.newerThan(moment(9000)), 999);
    const [first] = gallery.all;
    assert(first);
    assert.equal(gallery.get(first.id), first);
  });
});
