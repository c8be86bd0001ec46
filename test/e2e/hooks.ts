// Mocha's hooks for the e2e tests, which run in two processes (see .mocharc.json).
import type { Context, RootHookObject } from 'mocha';
import { closeKeptPage, keepPages } from '../host/browser.ts';
import { buildExtension } from '../host/buildExtension.ts';
import { exitOnSignals } from '../host/processTree.ts';
import { serverHostSupported, serverHostUnsupportedReason } from '../host/versions.mjs';
import { openWorkbenches } from './workbench.ts';

exitOnSignals(130);
keepPages();

/** Builds the extension once, before the processes with the tests start. */
export function mochaGlobalSetup(): void {
  if (serverHostSupported) buildExtension();
  else process.stdout.write(`  The e2e tests are skipped. ${serverHostUnsupportedReason}\n`);
}

/** Runs in the process that Mocha started with. One that it started for tests closes its browser when it ends. */
export async function mochaGlobalTeardown(): Promise<void> {
  await closeKeptPage();
}

/** Run in each process; `beforeAll` and `afterAll` run for each file. */
export const mochaHooks: RootHookObject = {
  beforeAll(this: Context) {
    if (!serverHostSupported) this.skip();
  },

  async afterEach(this: Context) {
    const { currentTest } = this;
    if (currentTest?.state !== 'failed') return;
    for (const workbench of openWorkbenches) await workbench.saveEvidence(currentTest.fullTitle());
  },

  // A file whose hooks failed may have left a workbench open.
  async afterAll() {
    for (const workbench of openWorkbenches) await workbench.stop();
  },
};
