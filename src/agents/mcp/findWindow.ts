import { homedir } from 'node:os';
import { join } from 'node:path';
import type { BridgeTarget } from './bridgeStdio.ts';
import { discoveryFor, readDiscoveries } from './discovery.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const products = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf', 'code-server'];
const servers = ['.vscode-server', '.vscode-server-insiders', '.vscode-remote', '.vscodium-server', '.cursor-server'];
const storage = ['User', 'globalStorage', 'unified-media.unified-media', 'agents'];

/** Where editors of this person keep the discovery files, whether they are there or not. */
export function discoveryFolders(
  environment: Environment,
  home = homedir(),
  platform = process.platform,
): readonly string[] {
  const data = dataFolder(environment, home, platform);
  return [
    ...products.map((product) => join(data, product, ...storage)),
    ...servers.map((server) => join(home, server, 'data', ...storage)),
    // code-server keeps its data where XDG wants it.
    join(environment.XDG_DATA_HOME ?? join(home, '.local', 'share'), 'code-server', ...storage),
  ];
}

/**
 * The server of the window that this program belongs to: the terminal's own, else that of the window that shows the
 * folder.
 *
 * @param cwd absolute path of the current folder, without links
 * @returns undefined when no window fits
 */
export async function findWindow(
  cwd: string,
  environment: Environment,
  folders: readonly string[] = discoveryFolders(environment),
): Promise<BridgeTarget | undefined> {
  const { UNIFIED_MEDIA_MCP_URL: url, UNIFIED_MEDIA_MCP_TOKEN: token } = environment;
  if (url && token) return { url, token };
  const found = await Promise.all(folders.map(readDiscoveries));
  return discoveryFor(cwd, found.flat());
}

function dataFolder(environment: Environment, home: string, platform: NodeJS.Platform): string {
  if (platform === 'win32') return environment.APPDATA ?? join(home, 'AppData', 'Roaming');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  return environment.XDG_CONFIG_HOME ?? join(home, '.config');
}
