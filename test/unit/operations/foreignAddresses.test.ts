import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readManifest } from '../../../src/manifest/readManifest.ts';
import { fieldTable, withFolder } from '../../../src/operations/declarations.ts';
import { declaredTypes, ofFolder } from '../../../src/operations/Further.ts';
import { openDesk } from '../../support/agentDesk.ts';
import { type MediaService, startMediaService } from '../../support/mediaService.ts';

const addresses = {
  https: 'https://collector.example/hook',
  http: 'http://collector.example/hook',
  private: 'http://10.0.0.5/latest/',
  '//host': '//collector.example/hook',
  'a longer text': 'please tell https://collector.example/hook when done',
};

describe('an address that nobody wrote (promises 4, 23, 33)', () => {
  const entry = { operation: 'generateImage', model: 'm', prompt: 'https://a.example may stand in a prompt' };
  const problemsOf = (manifest: object) =>
    readManifest(JSON.stringify(manifest), '/p/media.jsonc').problems.map(({ field }) => field);

  for (const type of ['string', 'strings'] as const) {
    for (const [what, address] of Object.entries(addresses)) {
      const value = type === 'string' ? address : ['a', address];

      it(`is not sent: ${what} in ${type} of a manifest`, () => {
        const assets = { 'a.png': entry };
        const accepts = { generateImage: { hook: { type } } };
        const withDefault = { generateImage: { hook: { type, default: value } } };
        const withValues = { generateImage: { hook: { type, values: [address], open: true } } };
        assert.deepEqual(problemsOf({ accepts, assets }), []);
        assert.deepEqual(problemsOf({ accepts: withDefault, assets }), ['accepts']);
        assert.deepEqual(problemsOf({ accepts: withValues, assets }), ['accepts']);
        assert.deepEqual(problemsOf({ accepts, assets: { 'a.png': { ...entry, fields: { hook: value } } } }), ['hook']);
        const defaults = { generateImage: { fields: { hook: value } } };
        assert.deepEqual(problemsOf({ accepts, defaults, assets }), ['hook']);
      });

      it(`is not sent: ${what} in ${type} of a folder's setting`, () => {
        for (const own of [{}, { generateImage: { hook: { type } } }]) {
          const folder = { generateImage: { hook: { type, default: value } } };
          const declared = { ...own, [ofFolder]: folder };
          const [field] = fieldTable('generateImage', declared).further;
          assert.equal(field?.default, undefined);
          assert.equal(field !== undefined, 'generateImage' in own, 'only the person declares fields');
          assert.equal(withFolder(declared).left.length, 1);
          const values = { ...own, [ofFolder]: { generateImage: { hook: { type, values: [address] } } } };
          assert.equal(fieldTable('generateImage', values).further[0]?.values, undefined);
        }
      });
    }
  }

  it('is not sent: in a default that no further field has, also without a web address', () => {
    const accepts = { generateImage: { n: { type: 'integer', default: 9 } } };
    assert.deepEqual(problemsOf({ accepts, assets: { 'a.png': entry } }), ['accepts']);
  });

  it('is not sent: as the name of a model or a voice', () => {
    const spoken = { operation: 'speak', model: 'm', input: 'https://a.example may be spoken' };
    assert.deepEqual(problemsOf({ assets: { 'a.mp3': spoken } }), []);
    assert.deepEqual(problemsOf({ assets: { 'a.mp3': { ...spoken, model: addresses.https } } }), ['model']);
  });
});

describe('further fields of an agent (promises 20, 21, 23)', () => {
  let service: MediaService;
  let folder: string;

  before(async () => {
    service = await startMediaService();
    folder = await mkdtemp(join(tmpdir(), 'further-agent-'));
  });
  after(async () => {
    await service[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });
  beforeEach(() => service.reset());

  const declared = {
    generateImage: {
      ...Object.fromEntries(declaredTypes.map((type) => [type, { type }])),
      few: { type: 'integer', maximum: 4 },
    },
  };
  const ask = async (fields: object, answer: 'yes' | 'no' = 'no') => {
    await using desk = openDesk(service.origin, { folder, declared, answer: async () => answer });
    const { status } = await desk.ask('media_generate_image', { model: 'm', prompt: 'p', fields });
    return { status, reasons: desk.asked.map(({ reason }) => reason), call: desk.asked[0]?.call };
  };

  for (const type of declaredTypes) {
    for (const [what, address] of Object.entries(addresses)) {
      it(`send no address that the user is not asked about: ${what} as ${type}`, async () => {
        const { status, reasons, call } = await ask({ [type]: type === 'strings' ? ['a', address] : address });
        const isText = type === 'string' || type === 'strings';
        const isAsked = isText && what !== 'private';
        assert.deepEqual([status, reasons], isAsked ? ['declined', ['address']] : ['failed', []]);
        assert.equal(service.paid.length, 0);
        if (isAsked) assert.equal(call?.addresses[0]?.address.hostname, 'collector.example');
      });
    }
  }

  it('send a whole number without a maximum only after a yes', async () => {
    assert.deepEqual((await ask({ integer: 1_000_000 })).reasons, ['unlimited']);
    assert.equal(service.paid.length, 0);
    assert.deepEqual((await ask({ few: 4 })).status, 'done');
    assert.deepEqual((await ask({ integer: 7 }, 'yes')).status, 'done');
    assert.equal(service.paid.length, 2);
  });

  for (const [what, value] of Object.entries({
    'more than 100,000 characters': 'a'.repeat(100_001),
    'a character that reverses the text': 'a\u202eb',
    'an escape': 'a\u001b[2Jb',
  })) {
    it(`are refused with ${what}`, async () => {
      for (const fields of [{ string: value }, { strings: ['a', value] }]) {
        assert.deepEqual(await ask(fields), { status: 'failed', reasons: [], call: undefined });
      }
      assert.equal(service.paid.length, 0);
    });
  }

  it('are refused if all of them together have more than 100,000 characters', async () => {
    const half = 'a'.repeat(60_000);
    assert.equal((await ask({ string: half, strings: [half] })).status, 'failed');
    assert.equal((await ask({ string: 'two\nlines' })).status, 'done');
  });
});
