import * as l10n from '@vscode/l10n';

const reserved = /^(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(\.|$)/i;
/** Windows also knows folders by short names such as `GIT~1`. */
const closedFolders = /^(\.git|\.vscode|\.unified-media|git~\d+|vscode~\d+|unifie~\d+)$/i;

/** Why a path of a manifest cannot be used, as a sentence; undefined when it can. Nothing is looked up. */
export function pathProblem(path: string): string | undefined {
  const shown = JSON.stringify(path.length > 80 ? `${path.slice(0, 80)}…` : path);
  if (path === '') return l10n.t('The path is empty.');
  if (/[\p{Cc}\u2028\u2029]/u.test(path)) return l10n.t('The path {0} holds a control character.', shown);
  if (/^[a-z][a-z0-9+.-]*:/i.test(path)) {
    return l10n.t('The path {0} is an address or names a drive. Paths are relative to the manifest.', shown);
  }
  if (/^[/\\~]/.test(path)) return l10n.t('The path {0} is absolute. Paths are relative to the manifest.', shown);
  if (path.includes('\\')) return l10n.t('The path {0} holds a backslash. Folders are separated by /.', shown);
  const names = path.split('/');
  if (names.includes('..')) return l10n.t('The path {0} leads out of the folder of the manifest.', shown);
  if (names.some((name) => name === '' || name === '.')) return l10n.t('The path {0} has an empty part.', shown);
  if (names.some((name) => closedFolders.test(name.replace(/[. ]+$/, '')))) {
    return l10n.t('The path {0} leads into a folder that belongs to a tool: .git, .vscode or .unified-media.', shown);
  }
  if (names.some((name) => /["*:<>?|]|[. ]$/.test(name) || reserved.test(name))) {
    return l10n.t('The path {0} holds a name that not every system can have.', shown);
  }
  return undefined;
}
