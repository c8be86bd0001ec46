import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './versions.mjs';

/** Runs `npm run build`, so that no host ever loads an old build; throws when it fails. */
export function buildExtension(): void {
  execFileSync(process.execPath, [join(root, 'esbuild.mjs')], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}
