import { posix } from 'node:path';
import * as vscode from 'vscode';
import { languageOf } from '../../documents/Language.ts';
import { isShown } from '../../editor/DocumentAnchor.ts';
import { editorInUse } from '../../editor/editorInUse.ts';
import { openUris } from '../../editor/openAssets.ts';
import { plainText } from '../../editor/plainText.ts';
import type { DocumentToken } from '../../jobs/JobRecord.ts';
import type { Asset } from '../../library/Asset.ts';
import { transcriptIn } from './insertedText.ts';
import { readTranscriptFile } from './readTranscriptFile.ts';
import type { RecordingDependencies } from './registerRecordings.ts';
import { replaceToken } from './tokens.ts';

/**
 * Puts a transcript in the place of its token. Where the token is gone, or its document is shown by no tab, the person is
 * told where the transcript is, and can have it inserted all the same.
 */
export async function deliverTranscript(
  assets: readonly Asset[],
  into: DocumentToken,
  dependencies: Pick<RecordingDependencies, 'references' | 'log'>,
): Promise<void> {
  const write = writerOf(assets, into, dependencies);
  const uri = vscode.Uri.parse(into.document, true);
  // After a reload the editor opens the document of a tab in the background when somebody asks for it.
  if (isShown(uri)) await vscode.workspace.openTextDocument(uri).then(undefined, () => undefined);
  if (await replaceToken(into.text, write)) return;
  // The command is over; the message may stay as long as the person likes.
  void offerToInsert(assets, into, write).then(undefined, (error: unknown) =>
    dependencies.log.warn(`A transcript could not be inserted: ${String(error)}`),
  );
}

type Write = (document: vscode.TextDocument, at: vscode.Position) => Promise<string>;

function writerOf(
  assets: readonly Asset[],
  { player }: DocumentToken,
  { references }: Pick<RecordingDependencies, 'references'>,
): Write {
  return async (document, at) => {
    const language = languageOf(document.languageId, document.uri.path);
    const texts: string[] = [];
    if (player !== undefined) {
      const uri = vscode.Uri.parse(player, true);
      texts.push(await (await references()).textFor(document, at, { uris: [uri], title: posix.parse(uri.path).name }));
    }
    for (const asset of assets) {
      const uri = vscode.Uri.parse(asset.uri, true);
      const file = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
      texts.push(transcriptIn(language, readTranscriptFile(posix.extname(uri.path).slice(1), file)));
    }
    return texts.join('\n\n');
  };
}

async function offerToInsert(assets: readonly Asset[], { document, text }: DocumentToken, write: Write): Promise<void> {
  const uri = vscode.Uri.parse(document, true);
  const [insert, open] = [vscode.l10n.t('Insert'), vscode.l10n.t('Open')];
  const names = assets.map((asset) => vscode.workspace.asRelativePath(vscode.Uri.parse(asset.uri, true))).join(', ');
  const sentence = vscode.l10n.t(
    'The transcript is saved as {0}. Its place in {1} is gone or closed, so it was not inserted.',
    names,
    vscode.workspace.asRelativePath(uri),
  );
  const chosen = await vscode.window.showInformationMessage(plainText(sentence), insert, open);
  if (chosen === open) return openUris(assets.map((asset) => asset.uri));
  if (chosen !== insert) return;
  const editor = await editorOf(uri);
  if (!editor || (await replaceToken(text, write))) return;
  const at = editor.selection.active;
  const written = await write(editor.document, at);
  await editor.edit((edit) => edit.insert(at, written));
}

/** Of the document, or where that is gone, the one that the person works in. */
async function editorOf(uri: vscode.Uri): Promise<vscode.TextEditor | undefined> {
  try {
    return await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: false });
  } catch {
    return editorInUse().editor;
  }
}
