import { posix } from 'node:path';
import * as vscode from 'vscode';
import { callerOf } from '../../editor/Caller.ts';
import { uriArgument } from '../../editor/MediaInputs.ts';
import { pickFile } from '../../editor/pickFile.ts';
import { runCommand } from '../../editor/runCommand.ts';
import { lengthProblem, pairBeside } from '../../editor/timedPair.ts';
import type { Window } from '../../editor/Window.ts';
import { openUris, sha256Of } from '../../editor/workspaceFiles.ts';
import { hashOf } from '../../files/sha256.ts';
import type { Asset } from '../../library/LibraryRecord.ts';
import { localModel } from '../../library/recordedMarks.ts';
import { nameNew, record, saveBytes } from '../../library/saveMedia.ts';
import { MediaError } from '../../operations/MediaError.ts';
import { checkFields } from '../../operations/validateRequest.ts';
import { formatTranscript, segmentsOf } from '../../transcripts/formatTranscript.ts';
import { joinTexts } from '../../transcripts/subtitles.ts';
import { readTimes } from '../../transcripts/times.ts';

const extensions = ['vtt', 'srt', 'json'];
const isSubtitles = ({ path }: vscode.Uri) => extensions.includes(posix.extname(path).slice(1).toLowerCase());

/**
 * Makes a document of subtitles, or of JSON of Whisper, that another program wrote. They stay as they are, and give the
 * document its times. Nothing is sent.
 *
 * @param argument `{uri}`; without, the open file, or one that a person chooses
 * @returns undefined when the person dismissed the question or was shown the failure
 */
export function useSubtitles(
  argument: unknown,
  dependencies: Pick<Window, 'settings' | 'places' | 'log'>,
): Promise<readonly Asset[] | undefined> {
  const caller = callerOf(argument);
  return runCommand(caller, dependencies, async () => {
    const title = vscode.l10n.t('Make a Document of Subtitles');
    const given = argument instanceof vscode.Uri ? argument : uriIn(title, argument);
    const choose = () => pickFile(title, vscode.l10n.t('Choose subtitles'), extensions);
    const uri = given ?? (caller === 'person' ? await choose() : undefined);
    if (!uri) {
      if (caller === 'person') return undefined;
      const sentence = vscode.l10n.t('URI (uri) must name a .vtt, an .srt or a .json file of Whisper.');
      throw new MediaError('invalidInput', sentence, { field: 'uri' });
    }
    const asset = await documentOf(uri, dependencies);
    if (caller === 'person') await openUris([asset.uri]);
    return [asset];
  });
}

function uriIn(title: string, argument: unknown): vscode.Uri | undefined {
  if (argument !== undefined) return uriArgument(checkFields(title, ['uri'], argument).uri);
  const open = vscode.window.activeTextEditor?.document.uri;
  return open && isSubtitles(open) ? open : undefined;
}

/** @throws MediaError `invalidInput` when the file has no times, or those of another recording */
async function documentOf(uri: vscode.Uri, { places, settings }: Pick<Window, 'settings' | 'places'>): Promise<Asset> {
  const name = posix.basename(uri.path);
  const bytes = await vscode.workspace.fs.readFile(uri);
  const cues = readTimes(name, bytes);
  const { recording } = await pairBeside(uri);
  const problem = await lengthProblem({ recording }, cues);
  if (problem !== undefined) {
    throw new MediaError('invalidInput', `${problem} ${vscode.l10n.t('Nothing was changed.')}`, { field: 'uri' });
  }
  const place = places.placeAt(places.referenceBeside(uri));
  const { folder, recordedName } = place;
  const source = recording && posix.basename(recording.path);
  const [createdAt, segments] = [new Date(), segmentsOf(cues)];
  const { text, mediaType, extension } = formatTranscript(
    {
      text: joinTexts(segments.map((segment) => segment.text)),
      subtitles: undefined,
      language: undefined,
      duration: undefined,
      segments,
    },
    'markdown',
    { source, link: source, subtitles: name, date: createdAt, times: settings.get('transcript.times', uri) },
  );
  await folder.check();
  const content = Buffer.from(text);
  const stem = posix.parse(source ?? name).name;
  const saved = await saveBytes(
    folder,
    content,
    async (created) => nameNew(folder, created, stem, extension),
    (reason) => vscode.l10n.t('The document cannot be saved in {0}: {1}.', folder.uri, reason),
  );
  const facts = { mediaType, bytes: content.length, sha256: hashOf(content), createdAt: createdAt.toISOString() };
  const made = { kind: 'transcripts', operation: 'transcribe', model: localModel, jobId: crypto.randomUUID() } as const;
  const asset = { uri: folder.uriOf(saved), ...made, ...facts };
  const inputs = recording && [{ field: 'file', file: recordedName(source ?? ''), sha256: await sha256Of(recording) }];
  await record(place, saved, asset, {
    madeFrom: { file: recordedName(name), sha256: hashOf(bytes) },
    ...(inputs && { inputs }),
  });
  return asset;
}
