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
