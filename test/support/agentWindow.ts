import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ToolResult } from '../../src/agents/ToolResult.ts';

/** Opens a window with an agent in a process of its own. */
export async function openAgentWindow(origin: string, folder: string, limit: number) {
  const script = join(import.meta.dirname, 'agentInProcess.ts');
  const child = spawn(process.execPath, [script, origin, folder, String(limit)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await lines.next();
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  return {
    /** Requests images at once. */
    ask: async (prompts: readonly string[]): Promise<readonly Pick<ToolResult, 'status' | 'job_id'>[]> => {
      child.stdin.write(`${JSON.stringify(prompts)}\n`);
      const { value } = await lines.next();
      return JSON.parse(String(value)) as readonly Pick<ToolResult, 'status' | 'job_id'>[];
    },
    kill,
    [Symbol.asyncDispose]: kill,
  };
}
