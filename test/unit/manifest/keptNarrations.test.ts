import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashOf } from '../../../src/files/sha256.ts';
import { keepLine, keptFor, keptNarrations } from '../../../src/manifest/keptNarrations.ts';
import { Variants } from '../../../src/manifest/Variants.ts';

const keyOf = (text: string) => hashOf(text);
const blocksOf = (...texts: readonly string[]) =>
  texts.map((input) => ({
    key: keyOf(input),
    request: { model: 'm', input, voice: 'nova', response_format: 'mp3' } as const,
  }));

describe('keptNarrations', () => {
  let root: string;
  let variants: Variants;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'kept-'));
    variants = new Variants(root, root);
    await variants.folderOf('kept').check();
  });
  afterEach(() => rm(root, { recursive: true }));

  const folder = () => join(variants.folder, 'kept');

  /** Keeps a narration of texts, of which each takes as many bytes as it has characters. */
  async function keep(path: string, ...texts: readonly string[]): Promise<string> {
    const content = texts.join('');
    const name = `${texts.join('-')}.mp3`;
    await writeFile(join(folder(), name), content);
    const ends = texts.map((_, index) => texts.slice(0, index + 1).join('').length);
    const blocks = texts.map((text, index) => ({
      key: keyOf(text),
      start: ends[index - 1] ?? 0,
      end: ends[index] ?? 0,
    }));
    await keepLine(variants, name, { path, output: hashOf(content), blocks });
    return name;
  }

  /** Returns the texts of the narration that is chosen for these. */
  async function chosen(wanted: readonly string[], current: readonly string[] = []): Promise<string | undefined> {
    const all = await keptNarrations(variants, 'a.mp3', undefined);
    const kept = await keptFor(blocksOf(...wanted), blocksOf(...current), all);
    return kept?.blocks.map(({ key }) => ['one', 'two', 'three'].find((text) => keyOf(text) === key)).join(' ');
  }

  it('chooses the narration that leaves the least to speak, and the file in place if none leaves less', async () => {
    await keep('a.mp3', 'one');
    await keep('a.mp3', 'two', 'three');
    await keep('b.mp3', 'one', 'two', 'three');
    assert.equal(await chosen(['one', 'two', 'three']), 'two three');
    assert.equal(await chosen(['one', 'two'], ['one', 'two']), undefined);
    assert.equal(await chosen(['one', 'three'], ['one']), 'two three');
    assert.equal(await chosen(['one', 'four'], ['one']), undefined);
  });

  it('does not count on a copy that was changed or is gone, nor on a line that was cut off', async () => {
    const name = await keep('a.mp3', 'one', 'two');
    await writeFile(join(folder(), name), 'oneTWO');
    assert.equal(await chosen(['one']), undefined);
    await rm(join(folder(), name));
    assert.equal(await chosen(['one']), undefined);
    await keep('a.mp3', 'one', 'two');
    assert.equal(await chosen(['one']), 'one two');
    await truncate(join(folder(), `${name}.jsonl`), 40);
    assert.equal(await chosen(['one']), undefined);
    assert.deepEqual((await readdir(folder())).sort(), [name, `${name}.jsonl`]);
  });
});
