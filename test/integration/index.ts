// Entry point for --extensionTestsPath, in VS Code's extension host.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'node:util';
import Mocha from 'mocha';
import { markVariable, testsVariable } from '../host/testOutput.ts';

/** Runs the tests. Rejects when one fails, which sets the exit code of VS Code. */
export async function run(): Promise<void> {
  forwardWholeLines(process.env[markVariable] ?? '');
  const mocha = new Mocha({ reporter: 'spec', forbidOnly: true, timeout: 120_000 });
  // Mocha captured the original console when it was loaded.
  Mocha.reporters.Base.consoleLog = console.log;
  const folder = join(import.meta.dirname, process.env[testsVariable] ?? '.');
  for (const file of globSync('*.test.mjs', { cwd: folder }).sort()) mocha.addFile(join(folder, file));
  await mocha.loadFilesAsync();
  const failures = await new Promise<number>((resolve) => mocha.run(resolve));
  if (failures > 0) throw new Error(`${failures} of the integration tests failed.`);
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
