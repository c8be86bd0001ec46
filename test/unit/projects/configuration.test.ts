import assert from 'node:assert/strict';
import {
  readJson,
  readScriptList,
  readScriptText,
  readSetting,
  settingNames,
} from '../../../src/projects/configuration.ts';
import { basePath } from '../../../src/projects/Project.ts';
import { fc } from '../../support/fastCheck.ts';
import { growsLinearly } from '../../support/growsLinearly.ts';

describe('configuration readers', () => {
  it('read literal values from JavaScript', () => {
    const texts: readonly (readonly [string, string | undefined])[] = [
      ["export default { base: '/docs/' }", '/docs/'],
      ['export default defineConfig(() => ({ "base": `/docs/`, }))', '/docs/'],
      ["// base: '/no/'\n/* base: '/no/' */ export default { base: '/docs/' }", '/docs/'],
      ["export default { url: 'https://x.org', theme: { base: '/no/' }, base: '/docs/' }", '/docs/'],
      ["export default { base: '/docs/', theme: { base: '/no/' } }", '/docs/'],
      ["export default { base: process.env.BASE ?? '/docs/' }", undefined],
      ["export default { theme: { base: '/no/' }, base: makeBase() }", undefined],
      ['export default { base: `/${name}/` }', undefined],
      ["export default { database: '/no/', 'x-base': '/no/' }", undefined],
      ['', undefined],
    ];
    for (const [source, expected] of texts) assert.equal(readScriptText(source, 'base'), expected, source);
    assert.deepEqual(readScriptList('x = { dirs: [\'a\', "b", ] }', 'dirs'), ['a', 'b']);
    assert.equal(readScriptList("x = { dirs: ['a', other] }", 'dirs'), undefined);
  });

  it('read values by path from YAML, TOML and JSON', () => {
    const yaml = 'a: "x" # y\nb:\n  c: true\n  d:\n    - e\n    - f # g\nh: [i, "j"]\nk: !tag x\nl:\n- m\n';
    const toml = "a = 'x'\nh = [\"i\", 'j']\n[b] # x\nc = true\nd = ['e', 'f']\n";
    const json = '{ "a": "x", "b": { "c": true, "d": ["e", "f"] }, "h": ["i", "j"], }';
    for (const [file, source] of [
      ['x.yml', yaml],
      ['x.toml', toml],
      ['x.json', json],
    ] as const) {
      assert.equal(readSetting(file, source, 'a'), 'x', file);
      assert.equal(readSetting(file, source, 'b.c'), 'true', file);
      assert.deepEqual(readSetting(file, source, 'b.d'), ['e', 'f'], file);
      assert.deepEqual(readSetting(file, source, 'h'), ['i', 'j'], file);
      assert.equal(readSetting(file, source, 'c'), undefined, file);
      assert.equal(readSetting(file, source, 'b.x'), undefined, file);
    }
    assert.equal(readSetting('x.yml', yaml, 'k'), undefined);
    assert.deepEqual(readSetting('x.yml', yaml, 'l'), ['m']);
    assert.equal(readJson('{ "__proto__": 1 }', 'toString'), undefined);
  });

  it('list the names of settings below a path', () => {
    const yaml = 'languages:\n  en:\n    weight: 1\n  "zh-CN":\n    weight: 2\nother: x\n';
    const toml = "other = 'x'\n[languages.en]\nweight = 1\n[languages.zh-CN.params]\nweight = 2\n";
    const json = '{ "languages": { "en": { "weight": 1 }, "zh-CN": {} }, "other": "x" }';
    for (const [file, source] of [
      ['x.yaml', yaml],
      ['x.toml', toml],
      ['x.json', json],
    ] as const) {
      assert.deepEqual(settingNames(file, source, 'languages'), ['en', 'zh-CN']);
      assert.deepEqual([...settingNames(file, source, '')].sort(), ['languages', 'other']);
      assert.deepEqual(settingNames(file, source, 'missing'), []);
    }
  });

  it('read any text without throwing, within a second of CPU time', () => {
    const parts = fc.constantFrom(
      'base',
      ':',
      '{',
      '}',
      '[',
      ']',
      "'",
      '"',
      '`',
      '//',
      '/*',
      '*/',
      '\\',
      ' ',
      '\n',
      '- ',
      'x',
      '=',
      ',',
      '#',
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 60, size: 'max' }), fc.integer({ min: 1, max: 2000 }), (some, times) => {
        const source = some.join('').repeat(times);
        const start = process.threadCpuUsage();
        readScriptText(source, 'base');
        readScriptList(source, 'base');
        for (const file of ['x.yml', 'x.toml', 'x.json']) {
          readSetting(file, source, 'base');
          settingNames(file, source, 'base');
        }
        const { user, system } = process.threadCpuUsage(start);
        assert(user + system < 1_000_000, `${user + system} µs for ${JSON.stringify(some)}`);
      }),
    );
  });
});

describe('basePath', () => {
  it('reads a text with a line break in linear time', () => {
    assert.equal(basePath('/docs/#a\nb'), '/docs/');
    assert(growsLinearly(basePath, (length) => `${'#'.repeat(length)}\nx`, 20_000));
  });
});
