import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalFolder } from '../../../src/files/LocalFolder.ts';
import { Library, LibraryReader } from '../../../src/library/Library.ts';
import { entriesOf, idOf, type LibraryEntry, type LibraryRecord } from '../../../src/library/LibraryRecord.ts';
import { inputsOf } from '../../../src/library/origins.ts';
import { fc, runs } from '../../support/fastCheck.ts';

describe('Library (promise 12)', () => {
  let root: string;
  let library: Library;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'library-'));
    library = new Library(new LocalFolder(join(root, '.unified-media'), root));
  });

  afterEach(() => rm(root, { recursive: true }));

  it('is empty before anything is recorded', async () => {
    assert.deepEqual(await library.entries(), []);
  });

  it('returns all records oldest first, or those of one kind', async () => {
    await library.append(image('a.png'));
    await library.append(video('b.mp4', 'video-1'));
    assert.deepEqual(await library.entries(), [
      { ...image('a.png'), id: 'job/a.png' },
      { ...video('b.mp4', 'video-1'), id: 'job/b.mp4' },
    ]);
    assert.deepEqual(
      (await library.entries('videos')).map(({ file }) => file),
      ['b.mp4'],
    );
  });

  it('reads the first record behind a byte order mark', async () => {
    await library.append(image('a.png'), image('b.png'));
    const file = join(root, '.unified-media/library.jsonl');
    await writeFile(file, `\ufeff${await readFile(file, 'utf8')}`);
    const reader = new LibraryReader(async (from) => (await readFile(file)).subarray(from), 'images');
    for (const found of [await library.entries(), await library.entries('images'), await reader.entries()]) {
      assert.deepEqual(
        found.map(({ file }) => file),
        ['a.png', 'b.png'],
      );
    }
  });

  it('returns the newest record of an asset, whatever words older ones contain', async () => {
    for (const [index, model] of ['tts-improved', 'forgot-me-not'].entries()) {
      const record = video(`${index}.mp4`, 'video-1');
      await library.append({ ...record, model }, { ...record, model: 'new' });
    }
    assert.deepEqual(
      (await library.entries('videos')).map(({ model }) => model),
      ['new', 'new'],
    );
  });

  it('returns every version of an asset with its current file (versions)', async () => {
    const narration = {
      document: 'a.md',
      voice: 'nova',
      response_format: 'mp3',
      transcript: { name: 'a', sha256: '' },
    };
    const first = { ...image('a.png'), sha256: '1', narration };
    await library.append(image('b.png'), first);
    await library.append({ moved: 'job/a.png', file: 'c.png' }, { ...first, sha256: '2' });
    const versions = async () => (await library.versions('"narration":')).map(({ file, sha256 }) => [file, sha256]);
    assert.deepEqual(await versions(), [
      ['c.png', '1'],
      ['c.png', '2'],
    ]);
    assert.deepEqual(
      (await library.entries()).map(({ file, sha256 }) => [file, sha256]),
      [
        ['b.png', image('b.png').sha256],
        ['c.png', '2'],
      ],
    );
    await library.append({ forgotten: 'job/a.png' });
    assert.deepEqual(await versions(), []);
  });

  it('returns a record once among the versions, whatever its values are called', async () => {
    const values = { moved: 'a' };
    await library.append({ ...image('a.png'), values }, { ...image('b.png'), values }, { ...image('a.png'), values });
    assert.deepEqual(
      (await library.versions('"values":')).map(({ file }) => file),
      ['a.png', 'b.png', 'a.png'],
    );
  });

  it('follows a moved file and omits a forgotten one', async () => {
    await library.append(image('a.png'));
    await library.append(image('b.png'));
    await library.append({ moved: 'job/a.png', file: 'pictures/fox.png' });
    await library.append({ forgotten: 'job/b.png' });
    const entries = await library.entries('images');
    assert.deepEqual(entries, [{ ...image('pictures/fox.png'), id: 'job/a.png' }]);
    const lines = (await readFile(join(root, '.unified-media/library.jsonl'), 'utf8')).trimEnd().split('\n');
    assert.equal(lines.length, 4, 'no line may be rewritten');
  });

  it('keeps stars as lines of their own, of which the last counts', async () => {
    await library.append(image('a.png'), image('b.png'), image('c.png'));
    await library.append({ starred: 'job/a.png' }, { starred: 'job/b.png' }, { unstarred: 'job/b.png' });
    await library.append({ moved: 'job/a.png', file: 'fox.png' });
    const starred = async () => (await library.entries('images')).filter((one) => one.starred).map(({ file }) => file);
    assert.deepEqual(await starred(), ['fox.png']);
    assert.deepEqual(
      (await library.entriesAt(['fox.png'])).map((one) => one.starred),
      [true],
    );
    await library.append({ starred: 'job/b.png' }, { unstarred: 'job/a.png' });
    assert.deepEqual(await starred(), ['b.png']);
    assert.deepEqual((await library.entries())[0], { ...image('fox.png'), id: 'job/a.png' });
  });

  it('accepts lines in any order, as a merge of two branches leaves them', () => {
    const lines = [
      JSON.stringify({ moved: 'job/a.png', file: 'c.png' }),
      JSON.stringify({ forgotten: 'job/b.png' }),
      JSON.stringify(image('a.png')),
      JSON.stringify(image('b.png')),
      JSON.stringify(image('a.png')),
    ];
    assert.deepEqual(
      entriesOf(lines).map(({ file }) => file),
      ['c.png'],
    );
  });

  describe('reader', () => {
    const file = () => join(root, '.unified-media/library.jsonl');
    const filesOf = (entries: readonly LibraryRecord[]) => entries.map((entry) => entry.file);

    it('returns added records and reuses the known ones', async () => {
      const reader = library.reader('videos');
      assert.deepEqual(await reader.entries(), []);
      await library.append(video('a.mp4', 'video-1'), image('a.png'));
      const [first] = await reader.entries();
      await library.append(video('b.mp4', 'video-2'));
      const entries = await reader.entries();
      assert.deepEqual(filesOf(entries), ['a.mp4', 'b.mp4']);
      assert.equal(entries[0], first, 'the same object');
      await library.append({ starred: 'job/b.mp4' });
      assert.equal((await reader.entries())[0], first, 'a star of another record changes nothing');
      await library.append({ moved: 'job/a.mp4', file: 'c.mp4' }, { forgotten: 'job/b.mp4' });
      assert.deepEqual(filesOf(await reader.entries()), ['c.mp4']);
    });

    it('is one for all who read the same kind', () => {
      const [all, videos] = [library.reader(), library.reader('videos')];
      assert.equal(library.reader(), all);
      assert.equal(library.reader('videos'), videos);
      assert.notEqual(all, videos);
    });

    it('reads only the added bytes', async () => {
      await library.append(...Array.from({ length: 1000 }, (_, index) => video(`${index}.mp4`, `video-${index}`)));
      let read = 0;
      const folder = new LocalFolder(join(root, '.unified-media'), root);
      const counted = async (from: number) => {
        const bytes = await folder.read('library.jsonl', from);
        read += bytes?.length ?? 0;
        return bytes;
      };
      const reader = new LibraryReader(counted, 'videos');
      assert.equal((await reader.entries()).length, 1000);
      read = 0;
      await library.append(video('new.mp4', 'video-new'));
      assert.equal((await reader.entries()).length, 1001);
      assert(read < 1000, String(read));
    });

    it('returns the newest records of a large library early, and all of a small one (newest)', async () => {
      const reader = library.reader();
      assert.equal(await reader.newest(), undefined);
      const count = 3000;
      await library.append(...Array.from({ length: count }, (_, index) => image(`${index}.png`)));
      await library.append({ moved: `job/${count - 1}.png`, file: 'moved.png' });
      const newest = filesOf((await reader.newest()) ?? []);
      assert(newest.length > 100 && newest.length < count, String(newest.length));
      const all = filesOf(await reader.entries());
      assert.equal(all.length, count);
      assert.equal(newest.at(-1), 'moved.png');
      assert.deepEqual(newest, all.slice(-newest.length));
      assert.deepEqual(await library.reader('videos').newest(), []);
    });

    it('yields to the event loop while reading a large library', async () => {
      const lines = Array.from({ length: 20_000 }, (_, index) => `${JSON.stringify(image(`${index}.png`))}\n`);
      const bytes = Buffer.from(lines.join(''));
      const reader = new LibraryReader(async (from) => bytes.subarray(from), undefined);
      let turns = 0;
      const count = () => {
        turns++;
        immediate = setImmediate(count);
      };
      let immediate = setImmediate(count);
      assert.equal((await reader.entries()).length, lines.length);
      clearImmediate(immediate);
      assert(turns >= Math.floor(bytes.length / 2 ** 20), `${turns} for ${bytes.length} bytes`);
    });

    it('ignores a partial line until it is complete', async () => {
      const reader = library.reader();
      const line = JSON.stringify(image('b.png'));
      await library.append(image('a.png'));
      await appendFile(file(), line.slice(0, 30));
      assert.deepEqual(filesOf(await reader.entries()), ['a.png']);
      await appendFile(file(), line.slice(30));
      assert.deepEqual(filesOf(await reader.entries()), ['a.png', 'b.png'], 'even without a line break');
      await appendFile(file(), '\n');
      assert.deepEqual(filesOf(await reader.entries()), ['a.png', 'b.png']);
    });

    const others: readonly (readonly [string, (lines: readonly string[]) => readonly string[]])[] = [
      ['a line removed', (lines) => lines.slice(1)],
      ['a line inserted', ([first = '', ...rest]) => [first, JSON.stringify(image('m.png')), ...rest]],
      ['no lines left', () => []],
      ['changed and additional lines', (lines) => lines.map((line) => line.replaceAll('.png', '-2.png')).concat(lines)],
    ];
    for (const [name, change] of others) {
      it(`starts over when the file has ${name}`, async () => {
        const reader = library.reader();
        await library.append(image('a.png'), image('b.png'), image('c.png'));
        await reader.entries();
        const lines = (await readFile(file(), 'utf8')).trimEnd().split('\n');
        await writeFile(
          file(),
          change(lines)
            .map((line) => `${line}\n`)
            .join(''),
        );
        assert.deepEqual(await reader.entries(), await library.entries());
        await rm(file());
        assert.deepEqual(await reader.entries(), []);
      });
    }

    it('returns the same records of one kind as entries, in any order of lines', async () => {
      const line = fc.oneof(
        fc.nat(5).map((n) => video(`${n}.mp4`, `video-${n}`)),
        fc.nat(5).map((n) => ({ ...image(`${n}.png`), prompt: 'of "videos"' })),
        fc.tuple(fc.nat(5), fc.nat(5)).map(([n, to]) => ({ moved: `job/${n}.mp4`, file: `moved-${to}.mp4` })),
        fc.nat(5).map((n) => ({ forgotten: `job/${n}.mp4` })),
        fc.nat(5).map((n) => ({ starred: `job/${n}.mp4` })),
        fc.nat(5).map((n) => ({ unstarred: `job/${n}.mp4` })),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(fc.array(line, { maxLength: 3 }), { maxLength: 5 }), async (batches) => {
          await rm(file(), { force: true });
          const reader = library.reader('videos');
          for (const batch of batches) {
            await library.append(...batch);
            await reader.entries();
          }
          const all = (await library.entries()).filter(({ kind }) => kind === 'videos');
          assert.deepEqual([...(await reader.entries())].sort(byId), [...all].sort(byId));
        }),
        { numRuns: runs(25) },
      );
    });
  });

  describe('entriesAt', () => {
    const at = async (...paths: string[]) => (await library.entriesAt(paths)).map(({ id }) => id);

    it('finds files by path and by folder', async () => {
      await library.append(image('media/a.png'), image('media/deep/b.png'), image('media-2/c.png'), image('d.png'));
      assert.deepEqual(await at('media/a.png'), ['job/media/a.png']);
      assert.deepEqual(await at('media'), ['job/media/a.png', 'job/media/deep/b.png']);
      assert.deepEqual(await at('media/deep', 'd.png'), ['job/media/deep/b.png', 'job/d.png']);
      assert.deepEqual(await at('absent.png'), []);
    });

    it('uses the current paths and omits forgotten files', async () => {
      await library.append(image('a.png'), image('b.png'));
      await library.append({ moved: 'job/a.png', file: 'new/a.png' }, { forgotten: 'job/b.png' });
      assert.deepEqual(await at('new'), ['job/a.png']);
      assert.deepEqual(await at('a.png', 'b.png'), []);
    });

    it('finds also the records that later ones replace, by their current path, if every one is asked for', async () => {
      await library.append({ ...image('a.png'), sha256: '1' }, { moved: 'job/a.png', file: 'b.png' });
      await library.append({ ...image('a.png'), sha256: '2' });
      const hashes = async (every?: boolean) => (await library.entriesAt(['b.png'], every)).map(({ sha256 }) => sha256);
      assert.deepEqual(await hashes(), ['2']);
      assert.deepEqual(await hashes(true), ['1', '2']);
    });

    it('finds names that JSON escapes, but not names inside a prompt', async () => {
      const name = 'a "fox" \\ ✓.png';
      await library.append(image(name), { ...image('b.png'), prompt: '"file":"c.png"' });
      assert.deepEqual(await at(name), [`job/${name}`]);
      assert.deepEqual(await at('c.png'), []);
    });

    it('finds files beside a record with an endless path', async () => {
      await library.append(image('a'.repeat(16_000_000)), image('a.png'));
      assert.deepEqual(await at('a.png'), ['job/a.png']);
    });

    it('finds a path of the maximum length that is all escaped', async () => {
      const path = '✓'.repeat(2000);
      await library.append(image(path));
      const file = join(root, '.unified-media/library.jsonl');
      await writeFile(file, (await readFile(file, 'utf8')).replaceAll('✓', '\\u2713'));
      assert.deepEqual(await at(path), [`job/${path}`]);
    });
  });

  describe('has', () => {
    const has = (jobId: string, file: string) => library.has({ jobId, file });

    it('finds a record by its job and file', async () => {
      assert.equal(await has('job', 'a.png'), false, 'there is no library yet');
      await library.append(image('a.png'), { ...image('b "✓".png'), jobId: 'job-2' });
      assert.equal(await has('job', 'a.png'), true);
      assert.equal(await has('job-2', 'b "✓".png'), true);
      assert.equal(await has('job', 'b "✓".png'), false);
      assert.equal(await has('job-2', 'a.png'), false);
      assert.equal(await has('other', 'a.png'), false);
    });

    it('finds a moved or forgotten record by its original file only', async () => {
      await library.append(image('a.png'), image('b.png'));
      await library.append({ moved: 'job/a.png', file: 'c.png' }, { forgotten: 'job/b.png' });
      assert.equal(await has('job', 'a.png'), true);
      assert.equal(await has('job', 'b.png'), true);
      assert.equal(await has('job', 'c.png'), false);
    });

    it('finds a video by its id, and ignores a truncated line', async () => {
      const { file: _, ...added } = video('', 'video-7');
      await library.append(added);
      await appendFile(join(root, '.unified-media/library.jsonl'), JSON.stringify(image('cut.png')).slice(0, -5));
      assert.equal(await library.has({ jobId: 'job', videoId: 'video-7' }), true);
      assert.equal(await has('job', 'cut.png'), false);
    });
  });

  it('fires onDidChange for each append until disposed', async () => {
    let changes = 0;
    const listening = library.onDidChange(() => changes++);
    await library.append(image('a.png'));
    listening.dispose();
    await library.append(image('b.png'));
    assert.equal(changes, 1);
  });

  it('ignores only the damaged line, whatever the damage', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.nat(2), async (damage, place) => {
        const lines = [image('a.png'), image('b.png'), image('c.png')].map((line) => JSON.stringify(line));
        lines[place] = damage.replace(/\n/g, ' ');
        const kept = ['a.png', 'b.png', 'c.png'].filter((_, index) => index !== place);
        assert.deepEqual(
          entriesOf(lines).map(({ file }) => file),
          kept,
        );
      }),
    );
  });

  it('separates records on one line after a lost line break', () => {
    const glued = `${JSON.stringify(image('a.png')).slice(0, 20)}}${JSON.stringify(image('b.png'))}`;
    const whole = `${JSON.stringify(image('c.png'))}${JSON.stringify(image('d.png'))}`;
    const files = entriesOf([glued, whole]).map(({ file }) => file);
    assert.deepEqual(files, ['b.png', 'c.png', 'd.png']);
  });

  for (const file of ['../../secret.txt', '/etc/passwd', 'C:/secret.txt', 'a/../../b.txt', 'a\\..\\b.txt']) {
    it(`ignores a record that was made from ${file}, which is outside the folder`, () => {
      const line = { ...image('a.png'), inputs: [{ field: 'image_urls', file }] };
      assert.deepEqual(entriesOf([JSON.stringify(line)]), []);
    });
    it(`ignores a record of ${file}, which is outside the folder`, () => {
      assert.deepEqual(entriesOf([JSON.stringify(image(file))]), []);
      const moved = [JSON.stringify(image('a.png')), JSON.stringify({ moved: 'job/a.png', file })];
      assert.deepEqual(
        entriesOf(moved).map((entry) => entry.file),
        ['a.png'],
      );
    });
  }

  const wrong: readonly (readonly [string, unknown])[] = [
    ['an unknown operation', { ...image('a.png'), operation: 'paint' }],
    ['a kind that does not match the operation', { ...image('a.png'), kind: 'videos' }],
    ['an invalid date', { ...image('a.png'), createdAt: 'yesterday' }],
    ['an endless date', { ...image('a.png'), createdAt: `2026-01-01 (${'a'.repeat(5000)})` }],
    ['an endless id of its job', { ...image('a.png'), jobId: 'a'.repeat(5000) }],
    ['an endless path', image(`${'a/'.repeat(2500)}a.png`)],
    ['an endless id of a video without a file', { ...image('a.png'), file: undefined, videoId: 'a'.repeat(5000) }],
    ['a file that is not a string', { ...image('a.png'), file: 7 }],
    ['neither file nor video', { ...image('a.png'), file: undefined }],
    ['a prompt that is not a string', { ...image('a.png'), prompt: { html: '<b>' } }],
    ['a narrated document outside the folder', { ...image('a.png'), narration: { document: '../private.md' } }],
    ['an origin outside the folder', { ...image('a.png'), madeFrom: { file: '../b.png', sha256: 'ab' } }],
    ['an origin without a hash', { ...image('a.png'), madeFrom: { file: 'b.png' } }],
    ['an array', [image('a.png')]],
  ];
  for (const [name, line] of wrong) {
    it(`ignores a line with ${name}`, () => assert.deepEqual(entriesOf([JSON.stringify(line)]), []));
  }

  it('knows what a file was made from, whichever kind of record says so', () => {
    const inputs = [{ field: 'image_urls', file: 'hero.png', sha256: 'a' }];
    assert.deepEqual(inputsOf({ ...image('a.png'), inputs }), inputs);
    const madeFrom = { file: 'hero.png', sha256: 'a' };
    assert.deepEqual(inputsOf({ ...image('a.png'), madeFrom }), [{ field: 'file', ...madeFrom }]);
    const transcript = { name: 'a.vtt', sha256: 'b' };
    const narration = { document: 'a.md', voice: 'nova', response_format: 'mp3', transcript };
    assert.deepEqual(inputsOf({ ...image('a.png'), narration }), [{ field: 'input', file: 'a.md' }]);
    assert.deepEqual(inputsOf(image('a.png')), []);
  });

  it('identifies a video without a file by its id', async () => {
    const { file: _, ...added } = video('', 'video-7');
    await library.append(added);
    await appendFile(join(root, '.unified-media/library.jsonl'), '{"cut":');
    assert.deepEqual(
      (await library.entries()).map(({ id }) => id),
      ['job/video-7'],
    );
    assert.equal(idOf(added), 'job/video-7');
  });
});

function byId(a: LibraryEntry, b: LibraryEntry): number {
  return a.id.localeCompare(b.id);
}

function image(file: string): LibraryRecord {
  const createdAt = '2026-01-02T03:04:05.000Z';
  return { file, kind: 'images', operation: 'generateImage', model: 'm', prompt: 'a fox', createdAt, jobId: 'job' };
}

function video(file: string, videoId: string): LibraryRecord {
  return { ...image(file), kind: 'videos', operation: 'generateVideo', videoId };
}
