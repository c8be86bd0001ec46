import { posix } from 'node:path';
import * as vscode from 'vscode';
import { languageOf } from '../../documents/Language.ts';
import { isShown } from '../../editor/DocumentAnchor.ts';
import { plainText } from '../../editor/displayText.ts';
import { editorInUse } from '../../editor/editorInUse.ts';
import { openUris } from '../../editor/openAssets.ts';
import type { DocumentToken } from '../../jobs/JobRecord.ts';
import type { Asset } from '../../library/Asset.ts';
import { transcriptIn } from './insertedText.ts';
import type { RecordingDependencies } from './RecordingDependencies.ts';
import { readTranscriptFile } from './readTranscriptFile.ts';
import { replaceToken } from './tokens.ts';

/**
 * Replaces a token with its transcript. When the token is gone or no tab shows its document, a message says where the
 * transcript was saved and offers to insert it.
 */
export async function deliverTranscript(
  assets: readonly Asset[],
  into: DocumentToken,
  dependencies: Pick<RecordingDependencies, 'references' | 'log'>,
): Promise<void> {
  const write = writerOf(assets, into, dependencies);
  const uri = vscode.Uri.parse(into.document, true);
  // After a reload, VS Code loads the documents of background tabs only on request.
  if (isShown(uri)) await vscode.workspace.openTextDocument(uri).then(undefined, () => undefined);
  if (await replaceToken(into.text, write)) return;
  // The command ends here; the message may stay open.
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
    'The transcript was saved as {0}. It was not inserted, because its place in {1} is gone or the document is closed.',
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

/** Shows the document's editor, or returns the active one when the document is gone. */
async function editorOf(uri: vscode.Uri): Promise<vscode.TextEditor | undefined> {
  try {
    return await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: false });
  } catch {
    return editorInUse().editor;
  }
}
