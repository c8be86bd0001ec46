import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { MediaError, reasonOf } from '../operations/MediaError.ts';

/**
 * Returns the person's state folder, which editor and command line share, following the conventions of the system.
 *
 * @throws MediaError `save` if nothing says where it is: in the current folder, prompts and paid answers would be committed
 */
export function stateFolder(
  environment: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
  home: () => string = homedir,
): string {
  const { XDG_STATE_HOME: state, LOCALAPPDATA: local } = environment;
  // The XDG specification requires relative paths to be ignored.
  if (state !== undefined && isAbsolute(state)) return join(state, 'unified-media');
  if (platform === 'win32' && local !== undefined && isAbsolute(local)) return join(local, 'unified-media');
  const names = { win32: ['AppData', 'Local'], darwin: ['Library', 'Application Support'] };
  const below = platform === 'win32' || platform === 'darwin' ? names[platform] : ['.local', 'state'];
  return join(homeFolder(home), ...below, 'unified-media');
}

function homeFolder(home: () => string): string {
  let reason = l10n.t('it is not an absolute path');
  try {
    const folder = home();
    if (isAbsolute(folder)) return folder;
  } catch (error) {
    // There is neither a variable nor an account with a folder.
    reason = reasonOf(error);
  }
  const sentence = l10n.t(
    'Your home folder is not known ({0}), so what is paid for cannot be recorded. Set HOME or XDG_STATE_HOME to an absolute path.',
    reason,
  );
  throw new MediaError('save', sentence);
}

/** Returns the file of the models that services no longer have, in a person's state folder. */
export function retiredModelsFile(state: string): string {
  return join(state, 'models.json');
}

/** Returns the folder of the store of paid work. */
export function workFolder(environment: NodeJS.ProcessEnv): string {
  return join(stateFolder(environment), 'work');
}
