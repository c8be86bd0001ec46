import assert from 'node:assert/strict';
import { parse } from 'jsonc-parser';
import { declareFields } from '../../../src/manifest/declareFields.ts';
import { readManifest } from '../../../src/manifest/readManifest.ts';

describe('declareFields', () => {
  const entry = { operation: 'generateImage', prompt: 'p', model: 'm' };
  const added = { operation: 'generateImage', model: 'm', names: ['size', 'mood'] } as const;
  const setting = {
    generateImage: {
      size: { type: 'string', values: ['64x64'], open: true, default: '64x64', label: 'Size' },
      mood: { type: 'string', default: 'calm' },
      other: { type: 'string', default: 'x' },
    },
  };
  const size = { type: 'string', values: ['64x64'], open: true, label: 'Size' };

  const cases: Readonly<Record<string, readonly [accepts: string, expected: object]>> = {
    none: ['', { generateImage: { mood: { type: 'string' }, size } }],
    'those of another operation': [
      '  "accepts": { "speak": {} }, // ours\n',
      { speak: {}, generateImage: { mood: { type: 'string' }, size } },
    ],
    'one of them': [
      '  "accepts": {\n    "generateImage": { "mood": { "type": "string", "values": ["calm"] } } // ours\n  },\n',
      { generateImage: { mood: { type: 'string', values: ['calm'] }, size } },
    ],
  };
  for (const [name, [accepts, expected]] of Object.entries(cases)) {
    it(`adds to a manifest that declares ${name} what the command line has to know, and nothing else`, () => {
      const assets = { 'a.png': { ...entry, fields: { size: '9x9', mood: 'calm' } } };
      const text = `{\n${accepts}  "assets": ${JSON.stringify(assets)}\n}\n`;
      assert.notDeepEqual(readManifest(text, '/media.jsonc', undefined).problems, []);
      const changed = declareFields(text, added, setting);
      assert.deepEqual(parse(changed), { accepts: expected, assets });
      assert.equal(changed.includes('// ours'), accepts !== '');
      assert.deepEqual(readManifest(changed, '/media.jsonc', undefined).problems, []);
    });
  }

  it('leaves out the addresses of a declaration, which no manifest may hold', () => {
    const address = 'https://docs.example/mood';
    const mood = {
      type: 'string',
      values: ['calm', address],
      open: true,
      label: 'Mood',
      description: `See ${address}`,
    };
    const assets = { 'a.png': { ...entry, fields: { mood: 'calm' } } };
    const changed = declareFields(
      JSON.stringify({ assets }),
      { ...added, names: ['mood'] },
      { generateImage: { mood } },
    );
    const accepts = { generateImage: { mood: { type: 'string', values: ['calm'], open: true, label: 'Mood' } } };
    assert.deepEqual(parse(changed), { accepts, assets });
    assert.deepEqual(readManifest(changed, '/media.jsonc', undefined).problems, []);
  });

  it('changes nothing where the manifest declares the fields, also by a preset', () => {
    for (const accepts of [setting, { preset: 'openai' }]) {
      const text = JSON.stringify({ accepts, assets: {} });
      const names = ['size'];
      const model = 'gpt-image-1';
      assert.equal(declareFields(text, { ...added, model, names }, { preset: 'openai', ...setting }), text);
    }
  });
});
