// Runs in VS Code's extension host: the module that --extensionTestsPath names.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'node:util';
import Mocha from 'mocha';
import { markVariable, testsVariable } from '../host/testOutput.ts';

/** Rejects when a test fails, which VS Code turns into its exit code. */
export async function run(): Promise<void> {
  forwardWholeLines(process.env[markVariable] ?? '');
  const mocha = new Mocha({ reporter: 'spec', forbidOnly: true, timeout: 20_000 });
  // Mocha kept VS Code's console when it was loaded.
  Mocha.reporters.Base.consoleLog = console.log;
  const folder = join(import.meta.dirname, process.env[testsVariable] ?? '.');
  for (const file of globSync('*.test.mjs', { cwd: folder }).sort()) mocha.addFile(join(folder, file));
  await mocha.loadFilesAsync();
  const failures = await new Promise<number>((resolve) => mocha.run(resolve));
  if (failures > 0) throw new Error(`${failures} of the integration tests failed.`);
}

/** VS Code drops what does not start with text, even an empty line, and leaves %s as it is. */
function forwardWholeLines(mark: string): void {
  const { debug, log, info, warn, error } = console;
  const marked =
    (forward: (text: string) => void) =>
    (...values: unknown[]) =>
      forward(`${mark}${format(...values) || ' '}`);
  // VS Code has made the methods read-only, so the object is replaced.
  globalThis.console = {
    ...console,
    debug: marked(debug),
    log: marked(log),
    info: marked(info),
    warn: marked(warn),
    error: marked(error),
  };
}
