// Runs VS Code's own server, whose workbench opens in a browser.
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { killProcessTree, processesOf, stopProcessTree } from './processTree.ts';
import { serverHostSupported, serverHostUnsupportedReason, vscodeFolder } from './versions.mjs';

export type Settings = Readonly<Record<string, unknown>>;

export interface ServerOptions {
  /** True opens folders in Restricted Mode until the person trusts them; false trusts all. Default false. */
  readonly workspaceTrust?: boolean;
  /** What a person edits: `data/User/settings.json`, read once per window. Machine-scoped settings do not count there. */
  readonly userSettings?: Settings;
  /** The person's `data/User/keybindings.json`. */
  readonly keybindings?: readonly Settings[];
  /** The display language, as with a language pack that translates nothing: VS Code's own texts stay English. */
  readonly language?: string;
  /** `data/Machine/settings.json`: all but application-scoped settings count there, and they win over the person's. */
  readonly machineSettings?: Settings;
  /** Kept afterwards, with its settings unless they are given here; default is a temporary folder. */
  readonly dataFolder?: string;
  /** `0` for any free port (default), `8600-8699` for the first free one of these. */
  readonly port?: string;
  /**
   * A folder with an extension to install, by a link, as a person would have it installed. Without it the extension and
   * its tests come in the address's payload; VS Code reads that only in its smoke test mode, which shows no notifications.
   */
  readonly installedExtension?: string;
  /** The folder that extensions are installed in; default is one in the data folder. */
  readonly extensionsFolder?: string;
  /** Those of a test. */
  readonly moreExtensions?: readonly string[];
  /** Added to the caller's environment for the server and its extension hosts. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** What the workbench's address says beside the folder; paths are absolute. */
interface Payload {
  readonly extensionDevelopmentPath?: string;
  readonly extensionTestsPath?: string;
}

export interface Server {
  readonly port: number;
  /** VS Code's logs and settings. */
  readonly dataFolder: string;
  /** Resolves when the server ends, whoever ended it, with a sentence that says how. */
  readonly ended: Promise<string>;
  /** Of a folder, a `.code-workspace` file, or without either an empty window. */
  url(path?: string, payload?: Payload): string;
  /** Rewrites the machine's settings; open windows follow, which they do not for the person's. */
  changeMachineSettings(changes: Settings): void;
  /** The server's own output without its known harmless complaints, for a failure's report. */
  output(): string;
  /** The process numbers of the extension hosts, one for each window. */
  extensionHosts(): readonly number[];
  /** Ends the server with its extension hosts and removes a temporary data folder. */
  stop(): Promise<void>;
}

/** Milliseconds; a start takes about one second. */
const startLimit = 60_000;

/** Quiet and the same everywhere: no welcome page, no chat side bar, nothing sent. */
const quietSettings: Settings = {
  'telemetry.telemetryLevel': 'off',
  'workbench.reduceMotion': 'on',
  'update.mode': 'none',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': 'off',
  'extensions.ignoreRecommendations': true,
  'workbench.enableExperiments': false,
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.tips.enabled': false,
  'git.openRepositoryInParentFolders': 'never',
};

/** An environment in which VS Code asks no extension gallery: a test must not depend on the network. */
export const withoutGallery = { EXTENSIONS_GALLERY: '{}' };

export async function startServer(options: ServerOptions = {}): Promise<Server> {
  requireServerHost();
  const dataFolder = options.dataFolder ?? mkdtempSync(join(tmpdir(), 'unified-media-vscode-'));
  const userSettingsFile = join(dataFolder, 'data', 'User', 'settings.json');
  const machineSettingsFile = join(dataFolder, 'data', 'Machine', 'settings.json');
  if (options.userSettings || !existsSync(userSettingsFile)) {
    writeSettings(userSettingsFile, { ...quietSettings, ...options.userSettings });
  }
  if (options.keybindings) writeSettings(join(dirname(userSettingsFile), 'keybindings.json'), options.keybindings);
  // Windows watch the file only if it exists.
  if (options.machineSettings || !existsSync(machineSettingsFile)) {
    writeSettings(machineSettingsFile, options.machineSettings ?? {});
  }
  if (options.language) installLanguage(options.language, dataFolder);
  const installed = [
    ...(options.installedExtension ? [options.installedExtension] : []),
    ...(options.moreExtensions ?? []),
  ];
  for (const extension of installed) installExtension(extension, extensionsFolder(dataFolder));

  const socketFolder = mkdtempSync(join(tmpdir(), 'unified-media-run-'));
  const child = spawn(process.execPath, serverArguments(dataFolder, options), {
    // A process group of its own, so that extension hosts end with the server.
    detached: true,
    env: { ...cleanEnvironment(), ...socketsIn(socketFolder), ...options.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const output = () => lines.filter((line) => !isNoise(line)).join('\n');
  const removeData = () => {
    const folders = options.dataFolder === undefined ? [socketFolder, dataFolder] : [socketFolder];
    for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const endNow = () => {
    killProcessTree(child);
    removeData();
  };
  process.on('exit', endNow);
  const stop = async () => {
    await stopProcessTree(child);
    removeData();
    process.off('exit', endNow);
  };
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`VS Code's server did not start: ${error.message}`));
    child.once('exit', (code, signal) => resolve(`VS Code's server ended with ${signal ?? `code ${code}`}.`));
  });

  try {
    const port = await listeningPort(child, lines, ended);
    return {
      port,
      dataFolder,
      ended,
      url: (path, payload = {}) => workbenchUrl(port, path, payload),
      // The extension writes there too.
      changeMachineSettings: (changes) =>
        writeSettings(machineSettingsFile, { ...readSettings(machineSettingsFile), ...changes }),
      extensionHosts: () => processesOf(child, '--type=extensionHost'),
      output,
      stop,
    };
  } catch (error) {
    await stop();
    throw new Error(`${error instanceof Error ? error.message : error}\n${output()}`);
  }
}

/** VS Code leaves its sockets where it makes them. macOS limits their names to less than such a path needs. */
function socketsIn(folder: string): Readonly<Record<string, string>> {
  return process.platform === 'linux' ? { TMPDIR: folder, XDG_RUNTIME_DIR: folder } : {};
}

function requireServerHost(): void {
  if (!serverHostSupported) throw new Error(serverHostUnsupportedReason);
  if (!existsSync(vscodeFolder)) throw new Error('VS Code for the tests is missing. Run: node test/host/install.mjs');
}

function serverArguments(dataFolder: string, options: ServerOptions): string[] {
  return [
    join(vscodeFolder, 'out', 'server-main.js'),
    '--host=127.0.0.1',
    `--port=${options.port ?? '0'}`,
    '--without-connection-token',
    '--accept-server-license-terms',
    '--telemetry-level=off',
    // A login shell's environment would make runs differ from machine to machine.
    '--force-disable-user-env',
    `--server-data-dir=${dataFolder}`,
    `--extensions-dir=${options.extensionsFolder ?? extensionsFolder(dataFolder)}`,
    ...(options.language ? [`--locale=${options.language}`] : []),
    ...(options.installedExtension ? [] : ['--enable-smoke-test-driver']),
    ...(options.workspaceTrust ? [] : ['--disable-workspace-trust']),
  ];
}

function extensionsFolder(dataFolder: string): string {
  return join(dataFolder, 'extensions');
}

/** A link, so that a reloaded window has what `npm run watch` has built meanwhile. */
function installExtension(extension: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  // VS Code lists the folder anew when its list is missing, and only then notices a changed package.json.
  rmSync(join(folder, 'extensions.json'), { force: true });
  const link = join(folder, basename(extension));
  rmSync(link, { force: true });
  symlinkSync(extension, link, 'dir');
}

/** Writes what VS Code notes of language packs when they are installed. */
function installLanguage(language: string, dataFolder: string): void {
  const vscode = join(dataFolder, `${language}.json`);
  writeFileSync(vscode, JSON.stringify({ contents: {} }));
  const extensions = [{ extensionIdentifier: { id: `tests.${language}` }, version: '1.0.0' }];
  const pack = { hash: language, label: language, extensions, translations: { vscode } };
  writeFileSync(join(dataFolder, 'data', 'languagepacks.json'), JSON.stringify({ [language]: pack }));
}

/** The caller may itself run inside VS Code or npm, whose variables would steer the server. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const foreign = /^(VSCODE_|ELECTRON_|npm_|NODE_OPTIONS$|INIT_CWD$)/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

/** Waits for the line in which the server says where it listens. */
async function listeningPort(child: ChildProcess, lines: string[], ended: Promise<string>): Promise<number> {
  const listening = new Promise<number>((resolve) => {
    const read = (text: string) => {
      lines.push(...text.split('\n'));
      const port = /agent listening on (\d+)/.exec(text)?.[1];
      if (port) resolve(Number(port));
    };
    child.stdout?.setEncoding('utf8').on('data', read);
    child.stderr?.setEncoding('utf8').on('data', read);
  });
  const failed = ended.then((reason) => Promise.reject(new Error(reason)));
  const late = new Promise<never>((_, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`VS Code's server did not start in ${startLimit} ms.`)),
      startLimit,
    );
    timer.unref();
  });
  return Promise.race([listening, failed, late]);
}

function workbenchUrl(port: number, path: string | undefined, payload: Payload): string {
  const address = `127.0.0.1:${port}`;
  const entries = Object.entries(payload).map(([name, path]) => [
    name,
    `vscode-remote://${address}${pathToFileURL(path).pathname}`,
  ]);
  const query = entries.length > 0 ? `&payload=${encodeQuery(JSON.stringify(entries))}` : '';
  const kind = path === undefined ? 'ew' : path.endsWith('.code-workspace') ? 'workspace' : 'folder';
  return `http://${address}/?${kind}=${encodeQuery(path ?? 'true')}${query}`;
}

/** Leaves what a query may hold as it is, so that a person can still read the address. */
function encodeQuery(value: string): string {
  return encodeURIComponent(value).replace(/%(2F|3A|2C)/g, decodeURIComponent);
}

function readSettings(file: string): Settings {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Settings) : {};
}

function writeSettings(file: string, settings: Settings | readonly Settings[]): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(settings, undefined, 2)}\n`);
}

/** Complaints that every start makes: modules that this install leaves out and a gallery that is not asked. */
function isNoise(line: string): boolean {
  return line.trim() === '' || /vsda|extension gallery|reconnection-grace-time|AgentHostChannel/i.test(line);
}
