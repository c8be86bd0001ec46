// What a person does with VS Code's window, in words that a test can use.
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, FrameLocator, Locator, Page } from 'playwright-core';
import { launchBrowser, openPage } from '../host/browser.ts';
import type { Server, Settings } from '../host/server.ts';
import { startServer, withoutGallery } from '../host/server.ts';
import { root } from '../host/versions.mjs';
import { storageHolds } from './storageHolds.ts';

export interface WorkbenchOptions {
  /** The workspace's files: path inside it to content. Default: an empty folder. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** What the person has in their settings; machine-scoped ones count only in `machineSettings`. */
  readonly userSettings?: Settings;
  /** The settings of the machine that VS Code runs on; they win over the person's. */
  readonly machineSettings?: Settings;
  /** True opens the folder in Restricted Mode. Default false. */
  readonly workspaceTrust?: boolean;
  /** True opens no folder. Default false. */
  readonly withoutFolder?: boolean;
  readonly keybindings?: readonly Settings[];
  /** The display language, for the extension alone; default English. */
  readonly language?: string;
  /** Extensions of the test, beside this one: absolute paths. */
  readonly moreExtensions?: readonly string[];
  /** Added to the extension host's environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** The themes that VS Code comes with, and the part of the window's class by which it shows that it wears one. */
const themes = {
  'Light 2026': 'themes-2026-light',
  'Dark 2026': 'themes-2026-dark',
  'Light Modern': 'themes-light_modern',
  'Dark Modern': 'themes-dark_modern',
  'Default High Contrast': 'themes-hc_black',
  'Default High Contrast Light': 'themes-hc_light',
} as const;

export type Theme = keyof typeof themes;

/** On a slow machine the mouse rests long enough for a hover, which then covers what is clicked next. */
const withoutHovers: Settings = { 'workbench.hover.delay': 3_600_000 };

/** Milliseconds that a thing on the screen gets to appear. */
const patience = 30_000;

/** Workspaces: removed at the latest when this process ends. */
const folders = new Set<string>();
process.once('exit', () => folders.forEach(removeFolder));

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  folders.delete(folder);
}

/** Those that a failing test is to take its evidence from. */
export const openWorkbenches = new Set<Workbench>();

export class Workbench {
  readonly page: Page;
  /** The workspace folder's path. */
  readonly folder: string;
  readonly #server: Server;
  readonly #browser: Browser;
  #ownHosts: () => readonly number[] = () => this.#server.extensionHosts();

  private constructor(server: Server, browser: Browser, page: Page, folder: string) {
    this.#server = server;
    this.#browser = browser;
    this.page = page;
    this.folder = folder;
    page.setDefaultTimeout(patience);
  }

  /** A fresh server, browser and workspace with the extension installed; resolves when the window is complete. */
  static async start(options: WorkbenchOptions = {}): Promise<Workbench> {
    const folder = mkdtempSync(join(tmpdir(), 'unified-media-workspace-'));
    folders.add(folder);
    for (const [path, content] of Object.entries(options.files ?? {})) writeFile(join(folder, path), content);

    const { files: _, withoutFolder, environment, ...serverOptions } = options;
    const server = await startServer({
      ...serverOptions,
      userSettings: { ...withoutHovers, ...options.userSettings },
      installedExtension: root,
      environment: { ...withoutGallery, ...environment },
    });
    const browser = await launchBrowser();
    const page = await openPage(browser);
    const workbench = new Workbench(server, browser, page, folder);
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

  /** Another window on the same folder, with an extension host of its own; it is closed with this one. */
  async openWindow(): Promise<Workbench> {
    const before = this.#server.extensionHosts();
    const window = new Workbench(this.#server, this.#browser, await openPage(this.#browser), this.folder);
    await window.page.goto(this.#server.url(this.folder));
    await window.#whenRestored();
    window.#ownHosts = () => this.#server.extensionHosts().filter((host) => !before.includes(host));
    return window;
  }

  /** Ends this window and its extension host as a crash does. Other windows live on. */
  async crash(): Promise<void> {
    this.killExtensionHost();
    await this.page.close();
  }

  /** Opens a folder of the workspace in the place of what this window shows. */
  async openFolder(name: string): Promise<void> {
    await this.page.goto(this.#server.url(join(this.folder, name)));
    await this.#whenRestored();
  }

  /** Closes everything and removes the workspace. */
  async stop(): Promise<void> {
    openWorkbenches.delete(this);
    await this.#browser.close();
    await this.#server.stop();
    removeFolder(this.folder);
  }

  /** Reloads the window in VS Code's own way: it writes down what it keeps before it goes. */
  async reload(): Promise<void> {
    const loaded = this.page.waitForEvent('load');
    await this.runCommand('Developer: Reload Window');
    await loaded;
    await this.#whenRestored();
  }

  /** Kills the extension host. VS Code starts it again by itself twice in five minutes, and then waits to be asked. */
  killExtensionHost(): void {
    for (const host of this.#ownHosts()) process.kill(host, 'SIGKILL');
  }

  /** Waits until the window has written a text to its storage, which it does shortly after an extension wanted it. */
  async whenKept(text: string): Promise<void> {
    await eventually(`"${text}" is kept`, () => this.page.evaluate(storageHolds, text));
  }

  async #whenRestored(): Promise<void> {
    // VS Code's own mark for the parts that it makes last, the log channels among them.
    const complete = 'code/didCreateWorkbenchContributions/3';
    await this.page.waitForFunction((mark) => performance.getEntriesByName(mark).length > 0, complete);
  }

  /** Runs a command by its full title in the palette, such as "Media: Show Log". */
  async runCommand(title: string): Promise<void> {
    const row = this.#quickInputRow(title);
    // The palette does not learn of commands that an extension brings while it is open, so it is opened again.
    await eventually(`the palette offers "${title}"`, async () => {
      await this.page.keyboard.press('F1');
      const input = this.#quickInputBox;
      if (!(await appears(input, 2000))) return false;
      // What else comes to the front closes it again.
      if (!(await input.fill(`>${title}`, { timeout: 2000 }).then(yes, no))) return false;
      const found = await appears(row, 2000);
      if (!found) await this.page.keyboard.press('Escape');
      return found;
    });
    await row.click();
  }

  /** Opens a file of the workspace in an editor. */
  async openFile(path: string): Promise<Locator> {
    await this.page.keyboard.press('ControlOrMeta+P');
    await this.#quickInputBox.fill(path);
    const name = path.slice(path.lastIndexOf('/') + 1);
    await this.#quickInputRow(name).click();
    return this.editorTab(name);
  }

  /** Selects files in the Explorer and clicks an entry of their context menu. */
  async runOnFiles(names: readonly string[], entry: string): Promise<void> {
    await this.openFileMenu(names);
    await this.chooseInMenu(entry);
  }

  /** Selects files in the Explorer and opens their context menu; resolves to its entries. */
  async openFileMenu(names: readonly string[]): Promise<readonly string[]> {
    const rows = names.map((name) => this.page.locator('.explorer-folders-view').getByRole('treeitem', { name }));
    // A plain click would open the file, and an editor that appears closes the menu.
    const [first] = rows;
    await first?.click({ modifiers: ['ControlOrMeta'] });
    await this.page.keyboard.press('Escape');
    for (const row of rows) await row.click({ modifiers: ['ControlOrMeta'] });
    await rows.at(-1)?.click({ button: 'right' });
    await this.#menuItems.first().waitFor();
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

  /** Takes an entry of the context menu that is open. */
  async chooseInMenu(entry: string): Promise<void> {
    // For a tenth of a second a menu takes no clicks: they may belong to the one that has opened it.
    await this.#menuItems.filter({ hasText: entry }).hover();
    await this.page.keyboard.press('Enter');
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

  /** Waits for the list whose title or placeholder contains the question and clicks the entry with this label. */
  async pick(question: string, label: string): Promise<void> {
    await this.quickInput(question);
    await this.#quickInputRow(label).click();
  }

  /** Waits for the dialog of files with this title and types a path, in whose folder it shows such an entry, and accepts it. */
  async answerFileDialog(title: string, path: string, entry: string): Promise<void> {
    const dialog = await this.quickInput(title);
    // It starts with a folder of its own.
    await dialog.getByRole('option').first().waitFor();
    await this.#quickInputBox.fill(path);
    // It shows the folder that is typed before it takes it.
    await dialog.getByRole('option', { name: entry }).waitFor();
    await this.#quickInputBox.press('Enter');
  }

  /** Waits for the input box or list whose title, prompt or placeholder contains the question. */
  async quickInput(question: string): Promise<Locator> {
    const input = this.#quickInput
      .filter({ hasText: question })
      .or(this.#quickInput.filter({ has: this.page.getByPlaceholder(question) }));
    await input.waitFor();
    return input;
  }

  get #quickInput(): Locator {
    return this.page.locator('.quick-input-widget:visible');
  }

  /** Not found by its role, because an input for a password has none. */
  get #quickInputBox(): Locator {
    return this.#quickInput.locator('.quick-input-box input');
  }

  #quickInputRow(label: string): Locator {
    const exactLabel = this.page.locator('.label-name').getByText(label, { exact: true });
    return this.#quickInput.getByRole('option').filter({ has: exactLabel }).first();
  }

  /** Waits for a notification that contains the text; its buttons are `getByRole('button', { name })` inside it. */
  async notification(text: string, timeout = patience): Promise<Locator> {
    const toast = this.page.locator('.notifications-toasts .notification-list-item').filter({ hasText: text }).first();
    await toast.waitFor({ timeout });
    return toast;
  }

  /** Waits for a modal dialog that contains the text; its buttons are `getByRole('button', { name })` inside it. */
  async dialog(text: string): Promise<Locator> {
    const box = this.page.getByRole('dialog').filter({ hasText: text });
    await box.waitFor();
    return box;
  }

  /** Waits for the tab of an editor. */
  async editorTab(name: string): Promise<Locator> {
    const tab = this.page.locator('.tabs-container').getByRole('tab', { name });
    await tab.first().waitFor();
    return tab.first();
  }

  /** Waits until the Output panel shows this channel; resolves to its lines. */
  async outputChannel(name: string): Promise<Locator> {
    const panel = this.page.locator('.part.panel');
    const chosen = panel.locator('select.monaco-select-box option:checked').filter({ hasText: name });
    await chosen.first().waitFor({ state: 'attached' });
    return panel.locator('.view-lines');
  }

  /** Waits for the visible webview whose document contains the selector. */
  async webview(selector: string): Promise<FrameLocator> {
    return eventually(`a webview contains ${selector}`, async () => {
      for (const frame of await this.page.locator('iframe.webview:visible').all()) {
        const content = frame.contentFrame().frameLocator('#active-frame');
        if ((await content.locator(selector).count()) > 0) return content;
      }
      return undefined;
    });
  }

  /**
   * Changes machine settings, and with them what the window uses, without a click. Application-scoped ones do not count
   * there. VS Code takes them over shortly after.
   */
  changeSettings(changes: Settings): void {
    this.#server.changeMachineSettings(changes);
  }

  /** Resolves when the window has changed its colors. */
  async setTheme(theme: Theme): Promise<void> {
    this.changeSettings({ 'workbench.colorTheme': theme });
    await this.page.locator(`.monaco-workbench[class*="${themes[theme]}"]`).waitFor();
  }

  /** Writes out/screenshots/<name>.png. */
  async screenshot(name: string): Promise<void> {
    // What is fading in or out is shown as it will be.
    await this.page.screenshot({ path: evidencePath(`${name}.png`), animations: 'disabled' });
  }

  /** What the extension host and the extension's log channels have written so far. */
  log(): string {
    const folder = join(this.#server.dataFolder, 'data', 'logs');
    return globSync(['**/remoteexthost.log', '**/unified-media.*/*.log'], { cwd: folder })
      .map((file) => `--- ${file}\n${readFileSync(join(folder, file), 'utf8')}`)
      .join('\n');
  }

  /** The files that hold a text, of all that VS Code, the extension and the workspace have on this machine's disk. */
  filesWith(text: string): readonly string[] {
    const folders = [join(this.#server.dataFolder, 'data'), this.folder];
    const files = folders.flatMap((cwd) => globSync('**', { cwd, withFileTypes: true }));
    return files
      .filter((file) => file.isFile())
      .map((file) => join(file.parentPath, file.name))
      .filter((file) => readFileSync(file).includes(text));
  }

  /** The pictures of videos that the extension keeps in its storage. */
  storedPreviews(): readonly Buffer[] {
    const cwd = join(this.#server.dataFolder, 'data');
    return globSync('**/unified-media.unified-media/previews/*.webp', { cwd }).map((file) =>
      readFileSync(join(cwd, file)),
    );
  }

  /** Keeps a screenshot and the logs of a failure under its name. */
  async saveEvidence(name: string): Promise<void> {
    const file = `failed ${name.replace(/[^\w .-]/g, '')}`;
    writeFile(evidencePath(`${file}.log`), `${this.log()}\n--- server\n${this.#server.output()}\n`);
    if (!this.page.isClosed()) await this.screenshot(file);
  }
}

/** Asks again until the answer is neither false nor undefined. */
export async function eventually<T>(what: string, ask: () => Promise<T | undefined | false>): Promise<T> {
  const deadline = Date.now() + patience;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > deadline) throw new Error(`Waited ${patience / 1000} s in vain until ${what}.`);
    await sleep(50);
  }
}

async function appears(locator: Locator, milliseconds: number): Promise<boolean> {
  try {
    await locator.waitFor({ timeout: milliseconds });
    return true;
  } catch {
    return false;
  }
}

function evidencePath(name: string): string {
  return join(root, 'out', 'screenshots', name);
}

function writeFile(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

function yes(): true {
  return true;
}

function no(): false {
  return false;
}
