import { posix } from 'node:path';
import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { mediaKindOf } from '../../documents/MediaReference.ts';
import { Click } from '../../editor/Caller.ts';
import { notify } from '../../editor/notify.ts';
import { eachOnce } from '../../editor/ReferenceWriter.ts';
import { exists } from '../../editor/workspaceFiles.ts';
import { shortLine } from '../../foreign/plainText.ts';
import { nameParts, numberedName } from '../../library/fileName.ts';
import { checkFields } from '../../operations/validateRequest.ts';
import type { MissingMedia, UnservedReference } from './MissingMedia.ts';

/** Maximum length of an address in a title, in characters. */
const shownCharacters = 60;

/**
 * Returns the quick fixes for references to files that the site does not serve: another address or, where there is
 * none, another place for the file. They are free.
 */
export async function servingActions(
  document: vscode.TextDocument,
  unserved: readonly UnservedReference[],
  { media, diagnostics }: { readonly media: MissingMedia; readonly diagnostics: vscode.Diagnostic[] },
): Promise<readonly vscode.CodeAction[]> {
  const actions: vscode.CodeAction[] = [];
  const paths = [...new Set(unserved.map(({ path }) => path))];
  for (const path of paths) {
    const edits = await correctionsFor(document, path, { media, newPath: path });
    const [first] = edits;
    if (first) {
      const title = vscode.l10n.t('Correct the Address to {0}', shortLine(first.newText, shownCharacters));
      const edit = new vscode.WorkspaceEdit();
      edit.set(document.uri, [...edits]);
      actions.push({ title, kind: vscode.CodeActionKind.QuickFix, edit, diagnostics });
      continue;
    }
    const place = await placeFor(document, path, media);
    if (!place) continue;
    const [name, folder] = await Promise.all([
      media.nameIn(document, path),
      media.nameIn(document, posix.dirname(place.newPath)),
    ]);
    const action = (title: string, copies: boolean) => ({
      title,
      kind: vscode.CodeActionKind.QuickFix,
      command: {
        title,
        command: commandIds.serveFile,
        arguments: [Click.on({ uri: document.uri.toString(), path, copies })],
      },
      diagnostics,
    });
    actions.push(
      action(vscode.l10n.t('Move {0} to {1}', name, folder), false),
      action(vscode.l10n.t('Copy {0} to {1}', name, folder), true),
    );
  }
  return actions;
}

interface NewPlace {
  readonly newPath: string;
  readonly edits: readonly vscode.TextEdit[];
}

/** Returns a free path in the folder for new media, if references of the document can lead there. */
async function placeFor(
  document: vscode.TextDocument,
  path: string,
  media: MissingMedia,
): Promise<NewPlace | undefined> {
  const kind = mediaKindOf(path);
  const folder = kind && (await media.folderFor(document, kind));
  if (folder === undefined || folder === posix.dirname(path)) return undefined;
  const { name, extension = '' } = nameParts(posix.basename(path));
  for (let number = 1; ; number++) {
    const newPath = posix.join(folder, numberedName(name, extension, number));
    if (await exists(document.uri.with({ path: newPath }))) continue;
    const edits = await correctionsFor(document, path, { media, newPath });
    return edits.length > 0 ? { newPath, edits } : undefined;
  }
}

/** Returns the edits by which the references that do not reach a file lead to it, or to its new path. */
async function correctionsFor(
  document: vscode.TextDocument,
  path: string,
  { media, newPath }: { readonly media: MissingMedia; readonly newPath: string },
): Promise<readonly vscode.TextEdit[]> {
  const writer = await media.references();
  const edits: vscode.TextEdit[] = [];
  for (const reference of await media.referencesIn(document)) {
    const target = await media.targetOf(document, reference);
    if (target?.path !== path || !target.fault) continue;
    const corrected = await writer.correctionOf(document, reference, newPath);
    edits.push(...(corrected ?? []).filter((edit) => edit.newText !== document.getText(edit.range)));
  }
  return eachOnce(edits);
}

/**
 * Moves or copies a file into the folder from which the site of a document serves it, and corrects the references. Never
 * overwrites a file.
 *
 * @param argument `{uri, path, copies}`: the document, the path of the file as in URIs, and whether the file also stays
 * @returns the URI of the file in its new place; undefined when there is none, or when it could not be moved
 */
export async function serveFile(argument: unknown, media: MissingMedia): Promise<string | undefined> {
  const title = vscode.l10n.t('Move or Copy File to the Site');
  const { uri, path, copies } = checkFields(title, ['uri', 'path', 'copies'], argument);
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(String(uri), true));
  const place = await placeFor(document, String(path), media);
  if (!place) return undefined;
  const [from, to] = [String(path), place.newPath].map((one) => document.uri.with({ path: one }));
  if (!from || !to) return undefined;
  const edit = new vscode.WorkspaceEdit();
  // Moves in an edit are undone with it, and the library follows them.
  if (copies === true) await vscode.workspace.fs.copy(from, to, { overwrite: false });
  else edit.renameFile(from, to, { overwrite: false });
  edit.set(document.uri, [...place.edits]);
  if (await vscode.workspace.applyEdit(edit)) {
    await media.noticeGenerated([from, to]);
    return to.toString();
  }
  void notify.warning(vscode.l10n.t('{0} could not be moved.', vscode.workspace.asRelativePath(from)));
  return undefined;
}
