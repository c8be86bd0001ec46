#!/usr/bin/env node
// Replaces the `code` executable: same arguments, but VS Code runs in its server and a headless browser.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { format, parseArgs } from 'node:util';
import { launchBrowser, openPage } from './browser.ts';
import { exitOnSignals } from './processTree.ts';
import { type Server, type Settings, startServer, withoutGallery } from './server.ts';
import { mark, markVariable } from './testOutput.ts';
import { vscodeFolder } from './versions.mjs';

/** Nobody looks at the window, and to draw these parts takes a tenth of the tests' processor time. */
const withoutBars: Settings = {
  'window.commandCenter': false,
  'workbench.activityBar.location': 'hidden',
  'workbench.statusBar.visible': false,
};

/** How long a run may print nothing before it counts as hung, in milliseconds. */
const silenceLimit = 5 * 60_000;

exitOnSignals(130);
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

/** Runs the tests or installs an extension. @returns the exit code */
async function main(commandLine: string[]): Promise<number> {
  if (commandLine.some((argument) => argument.startsWith('--install-extension'))) return install(commandLine);
  const { values, positionals } = parseArgs({
    args: commandLine,
    options: {
      extensionDevelopmentPath: { type: 'string' },
      extensionTestsPath: { type: 'string' },
      'extensions-dir': { type: 'string' },
      'disable-workspace-trust': { type: 'boolean' },
    },
    // Other options of VS Code are ignored.
    strict: false,
    allowPositionals: true,
  });
  const { extensionDevelopmentPath, extensionTestsPath, 'extensions-dir': extensionsFolder } = values;
  const folder = positionals[0];
  if (typeof extensionDevelopmentPath !== 'string' || typeof extensionTestsPath !== 'string' || !folder) {
    throw new Error('Needed: --extensionDevelopmentPath=…, --extensionTestsPath=… and a folder.');
  }

  const server = await startServer({
    workspaceTrust: !values['disable-workspace-trust'],
    isLean: true,
    userSettings: withoutBars,
    environment: { ...withoutGallery, [markVariable]: mark },
    ...(typeof extensionsFolder === 'string' ? { extensionsFolder } : {}),
  });
  const workbenchLog: string[] = [];
  try {
    const url = server.url(folder, { extensionDevelopmentPath, extensionTestsPath });
    return await runTests(server, url, workbenchLog);
  } catch (error) {
    report(`VS Code's server`, server.output());
    report('The workbench', workbenchLog.join('\n'));
    throw error;
  } finally {
    await server.stop();
  }
}

function install(commandLine: string[]): number {
  const main = join(vscodeFolder, 'out', 'server-main.js');
  const { status } = spawnSync(process.execPath, [main, '--accept-server-license-terms', ...commandLine], {
    env: { ...process.env, ...withoutGallery },
    stdio: 'inherit',
  });
  return status ?? 1;
}

/** Opens the workbench, which runs the tests and reports through two functions that this host adds to the page. */
async function runTests(server: Server, url: string, workbenchLog: string[]): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const hung = () => reject(new Error(`Nothing happened for ${silenceLimit / 60_000} minutes.`));
  const silence = setTimeout(hung, silenceLimit);
  let hasOutput = false;
  const browser = await launchBrowser();
  try {
    // A small window is drawn in less time.
    const page = await openPage(browser, { width: 640, height: 400 });
    await page.exposeFunction('codeAutomationLog', (level: string, values: unknown[]) => {
      silence.refresh();
      const text = format(...values);
      if (!text.startsWith(mark)) return void workbenchLog.push(text);
      hasOutput = true;
      const stream = level === 'error' || level === 'warn' ? process.stderr : process.stdout;
      stream.write(`${text.slice(mark.length)}\n`);
    });
    await page.exposeFunction('codeAutomationExit', (code: number) => resolve(code));
    page.once('crash', () => reject(new Error('The browser page crashed.')));
    page.once('close', () => reject(new Error('The browser closed.')));
    server.ended.then((reason) => reject(new Error(reason)));
    // Awaited together, because the server or the page may end while the page is still loading.
    await Promise.race([page.goto(url), promise]);
    const code = await promise;
    if (code !== 0 && !hasOutput) throw new Error(`The tests did not start; VS Code ended with code ${code}.`);
    return code;
  } finally {
    clearTimeout(silence);
    await browser.close();
  }
}

function report(speaker: string, text: string): void {
  console.error(`\n${speaker} said:\n${text || '(nothing)'}\n`);
}
