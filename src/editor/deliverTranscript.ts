import { posix } from 'node:path';
import * as vscode from 'vscode';
import { languageOf } from '../documents/Language.ts';
import type { Asset } from '../library/LibraryRecord.ts';
import { readTranscriptFile, transcriptIn } from '../transcripts/transcriptIn.ts';
import type { DocumentToken } from '../work/Job.ts';
import { changeDocument, unchangedSentence } from './changeDocument.ts';
import { notify } from './notify.ts';
import { offerToInsert } from './offerSaved.ts';
import { isShown } from './openDocuments.ts';
import type { WrittenText } from './ReferenceWriter.ts';
import type { RunParts } from './requests/requests.ts';
import { tryToShow } from './runCommand.ts';

/**
 * Replaces a token with its transcript. When the token is gone or no tab shows its document, a message says where the
 * transcript was saved and offers to insert it.
 */
export async function deliverTranscript(
  assets: readonly Asset[],
  into: DocumentToken,
  dependencies: Pick<RunParts, 'references' | 'log'>,
): Promise<void> {
  const write = writerOf(assets, into, dependencies);
  if (await replaceToken(into, write)) return;
  // The command ends here; the message may stay open.
  void tryToShow(dependencies.log, offerTranscript(assets, into, write));
}

/**
 * Removes a token whose transcript will not come. When it is left in the document, as in a closed one, a message offers to
 * open that and remove it.
 */
export async function removeToken(into: DocumentToken, log: RunParts['log']): Promise<void> {
  if (!(await replaceToken(into, ''))) void tryToShow(log, offerToRemove(into));
}

async function offerToRemove(into: DocumentToken): Promise<void> {
  const uri = vscode.Uri.parse(into.document, true);
  if (!(await reopen(uri))?.getText().includes(into.text)) return;
  const remove = vscode.l10n.t('Remove');
  const name = vscode.workspace.asRelativePath(uri);
  const sentence = vscode.l10n.t('{0} still contains “{1}”, but that transcript will not come.', name, into.text);
  if ((await notify.information(sentence, remove)) !== remove) return;
  const editor = await editorOf(uri);
  if (!editor?.document.getText().includes(into.text) || (await replaceToken(into, ''))) return;
  await notify.warning(unchangedSentence(editor.document));
}

type Write = (document: vscode.TextDocument, at: vscode.Range) => Promise<WrittenText>;

function writerOf(
  assets: readonly Asset[],
  { player }: DocumentToken,
  { references }: Pick<RunParts, 'references'>,
): Write {
  return async (document, at) => {
    const language = languageOf(document.languageId, document.uri.path);
    const texts: string[] = [];
    const imports: vscode.TextEdit[] = [];
    if (player !== undefined) {
      const uri = vscode.Uri.parse(player, true);
      const title = posix.parse(uri.path).name;
      const written = await (await references()).textFor(document, at, { uris: [uri], title });
      imports.push(...written.imports);
      texts.push(written.text);
    }
    for (const asset of assets) {
      const uri = vscode.Uri.parse(asset.uri, true);
      const file = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
      texts.push(transcriptIn(language, readTranscriptFile(posix.extname(uri.path).slice(1), file)));
    }
    return { text: texts.join('\n\n'), imports };
  };
}

async function offerTranscript(assets: readonly Asset[], into: DocumentToken, write: Write): Promise<void> {
  const uri = vscode.Uri.parse(into.document, true);
  const name = vscode.workspace.asRelativePath(uri);
  const saved = assets.map((asset) => asset.uri);
  await offerToInsert(
    saved,
    (names) =>
      findToken(into.text)
        ? vscode.l10n.t(
            'The transcript was saved as {0}. It was not inserted, because {1} kept changing or cannot be edited.',
            names,
            name,
          )
        : vscode.l10n.t(
            'The transcript was saved as {0}. It was not inserted, because its place in {1} is gone or the document is closed.',
            names,
            name,
          ),
    async () => {
      const editor = await editorOf(uri);
      if (!editor) {
        await offerToInsert(saved, (names) =>
          vscode.l10n.t(
            'The transcript was saved as {0}. It was not inserted, because {1} can no longer be opened.',
            names,
            name,
          ),
        );
        return;
      }
      if (await replaceToken(into, write)) return;
      const isInserted = await changeDocument(
        () => editor.document,
        async (document) => {
          const at = editor.selection.active;
          const { text: written, imports } = await write(document, new vscode.Range(at, at));
          const edit = new vscode.WorkspaceEdit();
          edit.set(document.uri, [...imports, vscode.TextEdit.insert(at, written)]);
          return () => vscode.workspace.applyEdit(edit);
        },
      );
      if (!isInserted) await notify.warning(unchangedSentence(editor.document));
    },
  );
}

/** Shows a document's editor; undefined when that is not possible, as when the document is gone. */
async function editorOf(uri: vscode.Uri): Promise<vscode.TextEditor | undefined> {
  try {
    const document = await reopen(uri);
    return document && (await vscode.window.showTextDocument(document, { preview: false }));
  } catch {
    return undefined;
  }
}

/** Loads a document; undefined when it is gone. */
async function reopen(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  // VS Code would make a new document of that name.
  if (uri.scheme === 'untitled' && !isShown(uri)) return undefined;
  return vscode.workspace.openTextDocument(uri).then(undefined, () => undefined);
}

/** Returns the visible document that contains a token. */
function findToken(token: string): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((one) => isShown(one.uri) && one.getText().includes(token));
}

/** Whether an open document contains a token. */
export function isTokenOpen(token: string): boolean {
  return vscode.workspace.textDocuments.some((document) => document.getText().includes(token));
}

/**
 * Replaces a token, as one undo step.
 *
 * @param by the replacement, or a function that writes it for the token's range
 * @returns false when no visible document contains the token, or when it was not changed
 */
async function replaceToken({ document, text: token }: DocumentToken, by: string | Write): Promise<boolean> {
  const uri = vscode.Uri.parse(document, true);
  // After a reload, VS Code loads the documents of background tabs only on request.
  if (isShown(uri)) await reopen(uri);
  const find = () => findToken(token);
  return changeDocument(find, async (document) => {
    const start = document.positionAt(document.getText().indexOf(token));
    const at = new vscode.Range(start, start.translate(0, token.length));
    const { text, imports } = typeof by === 'string' ? { text: by, imports: [] } : await by(document, at);
    const edit = new vscode.WorkspaceEdit();
    edit.set(document.uri, [...imports, vscode.TextEdit.replace(at, text)]);
    return () => vscode.workspace.applyEdit(edit);
  });
}
