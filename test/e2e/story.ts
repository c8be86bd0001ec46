import type { Context, Test } from 'mocha';

/**
 * Describes tests that tell one story in one window: each starts where the one before it ended. A test that `-g` or
 * `.only` selects alone runs its predecessors first.
 */
export function story(title: string, tests: () => void): void {
  describe(title, () => {
    const ran = new Set<Test>();
    beforeEach(async function (this: Context) {
      const { currentTest } = this;
      const all = currentTest?.parent?.tests ?? [];
      const missing = all.slice(0, currentTest && all.indexOf(currentTest)).filter((test) => !ran.has(test));
      this.timeout(this.timeout() * (missing.length + 1));
      for (const test of missing) {
        ran.add(test);
        const run: ((this: Context, done: () => void) => unknown) | undefined = test.fn;
        await run?.call(this, () => undefined);
      }
      if (currentTest) ran.add(currentTest);
    });
    tests();
  });
}
