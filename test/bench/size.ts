// Prints the weight of the extension in kB: the code that activation loads, all that is shipped, or the package.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { extension, weights } from '../../esbuild.mjs';

const who = process.argv[2];
if (who === 'vsix') console.log(packageSize());
else {
  const { firstLoad, all } = weights(
    (await build({ ...extension, minify: true, sourcemap: false, write: false })).metafile,
  );
  console.log(who === 'dist' ? all : firstLoad);
}

function packageSize(): number {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const file = join(folder, 'extension.vsix');
  try {
    execFileSync('npm', ['run', 'package', '--', '--out', file], { stdio: 'ignore' });
    return statSync(file).size / 1000;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
