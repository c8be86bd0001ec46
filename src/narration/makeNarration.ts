import { posix } from 'node:path';
import * as l10n from '@vscode/l10n';
import { MediaError } from '../operations/MediaError.ts';
import type { Place } from '../work/deliver.ts';
import { checkPlace } from '../work/deliver.ts';
import type { PlaceReference } from '../work/Job.ts';
import type { RunOptions } from '../work/JobRun.ts';
import type { JobRunner } from '../work/JobRunner.ts';
import { beforeSending } from '../work/jobErrors.ts';
import { canonicalRoot } from '../work/Store.ts';
import { SpokenWhole } from '../work/speech/SpokenWhole.ts';
import { wholeKey, withPartsKept } from '../work/speech/speakInParts.ts';
import type { PreviousNarration } from './cutBlocks.ts';
import type { NarrationBlock, Speaker } from './NarrationBlock.ts';
import type { NarratedFile } from './narrate.ts';
import { narrate } from './narrate.ts';
import { planNarration } from './planNarration.ts';
import type { RecordedNarration } from './readNarrations.ts';
import { readNarrations } from './readNarrations.ts';
import type { SavedNarration } from './saveNarration.ts';
import { saveNarration } from './saveNarration.ts';

export interface NarrationTask {
  /** URI of the document. */
  readonly uri: string;
  /** Path of the document relative to the workspace folder, with forward slashes. */
  readonly document: string;
  /** Name for a new narration, without extension. */
  readonly name: string;
  readonly speaker: Speaker;
  readonly sandbox: boolean;
  readonly blocks: readonly NarrationBlock[];
  /** All recorded states of the document's narrations. */
  readonly own: readonly RecordedNarration[];
  /** The state that matches its file, if any. */
  readonly current: RecordedNarration | undefined;
  readonly reference: PlaceReference;
  /** The place of `reference`, or the folder of `current` if there is one. */
  readonly place: Place;
}

export interface NarrationOptions extends RunOptions {
  /** Called before each block that is spoken. */
  onBlock(index: number, count: number): void;
}

/**
 * Narrates a document: speaks the blocks that its narration does not have yet, and saves the narration. Each block is
 * kept as soon as it is paid for, so after a failure or a crash only the rest is spoken.
 *
 * @throws MediaError; `invalidInput` while another window narrates the same document, or when it has done so since the
 *   task was planned
 */
export async function makeNarration(
  task: NarrationTask,
  runner: JobRunner,
  options: NarrationOptions,
): Promise<SavedNarration> {
  await checkPlace(task.place).catch((error: unknown) => {
    throw beforeSending(error);
  });
  const { uri, document, speaker, sandbox, reference: place } = task;
  const key = wholeKey('document', await canonicalRoot(uri));
  // Shows all blocks as one job with the document's name, and lets Run Again continue the narration.
  const facts = { key, request: { ...speaker, input: document }, place, document: uri };
  await using whole = await SpokenWhole.open(facts, { operation: 'speak', place, sandbox }, runner);
  await checkUnchanged(task);
  const { generate } = planNarration(task.blocks, task.current?.blocks ?? []);
  const missing = generate.map((block) => block.key);
  await whole.begin(missing, options);
  const speak = (block: NarrationBlock, index: number, count: number): Promise<string> => {
    options.onBlock(index, count);
    return whole.speak(block, options);
  };
  try {
    const previous = task.current && previousOf(task.current, task.place);
    const drop = (block: NarrationBlock) => whole.drop(block.key);
    await using narration = await narrate(task.blocks, { workFolder: whole.folder, previous, speak, drop });
    const saved = await save(narration, task);
    await whole.saved();
    return saved;
  } catch (error) {
    throw error instanceof MediaError && whole.hasParts ? withPartsKept(error) : error;
  }
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

function save(narration: NarratedFile, { own, current, ...task }: NarrationTask): Promise<SavedNarration> {
  const transcripts = new Set(own.map(({ transcript }) => transcript.sha256));
  return saveNarration(narration, { ...task, own: current, transcripts });
}

function previousOf({ file, sha256, blocks }: RecordedNarration, { folder }: Place): PreviousNarration {
  const name = posix.basename(file);
  return { kind: posix.extname(name).slice(1), sha256, blocks, stream: () => folder.stream(name) };
}
