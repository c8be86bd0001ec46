import assert from 'node:assert/strict';
import { build, type Metafile } from 'esbuild';
import { extension, firstLoadFiles } from '../../esbuild.mjs';

describe('the code that activation loads', () => {
  let metafile: Metafile;

  before(async () => {
    ({ metafile } = await build({ ...extension, write: false }));
  });

  const sourcesOf = (files: readonly string[]) =>
    files.flatMap((file) => {
      const { inputs = {}, imports = [] } = metafile.outputs[file] ?? {};
      return [...Object.keys(inputs), ...imports.filter(({ external }) => external).map(({ path }) => path)];
    });
  const isLater = (source: string) =>
    /^(\.\/undici|node_modules\/(?!@vscode\/l10n\/)|src\/(work\/JobRunner|sandbox|service\/(?!ServiceConnection|ModelSuggestions))\b)/.test(
      source,
    );

  it('has no library except l10n, no HTTP client and no sandbox', () => {
    assert.deepEqual(sourcesOf(firstLoadFiles(metafile)).filter(isLater), []);
    const all = sourcesOf(Object.keys(metafile.outputs)).filter(isLater).join('\n');
    for (const part of ['./undici', 'form-data/', 'service/MediaClient', 'work/JobRunner', 'src/sandbox/']) {
      assert(all.includes(part), `${part} is no longer in the bundle under this name`);
    }
  });

  it('has at most three files, because each takes time to load', () => {
    assert(firstLoadFiles(metafile).length <= 3, firstLoadFiles(metafile).join(', '));
  });
});
