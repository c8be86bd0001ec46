import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the person's state folder, which editor and command line share, following the conventions of the system. */
export function stateFolder(environment: Environment, platform: NodeJS.Platform = process.platform): string {
  const { XDG_STATE_HOME: state, LOCALAPPDATA: local } = environment;
  // The XDG specification requires relative paths to be ignored.
  if (state !== undefined && isAbsolute(state)) return join(state, 'unified-media');
  if (platform === 'win32') return join(local || join(homedir(), 'AppData', 'Local'), 'unified-media');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'unified-media');
  return join(homedir(), '.local', 'state', 'unified-media');
}

/** Returns the file of the models that services no longer have, in a person's state folder. */
export function retiredModelsFile(state: string): string {
  return join(state, 'models.json');
}

/** Returns the folder of the store of paid work. */
export function workFolder(environment: Environment): string {
  return join(stateFolder(environment), 'work');
}
