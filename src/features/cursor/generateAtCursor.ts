import * as vscode from 'vscode';
import { callerOf } from '../../editor/Caller.ts';
import { changeDocument, unchangedSentence } from '../../editor/changeDocument.ts';
import { notify } from '../../editor/notify.ts';
import { offerToInsert, offerToOpen } from '../../editor/offerSaved.ts';
import { DocumentAnchor, textEditorFor } from '../../editor/openDocuments.ts';
import type { ReferenceWriter } from '../../editor/ReferenceWriter.ts';
import { assetsOf } from '../../editor/requests/requests.ts';
import { runCommand, tryToShow } from '../../editor/runCommand.ts';
import type { Window } from '../../editor/Window.ts';
import type { Asset } from '../../library/LibraryRecord.ts';
import { checkFields } from '../../operations/validateRequest.ts';

/**
 * Generates an image from the selection or from a prompt that the person enters, and inserts a reference to it at the
 * cursor.
 *
 * @param argument `{model, prompt, fields}`
 * @returns the saved assets; undefined when the person dismissed a question or was shown the failure
 * @throws MediaError when there is an argument
 */
export function generateAtCursor(
  argument: unknown,
  dependencies: Pick<Window, 'settings' | 'places' | 'log' | 'runs' | 'lastEditors' | 'references'>,
): Promise<readonly Asset[] | undefined> {
  const caller = callerOf(argument);
  return runCommand(caller, dependencies, async () => {
    const title = vscode.l10n.t('Generate Image at Cursor');
    const given = argument === undefined ? {} : checkFields(title, ['model', 'prompt', 'fields'], argument);
    const editor = await textEditorFor(caller, dependencies.lastEditors.places, title);
    if (!editor) return undefined;
    const { document, selection } = editor;
    const selected = document.getText(selection);
    const anchor = new DocumentAnchor(document, selection);
    let mark: vscode.Disposable | undefined;
    let isInsertedLater = false;
    try {
      const place = await dependencies.places.referenceForDocument(document, 'images', caller === 'person');
      if (!place) return undefined;
      mark = markPlace(anchor, place.path);
      const prompt = selected.trim() === '' ? {} : { prompt: selected.trim() };
      const request = { operation: 'generateImage', fields: { ...prompt, ...given, n: 1 }, place } as const;
      const results = await dependencies.runs.run([request], caller, { title });
      if (!results) return undefined;
      const assets = assetsOf(results);
      const insertion = { anchor, selected, references: await dependencies.references() };
      if (!(await insertReference(assets, insertion))) {
        isInsertedLater = true;
        void tryToShow(dependencies.log, offerReference(assets, insertion)).finally(() => anchor.dispose());
      }
      return assets;
    } finally {
      mark?.dispose();
      if (!isInsertedLater) anchor.dispose();
    }
  });
}

interface Insertion {
  readonly anchor: DocumentAnchor;
  /** The selected text, which the reference replaces. */
  readonly selected: string;
  readonly references: ReferenceWriter;
}

/**
 * Inserts a reference at its place, as one undo step.
 *
 * @returns false when no tab shows the document, or when it was not changed
 */
function insertReference(assets: readonly Asset[], { anchor, selected, references }: Insertion): Promise<boolean> {
  const uris = assets.map(({ uri }) => vscode.Uri.parse(uri, true));
  const find = () => anchor.document;
  return changeDocument(find, async (document) => {
    const { range } = anchor;
    // Text that the person changed meanwhile stays.
    const isUnchanged = document.getText(range) === selected;
    const at = isUnchanged ? range : new vscode.Range(range.end, range.end);
    const { text, imports } = await references.textFor(document, at, { uris, title: assets[0]?.prompt });
    const edit = new vscode.WorkspaceEdit();
    edit.set(document.uri, [...imports, vscode.TextEdit.replace(at, text)]);
    return () => vscode.workspace.applyEdit(edit);
  });
}

/** Says why no reference was inserted. Opens the document and inserts it if the person wants to. */
async function offerReference(assets: readonly Asset[], insertion: Insertion): Promise<void> {
  const { uri, document: open } = insertion.anchor;
  const uris = assets.map((asset) => asset.uri);
  // A closed untitled document is gone.
  if (uri.scheme === 'untitled' && !open) return offerToOpen(uris);
  await offerToInsert(
    uris,
    (names) => {
      const name = vscode.workspace.asRelativePath(uri);
      return open
        ? vscode.l10n.t(
            '{0} was saved. No reference was inserted, because {1} kept changing or cannot be edited.',
            names,
            name,
          )
        : vscode.l10n.t(
            '{0} was saved. No reference was inserted, because {1} was closed in the meantime.',
            names,
            name,
          );
    },
    async () => {
      const document = await vscode.workspace.openTextDocument(insertion.anchor.uri);
      await vscode.window.showTextDocument(document, { preview: false });
      if (!(await insertReference(assets, insertion))) await notify.warning(unchangedSentence(document));
    },
  );
}

/**
 * Shows in the document where the image will appear, until it is disposed.
 *
 * @param folder folder of the future file, relative to the workspace folder
 */
function markPlace(anchor: DocumentAnchor, folder: string): vscode.Disposable {
  const mark = vscode.window.createTextEditorDecorationType({
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    after: {
      contentText: vscode.l10n.t('The image will appear here, its file in {0}.', folder === '' ? '.' : folder),
      color: new vscode.ThemeColor('editorGhostText.foreground'),
      fontStyle: 'italic',
      margin: '0 1ch',
    },
  });
  const show = () => {
    const editors = vscode.window.visibleTextEditors.filter(
      ({ document }) => document.uri.toString() === anchor.uri.toString(),
    );
    for (const editor of editors) editor.setDecorations(mark, [anchor.range]);
  };
  show();
  return vscode.Disposable.from(mark, vscode.window.onDidChangeVisibleTextEditors(show));
}
