import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { Library } from '../../../src/library/Library.ts';
import type { LibraryRecord } from '../../../src/library/LibraryRecord.ts';
import { entriesOf, idOf } from '../../../src/library/LibraryRecord.ts';
import { LocalFolder } from '../../../src/library/LocalFolder.ts';

describe('Library', () => {
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

  it('gives what was recorded, oldest first, and of one kind', async () => {
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

  it('follows a file that was moved, and leaves out what was taken off the list', async () => {
    await library.append(image('a.png'));
    await library.append(image('b.png'));
    await library.append({ moved: 'job/a.png', file: 'pictures/fox.png' });
    await library.append({ forgotten: 'job/b.png' });
    const entries = await library.entries('images');
    assert.deepEqual(entries, [{ ...image('pictures/fox.png'), id: 'job/a.png' }]);
    const lines = (await readFile(join(root, '.unified-media/library.jsonl'), 'utf8')).trimEnd().split('\n');
    assert.equal(lines.length, 4, 'nothing is rewritten');
  });

  it('understands lines in any order, as a merge of two branches leaves them', () => {
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

  it('tells who listens of what is added', async () => {
    let told = 0;
    const listening = library.onDidChange(() => told++);
    await library.append(image('a.png'));
    listening.dispose();
    await library.append(image('b.png'));
    assert.equal(told, 1);
  });

  it('loses a damaged line alone, whatever the damage', async () => {
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

  const wrong: readonly (readonly [string, unknown])[] = [
    ['an unknown operation', { ...image('a.png'), operation: 'paint' }],
    ['a kind that the operation does not make', { ...image('a.png'), kind: 'videos' }],
    ['no date', { ...image('a.png'), createdAt: 'yesterday' }],
    ['a file that is no text', { ...image('a.png'), file: 7 }],
    ['neither file nor video', { ...image('a.png'), file: undefined }],
    ['a prompt that is no text', { ...image('a.png'), prompt: { html: '<b>' } }],
    ['a list', [image('a.png')]],
  ];
  for (const [name, line] of wrong) {
    it(`leaves out a line with ${name}`, () => assert.deepEqual(entriesOf([JSON.stringify(line)]), []));
  }

  it('names a video without a file by its id', async () => {
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

function image(file: string): LibraryRecord {
  const createdAt = '2026-01-02T03:04:05.000Z';
  return { file, kind: 'images', operation: 'generateImage', model: 'm', prompt: 'a fox', createdAt, jobId: 'job' };
}

function video(file: string, videoId: string): LibraryRecord {
  return { ...image(file), kind: 'videos', operation: 'generateVideo', videoId };
}
