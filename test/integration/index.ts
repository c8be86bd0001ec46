// Entry point for --extensionTestsPath, in VS Code's extension host.
import { globSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { format } from 'node:util';
import Mocha from 'mocha';
import * as vscode from 'vscode';
import { markVariable, testsVariable } from '../host/testOutput.ts';
import { workspaceFolder } from './workspaceFolder.ts';

/** Runs the tests. Rejects when one fails, which sets the exit code of VS Code. */
export async function run(): Promise<void> {
  forwardWholeLines(process.env[markVariable] ?? '');
  // The Explorer would draw all files that the tests write, which takes a quarter of their processor time.
  await vscode.commands.executeCommand('workbench.action.closeSidebar');
  await untilWatched();
  const mocha = new Mocha({ reporter: 'spec', forbidOnly: true, timeout: 120_000 });
  // Mocha captured the original console when it was loaded.
  Mocha.reporters.Base.consoleLog = console.log;
  const folder = join(import.meta.dirname, process.env[testsVariable] ?? '.');
  for (const file of globSync('*.test.mjs', { cwd: folder }).sort()) mocha.addFile(join(folder, file));
  await mocha.loadFilesAsync();
  const failures = await new Promise<number>((resolve) => mocha.run(resolve));
  if (failures > 0) throw new Error(`${failures} of the integration tests failed.`);
}

/** Resolves when VS Code reports changes of files, which it begins to do some time after the window has opened. */
async function untilWatched(): Promise<void> {
  const file = join(workspaceFolder(), 'watched');
  const watcher = vscode.workspace.createFileSystemWatcher('**/watched');
  let isReported = false;
  const note = () => {
    isReported = true;
  };
  watcher.onDidCreate(note);
  watcher.onDidChange(note);
  while (!isReported) {
    await writeFile(file, '');
    await sleep(100);
  }
  watcher.dispose();
  await rm(file);
}

/** Marks each line, because VS Code drops empty lines, and formats it, because VS Code does not replace %s. */
function forwardWholeLines(mark: string): void {
  const { debug, log, info, warn, error } = console;
  const marked =
    (forward: (text: string) => void) =>
    (...values: unknown[]) =>
      forward(`${mark}${format(...values) || ' '}`);
  // VS Code makes the methods read-only, so the object is replaced.
  globalThis.console = {
    ...console,
    debug: marked(debug),
    log: marked(log),
    info: marked(info),
    warn: marked(warn),
    error: marked(error),
  };
}
