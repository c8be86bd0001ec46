import { lstat, symlink } from 'node:fs/promises';

/**
 * Skips the running test when a system that it needs is missing, and adds the system to its title. Also for beforeEach.
 *
 * @param context `this` of the test or hook
 */
export function skipUnless(context: Mocha.Context, has: boolean, system: string): void {
  if (has) return;
  const test = context.currentTest ?? context.test;
  if (test) test.title += ` (skipped: needs ${system})`;
  context.skip();
}

/** Makes a link to a file. Skips the running test where only an administrator may do that, as on Windows. */
export async function linkFile(context: Mocha.Context, target: string, path: string): Promise<void> {
  const failure = await symlink(target, path).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error,
  );
  if (failure && failure.code !== 'EPERM') throw failure;
  skipUnless(context, !failure, 'an administrator for links to files, EPERM');
  // Wine reports success and makes none.
  const isThere = await lstat(path).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );
  skipUnless(context, isThere, 'links to files');
}
