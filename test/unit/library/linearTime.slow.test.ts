import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalFolder } from '../../../src/files/LocalFolder.ts';
import { Library } from '../../../src/library/Library.ts';
import { lineageOf } from '../../../src/library/Lineage.ts';
import { readNarrations } from '../../../src/wholes/planNarration.ts';
import { staysInProportion } from '../../support/growsLinearly.ts';

/** Lines of each shape. The first shape is the cheapest to attack with: no line has to be valid. */
const shapes: Readonly<Record<string, (index: number, count: number) => object>> = {
  'words and changes': (index, count) => (index % 2 === 0 ? { narration: count } : { starred: 'a' }),
  'different records': (index) => record(index),
  'records of one asset': () => record(0),
  'changes of different assets': (index) => ({ moved: `job/${index}.mp3`, file: `${index}-moved.mp3` }),
  'changes of one asset': (index) => ({ moved: 'job/0.mp3', file: `${index}.mp3` }),
  'records and their changes': (index) =>
    index % 2 === 0 ? record(index) : { moved: `job/${index - 1}.mp3`, file: `moved/${index}.mp3` },
  'a chain of remixes': (index) => ({
    ...record(index, 'mp4'),
    ...{ kind: 'videos', operation: 'remixVideo', videoId: `v${index}`, parentVideoId: `v${index - 1}` },
  }),
  'layers of remixes': (index) => ({
    ...record(index, 'mp4'),
    ...{ kind: 'videos', operation: 'remixVideo', videoId: `v${index >> 1}`, parentVideoId: `v${(index >> 1) - 1}` },
  }),
  'deep folders': (index, count) => (index < 300 ? record(index, 'mp3', 'a/'.repeat(count / 8)) : {}),
};

function record(index: number, extension = 'mp3', folder = '') {
  return {
    ...{ file: `${folder}${index}.${extension}`, kind: 'speech', operation: 'speak', model: 'm', jobId: 'job' },
    ...{ mediaType: 'audio/mpeg', bytes: 1, sha256: '0'.repeat(64), createdAt: '2026-01-01T00:00:00Z' },
    narration: { document: 'a.md', voice: 'alloy', response_format: 'mp3', transcript: { name: 'a.vtt', sha256: '0' } },
  };
}

const readers: Readonly<Record<string, (library: Library, paths: readonly string[]) => Promise<unknown>>> = {
  readNarrations: (library) => readNarrations(library),
  entries: (library) => library.entries(),
  'entries of one kind': (library) => library.entries('speech'),
  newest: (library) => library.reader('speech').newest(),
  entriesAt: (library) => library.entriesAt(['0.mp3', 'moved']),
  'entriesAt of many paths': (library, paths) => library.entriesAt(paths),
  has: (library) => library.has({ jobId: 'job', file: 'none.mp3' }),
  lineageOf: async (library) => lineageOf((await library.entries()).map((entry) => ({ entry, root: '' }))),
};

/** How many lines there are at first. Quadratic time shows at this number. */
const lines = 1500;

describe('time for a library that came with a folder (promise 17)', () => {
  let root: string;

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'library-'));
  });

  after(() => rm(root, { recursive: true }));

  for (const [shape, lineOf] of Object.entries(shapes)) {
    for (const [name, read] of Object.entries(readers)) {
      it(`grows at most linearly in ${name} with ${shape}`, async () => {
        const prepare = async (count: number) => {
          const all = Array.from({ length: count }, (_, index) => `${JSON.stringify(lineOf(index, count))}\n`);
          const folder = new LocalFolder(join(root, String(count)), root);
          await folder.check();
          await writeFile(join(root, String(count), 'library.jsonl'), all.join(''));
          const paths = Array.from({ length: count }, (_, index) => `${index}.mp3`);
          const library = new Library(folder);
          return () => read(library, paths);
        };
        assert(await staysInProportion(prepare, lines));
      });
    }
  }
});
