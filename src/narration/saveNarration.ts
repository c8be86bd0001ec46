import { createHash, randomUUID } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import type { Place } from '../jobs/saveResults.ts';
import type { Asset } from '../library/Asset.ts';
import type { CreatedFile, FileContent, Folder } from '../library/Folder.ts';
import { numberedName } from '../library/fileName.ts';
import { hasFile } from '../library/hasFile.ts';
import type { LibraryRecord } from '../library/LibraryRecord.ts';
import { temporaryName, withHash } from '../library/saveMedia.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import type { Speaker } from './NarrationBlock.ts';
import type { NarratedFile } from './narrate.ts';
import type { RecordedNarration } from './readNarrations.ts';

export interface SaveNarrationOptions {
  /** Its folder is that of `own`, where there is one. */
  readonly place: Place;
  /** The wanted name of a new narration, without extension. */
  readonly name: string;
  /** Relative to the workspace folder, with forward slashes. */
  readonly document: string;
  readonly speaker: Speaker;
  readonly sandbox: boolean;
  /** The narration that is replaced: the state of it that is true to its file. */
  readonly own: RecordedNarration | undefined;
  /** Of the cues that may stand beside `own`: the hashes of all that were recorded. */
  readonly transcripts: ReadonlySet<string>;
}

export interface SavedNarration {
  readonly asset: Asset;
  /** URI of the file with the cues. */
  readonly transcript: string;
}

interface Saving extends SaveNarrationOptions {
  readonly record: Omit<LibraryRecord, 'file' | 'narration'>;
  readonly sound: CreatedFile & FileContent;
  readonly extension: string;
  readonly cues: CreatedFile & FileContent;
}

const mediaTypes: Readonly<Record<string, string>> = { mp3: 'audio/mpeg', wav: 'audio/wav', aac: 'audio/aac' };

/**
 * Saves a narration, its cues and its record. Its own files are replaced, each in one step and when the new one is whole;
 * a file that somebody has changed stays, and the new one gets a name of its own.
 *
 * @throws MediaError
 */
export async function saveNarration(narration: NarratedFile, options: SaveNarrationOptions): Promise<SavedNarration> {
  const { folder } = options.place;
  // A file of another type cannot stand under the old name.
  const own = options.own?.file.endsWith(`.${narration.kind}`) ? options.own : undefined;
  // The same names each time, so that what a crash has left is removed by the next attempt.
  const id = `narration-${sha256Of(Buffer.from(options.document)).slice(0, 16)}`;
  const names = [temporaryName(id), temporaryName(`${id}-cues`)] as const;
  try {
    for (const name of names) await folder.remove(name);
    const sound = await create(folder, names[0], narration.data);
    const { blocks, transcript } = narration.parts();
    const cues = await create(folder, names[1], inOnePiece(Buffer.from(transcript)));
    const record = {
      kind: 'speech',
      operation: 'speak',
      model: options.speaker.model,
      mediaType: mediaTypes[narration.kind] ?? 'application/octet-stream',
      bytes: sound.bytes,
      sha256: sound.sha256,
      createdAt: new Date().toISOString(),
      jobId: own?.jobId ?? randomUUID(),
      ...(options.sandbox ? { sandbox: true as const } : {}),
      blocks,
    } as const;
    const saving = { ...options, record, sound, cues, extension: narration.kind };
    return await (own ? replaceOwn(saving, own) : saveNew(saving));
  } catch (error) {
    for (const name of names) await folder.remove(name).catch(() => undefined);
    if (error instanceof MediaError) throw error;
    const sentence = l10n.t('The narration cannot be saved in {0}: {1}.', folder.uri, reasonOf(error));
    throw new MediaError('save', sentence, { cause: error });
  }
}

/** The record comes first: whichever state a crash leaves, one of the records is true to the file. */
async function replaceOwn(saving: Saving, own: RecordedNarration): Promise<SavedNarration> {
  const { place, record, sound, cues } = saving;
  const name = own.file.slice(own.file.lastIndexOf('/') + 1);
  const old = await ownTranscript(place.folder, own.transcript.name, saving.transcripts);
  // Cues that somebody has changed stay.
  const transcript = old === 'other' ? await nameNew(place.folder, cues, stemOf(name), 'vtt') : own.transcript.name;
  // The record keeps the name that it began with; where the file is now stands in lines of its own.
  await append(saving, own.id.slice(own.jobId.length + 1), transcript);
  if (old === 'missing') await place.folder.moveIfAbsent(cues, transcript);
  else if (old !== 'other') await place.folder.replace(cues, transcript, old);
  if (!(await place.folder.replace(sound, name, own))) {
    const sentence = l10n.t(
      'The narration was not saved, because {0} was changed meanwhile. Narrate again: the paragraphs that were spoken are kept.',
      place.folder.uriOf(name),
    );
    throw new MediaError('save', sentence);
  }
  return savedAs(record, place.folder, name, transcript);
}

async function saveNew(saving: Saving): Promise<SavedNarration> {
  const { place, record, sound, cues, extension } = saving;
  const name = await nameNew(place.folder, sound, saving.name, extension);
  const transcript = await nameNew(place.folder, cues, stemOf(name), 'vtt');
  await append(saving, place.recordedName(name), transcript);
  return savedAs(record, place.folder, name, transcript);
}

async function append({ place, record, document, speaker, cues }: Saving, file: string, name: string): Promise<void> {
  const { voice, response_format } = speaker;
  const transcript = { name, sha256: cues.sha256 };
  await place.library.append({ file, ...record, narration: { document, voice, response_format, transcript } });
}

/** The first free name; one that holds this very content was given by an attempt that ended before it was recorded. */
async function nameNew(
  folder: Folder,
  created: CreatedFile & FileContent,
  name: string,
  extension: string,
): Promise<string> {
  for (let number = 1; ; number++) {
    const wanted = numberedName(name, extension, number);
    if (await hasFile(folder, wanted, created)) {
      await folder.remove(created.name);
      return wanted;
    }
    if ((await folder.size(wanted)) === undefined && (await folder.moveIfAbsent(created, wanted))) return wanted;
  }
}

/** What is there under the name of the cues: the content of ours, `missing`, or `other` for what somebody has changed. */
export async function ownTranscript(
  folder: Pick<Folder, 'read'>,
  name: string,
  recorded: ReadonlySet<string>,
): Promise<FileContent | 'missing' | 'other'> {
  const bytes = await folder.read(name);
  if (!bytes) return 'missing';
  // Git may have written it with the line ends of Windows.
  const text = Buffer.from(bytes).toString().replaceAll('\r\n', '\n');
  return recorded.has(sha256Of(Buffer.from(text))) ? { bytes: bytes.length, sha256: sha256Of(bytes) } : 'other';
}

async function create(
  folder: Folder,
  name: string,
  data: AsyncIterable<Uint8Array>,
): Promise<CreatedFile & FileContent> {
  const hashed = withHash(data);
  const created = await folder.create(name, hashed);
  return { ...created, sha256: hashed.sha256() };
}

function savedAs(record: Saving['record'], folder: Folder, name: string, transcript: string): SavedNarration {
  const { kind, operation, model, mediaType = '', bytes = 0, sha256 = '', createdAt, jobId } = record;
  const uri = folder.uriOf(name);
  return {
    asset: { uri, kind, operation, model, mediaType, bytes, sha256, createdAt, jobId },
    transcript: folder.uriOf(transcript),
  };
}

function stemOf(name: string): string {
  return name.slice(0, name.lastIndexOf('.'));
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function* inOnePiece(bytes: Uint8Array) {
  yield bytes;
}
