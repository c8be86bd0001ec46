// Opens VS Code's workbench in Chromium.
import type { Browser, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
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

/** Opens a page in its own browser profile, with access to the clipboard as on the desktop. @param size a common one */
export async function openPage(browser: Browser, size = { width: 1280, height: 800 }): Promise<Page> {
  const context = await browser.newContext({
    viewport: size,
    locale: 'en-US',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  return context.newPage();
}
