import assert from 'node:assert/strict';
import type { LibraryEntry } from '../../../src/library/LibraryRecord.ts';
import { validateRequest } from '../../../src/operations/validateRequest.ts';
import { narrationBlocks } from '../../../src/wholes/NarrationBlock.ts';
import { readNarrations } from '../../../src/wholes/planNarration.ts';
import { speakerFields } from '../../../src/wholes/Speaker.ts';

const request = validateRequest('speak', { model: 'm', input: '-', voice: 'nova', response_format: 'wav' });
const { input: _, ...speaker } = request;
const texts = [{ text: 'One.' }];

describe('the speaker of a narration', () => {
  for (const { name } of speakerFields) {
    it(`speaks every block with its ${name}, which a record keeps`, async () => {
      const changed = { ...speaker, [name]: 'other' };
      const [block] = narrationBlocks(texts, changed, { sandbox: false, maxCharacters: 0 });
      assert.equal(new Map(Object.entries(block?.request ?? {})).get(name), 'other');
      assert.deepEqual((await read(changed))?.speaker, changed);
    });
  }

  it('has the default of a field that a record does not hold yet', async () => {
    assert.deepEqual((await read({ model: 'm', response_format: 'wav' }))?.speaker, { ...speaker, voice: 'alloy' });
  });

  it('is not read from a damaged record', async () => {
    assert.equal(await read({ ...speaker, voice: { name: 'nova' } }), undefined);
  });
});

describe('the words of a narration', () => {
  it('are spoken as the list of pronunciations says, also between others of a script without spaces', () => {
    const pronunciations = {
      東京: 'とうきょう',
      羽生: 'はにゅう',
      กรุงเทพ: 'Bangkok',
      SQL: 'sequel',
      น: 'n',
      𠮷野家: 'よしのや',
    };
    const spoken = {
      '東京都に行く。羽生さん': 'とうきょう都に行く。はにゅうさん',
      ไปกรุงเทพไหม: 'ไปBangkokไหม',
      'SQLと東京SQL、mySQL': 'sequelととうきょうsequel、mySQL',
      在𠮷野家吃: '在よしのや吃',
      น้ำ: 'น้ำ',
    };
    for (const [text, input] of Object.entries(spoken)) {
      const limits = { sandbox: false, maxCharacters: 0, pronunciations };
      assert.deepEqual(
        narrationBlocks([{ text }], speaker, limits).map((block) => block.request.input),
        [input],
      );
    }
  });
});

/** Reads the narration that a library has recorded with these values. */
async function read({ model, ...spoken }: Readonly<Record<string, unknown>>) {
  const sha256 = 'a'.repeat(64);
  const transcript = { name: 'a.vtt', sha256 };
  const entry = {
    ...{ id: 'j/a.wav', jobId: 'j', file: 'a.wav', kind: 'speech', operation: 'speak', model, mediaType: 'audio/wav' },
    ...{ bytes: 100, sha256, createdAt: '2026-01-01T00:00:00.000Z', blocks: [{ key: sha256, start: 44, end: 100 }] },
    narration: { document: 'a.md', ...spoken, transcript },
  } as unknown as LibraryEntry;
  const [narration] = await readNarrations({ versions: async () => [entry] });
  return narration;
}
