// Runs VS Code's own server, whose workbench opens in a browser.
import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { killProcessTree, processesOf, stopProcessTree } from './processTree.ts';
import { serverHostSupported, serverHostUnsupportedReason, vscodeFolder } from './versions.mjs';

export type Settings = Readonly<Record<string, unknown>>;

export interface ServerOptions {
  /** True opens folders in Restricted Mode until the person trusts them; false trusts all. Default false. */
  readonly workspaceTrust?: boolean;
  /** The user's settings, `data/User/settings.json`, read once per window. Machine-scoped ones do not work there. */
  readonly userSettings?: Settings;
  /** The user's `data/User/keybindings.json`. */
  readonly keybindings?: readonly Settings[];
  /** Display language, as with an empty language pack: VS Code's own texts stay English. */
  readonly language?: string;
  /** `data/Machine/settings.json`: overrides the user's settings; application-scoped settings do not work there. */
  readonly machineSettings?: Settings;
  /** Folder to keep, with its settings unless they are given here; a temporary folder by default. */
  readonly dataFolder?: string;
  /** `0` for any free port (default), or a range such as `8600-8699` for its first free port. */
  readonly port?: string;
  /**
   * Folder of an extension to install through a link. Without it, the extension and its tests come in the address's
   * payload, which VS Code reads only in its smoke test mode, and that shows no notifications.
   */
  readonly installedExtension?: string;
  /** Folder for installed extensions; inside the data folder by default. */
  readonly extensionsFolder?: string;
  /** Absolute paths of further extensions to install. */
  readonly moreExtensions?: readonly string[];
  /** True leaves out what no test uses, but starts in every window: some built-in extensions, and chat. Default false. */
  readonly isLean?: boolean;
  /** Environment variables to add for the server and its extension hosts. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Payload of the workbench's address, with absolute paths. */
interface Payload {
  readonly extensionDevelopmentPath?: string;
  readonly extensionTestsPath?: string;
}

export interface Server {
  readonly port: number;
  /** VS Code's logs and settings. */
  readonly dataFolder: string;
  /** Resolves when the server has ended, with a sentence that says how. */
  readonly ended: Promise<string>;
  /** Returns the address of a folder, of a `.code-workspace` file, or of an empty window without a path. */
  url(path?: string, payload?: Payload): string;
  /** Changes machine settings. Open windows apply them, unlike changes of user settings. */
  changeMachineSettings(changes: Settings): void;
  /** Returns the server's output without known harmless warnings, for reports of failures. */
  output(): string;
  /** Returns the process ids of the extension hosts, one per window. */
  extensionHosts(): readonly number[];
  /** Stops the server and its extension hosts, and removes a temporary data folder. */
  stop(): Promise<void>;
}

/** Limit for a start, in milliseconds; it usually takes one second. */
const startLimit = 60_000;

/** Settings that make every run quiet and alike: no welcome page, no chat side bar, no telemetry. */
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

/** A window takes less processor time without what no test uses: chat, repositories, ports, and parts of the editor. */
const leanSettings: Settings = {
  'chat.disableAIFeatures': true,
  'git.enabled': false,
  'remote.autoForwardPorts': false,
  'breadcrumbs.enabled': false,
  'editor.minimap.enabled': false,
  'editor.stickyScroll.enabled': false,
  'editor.cursorBlinking': 'solid',
};

/** Environment without an extension gallery, so that tests do not depend on the network. */
export const withoutGallery = { EXTENSIONS_GALLERY: '{}' };

/** Built-in extensions that start with a window or with the documents of the tests, and that no test uses. */
const unusedBuiltIns = [
  ...['copilot', 'debug-auto-launch', 'emmet', 'extension-editing', 'github-authentication', 'ipynb'],
  ...['microsoft-authentication', 'ms-vscode.js-debug', 'ms-vscode.js-debug-companion', 'npm', 'php-language-features'],
  ...['ms-vscode.vscode-js-profile-table', 'terminal-suggest', 'tunnel-forwarding', 'typescript-language-features'],
];

export async function startServer(options: ServerOptions = {}): Promise<Server> {
  requireServerHost();
  const dataFolder = options.dataFolder ?? mkdtempSync(join(tmpdir(), 'unified-media-vscode-'));
  const userSettingsFile = join(dataFolder, 'data', 'User', 'settings.json');
  const machineSettingsFile = join(dataFolder, 'data', 'Machine', 'settings.json');
  if (options.userSettings || !existsSync(userSettingsFile)) {
    const lean = options.isLean ? leanSettings : {};
    writeSettings(userSettingsFile, { ...quietSettings, ...lean, ...options.userSettings });
  }
  if (options.keybindings) writeSettings(join(dirname(userSettingsFile), 'keybindings.json'), options.keybindings);
  // VS Code watches the file only if it exists.
  if (options.machineSettings || !existsSync(machineSettingsFile)) {
    writeSettings(machineSettingsFile, options.machineSettings ?? {});
  }
  if (options.language) installLanguage(options.language, dataFolder);
  const installed = [
    ...(options.installedExtension ? [options.installedExtension] : []),
    ...(options.moreExtensions ?? []),
  ];
  for (const extension of installed) installExtension(extension, extensionsFolder(dataFolder));
  if (options.isLean) linkUsedBuiltIns(builtInsFolder(dataFolder));

  const socketFolder = mkdtempSync(join(tmpdir(), 'unified-media-run-'));
  const child = spawn(process.execPath, serverArguments(dataFolder, options), {
    // A process group of its own, so that extension hosts end with the server.
    detached: true,
    // The person's own state folder must not be touched, nor seen by another test.
    env: {
      ...cleanEnvironment(),
      ...socketsIn(socketFolder),
      XDG_STATE_HOME: join(dataFolder, 'state'),
      ...options.environment,
    },
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
    if (options.dataFolder === undefined) {
      // What VS Code would still save, in a second or more, is removed with the folder.
      killProcessTree(child);
      await ended;
    } else await stopProcessTree(child);
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

/** Puts VS Code's sockets into a folder, because it never removes them. macOS limits their names too much for that. */
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
    // The environment of a login shell would make runs differ between machines.
    '--force-disable-user-env',
    `--server-data-dir=${dataFolder}`,
    `--extensions-dir=${options.extensionsFolder ?? extensionsFolder(dataFolder)}`,
    ...(options.isLean ? [`--builtin-extensions-dir=${builtInsFolder(dataFolder)}`] : []),
    ...(options.language ? [`--locale=${options.language}`] : []),
    ...(options.installedExtension ? [] : ['--enable-smoke-test-driver']),
    ...(options.workspaceTrust ? [] : ['--disable-workspace-trust']),
  ];
}

function extensionsFolder(dataFolder: string): string {
  return join(dataFolder, 'extensions');
}

function builtInsFolder(dataFolder: string): string {
  return join(dataFolder, 'built-in');
}

function linkUsedBuiltIns(folder: string): void {
  const all = join(vscodeFolder, 'extensions');
  mkdirSync(folder);
  for (const name of readdirSync(all)) {
    if (!unusedBuiltIns.includes(name)) symlinkSync(join(all, name), join(folder, name));
  }
}

/** Installs an extension as a link, so that a reloaded window uses what `npm run watch` has built. */
function installExtension(extension: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  // Without this list, VS Code scans the folder again and notices a changed package.json.
  rmSync(join(folder, 'extensions.json'), { force: true });
  const link = join(folder, basename(extension));
  rmSync(link, { force: true });
  symlinkSync(extension, link, 'dir');
}

/** Registers a language pack as VS Code does when it installs one. */
function installLanguage(language: string, dataFolder: string): void {
  const vscode = join(dataFolder, `${language}.json`);
  writeFileSync(vscode, JSON.stringify({ contents: {} }));
  const extensions = [{ extensionIdentifier: { id: `tests.${language}` }, version: '1.0.0' }];
  const pack = { hash: language, label: language, extensions, translations: { vscode } };
  writeFileSync(join(dataFolder, 'data', 'languagepacks.json'), JSON.stringify({ [language]: pack }));
}

/** Returns the environment without the variables of VS Code and npm, which would affect the server. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const foreign = /^(VSCODE_|ELECTRON_|npm_|NODE_OPTIONS$|INIT_CWD$)/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

/** Waits for the line of output with the server's port. */
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

/** Encodes a query value but keeps allowed characters, so that the address stays readable. */
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

/** Whether a line is a warning of every start, about missing modules or the missing gallery. */
function isNoise(line: string): boolean {
  return line.trim() === '' || /vsda|extension gallery|reconnection-grace-time|AgentHostChannel/i.test(line);
}
