// Drives the Create view as a person does.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { eventually, succeeds } from './eventually.ts';
import type { Workbench } from './workbench.ts';

/** The parts of the DOM's file API that the tests use; the DOM types are not available here. */
interface BrowserFiles {
  readonly DataTransfer: new () => {
    readonly items: { add(file: unknown): void };
    setData(type: string, data: string): void;
  };
  readonly File: new (parts: readonly Uint8Array[], name: string) => unknown;
}

/** The DOM types are not available here. */
interface Focusable {
  tabIndex: number;
  focus(): void;
  removeAttribute(name: string): void;
}

/** The DOM types are not available here. */
export interface Named {
  getAttribute(name: string): string | null;
}

/** The name of a tab, in the display language. */
export type Tab = string;

export class CreateView {
  readonly workbench: Workbench;
  readonly content: Frame;

  private constructor(workbench: Workbench, content: Frame) {
    this.workbench = workbench;
    this.content = content;
  }

  /** Opens the view with the keyboard, which also focuses it. */
  static async open(workbench: Workbench, command = 'Media: Focus on Create View'): Promise<CreateView> {
    // Again when VS Code has moved the focus meanwhile: an editor takes it later than its tab appears.
    return eventually('the view is open and has the focus', async () => {
      await workbench.runCommand(command);
      const view = await CreateView.at(workbench, 'view');
      return (await succeeds(view.#whenReadyForKeys(10_000))) && view;
    });
  }

  /** Opens the library in a tab. */
  static async openLibrary(workbench: Workbench): Promise<CreateView> {
    await workbench.runCommand('Media: Open Library');
    return CreateView.at(workbench, 'tab');
  }

  static async at(workbench: Workbench, place: 'view' | 'tab'): Promise<CreateView> {
    const view = new CreateView(workbench, await workbench.webview(`#create [data-place=${place}] .feed`));
    await view.content.locator('.feed').first().waitFor();
    return view;
  }

  tab(name: Tab): Locator {
    return this.content.getByRole('tab', { name, exact: true });
  }

  /** A control of the composer by its accessible name. */
  field(name: string): Locator {
    return this.content.getByRole('tabpanel').getByLabel(name, { exact: true });
  }

  /** A button of the composer. */
  button(name: string): Locator {
    return this.content.getByRole('tabpanel').getByRole('button', { name, exact: true });
  }

  get attachments(): Locator {
    return this.content.getByRole('list', { name: 'Attachments' });
  }

  get results(): Locator {
    return this.content.getByRole('region', { name: 'Results' });
  }

  /** The newest result, running job or failure of this name. */
  result(name: string): Locator {
    return this.results.getByRole('listitem', { name }).first();
  }

  /** A button of a result. */
  action(result: string, name: string): Locator {
    return this.result(result).getByRole('button', { name, exact: true });
  }

  get alert(): Locator {
    return this.content.getByRole('tabpanel').getByRole('alert');
  }

  /** Presses Tab from the start of the view until the control has the focus, and checks that the focus is visible. */
  async tabTo(target: Locator): Promise<void> {
    await target.waitFor();
    // Again when VS Code has moved the focus meanwhile.
    const outline = await eventually(`the Tab key comes to ${target}`, async () => {
      if (!(await this.#tabTo(target))) return undefined;
      const drawn = await outlineOf(target);
      return (await isFocused(target)) && drawn;
    });
    assert.match(outline, /^[1-9]\d*px (solid|auto)$/, `the focus on ${target} is not to be seen`);
  }

  async #tabTo(target: Locator): Promise<boolean> {
    await this.content.locator('body').evaluate((body: Focusable) => {
      body.tabIndex = -1;
      body.focus();
      body.removeAttribute('tabindex');
    });
    if (!(await succeeds(this.#whenReadyForKeys(10_000)))) return false;
    const { keyboard } = this.workbench.page;
    const element = await target.elementHandle();
    for (let step = 0; step < 200; step++) {
      await keyboard.press('Tab');
      const steps = await element?.evaluate(stepsTo);
      if (steps === 0) return true;
      // The gallery is one stop: the arrow keys go on from there.
      if (steps === undefined) continue;
      for (let at = 0; at < Math.abs(steps); at++) await keyboard.press(steps > 0 ? 'ArrowRight' : 'ArrowLeft');
      return isFocused(target);
    }
    return false;
  }

  /** Selects a tab with the arrow keys. */
  async choose(name: Tab): Promise<void> {
    const selected = this.content.locator('[role=tab][aria-selected=true]');
    const nameOf = () => selected.getAttribute('aria-label');
    const names = await this.content
      .getByRole('tab')
      .evaluateAll((tabs) => tabs.map((tab) => (tab as unknown as Named).getAttribute('aria-label')));
    // Again when VS Code has moved the focus meanwhile: an editor takes it later than its tab appears.
    await eventually(`${name} is selected`, async () => {
      const now = await nameOf();
      if (now === name) return true;
      await this.tabTo(selected);
      await this.workbench.page.keyboard.press(names.indexOf(now) < names.indexOf(name) ? 'ArrowRight' : 'ArrowLeft');
      await succeeds(eventually(`${now} is left`, async () => (await nameOf()) !== now, 2000));
      return false;
    });
    await this.tabTo(this.tab(name));
  }

  /** Replaces the text of a field with the keyboard. */
  async type(name: string, text: string): Promise<void> {
    const field = this.field(name);
    const { keyboard } = this.workbench.page;
    // Again when VS Code has moved the focus meanwhile.
    await eventually(`${name} is "${text.slice(0, 100)}"`, async () => {
      await this.tabTo(field);
      // VS Code handles Ctrl+A itself, with a delay.
      await keyboard.press('Control+Home');
      await keyboard.press('Control+Shift+End');
      if (text === '') await keyboard.press('Delete');
      else await keyboard.insertText(text);
      return (await field.inputValue()) === text;
    });
  }

  /** Chooses an entry of the *Attach…* menu with the keyboard. */
  async attach(entry: 'File…' | 'From Library…' | 'URL…'): Promise<void> {
    await this.chooseIn(this.button('Attach…'), entry);
  }

  /** Opens a menu and chooses an entry with the keyboard. */
  async chooseIn(button: Locator, entry: string): Promise<void> {
    await this.press(button);
    await this.#chooseInMenu(entry);
  }

  async #chooseInMenu(entry: string): Promise<void> {
    const item = this.content.getByRole('menuitem', { name: entry, exact: true });
    await item.waitFor();
    for (let step = 0; step < 30 && !(await isFocused(item)); step++) {
      await this.workbench.page.keyboard.press('ArrowDown');
    }
    assert(await isFocused(item), `the arrow keys do not come to ${entry}`);
    await this.workbench.page.keyboard.press('Enter');
  }

  async whenFocused(target: Locator, limit?: number): Promise<void> {
    await eventually(`${target} has the focus`, () => isFocused(target), limit);
  }

  async submit(): Promise<void> {
    await this.#whenReadyForKeys();
    await this.workbench.page.keyboard.press('ControlOrMeta+Enter');
  }

  /** Focuses a button and presses Enter. What the buttons of a tile do is in its menu, for the keyboard. */
  async press(target: Locator): Promise<void> {
    await target.waitFor({ state: 'attached' });
    const name = await target.evaluate((button: TileButton) =>
      button.matches('.tile .tool') ? button.getAttribute('aria-label') : null,
    );
    if (name === null) {
      await this.tabTo(target);
      await this.workbench.page.keyboard.press('Enter');
      return;
    }
    const tile = target.locator('xpath=ancestor::li[1]');
    const menu = this.content.getByRole('menu', { name: 'More Actions' });
    await eventually('the menu of the tile is open', async () => {
      await this.tabTo(tile.locator('.surface'));
      await this.workbench.page.keyboard.press('Shift+F10');
      return succeeds(menu.waitFor({ timeout: 2000 }));
    });
    if (name !== 'More Actions') await this.#chooseInMenu(name === 'Pause' ? 'Play' : name);
  }

  /** Generates something in the sandbox with the mouse and waits for its result. */
  async make(tab: Tab, prompt: string): Promise<void> {
    await this.tab(tab).click();
    await this.field('Prompt').fill(prompt);
    await this.submit();
    await this.action(prompt, 'Insert at Cursor').waitFor({ state: 'attached' });
  }

  /** Waits until a file is saved and the view shows it. */
  async whenMade(path: string, name: string): Promise<void> {
    await eventually(`${path} is saved`, async () => existsSync(join(this.workbench.folder, path)));
    await this.action(name, 'Insert at Cursor').waitFor({ state: 'attached' });
  }

  /** Drops a file on the composer, as from the desktop. */
  async drop(name: string, bytes: Uint8Array): Promise<void> {
    const data = await this.content.locator('body').evaluateHandle(
      (_, [fileName, content]) => {
        const { DataTransfer, File } = globalThis as unknown as BrowserFiles;
        const transfer = new DataTransfer();
        transfer.items.add(new File([Uint8Array.from(content)], fileName));
        return transfer;
      },
      [name, [...bytes]] as const,
    );
    await this.content.getByRole('tabpanel').dispatchEvent('drop', { dataTransfer: data });
  }

  /** Drops a file of the workspace on the composer, as from the Explorer. */
  async dropUri(uri: string): Promise<void> {
    const data = await this.content.locator('body').evaluateHandle((_, address) => {
      const { DataTransfer } = globalThis as unknown as BrowserFiles;
      const transfer = new DataTransfer();
      transfer.setData('text/uri-list', address);
      return transfer;
    }, uri);
    await this.content.getByRole('tabpanel').dispatchEvent('drop', { dataTransfer: data });
  }

  /** Resizes the view to a width in pixels. */
  async resize(width: number): Promise<void> {
    const { page } = this.workbench;
    const innerWidth = () =>
      this.content.locator('html').evaluate(({ clientWidth }: { clientWidth: number }) => clientWidth);
    await eventually(`the view is ${width} px wide`, async () => {
      const off = width - (await innerWidth());
      if (off === 0) return true;
      const side = await page.locator('.part.sidebar').boundingBox();
      assert(side);
      const [x, y] = [side.x + side.width, side.y + side.height / 2];
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x + off, y, { steps: 4 });
      await page.mouse.up();
      // The view gets its new width later than the side bar.
      return succeeds(eventually('the view has followed', async () => (await innerWidth()) === width, 2000));
    });
  }

  /** Waits until the keyboard's keys go to the view, which VS Code focuses with a delay. */
  async #whenReadyForKeys(limit?: number): Promise<void> {
    await eventually(
      'the view has the focus',
      () =>
        this.content
          .locator('body')
          .evaluate(({ ownerDocument }: { ownerDocument: { hasFocus(): boolean } }) => ownerDocument.hasFocus()),
      limit,
    );
  }
}

/** Returns the width and the style of an element's outline. */
function outlineOf(target: Locator): Promise<string> {
  return target.evaluate((element: object) => {
    const { outlineStyle, outlineWidth } = (
      globalThis as unknown as { getComputedStyle(element: object): Readonly<Record<string, string>> }
    ).getComputedStyle(element);
    return `${outlineWidth} ${outlineStyle}`;
  });
}

/**
 * Returns how many arrow keys are from the focus to an element, forward if positive: 0 at the element, undefined unless
 * both are tiles of the gallery.
 */
function stepsTo(element: TileButton): number | undefined {
  const focus = element.ownerDocument.activeElement;
  if (focus === element) return 0;
  const [from, to] = [focus, element].map((button) =>
    button?.matches('.surface') ? button.closest('li')?.dataset.index : undefined,
  );
  return from === undefined || to === undefined ? undefined : Number(to) - Number(from);
}

/** The DOM types are not available here. */
interface TileButton {
  readonly ownerDocument: { readonly activeElement: TileButton | null };
  matches(selector: string): boolean;
  getAttribute(name: string): string | null;
  closest(selector: string): { readonly dataset: { readonly index?: string } } | null;
}

/** The DOM types are not available here. */
function isFocused(target: Locator): Promise<boolean> {
  return target.evaluate((element: { matches(selector: string): boolean }) => element.matches(':focus'));
}
