// `npm run integration`: bundles test/integration and runs it inside a real VS Code. `-- <words>` selects files by name;
// `-- --package FILE` installs that package, as users do, instead of loading this folder, `--only quick` leaves out the files
// that `npm test` has no time for (`*.slow.test.ts`), and `--only slow` takes only those.
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, extname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  downloadAndUnzipVSCode,
  resolveCliArgsFromVSCodeExecutablePath,
  runTests,
  TestRunFailedError,
} from '@vscode/test-electron';
import { build } from 'esbuild';
import { hostOptions, workerEntryPoints } from '../../esbuild.mjs';
import { buildExtension } from './buildExtension.ts';
import { repositoryVariable, testsVariable } from './testOutput.ts';
import { cacheFolder, root, serverHostSupported, serverHostUnsupportedReason } from './versions.mjs';

const { values, positionals } = parseArgs({
  options: { package: { type: 'string' }, only: { type: 'string' } },
  allowPositionals: true,
});
if (values.only !== undefined && values.only !== 'quick' && values.only !== 'slow') {
  throw new Error(`--only is ${values.only}; it can be quick or slow.`);
}
const tests = join(root, 'test/integration');
const testFiles = globSync('**/*.test.ts', { cwd: tests })
  .filter((file) => positionals.length === 0 || positionals.some((word) => file.includes(word)))
  .filter((file) => values.only === undefined || file.endsWith('.slow.test.ts') === (values.only === 'slow'));

// runTests stops VS Code on Ctrl+C. These signals must do the same.
for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.emit('SIGINT'));

try {
  if (testFiles.length === 0)
    throw new Error(`No such integration test file has “${positionals.join('” or “')}” in its name.`);
  const vscodeExecutablePath = await chooseExecutable();
  const extension = values.package ? installPackage(resolve(values.package), vscodeExecutablePath) : developed();
  await bundle(extension.testsFolder);
  if (testFiles.some((file) => dirname(file) === '.')) await runIn(vscodeExecutablePath, extension, '.');
  if (testFiles.some((file) => dirname(file) === 'workspace'))
    await runIn(vscodeExecutablePath, extension, 'workspace');
} catch (error) {
  // A failed run has already printed what failed.
  if (!(error instanceof TestRunFailedError)) console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

/** Where VS Code loads the extension from. */
interface ExtensionSource {
  /** Folder of the extension under development; VS Code runs its tests. */
  readonly developmentPath: string;
  /** Folder of the bundled tests, inside the extension's folder so that they get the same `vscode` object. */
  readonly testsFolder: string;
  readonly launchArguments: readonly string[];
}

function developed(): ExtensionSource {
  buildExtension();
  const testsFolder = join(root, 'out', 'integration');
  rmSync(testsFolder, { recursive: true, force: true });
  return { developmentPath: root, testsFolder, launchArguments: ['--disable-extensions'] };
}

/** Adds an empty extension under development beside the installed one, because VS Code runs the tests of such ones. */
function installPackage(packageFile: string, vscodeExecutablePath: string): ExtensionSource {
  const temporary = mkdtempSync(join(tmpdir(), 'unified-media-package-'));
  process.on('exit', () => rmSync(temporary, { recursive: true, force: true, maxRetries: 5 }));
  const extensions = join(temporary, 'extensions');
  const empty = join(temporary, 'empty');
  const isLauncher = vscodeExecutablePath.endsWith('launcher.ts');
  const [command = '', ...first] = isLauncher
    ? [process.execPath, vscodeExecutablePath]
    : resolveCliArgsFromVSCodeExecutablePath(vscodeExecutablePath);
  const launchArguments = [`--extensions-dir=${extensions}`];
  // VS Code's command is a .cmd file on Windows, which only a shell can start.
  const options = { stdio: 'inherit', shell: process.platform === 'win32' } as const;
  execFileSync(command, [...first, `--install-extension=${packageFile}`, ...launchArguments], options);
  mkdirSync(empty);
  const manifest = { name: 'empty', publisher: 'tests', version: '0.0.0', engines: { vscode: '*' } };
  writeFileSync(join(empty, 'package.json'), JSON.stringify(manifest));
  const [installed = ''] = globSync('*/package.json', { cwd: extensions });
  const testsFolder = join(extensions, dirname(installed), 'integration');
  mkdirSync(testsFolder);
  symlinkSync(join(root, 'node_modules'), join(testsFolder, 'node_modules'), 'junction');
  return { developmentPath: empty, testsFolder, launchArguments };
}

async function bundle(folder: string): Promise<void> {
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
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    splitting: true,
  });
}

/** Runs the tests of one folder. Those in `workspace` get a saved workspace with one folder and can add others. */
async function runIn(
  vscodeExecutablePath: string,
  { developmentPath, testsFolder, launchArguments }: ExtensionSource,
  tests: '.' | 'workspace',
): Promise<void> {
  const temporary = mkdtempSync(join(tmpdir(), 'unified-media-integration-'));
  process.on('exit', () => rmSync(temporary, { recursive: true, force: true, maxRetries: 5 }));
  const folder = mkdtempSync(join(temporary, 'workspace-'));
  const workspaceFile = join(temporary, 'tests.code-workspace');
  writeFileSync(workspaceFile, JSON.stringify({ folders: [{ path: folder }] }));
  await runTests({
    vscodeExecutablePath,
    extensionDevelopmentPath: developmentPath,
    extensionTestsPath: join(testsFolder, 'index.mjs'),
    // A short path, because VS Code creates a socket there and macOS limits the length of its name.
    // Mocha in the extension host cannot see that this is a terminal.
    extensionTestsEnv: {
      ...(process.stdout.isTTY ? { MOCHA_COLORS: '1' } : {}),
      [testsVariable]: tests,
      [repositoryVariable]: root,
      // The person's own state folder must not be touched.
      XDG_STATE_HOME: join(temporary, 'state'),
    },
    launchArgs: [
      tests === '.' ? folder : workspaceFile,
      `--user-data-dir=${join(temporary, 'user')}`,
      ...launchArguments,
    ],
  });
}

/** Returns the executable for VSCODE_HOST (`desktop` or `server`); by default the desktop, if it can show a window. */
async function chooseExecutable(): Promise<string> {
  const wanted = process.env.VSCODE_HOST;
  if (wanted !== undefined && wanted !== 'desktop' && wanted !== 'server') {
    throw new Error(`VSCODE_HOST is ${wanted}; it can be desktop or server.`);
  }
  if (wanted === 'desktop') return announce('desktop', 'VSCODE_HOST selects it', await download());
  if (wanted === 'server') return serverLauncher('VSCODE_HOST selects it');
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (process.platform === 'linux' && !DISPLAY && !WAYLAND_DISPLAY) return serverLauncher('there is no display');
  try {
    return announce('desktop', 'there is a display', await download());
  } catch (error) {
    return serverLauncher(`desktop VS Code cannot be downloaded: ${error instanceof Error ? error.message : error}`);
  }
}

/** Downloads VSCODE_VERSION: a version such as `1.106.0`, or `stable` (default) for the newest. */
function download(): Promise<string> {
  const { VSCODE_VERSION: version } = process.env;
  return downloadAndUnzipVSCode({ cachePath: cacheFolder, ...(version ? { version } : {}) });
}

function serverLauncher(reason: string): string {
  if (!serverHostSupported) throw new Error(`${reason}. ${serverHostUnsupportedReason}`);
  return announce('server', reason, join(import.meta.dirname, 'launcher.ts'));
}

function announce(host: 'desktop' | 'server', reason: string, executable: string): string {
  console.log(`VS Code for the integration tests: ${host}, because ${reason}.`);
  return executable;
}
