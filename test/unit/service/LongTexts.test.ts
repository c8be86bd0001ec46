import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Json } from '../../../src/service/Answer.ts';
import { Base64Decoder, LongTexts } from '../../../src/service/LongTexts.ts';
import { fc, runs } from '../../support/fastCheck.ts';

const kept = 16 * 1024;

describe('LongTexts', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'long-texts-'));
  });

  after(() => rm(folder, { recursive: true }));

  async function textsOf(json: string | Buffer, pieceBytes?: number): Promise<LongTexts> {
    const path = join(folder, 'answer');
    await writeFile(path, json);
    return new LongTexts({ path, length: Buffer.byteLength(json) }, pieceBytes);
  }

  /** Compares every string of a value, which may have been cut, with its original. */
  function compare(texts: LongTexts, value: Json | undefined, original: Json | undefined): void {
    if (typeof value === 'string' && typeof original === 'string') {
      const long = texts.find(value);
      // A character that was split ends in replacement characters.
      const head = long?.head.replace(/\uFFFD+$/, '');
      assert(head === undefined ? value === original : original.startsWith(head) && head.length <= original.length);
      if (/^[ -~]*$/.test(original) && original.length > 2 * kept && !/["\\]/.test(original)) assert(long);
      return;
    }
    if (typeof value !== 'object' || typeof original !== 'object' || !value || !original) {
      assert.deepEqual(value, original);
      return;
    }
    assert.deepEqual(Object.keys(value), Object.keys(original));
    const [members, originals] = [Object.values(value), Object.values(original)] as Json[][];
    for (const [index, member] of (members ?? []).entries()) compare(texts, member, originals?.[index]);
  }

  const pieceSizes = fc.oneof(fc.integer({ min: 64, max: 300 }), fc.integer({ min: 300, max: 40_000 }));
  const awkward = fc.constantFrom(
    '"',
    '\\',
    '/',
    '\n',
    '\u2028',
    'é',
    '\\"',
    '\\u00',
    '\ud83e\udd8a',
    '{',
    ']',
    ':',
    'a',
  );
  const strings = fc.oneof(
    fc.string({ unit: awkward, maxLength: 20 }),
    fc
      .tuple(fc.string({ unit: awkward, minLength: 1, maxLength: 30 }), fc.integer({ min: 1, max: 4000 }))
      .map(([text, times]) => text.repeat(times)),
    fc.integer({ min: kept - 3, max: kept * 4 }).map((length) => 'A'.repeat(length)),
  );
  const values = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      strings,
      fc.constantFrom<Json>(null, true, 1.5, -2e9),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.string({ unit: awkward, maxLength: 6 }), tie('value'), { maxKeys: 3, noNullPrototype: true }),
    ),
  })).value;

  it('keeps everything except the ends of long strings, wherever the file is split', async () => {
    const property = fc.asyncProperty(values, pieceSizes, async (value, pieceBytes) => {
      const texts = await textsOf(JSON.stringify(value), pieceBytes);
      compare(texts, await texts.parse(), value);
    });
    await fc.assert(property, { numRuns: runs(150) });
  });

  it('never accepts invalid JSON outside of long strings', async () => {
    const property = fc.asyncProperty(
      values,
      fc.nat(),
      fc.constantFrom('', '"', '\\', '\n', ','),
      pieceSizes,
      async (value, place, change, pieceBytes) => {
        const json = JSON.stringify(value);
        const at = place % json.length;
        // As on disk, where half a surrogate pair cannot exist.
        const damaged = Buffer.from(json.slice(0, at) + change + json.slice(at + 1)).toString();
        const texts = await textsOf(damaged, pieceBytes);
        const found = await texts.parse();
        const parsed = parse(damaged);
        // The content of a long string is checked only when it is decoded.
        if (parsed !== undefined) compare(texts, found, parsed);
        else if (found !== undefined) assert(Buffer.byteLength(JSON.stringify(found)) >= kept);
      },
    );
    await fc.assert(property, { numRuns: runs(150) });
  });

  const images = fc.uint8Array({ minLength: kept, maxLength: 4 * kept }).map((bytes) => Buffer.from(bytes));
  /** The ways in which services escape base64 in JSON. */
  const escapings = fc.constantFrom<(text: string) => string>(
    (text) => text,
    (text) => text.replaceAll('/', '\\/'),
    (text) => text.replaceAll('+', '\\u002B').replaceAll('=', '\\u003d'),
    (text) => text.replace(/.{76}/g, '$&\\r\\n'),
  );

  it('decodes long strings, wherever the file is split', async () => {
    const prefixes = fc.constantFrom('', 'data:image/png;base64,');
    const property = fc.asyncProperty(
      images,
      prefixes,
      escapings,
      pieceSizes,
      async (image, prefix, escapeText, pieceBytes) => {
        const json = `{"data":[{"b64_json":"${escapeText(prefix + image.toString('base64'))}"}]}`;
        const texts = await textsOf(json, pieceBytes);
        const value = (await texts.parse()) as { data: [{ b64_json: string }] };
        const data = texts.find(value.data[0].b64_json)?.decode(prefix.length, () => new Base64Decoder());
        assert(data);
        assert.deepEqual(await buffer(data), image);
        assert.deepEqual(await buffer(data), image, 'a second time');
      },
    );
    await fc.assert(property, { numRuns: runs(60) });
  });

  it('rejects on an invalid character, escape or line break while decoding', async () => {
    for (const strange of ['#', 'é', '\\x41', '\\u00', '\\\\', '\\"', '\\n\\u00zz']) {
      const text = `${'A'.repeat(3 * kept)}${strange}${'A'.repeat(kept)}`;
      const texts = await textsOf(`["${text}"]`, 1000);
      const [cut = ''] = (await texts.parse()) as string[];
      const data = texts.find(cut)?.decode(0, () => new Base64Decoder());
      assert(data);
      await assert.rejects(buffer(data), RangeError, strange);
    }
  });

  it('does not mistake a string of the answer for one that it has cut', async () => {
    const long = 'A'.repeat(2 * kept);
    const first = await textsOf(JSON.stringify([long]));
    const [cut = ''] = (await first.parse()) as string[];
    const second = await textsOf(JSON.stringify([cut, long]));
    const [forged = '', real = ''] = (await second.parse()) as string[];
    assert.equal(second.find(forged)?.head.endsWith('A'), true);
    assert.equal(second.find(real)?.head, 'A'.repeat(kept));
    assert.equal(second.find(cut), undefined);
  });

  it('returns undefined when too much text would remain', async () => {
    const texts = await textsOf(`[${'"'.concat('A'.repeat(1000), '",').repeat(70_000)}1]`);
    assert.equal(await texts.parse(), undefined);
  });
});

function parse(json: string): Json | undefined {
  try {
    return JSON.parse(json) as Json;
  } catch {
    return undefined;
  }
}
