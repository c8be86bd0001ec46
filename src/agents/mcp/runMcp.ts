import { realPath } from '../../library/realPath.ts';
import type { BridgeStreams } from './bridgeStdio.ts';
import { bridgeStdio } from './bridgeStdio.ts';
import { findWindow } from './findWindow.ts';

export interface McpCommand extends BridgeStreams {
  readonly errors: NodeJS.WritableStream;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Folders with discovery files. Defaults to those of the installed editors. */
  readonly folders?: readonly string[];
}

/** Runs `unified-media mcp`, an MCP server over stdio that forwards to an open window. @returns the exit code */
export async function runMcp({ errors, environment, cwd, folders, ...streams }: McpCommand): Promise<number> {
  const target = await findWindow(await realPath(cwd), environment, folders);
  if (target) {
    await bridgeStdio(target, streams);
    return 0;
  }
  errors.write(
    `No VS Code window has ${cwd} open with agents connected. Open the folder in VS Code and run “Media: Connect an Agent…”.\n`,
  );
  return 1;
}
