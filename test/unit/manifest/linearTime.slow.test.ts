import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalFolder } from '../../../src/files/LocalFolder.ts';
import { hashOf } from '../../../src/files/sha256.ts';
import { Library } from '../../../src/library/Library.ts';
import { mergeLocks, readLock, readMergedLock } from '../../../src/manifest/Lock.ts';
import { shardOf } from '../../../src/manifest/Manifest.ts';
import { ManifestProject } from '../../../src/manifest/ManifestProject.ts';
import { planAssets } from '../../../src/manifest/plan.ts';
import { unmarkedAssets } from '../../../src/manifest/provenance.ts';
import { pruneAssets } from '../../../src/manifest/pruneAssets.ts';
import { readManifest } from '../../../src/manifest/readManifest.ts';
import { MediaError } from '../../../src/operations/MediaError.ts';
import { Store } from '../../../src/work/Store.ts';
import { staysInProportion } from '../../support/growsLinearly.ts';
import { pngBytes } from '../../support/mediaBytes.ts';

const output = 'a'.repeat(64);

/** The lines of a lock. */
const shapes: Readonly<Record<string, (index: number, count: number) => string>> = {
  'different paths': (index) => lineOf(`${index}.png`),
  'one path': () => lineOf('a.png'),
  'two paths in turn': (index) => lineOf(index % 2 === 0 ? 'a.png' : 'b.png'),
  'two lines of each path': (index) => lineOf(`${index >> 1}.png`),
  'a mark of a conflict at the end': (index, count) => (index === count - 1 ? '<<<<<<< ours' : lineOf(`${index}.png`)),
};

function lineOf(path: string): string {
  return JSON.stringify({ path, output });
}

const readers: Readonly<Record<string, (lock: string) => unknown>> = {
  readLock,
  readMergedLock: (lock) => readMergedLock(lock, 'media.lock.jsonl', async () => output),
  'mergeLocks without a common version': (lock) => mergeLocks('', lock, `${lock}\n`),
  'mergeLocks of one that removed all': (lock) => mergeLocks(lock, lock, ''),
};

/** Lines at first. Four times as many are about 2 MB. */
const lines = 5000;

/** What is wrong is said as soon. */
async function orProblem(read: () => unknown): Promise<void> {
  try {
    await read();
  } catch (error) {
    assert(error instanceof MediaError);
  }
}

describe('time for a lock that came with a folder (promise 17)', () => {
  for (const [shape, textOf] of Object.entries(shapes)) {
    for (const [name, read] of Object.entries(readers)) {
      it(`grows at most linearly in ${name} with ${shape}`, async () => {
        const prepare = async (count: number) => {
          const lock = Array.from({ length: count }, (_, index) => textOf(index, count)).join('\n');
          return () => orProblem(() => read(lock));
        };
        assert(await staysInProportion(prepare, lines));
      });
    }
  }
});

const edit = (...images: readonly string[]) => ({ operation: 'editImage', model: 'm', prompt: 'p', images });

/** Entries of a manifest, by path. */
const entries: Readonly<Record<string, (index: number, count: number) => readonly [path: string, entry: object]>> = {
  'different pictures': (index) => [`${index}.png`, { operation: 'generateImage', model: 'm', prompt: 'p' }],
  'pictures of one file': (index) => [`${index}.png`, { from: 'photograph.png', size: [8, 8] }],
  'pictures of both kinds': (index) => [
    `${index}.png`,
    index % 2 === 0 ? edit('photograph.png') : { from: `${index - 1}.png` },
  ],
  'a chain': (index) => [`${index}.png`, { from: index === 0 ? 'photograph.png' : `${index - 1}.png` }],
  'a chain from its end': (index, count) => [
    `${index}.png`,
    { from: index === count - 1 ? 'photograph.png' : `${index + 1}.png` },
  ],
  'layers that use all of the layer before': (index) => {
    const start = index - (index % 16) - 16;
    const before = Array.from({ length: 16 }, (_, at) => `${start + at}.png`);
    return [`${index}.png`, edit(...(start < 0 ? ['photograph.png'] : before))];
  },
  'remixes of videos in the library': (index) => [
    `r${index}.mp4`,
    { operation: 'remixVideo', prompt: 'p', video: `${index}.mp4` },
  ],
};

const options = { sandbox: false, speechMaxCharacters: 4096 };

/** Return what takes the time. */
const evaluations: Readonly<Record<string, (project: ManifestProject) => Promise<() => unknown>>> = {
  planAssets: async (project) => () => planAssets(project, options),
  unmarkedAssets: async (project) => {
    const { evaluated } = await planAssets(project, options);
    return () => unmarkedAssets(project, evaluated);
  },
  shardOf:
    async ({ manifest }) =>
    () =>
      shardOf(manifest, { number: 1, count: 4 }),
};

describe('time for a manifest that came with a folder (promise 17)', () => {
  let root: string;

  it('takes a chain of any length', async () => {
    const chain = Array.from({ length: 6000 }, (_, index) => [`${index}.png`, { from: `${index + 1}.png` }]);
    await writeFile(join(root, '6000.png'), pngBytes);
    await writeFile(join(root, 'media.jsonc'), JSON.stringify({ assets: Object.fromEntries(chain) }));
    const library = new Library(new LocalFolder(join(root, '.unified-media'), root));
    const project = await ManifestProject.open(join(root, 'media.jsonc'), { root, library, store: new Store(root) });
    const { plan } = await planAssets(project, options);
    assert(plan.entries.every(({ state }) => state === 'missing'));
  });

  it('grows at most linearly in pruneAssets with files beside the lock of another manifest', async () => {
    const prepare = async (count: number) => {
      const folder = join(root, 'prune', String(count));
      await mkdir(folder, { recursive: true });
      const paths = Array.from({ length: count }, (_, index) => `${index}.png`);
      for (const path of paths) await writeFile(join(folder, path), path);
      const made = paths.map((path) => JSON.stringify({ path, request: output, output: hashOf(path) }));
      await writeFile(join(folder, 'media.lock.jsonl'), made.join('\n'));
      const others = Array.from({ length: 40 * count }, (_, index) => lineOf(`other/${index}.png`));
      await writeFile(join(folder, 'other.lock.jsonl'), others.join('\n'));
      await writeFile(join(folder, 'media.jsonc'), '{"assets": {}}');
      const library = new Library(new LocalFolder(join(folder, '.unified-media'), folder));
      const store = new Store(join(root, 'work'));
      const project = await ManifestProject.open(join(folder, 'media.jsonc'), { root: folder, library, store });
      const pruned = await pruneAssets(project, { ...options, removes: false });
      assert(pruned.length === count && pruned.every(({ state }) => state === 'untouched'));
      return () => pruneAssets(project, { ...options, removes: false });
    };
    assert(await staysInProportion(prepare, 50));
  });

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'manifest-'));
  });
  after(() => rm(root, { recursive: true }));

  for (const [shape, entryOf] of Object.entries(entries)) {
    /** A project whose files exist. */
    async function opened(count: number): Promise<ManifestProject> {
      const folder = join(root, shape, String(count));
      await mkdir(join(folder, '.unified-media'), { recursive: true });
      const all = Array.from({ length: count }, (_, index) => entryOf(index, count));
      const videos = all.map((_, index) => JSON.stringify(video(index)));
      await writeFile(join(folder, '.unified-media', 'library.jsonl'), videos.join('\n'));
      await writeFile(join(folder, 'photograph.png'), pngBytes);
      for (const [path] of all) await writeFile(join(folder, path), pngBytes);
      await writeFile(join(folder, 'media.jsonc'), JSON.stringify({ assets: Object.fromEntries(all) }));
      const library = new Library(new LocalFolder(join(folder, '.unified-media'), folder));
      return ManifestProject.open(join(folder, 'media.jsonc'), {
        root: folder,
        library,
        store: new Store(join(root, 'work')),
      });
    }

    it(`grows at most linearly in readManifest with ${shape}`, async () => {
      const prepare = async (count: number) => {
        const text = JSON.stringify({
          assets: Object.fromEntries(Array.from({ length: count }, (_, index) => entryOf(index, count))),
        });
        return () => readManifest(text, join(root, 'media.jsonc'));
      };
      assert(await staysInProportion(prepare, 1000));
    });

    for (const [name, evaluate] of Object.entries(evaluations)) {
      it(`grows at most linearly in ${name} with ${shape}`, async () => {
        assert(await staysInProportion(async (count) => evaluate(await opened(count)), 150));
      });
    }
  }
});

function video(index: number) {
  return {
    ...{ file: `${index}.mp4`, kind: 'videos', operation: 'generateVideo', model: 'm', jobId: `j${index}` },
    ...{ sha256: output, createdAt: '2026-01-01T00:00:00Z', videoId: `v${index}` },
  };
}
