// Drives the views of the Media container as a person does.
import type { Locator } from 'playwright-core';
import { actUntil, eventually, succeeds } from './eventually.ts';
import { type Theme, takesScreenshots, type Workbench } from './workbench.ts';

export async function openMedia({ page }: Workbench): Promise<void> {
  await page.getByRole('tab', { name: /^Media/ }).click();
  await page.locator('.sidebar .composite.title').filter({ hasText: /media/i }).waitFor();
}

/** Expands the list of videos, which is collapsed by default. */
export async function openVideos(workbench: Workbench): Promise<void> {
  await openMedia(workbench);
  const header = workbench.page.getByRole('button', { name: 'Videos Section' });
  await eventually('the list is expanded', async () => {
    if ((await header.getAttribute('aria-expanded')) === 'true') return true;
    await header.click();
    return false;
  });
}

/** Generates the first video from the empty list, which is open, in the sandbox. */
export async function generateVideo(workbench: Workbench, prompt: string): Promise<void> {
  await workbench.page.getByRole('button', { name: 'Generate Video…' }).click();
  await workbench.answerInput('What happens in the video', prompt);
  await itemOf(workbench, 'Videos', prompt).waitFor();
}

/** Remixes a video by a click and expands it, so that its remix is visible. */
export async function remixVideo(workbench: Workbench, name: string, prompt: string): Promise<void> {
  const video = itemOf(workbench, 'Videos', name);
  await actUntil(workbench.question('What to change'), () => clickAction(video, 'Remix Video…'));
  await workbench.answerInput('What to change', prompt);
  await expandVideo(workbench, name, prompt);
}

/** Expands a video until its remix is visible. More presses of the key than needed only move the focus. */
export async function expandVideo(workbench: Workbench, name: string, remix: string): Promise<void> {
  const video = itemOf(workbench, 'Videos', name);
  await eventually(`${name} has a remix`, async () => (await video.getAttribute('aria-expanded')) !== null);
  await video.click();
  await eventually(`${remix} is visible`, async () => {
    await workbench.page.keyboard.press('ArrowRight');
    return itemOf(workbench, 'Videos', remix).isVisible();
  });
}

/** The item of a view whose accessible name begins with these words. */
export function itemOf({ page }: Workbench, view: 'Videos' | 'Activity', name: string): Locator {
  return page.getByRole('tree', { name: view }).getByRole('treeitem', { name });
}

/** Hovers over an item and clicks one of its buttons. */
export async function clickAction(item: Locator, name: string): Promise<void> {
  const button = item.getByRole('button', { name });
  // A tree that redraws the item hides its buttons until the mouse moves.
  await eventually(`"${name}" is clicked`, async () => {
    if (!(await succeeds(item.hover({ timeout: 10_000 })))) return false;
    return succeeds(button.click({ timeout: 10_000 }));
  });
}

/** Chooses an entry from the context menu of an item with the mouse. */
export async function choose({ page }: Workbench, item: Locator, name: string): Promise<void> {
  const entry = page.getByRole('menuitem', { name });
  await eventually(`"${name}" is chosen`, async () => {
    // A tree that refreshes closes the menu.
    if (!(await entry.isVisible())) await item.click({ button: 'right', timeout: 10_000 }).catch(() => undefined);
    const isClicked =
      (await succeeds(entry.hover({ timeout: 10_000 }))) && (await succeeds(entry.click({ timeout: 10_000 })));
    // A menu ignores clicks just after it has opened.
    return isClicked && succeeds(entry.waitFor({ state: 'hidden', timeout: 10_000 }));
  });
}

/** Takes screenshots in every kind of theme, and of a side bar 200 pixels wide. */
export async function photograph(workbench: Workbench, name: string): Promise<void> {
  if (!takesScreenshots) return;
  await workbench.runCommand('Notifications: Clear All Notifications');
  const themes: readonly Theme[] = ['Light 2026', 'Dark 2026', 'Default High Contrast', 'Default High Contrast Light'];
  for (const theme of themes) {
    await workbench.setTheme(theme);
    await workbench.screenshot(`${name}, ${theme}`);
  }
  await workbench.setTheme('Dark 2026');
  const { page } = workbench;
  const sideBar = await page.locator('.part.sidebar').boundingBox();
  if (!sideBar) throw new Error('There is no side bar.');
  const edge = sideBar.x + sideBar.width;
  await page.mouse.move(edge, 400);
  await page.mouse.down();
  await page.mouse.move(sideBar.x + 200, 400, { steps: 5 });
  await page.mouse.up();
  await workbench.screenshot(`${name}, 200 pixels`);
}
