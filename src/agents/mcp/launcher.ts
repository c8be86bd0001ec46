import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { replaceText } from '../../files/readText.ts';

/** How an agent starts the server as a program. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The folder with the discovery files of the editor that wrote the launcher. */
export const folderName = 'UNIFIED_MEDIA_MCP_FOLDER';

/** If it is `parent`, the window that started the program is meant: the agent starts it in no particular folder. */
export const windowName = 'UNIFIED_MEDIA_MCP_WINDOW';

/**
 * Writes the program that agents start. It has a fixed path, while the paths of the extension and of Node change with
 * each update; so the configurations of agents stay valid, and need neither a package nor Node to be installed.
 *
 * @param folder the folder of the discovery files
 */
export async function writeLauncher(
  folder: string,
  {
    node,
    commandLine,
  }: {
    /** Absolute path of the program that runs this extension: Node, or the editor, which can act as Node. */
    readonly node: string;
    /** Absolute path of the command line that comes with this extension. */
    readonly commandLine: string;
  },
  platform = process.platform,
): Promise<Launch> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (platform === 'win32') {
    // Most clients cannot start a script of Windows directly.
    const script = join(folder, 'unified-media.mjs');
    const lines = [
      `process.env.${folderName} = ${JSON.stringify(folder)};`,
      `await import(${JSON.stringify(pathToFileURL(commandLine).href)});`,
    ];
    await replaceText(script, `${lines.join('\n')}\n`, { mode: 0o600 });
    return { command: node, args: [script, 'mcp'], env: { ELECTRON_RUN_AS_NODE: '1' } };
  }
  const script = join(folder, 'unified-media');
  const lines = [
    '#!/bin/sh',
    `export ELECTRON_RUN_AS_NODE=1 ${folderName}=${quoted(folder)}`,
    `exec ${quoted(node)} ${quoted(commandLine)} "$@"`,
  ];
  await replaceText(script, `${lines.join('\n')}\n`, { mode: 0o700 });
  return { command: script, args: ['mcp'] };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
