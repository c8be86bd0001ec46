// Installs everything that `npm start` needs; with `tests` also the programs of the tests, with `dependencies` only the
// dependencies. Runs first, so it must work on Node 20 without node_modules.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canInstallPackages, chromiumInstallCommand, findChromium } from './chromium.mjs';
import {
  codeServerFolder,
  codeServerVersion,
  root,
  serverHostSupported,
  serverHostUnsupportedReason,
  vscodeFolder,
} from './versions.mjs';

const [, , part] = process.argv;
const quietly = ['--no-audit', '--no-fund', '--loglevel=error'];

try {
  requireNode();
  installDependencies();
  if (part !== 'dependencies') installPrograms();
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

function requireNode() {
  const major = Number(process.versions.node.split('.')[0]);
  if (major >= 20) return;
  throw new Error(
    `Node 20 or newer is needed; this is Node ${process.versions.node}. Get a current one from https://nodejs.org.`,
  );
}

function installDependencies() {
  const installed = join(root, 'node_modules', '.package-lock.json');
  const wanted = join(root, 'package-lock.json');
  const present = existsSync(installed);
  if (present && statSync(installed).mtimeMs >= statSync(wanted).mtimeMs) return;
  console.log('Installing the dependencies …');
  // Windows cannot delete the node.exe in node_modules that may be running this file, and `npm ci` would.
  const command = present && process.platform === 'win32' ? ['install', '--no-save'] : ['ci'];
  run('npm', [...command, ...quietly], root);
}

function installPrograms() {
  if (!serverHostSupported) {
    console.log(serverHostUnsupportedReason);
    return;
  }
  installVisualStudioCode();
  installChromium();
  if (part === 'tests') installMediaTools();
}

function installVisualStudioCode() {
  const marker = join(codeServerFolder, 'installed');
  if (!existsSync(marker)) {
    console.log(`Installing VS Code (code-server ${codeServerVersion}, about 620 MB, half a minute) …`);
    const partial = `${codeServerFolder}.partial`;
    rmSync(partial, { recursive: true, force: true });
    mkdirSync(partial, { recursive: true });
    // Without a package.json of its own npm would install into the repository.
    writeFileSync(join(partial, 'package.json'), '{ "private": true }\n');
    // Its install scripts compile native modules. Two of them are replaced below instead.
    const install = ['install', '--ignore-scripts', '--omit=dev', ...quietly];
    run('npm', [...install, `code-server@${codeServerVersion}`], partial);
    const product = join(partial, 'node_modules', 'code-server', 'lib', 'vscode');
    run('npm', install, product);
    run('npm', install, join(product, 'extensions'));
    writeFileSync(join(partial, 'installed'), '');
    rmSync(codeServerFolder, { recursive: true, force: true });
    renameSync(partial, codeServerFolder);
  }
  replaceNativeModule('spdlog', 'index.js');
  replaceNativeModule('native-watchdog', 'index.js');
}

/** @param {string} name @param {string} main */
function replaceNativeModule(name, main) {
  const source = fileURLToPath(new URL(`native/${name}.cjs`, import.meta.url));
  const target = join(vscodeFolder, 'node_modules', '@vscode', name, main);
  if (!readFileSync(target).equals(readFileSync(source))) copyFileSync(source, target);
}

function installChromium() {
  if (findChromium()) return;
  if (!canInstallPackages()) {
    throw new Error(
      `The tests need Chromium or Chrome. Install it with:\n  ${chromiumInstallCommand()}\nor name one in CHROMIUM_PATH.`,
    );
  }
  console.log('Installing Chromium with apt-get …');
  // Without fonts, pages show boxes instead of letters.
  installPackages(['chromium-headless-shell', 'fonts-liberation']);
}

/** Installs ffmpeg, a system voice and a reader of marks in media, without which tests are skipped and say so. */
function installMediaTools() {
  const packages = { ffmpeg: 'ffmpeg', 'espeak-ng': 'espeak-ng', exiftool: 'libimage-exiftool-perl' };
  const missing = Object.entries(packages).flatMap(([tool, name]) =>
    spawnSync(tool, ['--version']).error ? [name] : [],
  );
  if (missing.length === 0) return;
  if (!canInstallPackages()) {
    console.log(`Not installed, so the tests that need it are skipped: ${missing.join(', ')}.`);
    return;
  }
  console.log(`Installing ${missing.join(' and ')} with apt-get …`);
  installPackages(missing);
}

/** @param {string[]} packages */
function installPackages(packages) {
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  run('apt-get', ['update', '-qq'], root, environment);
  run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], root, environment);
}

/**
 * Runs a command. The arguments must be trusted, because Windows passes them to a shell.
 *
 * @param {string} command
 * @param {string[]} commandArguments
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} [environment]
 */
function run(command, commandArguments, folder, environment = process.env) {
  const { status, error, stdout } = spawnSync(command, commandArguments, {
    cwd: folder,
    env: environment,
    // npm is a .cmd file on Windows, which only a shell can start.
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return;
  console.error(stdout);
  const reason = error ? error.message : `it ended with code ${status}`;
  throw new Error(`${[command, ...commandArguments].join(' ')}\nfailed in ${folder}: ${reason}.`);
}
