import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The path of a program that a test runs only where it is installed. */
export function findProgram(name: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** A test that needs a program; without it a skipped test says so by name. */
export function itWith(program: string, title: string, test: (path: string) => Promise<void>): void {
  const path = findProgram(program);
  if (path === undefined) it.skip(`${program} is missing, so not tested: ${title}`);
  else it(title, () => test(path));
}
