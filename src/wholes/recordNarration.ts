import { randomUUID } from 'node:crypto';
import type { FileContent, Folder } from '../files/Folder.ts';
import { hashOf } from '../files/sha256.ts';
import { differencesOf, expectationsOf } from '../library/differences.ts';
import { idOf, type LibraryRecord, type NarrationFacts, type RecordedMarks } from '../library/LibraryRecord.ts';
import { valuesOf } from '../library/recordFacts.ts';
import { createHashed, inOnePiece, nameNew, temporaryName } from '../library/saveMedia.ts';
import type { Place } from '../work/Place.ts';
import type { RecordedNarration } from './planNarration.ts';
import type { Speaker } from './Speaker.ts';

/** A narration whose sound is complete, whichever way made it. */
export interface SpokenNarration extends FileContent {
  /** Path of the document relative to the workspace folder, with forward slashes. */
  readonly document: string;
  /** SHA-256 of the document, hexadecimal. */
  readonly documentHash: string | undefined;
  readonly speaker: Speaker;
  /** Those further fields of the speaker that were chosen. */
  readonly fields: NarrationFacts['fields'];
  readonly sandbox: boolean;
  /** File extension without the dot. */
  readonly kind: string;
  readonly marks: RecordedMarks;
  readonly blocks: NonNullable<LibraryRecord['blocks']>;
  /** WebVTT text. */
  readonly transcript: string;
}

/** Where the sound of a narration lies, and what is known of the narrations of its document. */
export interface NarrationFile {
  /** Name of the sound in the folder. */
  readonly name: string;
  /** Name for new cues, without extension. */
  readonly cues: string;
  /** All recorded states of the document's narrations. */
  readonly states: readonly RecordedNarration[];
  /** The state that this one replaces, if any. */
  readonly replaced: RecordedNarration | undefined;
}

/** The record of a narration with what every asset has. */
export type NarrationRecord = LibraryRecord & Required<Pick<LibraryRecord, 'mediaType' | 'bytes' | 'sha256'>>;

const mediaTypes: Readonly<Record<string, string>> = { mp3: 'audio/mpeg', wav: 'audio/wav', aac: 'audio/aac' };

/**
 * Records a narration, and saves its cues beside its sound. Replaces the cues of the state before it, unless someone has
 * changed them. Where it replaces a file, it is called before that: the record is written first, so that after a crash
 * one of the records matches the file.
 *
 * @returns the record, its permanent id, and the name of the cues
 * @throws MediaError `save`; errors of the folder
 */
export async function recordNarration(
  spoken: SpokenNarration,
  { folder, library, recordedName }: Pick<Place, 'folder' | 'library' | 'recordedName'>,
  { name, cues, states, replaced }: NarrationFile,
): Promise<{ readonly record: NarrationRecord; readonly id: string; readonly transcript: string }> {
  // Always the same temporary name, so that the next attempt removes what a crash has left.
  const temporary = temporaryName(`narration-${hashOf(recordedName(name)).slice(0, 16)}-cues`);
  await folder.remove(temporary);
  try {
    const created = await createHashed(folder, temporary, inOnePiece(Buffer.from(spoken.transcript)));
    const recorded = new Set(states.map(({ transcript }) => transcript.sha256));
    const old = replaced && (await ownTranscript(folder, replaced.transcript.name, recorded));
    const isNew = replaced === undefined || old === 'other';
    const transcript = isNew ? await nameNew(folder, created, cues, 'vtt') : replaced.transcript.name;
    // The record keeps its original name. Separate lines record where the file was moved to.
    const file = replaced ? replaced.id.slice(replaced.jobId.length + 1) : recordedName(name);
    const record = recordOf(
      spoken,
      { file, jobId: replaced?.jobId ?? randomUUID() },
      { name: transcript, sha256: created.sha256 },
    );
    await library.append(record);
    if (old === 'missing') await folder.moveIfAbsent(created, transcript);
    else if (typeof old === 'object') await folder.replace(created, transcript, old);
    return { record, id: idOf(record), transcript };
  } catch (error) {
    await folder.remove(temporary).catch(() => undefined);
    throw error;
  }
}

function recordOf(
  { document, documentHash, speaker, fields, sandbox, kind, marks, bytes, sha256, blocks }: SpokenNarration,
  own: { readonly file: string; readonly jobId: string },
  transcript: NarrationFacts['transcript'],
): NarrationRecord {
  const { model, further: _, ...voice } = speaker;
  const { values } = valuesOf('speak', { ...speaker, input: '' });
  const mediaType = mediaTypes[kind] ?? 'application/octet-stream';
  return {
    file: own.file,
    kind: 'speech',
    operation: 'speak',
    model,
    mediaType,
    bytes,
    sha256,
    createdAt: new Date().toISOString(),
    jobId: own.jobId,
    ...(sandbox ? { sandbox: true as const } : {}),
    ...marks,
    blocks,
    inputs: [{ field: 'input', file: document, sha256: documentHash }],
    values,
    differs: differencesOf(expectationsOf('speech', values), { mediaType }),
    narration: { document, ...voice, fields, transcript },
  };
}

/** Returns the content of our cue file, `missing`, or `other` if someone has changed it. */
export async function ownTranscript(
  folder: Pick<Folder, 'read'>,
  name: string,
  recorded: ReadonlySet<string>,
): Promise<FileContent | 'missing' | 'other'> {
  const bytes = await folder.read(name);
  if (!bytes) return 'missing';
  // Git may have converted the line endings.
  const text = Buffer.from(bytes).toString().replaceAll('\r\n', '\n');
  return recorded.has(hashOf(Buffer.from(text))) ? { bytes: bytes.length, sha256: hashOf(bytes) } : 'other';
}
