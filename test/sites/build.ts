import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setPriority } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { launchBrowser } from '../host/browser.ts';
import { killProcessTree } from '../host/processTree.ts';
import type { Site } from './Generator.ts';
import type { BuiltPage } from './links.ts';

/** Longest duration of one command, in milliseconds. */
const deadline = 600_000;

const environment = {
  CI: '1',
  DEBIAN_FRONTEND: 'noninteractive',
  ASTRO_TELEMETRY_DISABLED: '1',
  GATSBY_TELEMETRY_DISABLED: '1',
  NEXT_TELEMETRY_DISABLED: '1',
  NG_CLI_ANALYTICS: 'false',
  NUXT_TELEMETRY_DISABLED: '1',
  NO_COLOR: '1',
};

/**
 * Runs a program to its end; its modules come from the nearest `node_modules` above its folder. All processes that it has
 * started end with it.
 *
 * @throws Error when it takes longer than the deadline, or cannot be started
 */
export async function run(command: readonly string[], folder: string, milliseconds = deadline) {
  const [program = '', ...given] = command;
  const { FORCE_COLOR: _, NODE_OPTIONS: __, ...inherited } = process.env;
  const paths = [...binariesAbove(folder), dirname(process.execPath), inherited.PATH];
  const child = spawn(program, given, {
    cwd: folder,
    // A process group of its own, so that its workers end with it.
    detached: true,
    env: { ...inherited, ...environment, PATH: paths.join(delimiter) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Builds need both cores, and nobody waits for them. Our own reading of documents has a deadline.
  if (child.pid !== undefined) setPriority(child.pid, 10);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    killProcessTree(child);
  }, milliseconds);
  const endNow = () => killProcessTree(child);
  process.on('exit', endNow);
  // A process that stays would keep the output open, and we would wait for it.
  child.once('exit', endNow);
  try {
    const ended = once(child, 'close');
    const [printed, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    const log = `${printed}\n${errors}`;
    if (isLate) throw new Error(`${program} did not end within ${milliseconds / 1000} s:\n${log.slice(-3000)}`);
    return { log, isBuilt: code === 0 };
  } finally {
    clearTimeout(timer);
    process.off('exit', endNow);
  }
}

function binariesAbove(folder: string): readonly string[] {
  const own = join(folder, 'node_modules', '.bin');
  const above = dirname(folder) === folder ? [] : binariesAbove(dirname(folder));
  return existsSync(own) ? [own, ...above] : above;
}

/** Runs the commands that build a site, up to the first that fails. */
export async function build(site: Site, project: string) {
  let log = '';
  for (const command of site.build) {
    const ended = await run(command, project);
    log += ended.log;
    if (!ended.isBuilt) return { log, isBuilt: false };
  }
  return { log, isBuilt: true };
}

/** Opens the pages of a site that scripts make, in a browser. */
export async function open({ rendered = [], base = '/' }: Site, output: string): Promise<readonly BuiltPage[]> {
  if (rendered.length === 0) return [];
  await using browser = await launchBrowser();
  const pages: BuiltPage[] = [];
  for (const path of rendered) {
    const page = await browser.newPage();
    await page.route('**/*', (route) => {
      const { pathname } = new URL(route.request().url());
      const file = join(output, decodeURIComponent(pathname).slice(base.length));
      return pathname.startsWith(base) && existsSync(file) ? route.fulfill({ path: file }) : route.abort();
    });
    await page.goto(`http://site.invalid${base}${path}`, { waitUntil: 'load' });
    await page.waitForSelector('main', { state: 'attached' });
    pages.push({ path, html: await page.content() });
    await page.close();
  }
  return pages;
}
