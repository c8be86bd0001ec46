import { posix } from 'node:path';
import * as l10n from '@vscode/l10n';
import { MediaError } from '../operations/MediaError.ts';
import type { AssetKind } from '../operations/operations.ts';
import { isFileName, isOfGit } from './fileName.ts';

/**
 * Returns the folder that the setting `outputFolder` names, relative to the workspace folder; empty for that itself.
 *
 * @throws MediaError `save` when it is outside, in `.git`, or cannot be a folder on every system
 */
export function relativeFolder(pattern: string, kind: AssetKind): string {
  const path = posix.normalize(pattern.replaceAll('\\', '/').replaceAll('${kind}', kind)).replace(/\/$/, '');
  if (path === '..' || path.startsWith('../') || posix.isAbsolute(path) || /^[a-z]:/i.test(path)) {
    const sentence = l10n.t(
      'Nothing was sent: the setting “unifiedMedia.outputFolder” ({0}) points outside the workspace folder. Change it to a folder inside.',
      pattern,
    );
    throw new MediaError('save', sentence);
  }
  if (path === '.') return '';
  if (path.split('/').every((name) => isFileName(name) && !isOfGit(name))) return path;
  const sentence = l10n.t(
    'Nothing was sent: the setting “unifiedMedia.outputFolder” ({0}) names a folder that Git uses or that some systems cannot have. Change it to another one.',
    pattern,
  );
  throw new MediaError('save', sentence);
}
