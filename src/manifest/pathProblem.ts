import * as l10n from '@vscode/l10n';
import { windowsReserved } from '../library/fileName.ts';

/** Includes the short names that Windows gives these folders, such as `GIT~1`. */
const closedFolders = /^(\.git|\.vscode|\.unified-media|git~\d+|vscode~\d+|unifie~\d+)$/i;

/** Returns why a path of a manifest is not allowed, or undefined if it is. It does not access the disk. */
export function pathProblem(path: string): string | undefined {
  const shown = JSON.stringify(path.length > 80 ? `${path.slice(0, 80)}…` : path);
  if (path === '') return l10n.t('The path is empty.');
  if (/[\p{Cc}\u2028\u2029]/u.test(path)) return l10n.t('The path {0} contains a control character.', shown);
  if (/^[a-z][a-z0-9+.-]*:/i.test(path)) {
    return l10n.t('The path {0} is a URL or names a drive. Use a path relative to the manifest.', shown);
  }
  if (/^[/\\~]/.test(path)) return l10n.t('The path {0} is absolute. Use a path relative to the manifest.', shown);
  if (path.includes('\\')) return l10n.t('The path {0} contains a backslash. Separate folders with /.', shown);
  const names = path.split('/');
  if (names.includes('..')) return l10n.t('The path {0} leads out of the folder of the manifest.', shown);
  if (names.some((name) => name === '' || name === '.'))
    return l10n.t('The path {0} has an empty or “.” segment.', shown);
  if (names.some((name) => closedFolders.test(name.replace(/[. ]+$/, '')))) {
    return l10n.t('The path {0} is in a reserved folder: .git, .vscode or .unified-media.', shown);
  }
  if (names.some((name) => /["*:<>?|]|[. ]$/.test(name) || windowsReserved.test(name))) {
    return l10n.t('The path {0} contains a name that is not valid on every system.', shown);
  }
  return undefined;
}
