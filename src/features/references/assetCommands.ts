import * as vscode from 'vscode';
import { playerOffset, titleOf } from '../../documents/findReferences.ts';
import { type Language, languageOf } from '../../documents/Language.ts';
import { mediaExtensions } from '../../documents/MediaReference.ts';
import { changeDocument, unchangedSentence } from '../../editor/changeDocument.ts';
import { editKinds } from '../../editor/editKinds.ts';
import type { LastEditors } from '../../editor/LastEditors.ts';
import { libraryRoots } from '../../editor/libraryRoots.ts';
import { urisArgument } from '../../editor/MediaInputs.ts';
import { notify } from '../../editor/notify.ts';
import { editorToWriteIn } from '../../editor/openDocuments.ts';
import { pickFile } from '../../editor/pickFile.ts';
import type { ReferenceWriter, ReferredAssets } from '../../editor/ReferenceWriter.ts';
import { exists, openUris, uriOf } from '../../editor/workspaceFiles.ts';
import { checked, list, objectWith, optional, text, yes } from '../../foreign/shape.ts';
import { altTextOf } from '../../library/origins.ts';
import { type Libraries, presentFiles } from './presentFiles.ts';

/** Inserts references to files where the person wrote last, and puts the cursor behind them. */
export async function insertAsset(
  references: ReferenceWriter,
  last: Pick<LastEditors, 'places'>,
  libraries: Libraries,
  argument: unknown,
): Promise<boolean> {
  const newest = isLast(argument) ? await newestResult(libraries) : undefined;
  const isGiven = newest !== undefined || urisArgument(argument).length > 0;
  const given = newest ? [newest.uri] : await presentFiles(argument, libraries);
  const uris = isGiven ? given : await pickedFile();
  if (uris.length === 0) return false;
  // A file that is open itself, such as a transcript that the person looks at, is not inserted into itself.
  const editor = await editorToWriteIn(last.places, vscode.l10n.t('Insert at Cursor'), uris);
  if (!editor) return false;
  const { document } = editor;
  const isPlayer = isBelowTitle(argument);
  let isAtCursor = true;
  const isInserted = await changeDocument(
    () => document,
    async () => {
      const [text, language] = [document.getText(), languageOfDocument(document)];
      const below = isPlayer ? playerOffset(text, language) : undefined;
      isAtCursor = below === undefined;
      const place = document.positionAt(below ?? 0);
      const at = below === undefined ? editor.selection : new vscode.Range(place, place);
      const ownTitle = (isPlayer && titleOf(text, language)) || undefined;
      const { text: reference, imports } = await references.textFor(document, at, {
        uris,
        title: newest?.title ?? givenTitle(argument) ?? ownTitle,
        titles: titlesOf(argument),
        isParagraph: !isAtCursor,
      });
      return () =>
        editor.edit((edit) => {
          for (const { range, newText } of imports) edit.insert(range.start, newText);
          if (!isAtCursor) edit.insert(at.start, paragraphAt(document, at.start, reference));
          else for (const selection of editor.selections) edit.replace(selection, reference);
        });
    },
  );
  if (!isInserted) void notify.warning(unchangedSentence(document));
  if (!isInserted || !isAtCursor) return isInserted;
  editor.selections = editor.selections.map(({ end }) => new vscode.Selection(end, end));
  // A view may have the focus, and what is typed next belongs behind the reference.
  await vscode.window.showTextDocument(document, { viewColumn: editor.viewColumn });
  return isInserted;
}

export async function openAsset(argument: unknown, libraries: Libraries): Promise<void> {
  await openUris(await presentFiles(argument, libraries));
}

/**
 * Shows a file in the Explorer, or in the system's file manager when it is outside the workspace. A browser has no file
 * manager, and that of a remote window does not have the file.
 */
export async function revealAsset(argument: unknown, libraries: Libraries): Promise<void> {
  const [uri] = await presentFiles(argument, libraries);
  if (!uri) return;
  const isInside = vscode.workspace.getWorkspaceFolder(uri) !== undefined;
  const { clipboard, remoteName, uiKind } = vscode.env;
  if (isInside || (remoteName === undefined && uiKind === vscode.UIKind.Desktop)) {
    await vscode.commands.executeCommand(isInside ? 'revealInExplorer' : 'revealFileInOS', uri);
    return;
  }
  const copy = vscode.l10n.t('Copy Path');
  const sentence = vscode.l10n.t(
    'This window cannot show the folder of {0}, which is outside the workspace.',
    uri.fsPath,
  );
  if ((await notify.information(sentence, copy)) === copy) await clipboard.writeText(uri.fsPath);
}

/** Returns the edit that inserts what a view put into a drag; undefined when the data is not from a view. */
export async function dropIn(
  references: () => Promise<ReferenceWriter>,
  document: vscode.TextDocument,
  position: vscode.Position,
  data: string | undefined,
): Promise<vscode.DocumentDropEdit | undefined> {
  const dropped = droppedAssets(data);
  if (!dropped) return undefined;
  const { text, imports } = await (await references()).textFor(document, new vscode.Range(position, position), dropped);
  // VS Code indents the further lines of a drop like the line that it is on.
  const [indent = ''] = /^\s*/.exec(document.lineAt(position.line).text.slice(0, position.character)) ?? [];
  const drop = new vscode.DocumentDropEdit(
    text.replaceAll(`\n${indent}`, '\n'),
    vscode.l10n.t('Insert Reference'),
    editKinds.reference,
  );
  drop.additionalEdit = new vscode.WorkspaceEdit();
  drop.additionalEdit.set(document.uri, [...imports]);
  return drop;
}

const isDropped = objectWith({ uris: list(text()), title: optional(text()) });

/** Reads the data that a view put into a drag: JSON of `{uris, title}`. */
function droppedAssets(text: string | undefined): ReferredAssets | undefined {
  const value: unknown = text ? JSON.parse(text) : undefined;
  if (!isDropped(value) || value.uris.length === 0) return undefined;
  return { uris: value.uris.map((uri) => vscode.Uri.parse(uri, true)), title: value.title };
}

/** Returns the title of the argument, which becomes the alternative text. */
function givenTitle(argument: unknown): string | undefined {
  return checked(objectWith({ title: text() }), argument)?.title;
}

/** Returns one title per file, where they differ. */
function titlesOf(argument: unknown): readonly string[] | undefined {
  return checked(objectWith({ titles: list(text()) }), argument)?.titles;
}

/** Whether the newest result is meant, as by the keybinding. */
function isLast(argument: unknown): boolean {
  return objectWith({ last: yes })(argument);
}

/** Returns the newest result whose file is still there. */
async function newestResult({ places, jobs }: Libraries) {
  const roots = libraryRoots(places.chosen, jobs);
  const newest = await Promise.all(
    roots.map(async (root) => {
      const all = (await places.libraryOf(root).entries()).map((entry) => ({ entry }));
      for (const { entry } of all.toReversed()) {
        const uri = uriOf({ root, entry });
        if (uri && (await exists(uri))) return [{ ...entry, uri, title: altTextOf({ entry }, all) }];
      }
      return [];
    }),
  );
  return newest.flat().sort((one, other) => other.createdAt.localeCompare(one.createdAt))[0];
}

/** Whether a player of the whole document is meant, which has the document's title. */
function isBelowTitle(argument: unknown): boolean {
  return objectWith({ belowTitle: yes })(argument);
}

function languageOfDocument({ languageId, uri }: vscode.TextDocument): Language {
  return languageOf(languageId, uri.path);
}

/** Returns a text with a blank line before and after it, where there is none yet. */
function paragraphAt(document: vscode.TextDocument, { line, character }: vscode.Position, text: string): string {
  const isBlank = (number: number) =>
    number < 0 || number >= document.lineCount || document.lineAt(number).isEmptyOrWhitespace;
  const before = character > 0 ? '\n\n' : isBlank(line - 1) ? '' : '\n';
  return `${before}${text}\n${isBlank(line) ? '' : '\n'}`;
}

async function pickedFile(): Promise<readonly vscode.Uri[]> {
  const title = vscode.l10n.t('Insert Asset at Cursor');
  const file = await pickFile(title, vscode.l10n.t('Choose a file'), mediaExtensions);
  return file ? [file] : [];
}
