import { posix } from 'node:path';
import * as vscode from 'vscode';
import { commandIds } from '../contributions.ts';
import { pathFrom } from '../files/pathFrom.ts';
import { inputsOf } from '../library/origins.ts';
import { isRecording } from '../operations/fields.ts';
import type { OperationId } from '../operations/operations.ts';
import { askInDialog } from './askInDialog.ts';
import { run } from './commands.ts';
import { notify } from './notify.ts';
import { subtitlesBeside } from './subtitlesBeside.ts';
import type { Window } from './Window.ts';
import { exists, openUris, sha256Of, uriOf } from './workspaceFiles.ts';

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
export async function recordingsToSend(
  id: OperationId,
  selected: readonly vscode.Uri[],
  { places, settings }: Pick<Window, 'places' | 'settings'>,
): Promise<readonly vscode.Uri[] | undefined> {
  const recordings = selected.filter(({ path }) => isRecording(path));
  const others = selected.filter((uri) => !recordings.includes(uri));
  // Validation says what is wrong with a single file.
  if (recordings.length === 0) return selected;
  if (others.length > 0) {
    const names = namesOf(others);
    void notify.information(
      others.length === 1
        ? vscode.l10n.t('Left out, because it is not a recording: {0}', names)
        : vscode.l10n.t('Left out, because they are not recordings: {0}', names),
    );
  }
  const found = await Promise.all(recordings.map((uri) => doneBefore(id, uri, places, settings.usesSandbox)));
  const done = found.filter((one) => one !== undefined);
  const chosen = done.length === 0 ? recordings : await askAboutDone(id, recordings, done);
  if (!chosen || id !== 'transcribe') return chosen;
  // Whoever transcribes again has just been asked.
  const isNew = (uri: vscode.Uri) => done.every(({ recording }) => recording !== uri);
  return offerSubtitles(chosen, chosen.filter(isNew), places);
}

/** Offers the subtitles beside recordings, which cost nothing. @returns as {@link recordingsToSend} */
async function offerSubtitles(
  chosen: readonly vscode.Uri[],
  recordings: readonly vscode.Uri[],
  places: Pick<Window['places'], 'libraryOf'>,
): Promise<readonly vscode.Uri[] | undefined> {
  const found = (
    await Promise.all(recordings.map(async (uri) => ({ uri, subtitles: await subtitlesBeside(uri, places) })))
  ).flatMap(({ uri, subtitles }) => (subtitles ? [{ uri, subtitles }] : []));
  if (found.length === 0) return chosen;
  const names = namesOf(found.map(({ uri }) => uri));
  const detail = found.map(({ subtitles }) => vscode.workspace.asRelativePath(subtitles)).join('\n');
  const [use, transcribe] = [vscode.l10n.t('Use It (Free)'), vscode.l10n.t('Transcribe')];
  const answer = await askInDialog(vscode.l10n.t('There is a transcript beside {0}', names), detail, use, transcribe);
  if (answer !== use) return answer === transcribe ? chosen : undefined;
  for (const { subtitles } of found) await run(commandIds.useSubtitles, subtitles);
  const others = chosen.filter((one) => found.every(({ uri }) => uri !== one));
  return others.length > 0 ? others : undefined;
}

/** @param sandbox whether samples of the sandbox count, too */
async function doneBefore(
  id: OperationId,
  recording: vscode.Uri,
  places: Pick<Window['places'], 'libraryOf'>,
  sandbox: boolean,
): Promise<Done | undefined> {
  const root = vscode.workspace.getWorkspaceFolder(recording)?.uri;
  if (!root) return undefined;
  const path = pathFrom(root.path, recording.path);
  const entries = await places.libraryOf(root).entries('transcripts');
  const ofIt = entries.filter((one) => one.operation === id && one.file !== undefined && (sandbox || !one.sandbox));
  const found = ofIt.flatMap((entry) => {
    const input = inputsOf(entry).find(({ file }) => file === path);
    return input?.sha256 === undefined ? [] : [{ entry, sha256: input.sha256 }];
  });
  if (found.length === 0) return undefined;
  const sha256 = await sha256Of(recording).catch(() => undefined);
  for (const { entry } of found.filter((one) => one.sha256 === sha256).reverse()) {
    const transcript = uriOf({ root, entry });
    if (transcript && (await exists(transcript))) return { recording, transcript };
  }
  return undefined;
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
