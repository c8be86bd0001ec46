import type { SandboxOptions } from '../../src/sandbox/startSandbox.ts';
import { type FaultySandbox, startFaultySandbox } from './faultySandbox.ts';

/** Runs a sandbox without waits for the surrounding describe block. */
export function useSandbox(options: SandboxOptions = {}): () => FaultySandbox {
  let sandbox: FaultySandbox | undefined;
  before(async () => {
    sandbox = await startFaultySandbox({ videoWaitMs: 0, ...options });
  });
  after(() => sandbox?.stop());
  return () => {
    if (!sandbox) throw new Error('The sandbox is not running.');
    return sandbox;
  };
}
