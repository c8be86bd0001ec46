import { appendFileSync } from 'node:fs';
import Mocha from 'mocha';

/** The environment variable with the path of the file that lists the failures, one JSON object per line. */
export const failuresVariable = 'UNIFIED_MEDIA_E2E_FAILURES';

export interface Failure {
  /** Path of the test file. */
  readonly file: string | undefined;
  readonly title: string;
}

/** Prints what Mocha's spec reporter prints, and lists the failures. */
class FailureReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const listPath = process.env[failuresVariable];
    runner.on('fail', (test: Mocha.Test) => {
      const failure: Failure = { file: test.file, title: test.fullTitle() };
      if (listPath) appendFileSync(listPath, `${JSON.stringify(failure)}\n`);
    });
  }
}

// Mocha loads reporters with require().
export { FailureReporter as 'module.exports' };
