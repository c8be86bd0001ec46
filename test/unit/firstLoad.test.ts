import assert from 'node:assert/strict';
import type { Metafile } from 'esbuild';
import { build } from 'esbuild';
import { extension, firstLoadFiles } from '../../esbuild.mjs';

describe('what activation loads', () => {
  let metafile: Metafile;

  before(async () => {
    ({ metafile } = await build({ ...extension, write: false }));
  });

  const sourcesOf = (files: readonly string[]) =>
    files.flatMap((file) => Object.keys(metafile.outputs[file]?.inputs ?? {}));
  const isLater = (source: string) =>
    /^(node_modules\/(?!@vscode\/l10n\/)|src\/(jobs\/JobRunner|sandbox|service)\b)/.test(source);

  it('is no library but the one for texts, no request and no sandbox: they come with their first use', () => {
    assert.deepEqual(sourcesOf(firstLoadFiles(metafile)).filter(isLater), []);
    const all = sourcesOf(Object.keys(metafile.outputs)).filter(isLater).join('\n');
    for (const part of [
      'undici/',
      'form-data/',
      'markdown-it/',
      'service/MediaClient',
      'jobs/JobRunner',
      'src/sandbox/',
    ]) {
      assert(all.includes(part), `${part} is looked for by a name that it no longer has`);
    }
  });

  it('is three files, since each takes time', () => {
    assert(firstLoadFiles(metafile).length <= 3, firstLoadFiles(metafile).join(', '));
  });
});
