import assert from 'node:assert/strict';
import { build, type Metafile } from 'esbuild';
import { commandLine, extension, firstLoadFiles, withImports } from '../../esbuild.mjs';

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

describe('the code that the command line loads for a plan', () => {
  it('is in at most four files, and makes, joins and detects nothing', async () => {
    const { metafile } = await build({ ...commandLine, write: false });
    const outputs = Object.entries(metafile.outputs);
    const verb = outputs.find(([, { entryPoint }]) => entryPoint?.endsWith('src/cli/runVerb.ts'));
    const files = new Set(['dist/cli.js', verb?.[0] ?? ''].flatMap((file) => withImports(metafile, file)));
    const sourcesOf = (names: Iterable<string>) =>
      Array.from(names, (name) => metafile.outputs[name]).flatMap((output) => Object.keys(output?.inputs ?? {}));
    const isLater = (source: string) =>
      /^(node_modules\/(file-type|mediabunny)\/|src\/(transcripts|sandbox|work\/JobRunner|wholes\/speakInParts|sound\/joinSpeech)\b)/.test(
        source,
      );
    assert(files.size <= 4, [...files].join(', '));
    assert.deepEqual(sourcesOf(files).filter(isLater), []);
    const all = sourcesOf(outputs.map(([name]) => name)).join('\n');
    for (const part of ['cli/runVerb', 'file-type/', 'src/transcripts/', 'work/JobRunner', 'wholes/speakInParts'])
      assert(all.includes(part), `${part} is no longer in the bundle under this name`);
  });
});
