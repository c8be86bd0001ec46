import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { narrate } from '../../../src/wholes/narrate.ts';
import { SpokenSoFar } from '../../../src/wholes/SpokenSoFar.ts';
import { blocksOf, type Kind, soundOf, speakInto } from '../../support/narrations.ts';

const texts = ['One.', 'Two, longer.', 'Three is the longest of all.', 'Four.'];

describe('SpokenSoFar', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'spoken-so-far-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  /** Begins a narration whose parts are added by their index. */
  function begin(kind: Kind = 'wav', all = texts) {
    const blocks = blocksOf(all, kind);
    let offers = 0;
    let changes = 0;
    const spoken = new SpokenSoFar(blocks, { folder, savedIn: 'file:///media' }, () => offers++);
    spoken.onDidChange(() => changes++);
    const add = async (index: number, extension: string = kind): Promise<void> => {
      const file = join(folder, `${index}.${extension}`);
      await writeFile(file, soundOf(kind, all[index] ?? ''));
      spoken.add(blocks[index]?.key ?? '', file);
    };
    return { spoken, add, seen: () => ({ count: spoken.count, offers, changes }) };
  }

  /** Returns what a narration of these texts alone is. */
  async function narrationOf(kind: Kind, some: readonly string[]): Promise<Buffer> {
    const { speak, refuse } = speakInto(join(folder, 'alone'), kind);
    await using narrated = await narrate(blocksOf(some, kind), { folder, speak, refuse }, {});
    return buffer(narrated.data);
  }

  it('is offered once, with the first part, and counts those that follow without a gap', async () => {
    const { add, seen } = begin();
    await add(1);
    assert.deepEqual(seen(), { count: 0, offers: 0, changes: 0 });
    await add(0);
    assert.deepEqual(seen(), { count: 2, offers: 1, changes: 1 });
    await add(3);
    assert.deepEqual(seen(), { count: 2, offers: 1, changes: 1 });
    await add(2);
    assert.deepEqual(seen(), { count: 4, offers: 1, changes: 2 });
  });

  it('is not offered for a single part, nor in a format that cannot be joined', async () => {
    const single = begin('wav', ['One.']);
    await single.add(0);
    assert.equal(single.seen().offers, 0);
    const flac = begin();
    await flac.add(0, 'flac');
    assert.deepEqual(flac.seen(), { count: 0, offers: 0, changes: 0 });
  });

  for (const kind of ['mp3', 'wav', 'aac'] as const) {
    it(`${kind}: is what a narration of the first parts would be, each time that it is joined`, async () => {
      const { spoken, add } = begin(kind);
      await add(0);
      const first = await spoken.join();
      assert.deepEqual(await readFile(first.file), await narrationOf(kind, texts.slice(0, 1)));
      await add(1);
      await add(2);
      const second = await spoken.join();
      assert.deepEqual(await readFile(second.file), await narrationOf(kind, texts.slice(0, 3)));
      assert.deepEqual(
        second.cues.map(({ lines }) => lines),
        texts.slice(0, 3).map((text) => [text]),
      );
      assert.deepEqual([first.newFrom, second.newFrom], [0, second.cues[1]?.start]);
    });
  }

  it('joins only what is new, keeps the file that may be heard, and removes all when it is closed', async () => {
    const { spoken, add } = begin();
    await add(0);
    const [one, other] = await Promise.all([spoken.join(), spoken.join()]);
    assert.equal(one, other);
    for (const index of [1, 2]) {
      await add(index);
      await spoken.join();
    }
    const heard = (await readdir(folder, { recursive: true })).filter((name) => /^heard-.*\.wav$/.test(name));
    assert.deepEqual(heard.map((name) => name.slice(-5)).sort(), ['2.wav', '3.wav']);
    await spoken.close();
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.startsWith('heard-')),
      [],
    );
  });

  it('has all cues when it is saved, and what came last when the rest does not come', async () => {
    const whole = begin();
    await whole.add(0);
    await whole.spoken.join();
    for (const index of [1, 2, 3]) await whole.add(index);
    await whole.spoken.saved('file:///media/guide.wav');
    const { end } = whole.spoken;
    assert(end && 'saved' in end);
    assert.deepEqual([end.saved, end.cues.length, whole.seen().changes], ['file:///media/guide.wav', 4, 5]);
    const part = begin();
    await part.add(0);
    await part.spoken.join();
    await part.add(1);
    await part.spoken.failed('no credit');
    assert.deepEqual(part.spoken.end, { problem: 'no credit' });
    assert.equal((await part.spoken.join()).count, 2);
  });

  it('writes nothing that nobody plays', async () => {
    const { spoken, add } = begin();
    for (const index of texts.keys()) await add(index);
    await spoken.saved('file:///media/guide.wav');
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.startsWith('heard-')),
      [],
    );
  });
});
