// `npm start`: opens the extension in a separate VS Code with a sample workspace.
import { spawn } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildExtension } from './buildExtension.ts';
import { startServer } from './server.ts';
import { cacheFolder, root } from './versions.mjs';

try {
  await start();
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}

async function start(): Promise<void> {
  console.log('Building the extension …');
  buildExtension();

  const folder = join(cacheFolder, 'start', 'workspace');
  if (!existsSync(folder)) {
    console.log('Copying the sample workspace …');
    cpSync(join(import.meta.dirname, 'sample-workspace'), folder, { recursive: true });
  }

  console.log('Starting VS Code …');
  const server = await startServer({
    // Kept, so that the next start has the same settings.
    dataFolder: join(cacheFolder, 'start', 'vscode'),
    // Usually the same port, because the browser keeps the layout per address.
    port: '8600-8699',
    installedExtension: root,
  });
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, async () => {
      // A second Ctrl+C exits at once.
      if (stopping) process.exit(0);
      stopping = true;
      console.log('\nStopping VS Code …');
      await server.stop();
      process.exit(0);
    });
  }

  const url = server.url(folder);
  console.log(`
  VS Code with Unified Media is ready. Open this address in a browser:

    ${url}

  Folder:  ${folder}
  Stop:    Ctrl+C
`);
  if (!process.argv.includes('--no-open')) openBrowser(url);

  const reason = await server.ended;
  if (stopping) return;
  console.error(server.output());
  throw new Error(reason);
}

/** Opens the address in a browser, if there is a display. */
function openBrowser(url: string): void {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (process.platform !== 'darwin' && !DISPLAY && !WAYLAND_DISPLAY) return;
  const opener = spawn(process.platform === 'darwin' ? 'open' : 'xdg-open', [url], { detached: true, stdio: 'ignore' });
  opener.once('error', () => console.log('  (No browser could be opened from here.)\n'));
  opener.unref();
}
