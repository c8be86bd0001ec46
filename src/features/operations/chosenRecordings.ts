import { posix } from 'node:path';
import * as vscode from 'vscode';
import { askInDialog, notify } from '../../editor/notify.ts';
import type { RunParts } from '../../editor/runs/requests.ts';
import { exists, openUris, sha256Of } from '../../editor/workspaceFiles.ts';
import { pathFrom } from '../../files/pathFrom.ts';
import type { LibraryEntry } from '../../library/LibraryRecord.ts';
import { inputsOf } from '../../library/origins.ts';
import { extensionsOf } from '../../operations/fields.ts';
import type { AudioFileField, OperationId } from '../../operations/operations.ts';
import { extensionOf } from '../../operations/operations.ts';

/** A recording that was sent before as it is now, and what was made of it. */
interface Done {
  readonly recording: vscode.Uri;
  readonly transcript: vscode.Uri;
}

/**
 * Returns those of the selected files that are to be sent. Other files, which are often selected by accident, are left
 * out and named. Recordings that have a transcript already are asked about: they would be paid for twice.
 *
 * @returns undefined when nothing is to be sent
 */
export async function chosenRecordings(
  id: OperationId,
  field: AudioFileField,
  selected: readonly vscode.Uri[],
  { places }: Pick<RunParts, 'places'>,
): Promise<readonly vscode.Uri[] | undefined> {
  const extensions = extensionsOf(field);
  const isRecording = (uri: vscode.Uri) => extensions.includes(extensionOf(uri.path));
  const recordings = selected.filter(isRecording);
  const others = selected.filter((uri) => !isRecording(uri));
  // Validation says what is wrong with a single file.
  if (recordings.length === 0) return selected;
  if (others.length > 0) {
    void notify.information(vscode.l10n.t('Left out, because it is no recording: {0}', namesOf(others)));
  }
  const done = (await Promise.all(recordings.map((uri) => doneBefore(id, uri, places)))).filter(
    (one) => one !== undefined,
  );
  return done.length === 0 ? recordings : askAboutDone(id, recordings, done);
}

async function doneBefore(
  id: OperationId,
  recording: vscode.Uri,
  places: Pick<RunParts['places'], 'libraryOf'>,
): Promise<Done | undefined> {
  const root = vscode.workspace.getWorkspaceFolder(recording)?.uri;
  if (!root) return undefined;
  const path = pathFrom(root.path, recording.path);
  const entries = await places.libraryOf(root).entries('transcripts');
  const ofIt = entries.filter(({ operation, file }) => operation === id && file !== undefined);
  const found = ofIt.flatMap((entry) => {
    const input = inputsOf(entry).find(({ file }) => file === path);
    return input?.sha256 === undefined ? [] : [{ entry, sha256: input.sha256 }];
  });
  if (found.length === 0) return undefined;
  const sha256 = await sha256Of(recording).catch(() => undefined);
  for (const { entry } of found.filter((one) => one.sha256 === sha256).reverse()) {
    const transcript = fileOf(entry, root);
    if (await exists(transcript)) return { recording, transcript };
  }
  return undefined;
}

function fileOf({ file = '' }: LibraryEntry, root: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(root, file);
}

async function askAboutDone(
  id: OperationId,
  recordings: readonly vscode.Uri[],
  done: readonly Done[],
): Promise<readonly vscode.Uri[] | undefined> {
  const isTranslation = id === 'translate';
  const names = namesOf(done.map(({ recording }) => recording));
  const question = isTranslation
    ? vscode.l10n.t('Already translated: {0}', names)
    : vscode.l10n.t('Already transcribed: {0}', names);
  const others = recordings.filter((uri) => done.every(({ recording }) => recording !== uri));
  const open = vscode.l10n.t('Open');
  const onlyOthers = vscode.l10n.t('Only the Others');
  const again = isTranslation ? vscode.l10n.t('Translate Again') : vscode.l10n.t('Transcribe Again');
  const detail = done.map(({ transcript }) => vscode.workspace.asRelativePath(transcript)).join('\n');
  const chosen = await askInDialog(question, detail, open, ...(others.length > 0 ? [onlyOthers] : []), again);
  if (chosen === open) await openUris(done.map(({ transcript }) => transcript));
  if (chosen === onlyOthers) return others;
  return chosen === again ? recordings : undefined;
}

function namesOf(uris: readonly vscode.Uri[]): string {
  return uris.map((uri) => posix.basename(uri.path)).join(', ');
}
