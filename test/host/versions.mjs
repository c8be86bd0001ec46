// Plain JavaScript: install.mjs reads it before node_modules exists.
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root. */
export const root = resolve(fileURLToPath(new URL('../..', import.meta.url)));

/** The npm package that contains the whole of VS Code 1.139.1: server, extension host and browser workbench. */
export const codeServerVersion = '4.139.1';

/** Cache folder of the tests and `npm start`, ignored by git. */
export const cacheFolder = join(root, '.vscode-test');

/** Where install.mjs puts the package. */
export const codeServerFolder = join(cacheFolder, `code-server-${codeServerVersion}`);

/** Folder of VS Code's server, `out/server-main.js`. */
export const vscodeFolder = join(codeServerFolder, 'node_modules', 'code-server', 'lib', 'vscode');

/** The package supports macOS and Linux only, and Windows cannot start a launcher with a shebang line. */
export const serverHostSupported = process.platform !== 'win32';

export const serverHostUnsupportedReason =
  'VS Code in the browser (code-server) does not run on Windows itself; use WSL, macOS or Linux for it.';
