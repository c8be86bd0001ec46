import { posix } from 'node:path';
import * as l10n from '@vscode/l10n';
import { canonicalRoot } from '../files/canonicalRoot.ts';
import { heldError } from '../files/FileCalls.ts';
import type { CreatedFile, FileContent, Folder } from '../files/Folder.ts';
import { hashOf } from '../files/sha256.ts';
import type { Asset, NarrationFacts } from '../library/LibraryRecord.ts';
import { createHashed, nameNew, temporaryName } from '../library/saveMedia.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import type { PlaceReference } from '../work/Job.ts';
import type { JobRunner } from '../work/JobRunner.ts';
import { beforeSending } from '../work/jobErrors.ts';
import { checkPlace, type Place } from '../work/Place.ts';
import type { NarrationBlock } from './NarrationBlock.ts';
import type { NarratedFile, PreviousNarration } from './narrate.ts';
import { type Narration, narrateWhole } from './narrateWhole.ts';
import { type RecordedNarration, readNarrations } from './planNarration.ts';
import { type NarrationRecord, recordNarration, type SpokenNarration } from './recordNarration.ts';
import type { Speaker } from './Speaker.ts';
import type { WholeOptions } from './SpokenSoFar.ts';
import { wholeKey } from './wholeKey.ts';

export interface NarrationTask {
  /** URI of the document. */
  readonly uri: string;
  /** Path of the document relative to the workspace folder, with forward slashes. */
  readonly document: string;
  /** SHA-256 of the document's text, hexadecimal. */
  readonly documentHash: string;
  /** Name for a new narration, without extension. */
  readonly name: string;
  readonly speaker: Speaker;
  /** Those further fields of the speaker that were chosen. */
  readonly fields?: NarrationFacts['fields'];
  readonly sandbox: boolean;
  readonly blocks: readonly NarrationBlock[];
  /** Maximum length of a block; undefined if that is not known. */
  readonly maxCharacters?: number;
  /** Keys of blocks that are spoken again although the narration has them. */
  readonly again?: ReadonlySet<string>;
  /** All recorded states of the document's narrations. */
  readonly own: readonly RecordedNarration[];
  /** The state that matches its file, if any. */
  readonly current: RecordedNarration | undefined;
  readonly reference: PlaceReference;
  /** The place of `reference`, or the folder of `current` if there is one. */
  readonly place: Place;
}

/**
 * Narrates a document, as {@link narrateWhole}, and records the narration.
 *
 * @throws MediaError; `invalidInput` while another window narrates the same document, or when it has done so since the
 *   task was planned
 */
export async function makeNarration(
  task: NarrationTask,
  runner: JobRunner,
  options: WholeOptions,
): Promise<SavedNarration> {
  await checkPlace(task.place).catch((error: unknown) => {
    throw beforeSending(error);
  });
  const { uri, document, speaker, sandbox, reference: place, blocks, again } = task;
  const key = await documentKey(uri);
  // Shows all blocks as one job with the document's name, and lets Run Again continue the narration.
  const note = wholeKey('narration', document, task.documentHash, speaker);
  const request = { ...speaker, input: document };
  const narration: Narration<SavedNarration> = {
    whole: { key, note, request, place, sandbox, document: uri, maxCharacters: task.maxCharacters },
    blocks,
    again,
    previous: async () => {
      await checkUnchanged(task);
      return task.current && previousOf(task.current, task.place);
    },
    save: (narrated) => save(narrated, task),
    uriOf: ({ asset }) => asset.uri,
  };
  return narrateWhole(narration, runner, { ...options, lookAgain: () => checkUnchanged(task) });
}

/** Returns the key of the whole that a document is narrated as. */
export async function documentKey(uri: string): Promise<string> {
  return wholeKey('document', await canonicalRoot(uri));
}

/** @throws MediaError when another window has narrated the document since its narrations were read */
async function checkUnchanged({ document, own, place }: NarrationTask): Promise<void> {
  const known = new Set(own.map(({ sha256, createdAt }) => `${sha256} ${createdAt}`));
  const recorded = (await readNarrations(place.library)).filter((narration) => narration.document === document);
  if (recorded.every(({ sha256, createdAt }) => known.has(`${sha256} ${createdAt}`))) return;
  const sentence = l10n.t(
    'Nothing was sent, because this document was narrated in the meantime. Narrate again to see what needs to be spoken.',
  );
  throw new MediaError('invalidInput', sentence, { field: 'uri' });
}

function previousOf({ file, sha256, blocks, credentials }: RecordedNarration, { folder }: Place): PreviousNarration {
  const name = posix.basename(file);
  return { kind: posix.extname(name).slice(1), sha256, blocks, credentials, stream: () => folder.stream(name) };
}

export interface SavedNarration {
  readonly asset: Asset;
  /** URI of the cue file. */
  readonly transcript: string;
}

/**
 * Saves a narration, its cues and its record. Replaces its own files atomically, once the new ones are complete. A file
 * that someone has changed is kept, and the new one gets another name.
 *
 * @throws MediaError
 */
async function save(narrated: NarratedFile, task: NarrationTask): Promise<SavedNarration> {
  const { folder } = task.place;
  // A file of another type cannot keep the old name.
  const own = task.current?.file.endsWith(`.${narrated.kind}`) ? task.current : undefined;
  // Always use the same temporary name, so that the next attempt removes what a crash has left.
  const temporary = temporaryName(`narration-${hashOf(Buffer.from(task.document)).slice(0, 16)}`);
  try {
    await folder.remove(temporary);
    const sound = await createHashed(folder, temporary, narrated.data);
    const { document, documentHash, speaker, fields, sandbox } = task;
    const { kind, marks } = narrated;
    const facts = { document, documentHash, speaker, fields, sandbox, kind, marks };
    const spoken = { ...facts, bytes: sound.bytes, sha256: sound.sha256, ...narrated.parts() };
    return await (own ? replaceOwn(task, sound, spoken, own) : saveNew(task, sound, spoken));
  } catch (error) {
    await folder.remove(temporary).catch(() => undefined);
    const held = own ? heldError(own.file, error) : error;
    if (held instanceof MediaError) throw held;
    const sentence = l10n.t('The narration cannot be saved in {0}: {1}.', folder.uri, reasonOf(error));
    throw new MediaError('save', sentence, { cause: error });
  }
}

async function replaceOwn(
  { place, own: states }: NarrationTask,
  sound: CreatedFile & FileContent,
  spoken: SpokenNarration,
  replaced: RecordedNarration,
): Promise<SavedNarration> {
  const name = replaced.file.slice(replaced.file.lastIndexOf('/') + 1);
  const { record, transcript } = await recordNarration(spoken, place, { name, cues: stemOf(name), states, replaced });
  if (!(await place.folder.replace(sound, name, replaced))) {
    const sentence = l10n.t(
      'The narration was not saved, because {0} changed in the meantime. Narrate again; the spoken paragraphs are kept.',
      place.folder.uriOf(name),
    );
    throw new MediaError('save', sentence);
  }
  // Listeners that read the file after the record was appended saw the old one.
  place.library.changed();
  return savedAs(record, place.folder, name, transcript);
}

async function saveNew(
  { place, name: wanted, own: states }: NarrationTask,
  sound: CreatedFile & FileContent,
  spoken: SpokenNarration,
): Promise<SavedNarration> {
  // Replacing a file that another document's record names would destroy what was paid for there.
  const isRecorded = async (file: string) => (await place.library.entriesAt([place.recordedName(file)])).length > 0;
  const name = await nameNew(place.folder, sound, wanted, spoken.kind, isRecorded);
  const file = { name, cues: stemOf(name), states, replaced: undefined };
  const { record, transcript } = await recordNarration(spoken, place, file);
  return savedAs(record, place.folder, name, transcript);
}

function savedAs(record: NarrationRecord, folder: Folder, name: string, transcript: string): SavedNarration {
  const { kind, operation, model, mediaType, bytes, sha256, createdAt, jobId } = record;
  const uri = folder.uriOf(name);
  return {
    asset: { uri, kind, operation, model, mediaType, bytes, sha256, createdAt, jobId },
    transcript: folder.uriOf(transcript),
  };
}

function stemOf(name: string): string {
  return name.slice(0, name.lastIndexOf('.'));
}
