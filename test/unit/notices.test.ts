import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { licenseOf } from '../../esbuild.mjs';

describe('the third-party notices', () => {
  const named = (name: string) =>
    licenseOf(name, JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')));

  it('name the licence of each package, also where its manifest has the old list', () => {
    assert.deepEqual(['busboy', 'streamsearch', 'undici'].map(named), ['MIT', 'MIT', 'MIT']);
    assert.equal(licenseOf('a', { licenses: [{ type: 'MIT' }, { type: 'Apache-2.0' }] }), 'MIT OR Apache-2.0');
  });

  it('are not written for a package that names none', () => {
    for (const manifest of [{}, { licenses: [] }, { license: '' }]) {
      assert.throws(() => licenseOf('a', manifest), /^Error: a names no licence/);
    }
  });
});
