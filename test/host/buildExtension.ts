import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './versions.mjs';

/** Runs `npm run build`, so that a host never loads an old build. @throws when the build fails */
export function buildExtension(): void {
  execFileSync(process.execPath, [join(root, 'esbuild.mjs')], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}
