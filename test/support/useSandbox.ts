import type { Sandbox, SandboxOptions } from '../../src/sandbox/startSandbox.ts';
import { startSandbox } from '../../src/sandbox/startSandbox.ts';

/** Runs a sandbox without waits for the surrounding describe block. */
export function useSandbox(options: SandboxOptions = {}): () => Sandbox {
  let sandbox: Sandbox | undefined;
  before(async () => {
    sandbox = await startSandbox({ videoWaitMs: 0, ...options });
  });
  after(() => sandbox?.stop());
  return () => {
    if (!sandbox) throw new Error('The sandbox is not running.');
    return sandbox;
  };
}
