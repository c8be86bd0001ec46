import { realpath } from 'node:fs/promises';
import type { BridgeStreams } from './bridgeStdio.ts';
import { bridgeStdio } from './bridgeStdio.ts';
import { findWindow } from './findWindow.ts';

export interface McpCommand extends BridgeStreams {
  readonly errors: NodeJS.WritableStream;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Where discovery files are looked for; default: those of this person's editors. */
  readonly folders?: readonly string[];
}

/** `unified-media mcp`: an MCP server over stdio that works in the running window. @returns the exit code */
export async function runMcp({ errors, environment, cwd, folders, ...streams }: McpCommand): Promise<number> {
  const target = await findWindow(await realpath(cwd), environment, folders);
  if (target) {
    await bridgeStdio(target, streams);
    return 0;
  }
  errors.write(
    `No window of VS Code shows ${cwd} with agents connected. Open the folder there, and run “Media: Connect an Agent…”.\n`,
  );
  return 1;
}
