import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Returns the path of a program, if it is installed. */
export function findProgram(name: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, process.platform === 'win32' ? `${name}.exe` : name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** Defines a test that needs a program. Without it, the test is skipped and its title says so. */
export function itWith(program: string, title: string, test: (path: string) => Promise<void>): void {
  const path = findProgram(program);
  if (path === undefined) it.skip(`${title} (skipped: needs ${program})`);
  else it(title, () => test(path));
}
