// Mocha's root hooks for the e2e tests.
import type { Context, RootHookObject } from 'mocha';
import { buildExtension } from '../host/buildExtension.ts';
import { exitOnSignals } from '../host/processTree.ts';
import { serverHostSupported, serverHostUnsupportedReason } from '../host/versions.mjs';
import { openWorkbenches } from './workbench.ts';

export const mochaHooks: RootHookObject = {
  beforeAll(this: Context) {
    if (!serverHostSupported) {
      process.stdout.write(`  The e2e tests are skipped. ${serverHostUnsupportedReason}\n`);
      this.skip();
    }
    exitOnSignals(130);
    buildExtension();
  },

  async afterEach(this: Context) {
    const { currentTest } = this;
    if (currentTest?.state !== 'failed') return;
    for (const workbench of openWorkbenches) await workbench.saveEvidence(currentTest.fullTitle());
  },

  // A test file whose hooks failed may have left its own open.
  async afterAll() {
    for (const workbench of openWorkbenches) await workbench.stop();
  },
};
