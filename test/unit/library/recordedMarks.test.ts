import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalFolder } from '../../../src/files/LocalFolder.ts';
import {
  entriesOf,
  type LibraryEntry,
  type LibraryLine,
  type LibraryRecord,
  LibraryState,
} from '../../../src/library/LibraryRecord.ts';
import {
  describeMarks,
  digitalSourceOf,
  digitalSourcesIn,
  keptMarks,
  marked,
} from '../../../src/library/recordedMarks.ts';
import { inOnePiece, saveMedia } from '../../../src/library/saveMedia.ts';
import type { DigitalSource } from '../../../src/marks/DigitalSource.ts';
import { composite, credentialFiles, manifestStore, pngWith, pngXmp, xmpText } from '../../support/markedFiles.ts';
import { pngBytes } from '../../support/mediaBytes.ts';

const [whole, changed] = ['trainedAlgorithmicMedia', 'compositeWithTrainedAlgorithmicMedia'] as const;

describe('saveMedia, of marks of origin', () => {
  let folder: LocalFolder;
  let path: string;
  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), 'marks-'));
    folder = new LocalFolder(path, path);
  });
  afterEach(() => rm(path, { recursive: true }));

  it('says which arrived, and saves every byte', async () => {
    for (const [place, file] of Object.entries(credentialFiles())) {
      const kind = /MP3|WAV|FLAC/.test(place) ? 'speech' : /MP4/.test(place) ? 'videos' : 'images';
      const saved = await saveMedia(folder, inOnePiece(file), { name: 'a', kind, id: place });
      assert.deepEqual(saved.marks, { credentials: ['c2pa'] }, place);
      assert.deepEqual(await readFile(join(path, saved.name)), file);
    }
    const both = pngWith(['caBX', manifestStore()], pngXmp(xmpText()));
    const saved = await saveMedia(folder, inOnePiece(both), { name: 'b', kind: 'images', id: 'both' });
    assert.deepEqual(saved.marks, { credentials: ['c2pa', 'iptc'] });
    assert.equal(
      (await saveMedia(folder, inOnePiece(pngBytes), { name: 'c', kind: 'images', id: 'c' })).marks,
      undefined,
    );
  });

  it('says what a conversion could not keep, and what it wrote', async () => {
    const written: (DigitalSource | undefined)[] = [];
    const convert = async (_: Uint8Array, __: string, mark: DigitalSource | undefined) => {
      written.push(mark);
      return mark === changed ? pngWith(pngXmp(xmpText(composite))) : pngBytes;
    };
    const webp = credentialFiles(manifestStore(''))['WebP C2PA'] ?? Buffer.alloc(0);
    const options = { kind: 'images', extension: 'png', convert } as const;
    const save = (name: string, source: DigitalSource | undefined) =>
      saveMedia(folder, inOnePiece(webp), { ...options, name, id: name, sourceOf: async () => source });
    assert.deepEqual((await save('a', changed)).marks, { credentials: 'lost', digitalSourceType: changed });
    assert.deepEqual((await save('b', undefined)).marks, { credentials: 'lost' });
    assert.deepEqual(written, [changed, undefined]);
  });
});

describe('digitalSourceOf', () => {
  const made = (sha256: string, facts: Partial<LibraryEntry> = {}): LibraryEntry => ({
    id: sha256,
    kind: 'images',
    operation: 'generateImage',
    model: 'm',
    createdAt: '2026-11-01T00:00:00.000Z',
    jobId: sha256,
    file: `${sha256}.png`,
    sha256,
    ...facts,
  });
  const edit = (sha256: string, ...inputs: readonly string[]): LibraryEntry =>
    made(sha256, { operation: 'editImage', inputs: inputs.map((one) => ({ field: 'image_urls', sha256: one })) });
  const local = (sha256: string, from: string, facts: Partial<LibraryEntry> = {}): LibraryEntry =>
    made(sha256, { operation: 'editImage', model: 'local', madeFrom: { file: 'x.png', sha256: from }, ...facts });

  const entries = [
    made('picture'),
    edit('of picture', 'picture'),
    edit('of photograph', 'photograph'),
    edit('of both', 'picture', 'photograph'),
    edit('of edit', 'of picture'),
    edit('of edited photograph', 'of photograph'),
    edit('of address'),
    local('cropped photograph', 'photograph'),
    edit('of cropped photograph', 'cropped photograph'),
    made('cropped picture', { madeFrom: { file: 'picture.png', sha256: 'picture' } }),
    local('cropped edit', 'of photograph', { model: 'm' }),
    edit('of itself', 'of itself'),
    made('video', {
      kind: 'videos',
      operation: 'animateImage',
      inputs: [{ field: 'image_url', sha256: 'photograph' }],
    }),
    made('masked', {
      operation: 'editImage',
      inputs: [
        { field: 'image_urls', sha256: 'picture' },
        { field: 'mask', sha256: 'mask' },
      ],
    }),
  ];
  const expected: Readonly<Record<string, DigitalSource | undefined>> = {
    picture: whole,
    'of picture': whole,
    'of photograph': changed,
    'of both': changed,
    'of edit': whole,
    'of edited photograph': changed,
    'of address': changed,
    'cropped photograph': undefined,
    'of cropped photograph': changed,
    'cropped picture': whole,
    'cropped edit': changed,
    'of itself': changed,
    video: whole,
    masked: whole,
  };

  for (const entry of entries) {
    it(`calls “${entry.id}” ${expected[entry.id] ?? 'nothing'}`, async () => {
      assert.equal(await digitalSourceOf(entry, { entries: async () => entries }), expected[entry.id]);
    });
  }

  it('ends for edits that each use the two before', async () => {
    const many = Array.from({ length: 90 }, (_, index) => edit(`e${index}`, `e${index - 1}`, `e${index - 2}`));
    const [last] = many.slice(-1);
    assert(last);
    assert.equal(await digitalSourceOf(last, { entries: async () => many }), changed);
  });

  it('follows any number of edits, and reads the library once for many pictures (promise 17)', async () => {
    const many = [made('e-1'), ...Array.from({ length: 5000 }, (_, index) => edit(`e${index}`, `e${index - 1}`))];
    let readings = 0;
    const entries = async () => {
      readings++;
      return many;
    };
    const sourceOf = digitalSourcesIn({ entries });
    for (const entry of many.toReversed()) assert.equal(await sourceOf(entry), whole);
    assert.equal(readings, 1);
  });
});

describe('keptMarks', () => {
  it('calls lost what the new file has not, and says what it has from us', () => {
    const c2pa = { kinds: ['c2pa'], source: undefined } as const;
    const iptc = marked(whole);
    assert.deepEqual(keptMarks(marked(undefined), marked(undefined)), {});
    assert.deepEqual(keptMarks(marked(undefined), iptc), { digitalSourceType: whole });
    assert.deepEqual(keptMarks(c2pa, iptc), { credentials: 'lost', digitalSourceType: whole });
    assert.deepEqual(keptMarks(iptc, iptc), { digitalSourceType: whole });
    assert.deepEqual(keptMarks(iptc, marked(undefined)), { credentials: 'lost' });
  });

  it('is told in words that promise no check', () => {
    assert.equal(describeMarks({}), undefined);
    assert.equal(describeMarks({ credentials: ['c2pa'] }), 'Content Credentials (present, not verified)');
    const lost = describeMarks({ credentials: 'lost', digitalSourceType: whole });
    assert.equal(lost, 'made here without the credentials of its source, marked as made by AI');
  });
});

describe('the marks of a record', () => {
  const record: LibraryRecord = {
    file: 'variants/1.png',
    kind: 'images',
    operation: 'generateImage',
    model: 'm',
    createdAt: '2026-11-01T00:00:00.000Z',
    jobId: 'j',
    credentials: ['c2pa'],
  };
  const moved = (file: string, marks?: object) => ({ moved: 'j/variants/1.png', file, ...(marks && { marks }) });
  const lost = { credentials: 'lost', digitalSourceType: whole };
  const marksAfter = (...lines: readonly object[]) => {
    const texts = [record, ...lines].map((line) => JSON.stringify(line));
    const state = new LibraryState();
    const stepwise = texts.map((text) => {
      state.add(text);
      return state.entries[0];
    });
    const [entry] = entriesOf(texts);
    const marksOf = (one: LibraryEntry | undefined) => [one?.credentials, one?.digitalSourceType];
    assert.deepEqual(marksOf(stepwise.at(-1)), marksOf(entry));
    return marksOf(entry);
  };

  it('are those of where the file was moved, until it is moved back', () => {
    assert.deepEqual(marksAfter(), [['c2pa'], undefined]);
    assert.deepEqual(marksAfter(moved('b.png')), [['c2pa'], undefined]);
    assert.deepEqual(marksAfter(moved('b.png', lost)), ['lost', whole]);
    assert.deepEqual(marksAfter(moved('b.png', lost), moved('c.png')), ['lost', whole]);
    assert.deepEqual(marksAfter(moved('b.png', lost), moved('variants/1.png', {})), [['c2pa'], undefined]);
  });

  it('make a line that is damaged no record', () => {
    const wrong: readonly object[] = [{ credentials: 'verified' }, { credentials: [1] }, { digitalSourceType: 1 }];
    for (const marks of wrong) {
      assert.deepEqual(entriesOf([JSON.stringify({ ...record, ...marks } as LibraryLine)]), []);
      assert.deepEqual(marksAfter(moved('b.png', marks)), [['c2pa'], undefined]);
    }
  });
});
