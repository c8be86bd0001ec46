// Drives a VS Code window as a person does.
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Browser, ElementHandle, Frame, Locator, Page } from 'playwright-core';
import { launchBrowser, openPage, returnPage, takePage } from '../host/browser.ts';
import { type Server, type Settings, startServer, withoutGallery } from '../host/server.ts';
import { root } from '../host/versions.mjs';
import { actUntil, eventually, patience, succeeds } from './eventually.ts';
import { storageHolds } from './storageHolds.ts';

export interface WorkbenchOptions {
  /** Files of the workspace, by path; empty by default. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** The user's settings; machine-scoped settings work only in `machineSettings`. */
  readonly userSettings?: Settings;
  /** Settings of the machine that VS Code runs on; they override the user's. */
  readonly machineSettings?: Settings;
  /** True opens the folder in Restricted Mode. Default false. */
  readonly workspaceTrust?: boolean;
  /** True opens no folder. Default false. */
  readonly withoutFolder?: boolean;
  readonly keybindings?: readonly Settings[];
  /** Display language of the extension; English by default. VS Code itself stays English. */
  readonly language?: string;
  /** Absolute paths of further extensions to install. */
  readonly moreExtensions?: readonly string[];
  /** False keeps the built-in extensions that no test uses, for figures that a person would see. Default true. */
  readonly isLean?: boolean;
  /** Added to the extension host's environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** VS Code's own themes, with the part of the window's class that shows which one is active. */
const themes = {
  'Light 2026': 'themes-2026-light',
  'Dark 2026': 'themes-2026-dark',
  'Light Modern': 'themes-light_modern',
  'Dark Modern': 'themes-dark_modern',
  'Default High Contrast': 'themes-hc_black',
  'Default High Contrast Light': 'themes-hc_light',
} as const;

export type Theme = keyof typeof themes;

/** On a slow machine the mouse rests long enough for a hover to open, which covers the next target. */
const withoutHovers: Settings = { 'workbench.hover.delay': 3_600_000 };

/** Screenshots are for people: no test needs them, and all of them together take half a minute. */
export const takesScreenshots = process.env.SCREENSHOTS === '1';

/** How long to wait for a window to start, in milliseconds. Nothing else takes VS Code as long. */
const startPatience = 120_000;

/** The port of the last server. */
let port: number | undefined;

/** Workspace folders, removed when this process exits at the latest. */
const folders = new Set<string>();
process.once('exit', () => folders.forEach(removeFolder));

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  folders.delete(folder);
}

/** The windows to take screenshots and logs from when a test fails. */
export const openWorkbenches = new Set<Workbench>();

export class Workbench {
  readonly page: Page;
  /** The workspace folder's path. */
  readonly folder: string;
  readonly #server: Server;
  /** Whether the next window may start in the same page. */
  readonly #leavesPage: boolean;

  private constructor(server: Server, page: Page, folder: string, leavesPage: boolean) {
    this.#server = server;
    this.page = page;
    this.folder = folder;
    this.#leavesPage = leavesPage;
    page.setDefaultTimeout(patience);
  }

  /** Starts a server, browser and workspace with the extension installed; resolves when the window is restored. */
  static async start(options: WorkbenchOptions = {}): Promise<Workbench> {
    const folder = mkdtempSync(join(tmpdir(), 'unified-media-workspace-'));
    folders.add(folder);
    for (const [path, content] of Object.entries(options.files ?? {})) writeFile(join(folder, path), content);

    const { files: _, withoutFolder, environment, ...serverOptions } = options;
    const { isLean = true } = options;
    const server = await startServer({
      ...serverOptions,
      isLean,
      // Chromium keeps compiled code by its address, so the port stays the same.
      ...(isLean && port ? { port: `${port}-${port + 99}` } : {}),
      userSettings: { ...withoutHovers, ...options.userSettings },
      installedExtension: root,
      environment: { ...withoutGallery, ...environment },
    });
    port = server.port;
    const page = await (isLean ? takePage() : openPage(await launchBrowser()));
    const workbench = new Workbench(server, page, folder, isLean);
    openWorkbenches.add(workbench);
    try {
      await page.goto(server.url(withoutFolder ? undefined : folder));
      await workbench.#whenRestored();
      return workbench;
    } catch (error) {
      await workbench.saveEvidence('start');
      await workbench.stop();
      throw error;
    }
  }

  /** Opens a subfolder of the workspace in this window. */
  async openFolder(name: string): Promise<void> {
    await this.page.goto(this.#server.url(join(this.folder, name)));
    await this.#whenRestored();
  }

  /** Closes everything and removes the workspace. */
  async stop(): Promise<void> {
    openWorkbenches.delete(this);
    await Promise.all([this.#leavesPage ? returnPage(this.page) : this.#browser.close(), this.#server.stop()]);
    removeFolder(this.folder);
  }

  /** Reloads the window by VS Code's command, which saves its state first. */
  async reload(): Promise<void> {
    const loaded = this.page.waitForEvent('load');
    await this.runCommand('Developer: Reload Window');
    await loaded;
    await this.#whenRestored();
  }

  /** Kills the extension host. VS Code restarts it by itself, but only twice in five minutes. */
  killExtensionHost(): void {
    for (const host of this.#server.extensionHosts()) process.kill(host, 'SIGKILL');
  }

  /** Waits until the window has saved a text to its storage, which it does with a delay. */
  async whenKept(text: string): Promise<void> {
    await eventually(`"${text}" is kept`, () => this.page.evaluate(storageHolds, text));
  }

  get #browser(): Browser {
    const browser = this.page.context().browser();
    if (!browser) throw new Error('The browser is closed.');
    return browser;
  }

  async #whenRestored(): Promise<void> {
    // VS Code sets these performance marks when it has created its last parts, such as log channels, and when it knows
    // what extensions add to menus.
    const marks = ['code/didCreateWorkbenchContributions/3', 'code/didLoadExtensions'];
    const areSet = (names: readonly string[]) => names.every((name) => performance.getEntriesByName(name).length > 0);
    await this.page.waitForFunction(areSet, marks, { timeout: startPatience });
  }

  /** Runs a command by its full title in the palette, such as "Media: Show Log". */
  async runCommand(title: string): Promise<void> {
    await this.#chooseInPalette('F1', `>${title}`, title);
  }

  /**
   * Returns the titles that the palette lists for a text, from the top.
   *
   * @param known one of them that was not used before, which VS Code lists only after it has filtered by the text
   */
  async listedCommands(text: string, known: string): Promise<readonly string[]> {
    let titles: readonly string[] = [];
    await eventually(`the palette offers "${known}"`, async () => {
      await this.page.keyboard.press('F1');
      if (!(await succeeds(this.#quickInputBox.fill(`>${text}`, { timeout: 5000 })))) return false;
      if (!(await succeeds(this.#quickInputRow(known).waitFor({ timeout: 3000 })))) return false;
      titles = await this.#quickInput.locator('.label-name').allInnerTexts();
      return true;
    });
    await this.page.keyboard.press('Escape');
    return titles;
  }

  /** Opens a file of the workspace in an editor; a text editor has the focus then. */
  async openFile(path: string): Promise<Locator> {
    const name = path.slice(path.lastIndexOf('/') + 1);
    await this.#chooseInPalette('ControlOrMeta+P', path, name);
    // The focus arrives later than the tab. Until then, keys go elsewhere, and its arrival closes an open menu.
    if (/\.(?:md|jsonc)$/.test(name)) await this.page.locator('.editor-instance .monaco-editor.focused').waitFor();
    return this.editorTab(name);
  }

  /** Opens the palette with a key, types a text and clicks the row with this label. */
  async #chooseInPalette(key: string, text: string, label: string): Promise<void> {
    const input = this.#quickInputBox;
    const row = this.#quickInputRow(label);
    // The palette does not add commands that an extension registers while it is open, and it closes when anything else
    // takes the focus, so it is reopened.
    await eventually(`the palette offers "${label}"`, async () => {
      await this.page.keyboard.press(key);
      if (!(await succeeds(input.waitFor({ timeout: 5000 })))) return false;
      if (!(await succeeds(input.fill(text, { timeout: 5000 })))) return false;
      const isChosen =
        (await succeeds(row.waitFor({ timeout: 3000 }))) &&
        (await succeeds(row.click({ timeout: 10_000 }))) &&
        // A click gets lost, and the palette stays, when VS Code redraws the rows at that moment.
        (await succeeds(row.waitFor({ state: 'hidden', timeout: 10_000 })));
      if (!isChosen && (await input.isVisible())) await this.page.keyboard.press('Escape');
      return isChosen;
    });
  }

  /** Selects files in the Explorer and clicks an entry of their context menu. */
  async runOnFiles(names: readonly string[], entry: string): Promise<void> {
    await this.openFileMenu(names);
    await this.chooseInMenu(entry);
  }

  /** Selects files in the Explorer and opens their context menu; resolves to its entries. */
  async openFileMenu(names: readonly string[]): Promise<readonly string[]> {
    const rows = names.map((name) => this.page.locator('.explorer-folders-view').getByRole('treeitem', { name }));
    // A plain click would open the file, and the new editor would close the menu.
    const [first] = rows;
    await first?.click({ modifiers: ['ControlOrMeta'] });
    await this.page.keyboard.press('Escape');
    for (const row of rows) await row.click({ modifiers: ['ControlOrMeta'] });
    // A change of the focus closes a menu again.
    await eventually('the menu is open', async () => {
      const first = this.#menuItems.first();
      if (await first.isVisible()) return true;
      await rows
        .at(-1)
        ?.click({ button: 'right', timeout: 10_000 })
        .catch(() => undefined);
      return succeeds(first.waitFor({ timeout: 10_000 }));
    });
    return this.#menuItems.allInnerTexts();
  }

  /** Selects all text of the editor with this tab and clicks an entry of its context menu. */
  async runOnSelection(entry: string): Promise<void> {
    const line = this.page.locator('.monaco-editor .view-line').first();
    await line.click();
    await this.page.keyboard.press('ControlOrMeta+A');
    await line.click({ button: 'right' });
    await this.chooseInMenu(entry);
  }

  /** Chooses an entry of the open context menu. */
  async chooseInMenu(entry: string): Promise<void> {
    // A menu ignores clicks for 100 ms after it has opened, in case they belong to the click that opened it.
    const item = this.#menuItems.filter({ hasText: entry });
    await item.hover();
    await this.page.keyboard.press('Enter');
    await item.waitFor({ state: 'hidden' });
  }

  get #menuItems(): Locator {
    return this.page.locator('.context-view').getByRole('menuitem');
  }

  /** Waits for the input whose title, prompt or placeholder contains the question, types the text and accepts it. */
  async answerInput(question: string, text: string): Promise<void> {
    await this.quickInput(question);
    await this.#quickInputBox.fill(text);
    await this.#quickInputBox.press('Enter');
  }

  /** Waits for the input whose title, prompt or placeholder contains the question and accepts its text as it is. */
  async acceptInput(question: string): Promise<void> {
    await this.quickInput(question);
    await this.#quickInputBox.press('Enter');
  }

  /** Waits for the list whose title or placeholder contains the question and clicks the entry with this label. */
  async pick(question: string, label: string): Promise<void> {
    await this.quickInput(question);
    const row = this.#quickInputRow(label);
    await actUntil(row, () => row.click({ timeout: 10_000 }), 'detached');
  }

  /** Waits for the file dialog with this title, types a path, waits until the entry is listed and accepts. */
  async answerFileDialog(title: string, path: string, entry: string): Promise<void> {
    const dialog = await this.quickInput(title);
    // The dialog first lists its default folder.
    await dialog.getByRole('option').first().waitFor();
    await this.#quickInputBox.fill(path);
    // It accepts a path only after it has listed the folder.
    await dialog.getByRole('option', { name: entry }).waitFor();
    await this.#quickInputBox.press('Enter');
  }

  /** Waits for the input box or list whose title, prompt or placeholder contains the question. */
  async quickInput(question: string): Promise<Locator> {
    const input = this.question(question);
    await input.waitFor();
    return input;
  }

  /** The input box or list whose title, prompt or placeholder contains the question. */
  question(question: string): Locator {
    return this.#quickInput
      .filter({ hasText: question })
      .or(this.#quickInput.filter({ has: this.page.getByPlaceholder(question) }));
  }

  get #quickInput(): Locator {
    return this.page.locator('.quick-input-widget:visible');
  }

  /** Not located by role, because a password input has none. */
  get #quickInputBox(): Locator {
    return this.#quickInput.locator('.quick-input-box input');
  }

  #quickInputRow(label: string): Locator {
    const exactLabel = this.page.locator('.label-name').getByText(label, { exact: true });
    return this.#quickInput.getByRole('option').filter({ has: exactLabel }).first();
  }

  /** Waits for a notification that contains the text; its buttons are `getByRole('button', { name })` inside it. */
  async notification(text: string, timeout = patience): Promise<Locator> {
    const toast = this.toast(text);
    if (await succeeds(toast.waitFor({ timeout }))) return toast;
    // VS Code hides a toast after some seconds, which a busy machine may spend on one frame. The list keeps it.
    await this.runCommand('Notifications: Show Notifications');
    const item = this.page.locator('.notifications-center .notification-list-item').filter({ hasText: text }).first();
    await item.waitFor();
    return item;
  }

  /** The newest notification that contains the text. */
  toast(text: string): Locator {
    return this.page.locator('.notifications-toasts .notification-list-item').filter({ hasText: text }).first();
  }

  /**
   * Clears all notifications and waits until they are gone, because VS Code runs a command later than it is chosen. Not
   * while a job runs: its progress stays.
   */
  async clearNotifications(): Promise<void> {
    await this.runCommand('Notifications: Clear All Notifications');
    await this.toast('').waitFor({ state: 'detached' });
  }

  /** Waits for a modal dialog that contains the text; its buttons are `getByRole('button', { name })` inside it. */
  async dialog(text: string): Promise<Locator> {
    const box = this.dialogBox(text);
    await box.waitFor();
    return box;
  }

  dialogBox(text: string): Locator {
    return this.page.getByRole('dialog').filter({ hasText: text });
  }

  /** Waits for the tab of an editor. */
  async editorTab(name: string): Promise<Locator> {
    const tab = this.tab(name);
    await tab.waitFor();
    return tab;
  }

  tab(name: string): Locator {
    return this.page.locator('.tabs-container').getByRole('tab', { name }).first();
  }

  /**
   * Waits for the visible webview whose document contains the selector. The frame ends when the webview gets a new document.
   * It costs a third of a `FrameLocator`, which looks for its frames again whenever anything in them is looked for.
   */
  async webview(selector: string): Promise<Frame> {
    const visible = this.page.locator('iframe.webview:visible');
    return eventually(`a webview contains ${selector}`, async () => {
      for (const webview of await visible.elementHandles()) {
        // Fails when the webview gets a document at that moment.
        const document = await documentWith(selector, webview).catch(() => undefined);
        if (document) return document;
      }
      return undefined;
    });
  }

  /**
   * Changes machine settings without a click; VS Code applies them shortly after. Application-scoped settings do not
   * work there.
   */
  changeSettings(changes: Settings): void {
    this.#server.changeMachineSettings(changes);
  }

  /** Switches the theme and resolves when the window has applied it. */
  async setTheme(theme: Theme): Promise<void> {
    this.changeSettings({ 'workbench.colorTheme': theme });
    await this.page.locator(`.monaco-workbench[class*="${themes[theme]}"]`).waitFor();
  }

  /** Writes out/screenshots/<name>.png if SCREENSHOTS is 1. */
  async screenshot(name: string): Promise<void> {
    if (takesScreenshots) await this.#takeScreenshot(name);
  }

  async #takeScreenshot(name: string): Promise<void> {
    // Fades are shown in their final state.
    await this.page.screenshot({ path: evidencePath(`${name}.png`), animations: 'disabled' });
  }

  /** Returns the logs of the extension host and of the extension's channels. */
  log(): string {
    const folder = join(this.#server.dataFolder, 'data', 'logs');
    return globSync(['**/remoteexthost.log', '**/unified-media.*/*.log'], { cwd: folder })
      .map((file) => `--- ${file}\n${readFileSync(join(folder, file), 'utf8')}`)
      .join('\n');
  }

  /** Returns the files of VS Code, the extension and the workspace that contain a text. */
  filesWith(text: string): readonly string[] {
    const folders = [join(this.#server.dataFolder, 'data'), this.folder];
    const files = folders.flatMap((cwd) => globSync('**', { cwd, withFileTypes: true }));
    const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
    try {
      return paths.filter((path) => readFileSync(path).includes(text));
    } catch (error) {
      // A file was removed or renamed after it was listed. Its new name may not be listed yet.
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return this.filesWith(text);
      throw error;
    }
  }

  /** Returns the video previews in the extension's storage, without those that VS Code is still writing. */
  storedPreviews(): readonly Buffer[] {
    const cwd = join(this.#server.dataFolder, 'data');
    const files = globSync('**/unified-media.unified-media/previews/*.webp', { cwd });
    return files.map((file) => readFileSync(join(cwd, file))).filter(({ length }) => length > 0);
  }

  /** Saves a screenshot and the logs of a failure under its name. */
  async saveEvidence(name: string): Promise<void> {
    const file = `failed ${name.replace(/[^\w .-]/g, '')}`;
    writeFile(evidencePath(`${file}.log`), `${this.log()}\n--- server\n${this.#server.output()}\n`);
    if (!this.page.isClosed()) await this.#takeScreenshot(file);
  }
}

function evidencePath(name: string): string {
  return join(root, 'out', 'screenshots', name);
}

function writeFile(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** Returns the frame with the document of a webview, if it has one yet. @throws unless it contains the selector */
async function documentWith(selector: string, webview: ElementHandle): Promise<Frame | null | undefined> {
  const frame = await (await webview.contentFrame())?.$('#active-frame');
  const document = await frame?.contentFrame();
  await document?.waitForSelector(selector, { state: 'attached', timeout: 100 });
  return document;
}
