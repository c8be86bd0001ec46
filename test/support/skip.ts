import type { Context } from 'mocha';

/** Skips the running test. Its title gets the reason, so the list of skipped tests says what is missing. */
export function skip(context: Context, reason: string): never {
  const test = context.currentTest ?? context.test;
  if (test) test.title += ` (${reason})`;
  return context.skip();
}

/** @param reason what Windows lacks, such as "it has no named pipes" */
export function skipOnWindows(context: Context, reason: string): void {
  if (process.platform === 'win32') skip(context, `skipped on Windows: ${reason}`);
}
