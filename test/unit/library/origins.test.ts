import assert from 'node:assert/strict';
import { entriesOf, type LibraryEntry } from '../../../src/library/LibraryRecord.ts';
import { altTextOf, originsOf, usesOf } from '../../../src/library/origins.ts';

describe('what a result was made from and used for', () => {
  const picture = (file: string, sha256: string, facts: Partial<LibraryEntry> = {}) => ({
    entry: { ...video(file).entry, file, sha256, videoId: undefined, kind: 'images', ...facts } as LibraryEntry,
  });
  const from = (...inputs: LibraryEntry['inputs'] & {}) => ({ inputs });
  const names = (results: readonly object[]) =>
    results.map((one) => ('entry' in one ? (one.entry as LibraryEntry).file : one));
  const hero = { field: 'image_urls', file: 'hero.png', sha256: 'h' };

  it('is found by content, and among equal files by name, wherever they were moved', () => {
    const all = [picture('copy.png', 'h'), picture('hero.png', 'h'), picture('moved.png', 'm')];
    const edit = picture('edit.png', 'e', from(hero, { field: 'image_urls', file: 'was.png', sha256: 'm' }));
    assert.deepEqual(names(originsOf(edit, [...all, edit])), ['hero.png', 'moved.png']);
    for (const one of all) assert.deepEqual(names(usesOf(one, [...all, edit])), ['edit.png']);
    assert.deepEqual(usesOf(edit, [...all, edit]), []);
  });

  it('includes files and addresses that the library does not list, in the order of the request', () => {
    const address = { field: 'image_urls', address: 'https://a.example/x.png' };
    const edit = picture('edit.png', 'e', from(address, hero));
    assert.deepEqual(originsOf(edit, [edit]), [address, hero]);
  });

  it('is unknown for a record from before inputs were recorded, which is listed all the same', () => {
    const {
      inputs: _,
      values: __,
      ...old
    } = picture('old.png', 'o', { operation: 'editImage', prompt: 'at night' }).entry;
    const [entry, ...others] = entriesOf([JSON.stringify({ ...old, id: undefined })]);
    assert(entry && others.length === 0);
    assert.deepEqual([entry.file, originsOf({ entry }, [{ entry }])], ['old.png', []]);
    assert.equal(altTextOf({ entry }, [{ entry }]), 'at night');
  });

  it('includes the source of a crop, and the picture and the parent of videos', () => {
    const source = picture('hero.png', 'h');
    const crop = picture('crop.png', 'c', { madeFrom: { file: 'hero.png', sha256: 'h' } });
    const animated = { entry: { ...video('a').entry, inputs: [{ ...hero, field: 'image_url' }] } };
    const remix = video('b', 'a');
    const all = [source, crop, animated, remix];
    assert.deepEqual(names(usesOf(source, all)), ['crop.png', 'a.mp4']);
    assert.deepEqual(names(originsOf(crop, all)), ['hero.png']);
    assert.deepEqual(names(originsOf(remix, all)), ['a.mp4']);
    assert.deepEqual(names(usesOf(animated, all)), ['b.mp4']);
  });

  it('gives an edit the alternative text of its source, also of an edit of an edit', () => {
    const source = picture('hero.png', 'h', { prompt: 'A harbour' });
    const edit = picture('hero-2.png', 'e', { operation: 'editImage', prompt: 'at night', ...from(hero) });
    const again = picture('hero-3.png', 'f', {
      operation: 'editImage',
      prompt: 'in the rain',
      ...from({ field: 'image_urls', file: 'hero-2.png', sha256: 'e' }),
    });
    const all = [again, edit, source];
    assert.deepEqual(
      all.map((one) => altTextOf(one, all)),
      ['A harbour', 'A harbour', 'A harbour'],
    );
    assert.equal(altTextOf(edit, [edit]), 'at night');
  });

  it('gives edits an alternative text that a damaged library says were made from each other', () => {
    const edit = (file: string, sha256: string, source: string) =>
      picture(file, sha256, { operation: 'editImage', prompt: file, ...from({ field: 'image_urls', sha256: source }) });
    const all = [edit('one', 'a', 'b'), edit('other', 'b', 'a')];
    for (const one of all) assert.match(altTextOf(one, all) ?? '', /^(one|other)$/);
  });

  it('does not relate a video of the sandbox to a remix of the service', () => {
    const made = video('a');
    const all = [{ entry: { ...made.entry, sandbox: true as const } }, video('b', 'a')];
    assert.deepEqual(
      all.flatMap((one) => [...originsOf(one, all), ...usesOf(one, all)]),
      [],
    );
  });
});

let time = 0;

function video(id: string, parent?: string): { readonly entry: LibraryEntry } {
  return {
    entry: {
      id: `job-${time}/${id}.mp4`,
      file: `${id}.mp4`,
      kind: 'videos',
      operation: 'generateVideo',
      model: 'm',
      createdAt: new Date(time++ * 1000).toISOString(),
      jobId: `job-${time}`,
      videoId: id,
      ...(parent === undefined ? {} : { parentVideoId: parent }),
    },
  };
}
