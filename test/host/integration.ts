// `npm run integration`: bundles test/integration and runs it inside a real VS Code; `-- <word>` takes files with that in their name.
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { downloadAndUnzipVSCode, runTests, TestRunFailedError } from '@vscode/test-electron';
import { build } from 'esbuild';
import { hostOptions, workerEntryPoints } from '../../esbuild.mjs';
import { buildExtension } from './buildExtension.ts';
import { testsVariable } from './testOutput.ts';
import { cacheFolder, root, serverHostSupported, serverHostUnsupportedReason } from './versions.mjs';

const wanted = process.argv[2] ?? '';
const testFiles = globSync(`**/*${wanted}*.test.ts`, { cwd: join(root, 'test/integration') });
const outputFolder = join(root, 'out', 'integration');

// runTests ends VS Code on Ctrl+C; the other ways to be told to end shall do the same.
for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.emit('SIGINT'));

try {
  if (testFiles.length === 0) throw new Error(`No integration test has “${wanted}” in its file's name.`);
  const vscodeExecutablePath = await chooseExecutable();
  await bundle();
  if (testFiles.some((file) => dirname(file) === '.')) await runIn(vscodeExecutablePath, '.');
  if (testFiles.some((file) => dirname(file) === 'workspace')) await runIn(vscodeExecutablePath, 'workspace');
} catch (error) {
  // A failed run has already printed what failed.
  if (!(error instanceof TestRunFailedError)) console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function bundle(): Promise<void> {
  buildExtension();
  rmSync(outputFolder, { recursive: true, force: true });
  await build({
    ...hostOptions,
    absWorkingDir: root,
    entryPoints: [
      ...['index.ts', ...testFiles].map((file) => ({
        in: `test/integration/${file}`,
        out: file.slice(0, -extname(file).length),
      })),
      ...workerEntryPoints,
    ],
    external: ['vscode', 'mocha'],
    outdir: outputFolder,
    outExtension: { '.js': '.mjs' },
    splitting: true,
  });
}

/** The tests of one folder: those in `workspace` get a saved workspace of one folder, to which they can add others. */
async function runIn(vscodeExecutablePath: string, tests: '.' | 'workspace'): Promise<void> {
  const temporary = mkdtempSync(join(tmpdir(), 'unified-media-integration-'));
  process.on('exit', () => rmSync(temporary, { recursive: true, force: true, maxRetries: 5 }));
  const folder = mkdtempSync(join(temporary, 'workspace-'));
  const workspaceFile = join(temporary, 'tests.code-workspace');
  writeFileSync(workspaceFile, JSON.stringify({ folders: [{ path: folder }] }));
  await runTests({
    vscodeExecutablePath,
    extensionDevelopmentPath: root,
    extensionTestsPath: join(outputFolder, 'index.mjs'),
    // A short path: macOS limits the length of the socket's name that VS Code puts there.
    // Mocha in the extension host cannot see that this is a terminal.
    extensionTestsEnv: { ...(process.stdout.isTTY ? { MOCHA_COLORS: '1' } : {}), [testsVariable]: tests },
    launchArgs: [
      tests === '.' ? folder : workspaceFile,
      `--user-data-dir=${join(temporary, 'user')}`,
      '--disable-extensions',
    ],
  });
}

/** VSCODE_HOST says `desktop` or `server`; without it the desktop is preferred wherever it can show a window. */
async function chooseExecutable(): Promise<string> {
  const wanted = process.env.VSCODE_HOST;
  if (wanted !== undefined && wanted !== 'desktop' && wanted !== 'server') {
    throw new Error(`VSCODE_HOST is ${wanted}; it can be desktop or server.`);
  }
  if (wanted === 'desktop') return announce('desktop', 'VSCODE_HOST says so', await download());
  if (wanted === 'server') return serverLauncher('VSCODE_HOST says so');
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (process.platform === 'linux' && !DISPLAY && !WAYLAND_DISPLAY) return serverLauncher('there is no display');
  try {
    return announce('desktop', 'there is a display', await download());
  } catch (error) {
    return serverLauncher(`desktop VS Code cannot be downloaded: ${error instanceof Error ? error.message : error}`);
  }
}

function download(): Promise<string> {
  return downloadAndUnzipVSCode({ cachePath: cacheFolder });
}

function serverLauncher(reason: string): string {
  if (!serverHostSupported) throw new Error(`${reason}. ${serverHostUnsupportedReason}`);
  return announce('server', reason, join(import.meta.dirname, 'launcher.ts'));
}

function announce(host: 'desktop' | 'server', reason: string, executable: string): string {
  console.log(`VS Code for the integration tests: ${host}, because ${reason}.`);
  return executable;
}
