import { homedir } from 'node:os';
import { join } from 'node:path';
import { realPath } from '../../library/realPath.ts';
import type { BridgeTarget } from './bridgeStdio.ts';
import type { Discovery } from './discovery.ts';
import { discoveryFor, readDiscoveries } from './discovery.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const products = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf', 'code-server'];
const servers = ['.vscode-server', '.vscode-server-insiders', '.vscode-remote', '.vscodium-server', '.cursor-server'];
const storage = ['User', 'globalStorage', 'unified-media.unified-media', 'agents'];

/** Returns the folders where VS Code and its relatives may keep discovery files. Not all of them exist. */
export function discoveryFolders(
  environment: Environment,
  home = homedir(),
  platform = process.platform,
): readonly string[] {
  const data = dataFolder(environment, home, platform);
  return [
    ...products.map((product) => join(data, product, ...storage)),
    ...servers.map((server) => join(home, server, 'data', ...storage)),
    // code-server follows the XDG base directories.
    join(environment.XDG_DATA_HOME ?? join(home, '.local', 'share'), 'code-server', ...storage),
  ];
}

/**
 * Finds the server of the window that this program belongs to: the window of its terminal, otherwise the window that
 * has the current folder open.
 *
 * @param cwd absolute path of the current folder, without links
 * @returns undefined if no window matches
 */
export async function findWindow(
  cwd: string,
  environment: Environment,
  folders: readonly string[] = discoveryFolders(environment),
): Promise<BridgeTarget | undefined> {
  const { UNIFIED_MEDIA_MCP_URL: url, UNIFIED_MEDIA_MCP_TOKEN: token } = environment;
  if (url && token) return { url, token };
  const found = await Promise.all(folders.map(readDiscoveries));
  return discoveryFor(cwd, await Promise.all(found.flat().map(withoutLinks)));
}

/** Resolves the links in the paths of a window's folders: the current folder has none. */
async function withoutLinks(discovery: Discovery): Promise<Discovery> {
  const folders = discovery.workspaceFolders.map((folder) => realPath(folder).catch(() => folder));
  return { ...discovery, workspaceFolders: await Promise.all(folders) };
}

function dataFolder(environment: Environment, home: string, platform: NodeJS.Platform): string {
  if (platform === 'win32') return environment.APPDATA ?? join(home, 'AppData', 'Roaming');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  return environment.XDG_CONFIG_HOME ?? join(home, '.config');
}
