// Opens VS Code's workbench in Chromium.
import { type Browser, chromium, type Page } from 'playwright-core';
import { chromiumInstallCommand, findChromium } from './chromium.mjs';

export async function launchBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (!executablePath) {
    throw new Error(`Chromium or Chrome is missing. Install it with: ${chromiumInstallCommand()}`);
  }
  const asRoot = process.getuid?.() === 0;
  return chromium.launch({
    executablePath,
    // Chromium's sandbox does not work for root.
    chromiumSandbox: !asRoot,
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
    // processTree.ts handles signals; Playwright still kills Chromium when this process exits.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
}

const commonSize = { width: 1280, height: 800 };

/** Opens a page in its own browser profile, with access to the clipboard as on the desktop. */
export async function openPage(browser: Browser, size = commonSize): Promise<Page> {
  const context = await browser.newContext({
    viewport: size,
    locale: 'en-US',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  return context.newPage();
}

let keepsPages = false;
/** The page of the window that was closed last. */
let kept: Page | undefined;

/** Keeps the pages of closed windows for the next ones, until `closeKeptPage` or the end of the process. */
export function keepPages(): void {
  keepsPages = true;
}

/**
 * Takes a page whose window was closed, or opens a new one. Chromium has compiled VS Code for such a page, if the address
 * is the same, so that the next window starts with half the work.
 */
export async function takePage(): Promise<Page> {
  const page = kept?.isClosed() ? undefined : kept;
  kept = undefined;
  return page ?? openPage(await launchBrowser());
}

/** Closes the window in a page, and forgets all that it has stored or closes the browser. */
export async function returnPage(page: Page): Promise<void> {
  if (!keepsPages || kept || page.isClosed()) return page.context().browser()?.close();
  const context = page.context();
  for (const other of context.browser()?.contexts() ?? []) if (other !== context) await other.close();
  page.removeAllListeners();
  // VS Code may want to keep the person from leaving.
  page.on('dialog', (dialog) => dialog.accept());
  await page.goto('about:blank');
  page.removeAllListeners();
  const session = await context.newCDPSession(page);
  await session.send('Storage.clearDataForOrigin', { origin: '*', storageTypes: 'all' });
  await session.detach();
  await page.emulateMedia({ reducedMotion: null });
  await page.setViewportSize(commonSize);
  // The middle of the status bar, where nothing opens.
  await page.mouse.move(commonSize.width / 2, commonSize.height - 1);
  kept = page;
}

export async function closeKeptPage(): Promise<void> {
  await kept?.context().browser()?.close();
}
