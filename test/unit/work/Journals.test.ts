import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashOf } from '../../../src/files/sha256.ts';
import { Journals } from '../../../src/work/Journals.ts';

describe('Journals', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'journals-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Writes the journal of a work. @returns its key */
  async function sent(name: string, job: object): Promise<string> {
    const key = hashOf(name);
    await mkdir(join(folder, key));
    const line = JSON.stringify({ event: 'sending', job: { key, ...job } });
    await writeFile(join(folder, key, 'journal.jsonl'), `\n${line}\n`);
    return key;
  }

  it('finds the parts of a whole, however long its text and in whatever order the fields are (promise 34)', async () => {
    const long = 'word '.repeat(2000);
    const [key, whole] = [hashOf('whole'), { key: `${hashOf('whole')}.content`, request: { input: long } }];
    // A further field that a person has declared may have any name.
    const misleading = { input: 'é', whole: { key: hashOf('another') } };
    const parts = [
      await sent('short', { whole: { key }, request: { input: 'a' } }),
      await sent('first', { whole, request: { input: long } }),
      await sent('last', { request: { input: long }, whole }),
      await sent('key at the end', { request: { input: 'a' }, whole: { request: { input: long }, key } }),
      await sent('further field', { request: misleading, whole }),
      await sent('further field of a long text', { request: { ...misleading, input: long }, whole }),
    ];
    const others = [
      await sent('single', { request: { input: long } }),
      await sent('of another', { whole: { key: hashOf('another') }, request: { input: `"whole":{"key":"${key}"` } }),
    ];
    await mkdir(join(folder, hashOf('nothing sent')));
    await mkdir(join(folder, hashOf('unreadable'), 'journal.jsonl'), { recursive: true });
    const journals = new Journals(folder);
    const found = (await journals.partsAmong(await journals.keys())).get(key) ?? [];
    assert.deepEqual(found.toSorted(), parts.toSorted());
    assert.equal(
      others.some((other) => found.includes(other)),
      false,
    );
  });
});
