import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { build } from 'esbuild';
import { hostOptions } from '../../../esbuild.mjs';

describe('loadMp3Encoder', () => {
  it('keeps the encoder out of the bundle, so that it can be replaced as the LGPL requires', async () => {
    const { outputFiles } = await build({
      ...hostOptions,
      entryPoints: ['src/sandbox/speech/Sound.ts'],
      write: false,
      outdir: 'out',
    });
    const size = outputFiles.reduce((sum, { contents }) => sum + contents.length, 0);
    assert(size < 20_000, `${size} bytes; an encoder has about 100,000`);
  });

  it('ships the encoder with its licence', async () => {
    assert.match(await readFile('.vscodeignore', 'utf8'), /^!dist\/\*\*\/\*\.wasm$/m);
    const licence = await readFile('src/sandbox/speech/lame.LICENSE.txt', 'utf8');
    const { version } = JSON.parse(await readFile('node_modules/wasm-media-encoders/package.json', 'utf8'));
    assert(licence.includes(`wasm-media-encoders ${version}`), 'the notice should name the version');
    assert.match(licence, /GNU LIBRARY GENERAL PUBLIC LICENSE\s+Version 2/);
  });
});
