import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, link, mkdtemp, rm } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { hasCode } from '../files/FileCalls.ts';
import { differsSentence } from '../library/differences.ts';
import type { Asset, RecordedMarks } from '../library/LibraryRecord.ts';
import { keptMarks, marked } from '../library/recordedMarks.ts';
import { marksOfAll } from '../marks/readMarks.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import type { MediaRequest } from '../operations/operations.ts';
import { bytesOf, joinSpeech, markFor } from '../sound/joinSpeech.ts';
import type { RunOptions } from '../work/Attempt.ts';
import { isSpokenAlike } from '../work/isSpokenAlike.ts';
import type { JobRecord, Whole } from '../work/Job.ts';
import type { JobInput, JobRunner } from '../work/JobRunner.ts';
import { beforeSending, cannotKeep, inUseElsewhere, ofPart } from '../work/jobErrors.ts';
import { checkPlace, type Place } from '../work/Place.ts';
import { saveAsset } from '../work/saveAsset.ts';
import { openWhole, wholeSaved } from '../work/savedWhole.ts';
import { stateOfWork } from '../work/stateOfWork.ts';
import type { Work } from '../work/Work.ts';
import { eachInTurn } from './eachInTurn.ts';
import { checkOutcomes, refusePart, runPart } from './parts.ts';
import type { WholeOptions } from './SpokenSoFar.ts';
import { type SpeechInput, speechKey, wholeKey } from './wholeKey.ts';

/** How texts are sent. */
export interface SpeechLimits {
  /** Longer text is spoken in parts; 0 to never split. */
  readonly speechMaxCharacters: number;
  /** Whether a person has chosen that, and gets shorter parts of a begun text after lowering it. */
  readonly splitsAnew?: boolean;
}

/**
 * Returns the length that a text is split to: that of an earlier, unfinished run that has paid for parts, or else the
 * setting. A person who has lowered the setting gets shorter parts, unless the outcome of a part is unknown.
 *
 * @param own the whole; parts of the same entry in another voice or format are not its own
 * @param parts those in the store
 */
export function maxCharactersOf(
  own: Pick<Whole, 'key' | 'request' | 'note'>,
  parts: readonly JobRecord[],
  { speechMaxCharacters: setting, splitsAnew = false }: SpeechLimits,
): number {
  const begun = Map.groupBy(
    // A part with a dot in its key was given up, and is kept only for its data.
    parts.filter(({ key, whole }) => {
      // A folder that was renamed has other keys of its wholes, and the same notes.
      const isOwn = whole?.key === own.key || (own.note !== undefined && whole?.note === own.note);
      return whole && isOwn && !key.includes('.') && isSpokenAlike(whole, own);
    }),
    ({ whole }) => whole?.maxCharacters ?? setting,
  );
  const isLowered = (length: number) => splitsAnew && setting > 0 && (length === 0 || setting < length);
  const lengths = [...begun].filter(([length, jobs]) => mustGoOn(jobs, isLowered(length))).map(([length]) => length);
  return lengths.includes(setting) ? setting : (lengths[0] ?? setting);
}

/** Whether parts were paid for, or may have been. */
function mustGoOn(parts: readonly JobRecord[], isLowered: boolean): boolean {
  const states = parts.map(stateOfWork);
  return states.includes('unknown') || (!isLowered && states.some((state) => state !== 'none'));
}

/**
 * Speaks a long text part by part and joins the parts into one file. Parts that cannot be joined are saved one by one.
 * When a part fails, the finished parts are kept, and running the same text again continues with the failed one.
 *
 * @param maxCharacters length that the text was split to
 * @returns one asset, or one per part
 * @throws MediaError
 */
export async function speakInParts(
  input: SpeechInput,
  { texts, maxCharacters }: { readonly texts: readonly string[]; readonly maxCharacters: number },
  runner: JobRunner,
  options: WholeOptions,
): Promise<readonly Asset[]> {
  const place = runner.placeAt(input.place);
  await checkPlace(place).catch((error: unknown) => {
    throw beforeSending(error);
  });
  const { request, key: ofEntry, ...facts } = input;
  const key = wholeKey(speechKey(input));
  const own = { key, note: ofEntry ?? key, request, place: facts.place, sandbox: facts.sandbox, maxCharacters };
  await using whole = await SpokenWhole.open(own, { ...facts, place: partPlace(input) }, runner, options);
  const requests = texts.map((text) => {
    const request = { ...input.request, input: text };
    return { request, key: speechKey({ ...input, request }) };
  });
  const soFar = options.hear?.(requests, { folder: whole.folder, savedIn: place.folder.uri });
  try {
    await whole.begin(requests.map(({ key }) => key));
    const spoken: string[] = [];
    await eachInTurn(requests, runner.maxConcurrentJobs, async (part, index) => {
      const file = await whole.speak(part);
      spoken[index] = file;
      soFar?.add(part.key, file);
    });
    const assets = await saveParts(input, spoken, place, { ...options, marksGenerated: runner.marksGenerated });
    await soFar?.saved(assets[0]?.uri ?? '');
    await whole.saved();
    return assets;
  } catch (error) {
    const reported = whole.withPartsKept(error);
    await soFar?.failed(reasonOf(reported));
    throw reported;
  }
}

/** The exact name is for the whole, not for its parts. */
export function partPlace({ place: { exactName: _, ...place } }: Pick<JobInput, 'place'>): JobInput['place'] {
  return place;
}

async function saveParts(
  input: SpeechInput,
  files: readonly string[],
  place: Place,
  { signal, onNotice, onProgress, marksGenerated }: RunOptions & { readonly marksGenerated: boolean },
): Promise<readonly Asset[]> {
  const id = randomUUID();
  const job = { ...input, id, key: id, createdAt: new Date().toISOString() };
  const save = async (index: number, file: string, open: () => AsyncIterable<Uint8Array>, marks?: RecordedMarks) => {
    onProgress({ stage: 'saving', file: index + 1, files: files.length });
    const announced = extname(file) === '.pcm' ? 'audio/pcm' : undefined;
    const answer = { id: undefined, usage: undefined };
    const asset = await saveAsset({ index, open, announced, marks }, job, answer, { place, signal });
    if (asset.differs && index === 0) onNotice(differsSentence(asset.differs));
    return asset;
  };
  const [first = ''] = files;
  const kind = extname(first).slice(1);
  const mark = marksGenerated ? markFor(kind) : undefined;
  const joined = await joinSpeech(kind, files, { mark });
  if (joined.joined) {
    return [await save(0, first, () => bytesOf(joined.data), keptMarks(await marksOfAll(files), marked(mark)))];
  }
  onNotice(
    l10n.t('The {0} spoken parts cannot be joined in this format, so each is saved as its own file.', files.length),
  );
  const assets: Asset[] = [];
  for (const [index, file] of files.entries()) {
    assets.push(await save(index, file, () => createReadStream(file)));
  }
  return assets;
}

/** What one request speaks. */
interface SpokenPart {
  readonly key: string;
  readonly request: MediaRequest<'speak'>;
}

/**
 * A long text or a document that is spoken in parts, while this process holds it. Each part stays in its own work until
 * the whole is saved; what the whole needs is linked into its own folder, so that another whole that shares a part may
 * remove it in the meantime.
 */
export class SpokenWhole implements AsyncDisposable {
  readonly #held: Work;
  readonly #whole: Whole;
  readonly #runner: JobRunner;
  readonly #input: Omit<JobInput, 'request' | 'key'>;
  readonly #options: RunOptions;
  readonly #taken = new Map<string, string>();
  #links: Promise<string> | undefined;

  private constructor(
    held: Work,
    whole: Whole,
    input: Omit<JobInput, 'request' | 'key'>,
    runner: JobRunner,
    options: RunOptions,
  ) {
    this.#held = held;
    this.#whole = whole;
    this.#runner = runner;
    this.#options = options;
    this.#input = { ...input, whole };
  }

  /**
   * Holds a whole.
   *
   * @param input facts of the jobs that speak its parts
   * @throws MediaError `invalidInput` while another process speaks the same
   */
  static async open(
    whole: Whole,
    input: Omit<JobInput, 'request' | 'key' | 'whole'>,
    runner: JobRunner,
    options: RunOptions,
  ): Promise<SpokenWhole> {
    const held = await openWhole(runner.store, whole.key, whole.place);
    if (!held) throw inUseElsewhere('speak');
    return new SpokenWhole(held, whole, input, runner, options);
  }

  /** Absolute path of a folder for temporary files. */
  get folder(): string {
    return this.#held.folder;
  }

  /** Returns a failure with a note that the parts paid for so far are kept, if there are any. */
  withPartsKept(error: unknown): unknown {
    if (!(error instanceof MediaError) || this.#taken.size === 0) return error;
    const sentence = l10n.t('{0} The parts already spoken are kept; you will not pay for them again.', error.message);
    return new MediaError(error.kind, sentence, { ...error, cause: error });
  }

  /**
   * Takes the parts that earlier runs have left, before the others are sent.
   *
   * @throws UnknownOutcome when one was sent before and its outcome is unknown, unless the options say to send it again
   */
  async begin(keys: readonly string[]): Promise<void> {
    const { store } = this.#runner;
    const { note, place, sandbox } = this.#whole;
    const noted = note === undefined || sandbox ? [] : [note];
    await checkOutcomes([...keys, ...noted], { ...this.#input, place }, this.#runner, this.#options);
    // A full disk must be noticed before anything is paid for.
    await this.#linkFolder().catch(cannotKeep);
    for (const key of keys) {
      const file = await store.partOf(key);
      if (file !== undefined) await this.#take(key, file);
    }
  }

  /** Speaks a part, if no earlier run has left it. @returns the path of its file */
  async speak({ key, request }: SpokenPart): Promise<string> {
    for (let attempt = 0; ; attempt++) {
      const known = this.#taken.get(key);
      if (known !== undefined) return known;
      if (!(await this.#held.isHeld())) throw inUseElsewhere('speak');
      const file = await runPart({ ...this.#input, key, request }, this.#runner, this.#options).catch(
        (error: unknown) => {
          throw this.#taken.size > 0 ? ofPart(error) : error;
        },
      );
      await this.#take(key, file);
      if (attempt > 2) throw new Error(`the part ${key} was removed again and again`);
    }
  }

  /** Leaves out a part that cannot be used. @returns the error to report, as {@link refusePart} */
  refuse({ key }: SpokenPart, error: MediaError): Promise<MediaError> {
    this.#taken.delete(key);
    return refusePart(key, error, this.#runner);
  }

  /** Removes the parts, once the whole is saved. */
  async saved(): Promise<void> {
    await wholeSaved(this.#runner.store, this.#held, this.#whole, this.#taken.keys());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const links = await this.#links?.catch(() => undefined);
    if (links !== undefined) await rm(links, { recursive: true, force: true }).catch(() => undefined);
    await this.#held.release();
  }

  /** Several parts may be taken at a time. */
  #linkFolder(): Promise<string> {
    this.#links ??= mkdtemp(join(this.folder, 'parts-'));
    return this.#links;
  }

  /**
   * Takes nothing if another whole has just removed the part.
   *
   * @throws MediaError `save` for a part that is kept, but cannot be taken
   */
  async #take(key: string, file: string): Promise<void> {
    const own = join(await this.#linkFolder(), `${key}-${basename(file)}`);
    try {
      await link(file, own).catch(() => copyFile(file, own));
      this.#taken.set(key, own);
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return;
      const sentence = l10n.t(
        'The spoken part {0} cannot be read: {1}. You will not pay for it again.',
        file,
        reasonOf(error),
      );
      throw new MediaError('save', sentence, { cause: error });
    }
  }
}
