import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';
import * as l10n from '@vscode/l10n';
import pLimit from 'p-limit';
import { LocalFolder } from '../files/LocalFolder.ts';
import { plainLine } from '../foreign/plainText.ts';
import { type AskedFile, type Fact, requestFacts } from '../library/requestFacts.ts';
import type { Amounts } from '../operations/amounts.ts';
import { factsOfKind, MediaError, reasonOf } from '../operations/MediaError.ts';
import { type Area, areas, extensionOf, type OperationId, operationIds, operations } from '../operations/operations.ts';
import type { TranscriptFormat } from '../transcripts/formatTranscript.ts';
import { type Limits, makeAssets } from '../wholes/makeAssets.ts';
import type { NarratedFile, PreviousNarration } from '../wholes/narrate.ts';
import { type Narration, narrateWhole } from '../wholes/narrateWhole.ts';
import { readBlockRanges, readNarrations } from '../wholes/planNarration.ts';
import { recordNarration } from '../wholes/recordNarration.ts';
import { chosenValues, type Speaker } from '../wholes/Speaker.ts';
import type { RunOptions, RunProgress } from '../work/Attempt.ts';
import type { PlaceReference } from '../work/Job.ts';
import type { JobRunner } from '../work/JobRunner.ts';
import { isMadeMeanwhile, isUnknownOutcome, isUnusable, MadeMeanwhile } from '../work/jobErrors.ts';
import { removePartsFor } from '../work/savedWhole.ts';
import type { Work } from '../work/Work.ts';
import { Agreement, isNotAgreed } from './Agreement.ts';
import { type Origin, requestOf, speakerOf } from './describeRequest.ts';
import { type Evaluated, Evaluation, madeFirst, type PlanOptions } from './Evaluation.ts';
import {
  checkType,
  type FinishOptions,
  finishAsset,
  finishLocally,
  hasTypeOf,
  lostIn,
  placeOutput,
  recordReplaced,
  withNote,
} from './finishAsset.ts';
import { inShell } from './GitAbsences.ts';
import { type Entry, inputsOf, keyOf, type RequestEntry, sentFilesOf, sourcesOf } from './Manifest.ts';
import type { ManifestProject } from './ManifestProject.ts';
import { checkProblems, costOfEntries, type Plan, planAssets, requestsByOperation, totalOf } from './plan.ts';
import { takeOver } from './takeOver.ts';
import { type Variant, variantName } from './Variants.ts';

export interface ApplyOptions extends Omit<PlanOptions, 'seesWork'>, FinishOptions {
  readonly runner: JobRunner;
  readonly limits: Limits;
  /** Whether the library is kept outside of the project. */
  readonly isPrivate?: boolean;
  /** Whether to repeat requests whose outcome is unknown, and to give up paid answers that cannot be used. */
  readonly again: boolean;
  onProgress(path: string, progress: RunProgress): void;
  onNotice(path: string, sentence: string): void;
  /**
   * Called once before anything is sent; returns whether to continue.
   *
   * @param sends returns what each entry would send
   */
  confirm(total: Total, sends: () => Promise<readonly AskedEntry[]>): Promise<boolean>;
  /** Called when nothing is left to ask, before anything is made. */
  onStart?(): void;
  /** Paths of the entries to make, with their inputs; all entries if absent. */
  readonly only?: readonly string[];
  /** The maximum number of requests to send. */
  readonly maxRequests?: number;
  /** Checks that requests of an operation can be sent. @throws MediaError `noService` or `noKey` */
  checkReady(id: OperationId): Promise<void>;
  /** Called in the order of the manifest. */
  onReport(report: EntryReport): void;
  /** Returns an error as it is told to the person. */
  explain?(error: unknown): unknown;
  /** Whether sentences name the buttons of the editor instead of the verbs of the command line. */
  readonly inEditor?: boolean;
}

/** The outcome of an entry that was not fresh. */
export interface EntryReport {
  readonly path: string;
  readonly line: number;
  readonly outcome: 'made' | 'left' | 'failed';
  /** What was done, or why not and what to do about it. */
  readonly sentence: string;
  readonly error?: MediaError;
  /** Whether it was left because its request was sent before, with an unknown outcome. */
  readonly isUnknown?: boolean;
}

/**
 * Makes the missing and stale assets, each after its inputs. It has as many requests out at a time as the runner allows,
 * so that after a crash the outcome of at most so many is unknown, and locks each file as soon as it is complete. Files
 * that were changed by hand or are not in the lock are left alone.
 *
 * @returns the outcome of every entry that was not fresh, in the order of the manifest; undefined if `confirm` declined
 * @throws MediaError before anything is sent
 */
export async function applyAssets(
  project: ManifestProject,
  options: ApplyOptions,
): Promise<readonly EntryReport[] | undefined> {
  await using held = await holdManifest(project);
  const { evaluated, gone } = await planAssets(project, { ...options, seesWork: true });
  const chosen = chosenOf(project, options.only);
  const all = evaluated.filter(({ entry }) => chosen.has(entry));
  checkProblems(all, project.manifest.file);
  await project.keepSettled();
  const requests = requestsByOperation(all);
  for (const id of operationIds) if (requests[id] !== undefined) await options.checkReady(id);
  const total = totalOf(all);
  const sends = async () =>
    (await Promise.all(all.map((found) => askedEntry(found, project)))).filter((asked) => asked !== undefined);
  if (total.requests > 0 && !(await options.confirm({ ...total, cost: costOfEntries(all, options) }, sends)))
    return undefined;
  options.onStart?.();
  for (const { path } of gone) await project.changeLock(path, undefined);
  return await new Application(project, options, held, all).run(chosen);
}

/** All that is sent, and what it costs. */
export type Total = Amounts & Pick<Plan, 'cost'>;

/** An entry that a request is sent for, and everything that is sent. */
export interface AskedEntry {
  readonly path: string;
  readonly operation: OperationId;
  readonly facts: readonly Fact[];
  readonly found: Evaluated;
}

/** @returns undefined if nothing is sent for it */
async function askedEntry(
  found: Evaluated,
  { manifest: { folder } }: ManifestProject,
): Promise<AskedEntry | undefined> {
  const { entry, quantities, model = '', parentId, narration, origin } = found;
  if (entry.type !== 'request' || quantities.requests === 0) return undefined;
  const { operation, path } = entry;
  const input = narration?.blocks.map(({ request }) => request.input).join('\n\n');
  const request =
    input === undefined
      ? await requestOf(entry, { model, videoId: parentId ?? entry.values.video_id }, folder)
      : { ...speakerOf(entry, model), input };
  const files = await Promise.all(agreedFiles(entry, origin, folder).map(withSize));
  const document =
    entry.document === undefined ? [] : [{ name: l10n.t('Document'), value: plainLine(join(folder, entry.document)) }];
  return { path, operation, found, facts: [...document, ...requestFacts({ operation, request, files })] };
}

/** Adds the size of a file, unless it is made first. */
async function withSize({ path, sha256 }: { readonly path: string; readonly sha256: string }): Promise<AskedFile> {
  const stats = await stat(path).catch(() => undefined);
  return stats && sha256 !== '' ? { path, sha256, bytes: stats.size } : { path };
}

/** Returns the entries with these paths and all their inputs; all entries if `only` is absent. */
export function chosenOf(
  { manifest }: Pick<ManifestProject, 'manifest'>,
  only?: readonly string[],
): ReadonlySet<Entry> {
  if (!only) return new Set(manifest.entries);
  const entries = new Map(manifest.entries.map((entry) => [keyOf(entry.path), entry]));
  const chosen = new Set<Entry>();
  const choose = (path: string): void => {
    const entry = entries.get(keyOf(path));
    if (!entry || chosen.has(entry)) return;
    chosen.add(entry);
    for (const input of inputsOf(entry)) choose(input);
  };
  for (const path of only) choose(path);
  return chosen;
}

/**
 * Takes a manifest, so that two programs do not work on the same assets.
 *
 * @throws MediaError `invalidInput` while another program works on it
 */
export async function holdManifest({ key, store, variants }: ManifestProject): Promise<Work> {
  await variants.prepare();
  const held = await store.open(key);
  if (!held) throw inUse();
  return held;
}

/** Returns the error for a manifest, or an asset of it, that another process works on. */
export function inUse(): MediaError {
  return new MediaError(
    'invalidInput',
    l10n.t('Another program is working on the assets of this manifest. Try again when it has finished.'),
  );
}

type Outcome = Omit<EntryReport, 'path' | 'line'>;

class Application {
  readonly #project: ManifestProject;
  readonly #options: ApplyOptions;
  readonly #held: Work;
  readonly #agreement: Agreement;
  readonly #maker: AssetMaker;
  /** How many entries are made at a time. */
  readonly #atOnce: number;
  /** The outcome of each entry that has ended; undefined if it was fresh. */
  readonly #ended = new Map<Entry, EntryReport | undefined>();
  /** The reason why no more requests are sent, by area. */
  readonly #closed = new Map<Area, string>();
  #toldOfVariants: string | undefined;

  constructor(project: ManifestProject, options: ApplyOptions, held: Work, agreed: readonly Evaluated[]) {
    const { runner, maxRequests = Number.POSITIVE_INFINITY } = options;
    this.#project = project;
    this.#options = options;
    this.#held = held;
    // Where the requests do not suffice for all, they are for the first entries.
    this.#atOnce = totalOf(agreed).requests > maxRequests ? 1 : runner.maxConcurrentJobs;
    this.#agreement = new Agreement(project, agreed, options, (path) => this.#hasMade(path));
    this.#maker = new AssetMaker(project, options);
  }

  async run(chosen: ReadonlySet<Entry>): Promise<readonly EntryReport[]> {
    const evaluation = new Evaluation(this.#project, { ...this.#options, seesWork: true });
    const inTurn = pLimit(this.#atOnce);
    const ends = new Map<Entry | undefined, Promise<void>>();
    const failures: unknown[] = [];
    const reports: EntryReport[] = [];
    const unreported = this.#project.manifest.entries.filter((entry) => chosen.has(entry));
    const report = () => {
      for (let [next] = unreported; next && this.#ended.has(next); [next] = unreported) {
        const ended = this.#ended.get(next);
        if (ended) this.#options.onReport(ended);
        if (ended) reports.push(ended);
        unreported.shift();
      }
    };
    for (const entry of evaluation.order()) {
      if (!chosen.has(entry)) continue;
      const make = async () => {
        // After a failure of ours, no other begins.
        if (failures.length === 0) await this.#make(entry, evaluation).then(report, (error) => failures.push(error));
      };
      // With an input that no entry makes, it would be behind those without.
      const inputs = sourcesOf(entry).flatMap((path) => ends.get(this.#project.entryAt(path)) ?? []);
      ends.set(
        entry,
        Promise.all(inputs).then(() => inTurn(make)),
      );
    }
    await Promise.all(ends.values());
    if (failures.length > 0) throw failures[0];
    return reports;
  }

  async #make(entry: Entry, evaluation: Evaluation): Promise<void> {
    // Hash the files again: they may have changed since, and the lock must match what is sent.
    for (const path of [entry.path, ...sourcesOf(entry)]) this.#project.hashes.changed(path);
    const found = await evaluation.of(entry);
    const report = (await this.#takeOver(found, evaluation)) ?? (await this.#makeFile(found));
    this.#ended.set(entry, report && { path: entry.path, line: entry.line, ...report });
    if (report) evaluation.made(entry);
  }

  /** @returns undefined if it is fresh */
  async #makeFile(found: Evaluated): Promise<Outcome | undefined> {
    if (found.state === 'fresh' && found.action === 'none' && !found.isAnew) return undefined;
    return this.#apply(found, () => this.#maker.make(found, (job) => this.#agreement.send(found, job)));
  }

  /** Lets an entry that was renamed have what is there, and makes it where that does not suffice. */
  async #takeOver(found: Evaluated, evaluation: Evaluation): Promise<Outcome | undefined> {
    const { entry, renamedFrom, absence } = found;
    if (!renamedFrom || absence) return undefined;
    const outcome = await this.#apply(found, () => takeOver(this.#project, found, renamedFrom));
    if (outcome.outcome !== 'made') return outcome;
    evaluation.forget(entry);
    return (await this.#makeFile(await evaluation.of(entry))) ?? outcome;
  }

  async #apply(found: Evaluated, work: () => Promise<string>): Promise<Outcome> {
    const obstacle = await this.#obstacle(found);
    if (obstacle !== undefined) {
      return {
        outcome: 'left',
        sentence: obstacle,
        isUnknown: obstacle === unknownSentence(this.#options.inEditor) || undefined,
      };
    }
    const { entry } = found;
    try {
      const sentence = await work();
      this.#tellOfVariants(entry.path);
      return { outcome: 'made', sentence };
    } catch (thrown) {
      const error = this.#options.explain?.(thrown) ?? thrown;
      for (const area of areasClosedBy(error, entry)) {
        const own = ownFailure(thrown);
        this.#closed.set(area, reasonOf(this.#options.explain?.(own) ?? own));
      }
      if (isUnknownOutcome(error))
        return { outcome: 'left', sentence: unknownSentence(this.#options.inEditor), isUnknown: true };
      const known = error instanceof MediaError ? error : undefined;
      const isUseless = known?.hasAnswer && isUnusable(known) && !this.#options.again;
      return {
        outcome: isNotAgreed(error) ? 'left' : 'failed',
        sentence: isUseless ? uselessSentence(known, this.#options.inEditor) : reasonOf(error),
        error: known,
      };
    }
  }

  /** Says once a run what becomes of the variants that were not chosen. */
  #tellOfVariants(path: string): void {
    const sentence = this.#project.variants.fate();
    if (sentence === this.#toldOfVariants || sentence === undefined) return;
    this.#toldOfVariants = sentence;
    this.#options.onNotice(path, sentence);
  }

  #hasMade(path: string): boolean {
    const entry = this.#project.entryAt(path);
    return entry !== undefined && this.#ended.get(entry)?.outcome === 'made';
  }

  /** Returns why an entry is left as it is; undefined if it can be made. */
  async #obstacle(found: Evaluated): Promise<string | undefined> {
    const { entry, state, action, problem, pending, waiting, quantities, absence, reasons } = found;
    const { signal, again } = this.#options;
    if (signal.aborted) return l10n.t('Cancelled before it started.');
    if (problem) return problem.sentence;
    // Its file, or one that it is made from, is not there, and git has it.
    if (action === 'none' && (absence || state === 'missing' || state === 'stale')) return reasons.join(' · ');
    if (state === 'changed') return changedSentence(entry.path, this.#options.inEditor);
    if (state === 'unlocked' && action === 'none') return unlockedSentence(entry.path, this.#options.inEditor);
    const [input] = pending;
    if (input !== undefined) return l10n.t('Its input {0} could not be made.', input);
    if (action !== 'request' || entry.type !== 'request' || waiting === 'saved') return undefined;
    if (waiting === 'running') return inUse().message;
    if (waiting === 'unknown' && !again) return unknownSentence(this.#options.inEditor);
    // Nobody has agreed to read it aloud: what it says was not known.
    const { document } = entry;
    if (document !== undefined && this.#hasMade(document)) return madeFirst(document);
    const closed = this.#closed.get(operations[entry.operation].area);
    if (closed !== undefined && quantities.requests > 0) return closed;
    const refusal = quantities.requests > 0 ? await this.#agreement.refusal(found) : undefined;
    if (refusal !== undefined) return refusal;
    if (!(await this.#held.isHeld())) return inUse().message;
    return this.#project.lockProblem();
  }
}

/** Returns a failure without what was added about its job or part. */
function ownFailure(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof MediaError ? ownFailure(error.cause) : error;
}

/** Returns the areas in which every further request would fail like this one, or would be paid for in vain. */
function areasClosedBy(error: unknown, entry: Entry): readonly Area[] {
  if (!(error instanceof MediaError)) return [];
  const { kind, field, mayBeBilled, hasAnswer } = error;
  // Nothing more can be locked.
  if (kind === 'save' && field === 'lock') return areas;
  // An answer may have come from another host than the configured one.
  if (entry.type !== 'request' || hasAnswer) return [];
  // Certainly not sent, so the host could not be reached.
  const isUnreachable = kind === 'network' && !mayBeBilled;
  // It was waited for already, as often as the service asked for that.
  const isBusy = kind === 'rateLimited' && !mayBeBilled;
  return isUnreachable || isBusy || factsOfKind(kind).isHostWide ? [operations[entry.operation].area] : [];
}

function changedSentence(path: string, inEditor: boolean | undefined): string {
  return inEditor
    ? l10n.t(
        'The file was changed after it was made. Choose “Keep” above its entry to keep it, or delete it and choose “Generate” or “Make Anew” there to have it made again.',
      )
    : l10n.t(
        'The file was changed after it was made. Run “accept” to keep it, or delete it and run “apply --anew {0}” to have it made again.',
        inShell(path),
      );
}

function unlockedSentence(path: string, inEditor: boolean | undefined): string {
  return inEditor
    ? l10n.t(
        'The file is not in the lock. Choose “Keep” above its entry, or delete it and choose “Generate” or “Make Anew” there to have a new one made.',
      )
    : l10n.t(
        'The file is not in the lock. Run “accept” to keep it, or delete it and run “apply --anew {0}” to have a new one made.',
        inShell(path),
      );
}

function unknownSentence(inEditor: boolean | undefined): string {
  return inEditor
    ? l10n.t(
        "Outcome unknown: its request was sent before and may be billed. Check your service's usage page. To send it again, apply again and agree.",
      )
    : l10n.t(
        "Outcome unknown: its request was sent before and may be billed. Check your service's usage page, then send it again with “apply --again”.",
      );
}

function uselessSentence({ message }: MediaError, inEditor: boolean | undefined): string {
  return inEditor
    ? l10n.t(
        '{0} The answer is kept. Apply again to try to save it, for free. To stop using it, dismiss its job in the Activity view; applying then sends the request again.',
        message,
      )
    : l10n.t(
        '{0} The answer is kept. “apply” tries again to save it, for free. “apply --again” stops using it; the run after that sends the request again.',
        message,
      );
}

/** Makes the assets of a manifest. */
export class AssetMaker {
  readonly #project: ManifestProject;
  readonly #options: ApplyOptions;

  constructor(project: ManifestProject, options: ApplyOptions) {
    this.#project = project;
    this.#options = options;
  }

  /**
   * Makes one asset.
   *
   * @param beforeSending as in {@link RunOptions}
   * @returns what was done, for the user
   * @throws MediaError; results that were paid for are kept for the next run
   */
  async make(found: Evaluated, beforeSending?: RunOptions['beforeSending']): Promise<string> {
    const { entry, action, state, line, output } = found;
    const locked = this.#project.lock.get(keyOf(entry.path));
    // Once it is locked, a narration of the editor is kept like any other when some of it is spoken again.
    const isFound = line?.blocks && line.output === output && !(locked?.blocks && locked.output === output);
    if (isFound) await this.#project.changeLock(entry.path, line);
    if (state === 'fresh' && !found.isAnew) return l10n.t('Locked as it was narrated, without a request.');
    if (entry.type === 'derived' || action === 'local') return finishLocally(this.#project, found, this.#options);
    const { request } = found.origin;
    if (request === undefined) throw new MediaError('invalidInput', l10n.t('Some of its inputs are missing.'));
    const key = this.#project.variants.keyFor(entry.path, request, this.#options.sandbox);
    const place = this.#placeOf(entry, key);
    let sent = 0;
    const options = this.#runOptions(entry, found, key, async (job) => {
      await beforeSending?.(job);
      sent++;
    });
    const parts = found.parts?.blocks.map((block) => block.key) ?? [];
    const work = await this.#options.runner.store.keyAt(key, place);
    const before = found.isAnew ? await this.#project.variants.list(key) : [];
    await this.#resume([work, ...parts], place, options);
    const isFree = (await this.#newVariants(key, before)).length > 0;
    try {
      if (found.narration && !isFree) {
        await narrateEntry(this.#project, found, this.#options, { key, place, options });
        return sentenceFor(sent);
      }
      if (isFree) await removePartsFor(this.#options.runner.store, place);
      else await this.#request(found, work, place, options);
    } catch (error) {
      if (!isMadeMeanwhile(error)) throw error;
      const isPlaced = await this.#project.hasMade(entry.path, request, this.#options.sandbox);
      if (isPlaced) return l10n.t('Another program has made it in the meantime.');
    }
    const [made] = await this.#newVariants(key, before);
    const note = await finishAsset(this.#project, found, key, made?.number ?? 1, this.#options);
    const sentence = isFree ? l10n.t('Saved the results of an earlier run, without a request.') : sentenceFor(sent);
    return withNote(sentence, note);
  }

  /** Returns the results of a request that were not there before. */
  async #newVariants(key: string, before: readonly Variant[]): Promise<readonly Variant[]> {
    const known = new Set(before.map(({ name }) => name));
    return (await this.#project.variants.list(key)).filter(({ name }) => !known.has(name));
  }

  /** Saves the results of the answers that earlier runs have left, or gives up those that cannot be used. */
  async #resume(keys: readonly string[], place: PlaceReference, options: RunOptions): Promise<void> {
    const { runner, sandbox, again } = this.#options;
    const states = await runner.store.statesOf(keys, place);
    const kept: string[] = [];
    let isGivenUp = false;
    for (const key of new Set(keys)) {
      const state = states.get(key);
      if (state !== 'answered' && state !== 'unusable') continue;
      try {
        await runner.resume(key, place, options);
      } catch (error) {
        const isUseless = error instanceof MediaError && isUnusable(error);
        // The person agreed to give up what the plan called unusable.
        if (!sandbox && !(again && isUseless && state === 'unusable')) throw error;
        isGivenUp = true;
        kept.push(...(await runner.giveUp(key, place)));
      }
    }
    // The sandbox is free, and its results are lost when it stops. A request to a service was not part of the plan.
    if (!isGivenUp || sandbox) return;
    const isSaved = (await this.#project.variants.list(posix.basename(place.path))).length > 0;
    const sentence = isSaved
      ? l10n.t('Part of the answer cannot be used. Apply again to use what was saved of it.')
      : l10n.t('The answer was paid for but cannot be used. Apply again to send the request once more.');
    const raw = kept.length === 0 ? '' : ` ${l10n.t('What the service sent is kept in {0}.', kept.join(', '))}`;
    throw new MediaError('download', sentence + raw);
  }

  async #request(
    { entry, model = '', parentId: videoId, waiting, parts }: Evaluated,
    key: string,
    place: PlaceReference,
    options: RunOptions,
  ): Promise<void> {
    const { runner, limits, sandbox } = this.#options;
    if (entry.type !== 'request') return;
    // The plan counted on an earlier answer, so nobody has agreed to a request in its place.
    if (!sandbox && !parts && (waiting === 'answered' || waiting === 'unusable')) throw inUse();
    const request = await requestOf(entry, { model, videoId }, this.#project.manifest.folder);
    // Check the target folder before anything is paid for.
    const target = join(this.#project.manifest.folder, entry.path);
    await new LocalFolder(dirname(target), this.#project.root).check();
    const input = { key, operation: entry.operation, request, place, sandbox };
    await makeAssets(input, runner, limits, options);
  }

  #placeOf({ path }: RequestEntry, key: string): PlaceReference {
    const { rootUri, variants, manifest } = this.#project;
    return {
      root: rootUri,
      isPrivate: this.#options.isPrivate ?? false,
      path: variants.pathOf(key),
      fileName: variantName,
      transcriptFormat: transcriptFormats[extensionOf(path)] ?? 'markdown',
      linksFrom: posix.dirname(this.#project.recorded(path)),
      manifest: this.#project.recorded(basename(manifest.file)),
      entry: path,
    };
  }

  #runOptions(
    entry: RequestEntry,
    { origin, isAnew }: Evaluated,
    key: string,
    beforeSending: RunOptions['beforeSending'],
  ): RunOptions {
    const { path } = entry;
    const { signal, again, sandbox, onNotice, onProgress } = this.#options;
    const { request = '' } = origin;
    return {
      signal,
      again,
      agreed: agreedFiles(entry, origin, this.#project.manifest.folder),
      beforeSending,
      lookAgain: async () => {
        // The file in place is not what the person wants.
        if (isAnew) return;
        // In this order: a result is placed and locked before its variants are removed.
        const isKept = (await this.#project.variants.list(key)).length > 0;
        if (isKept || (await this.#project.hasMade(path, request, sandbox))) throw new MadeMeanwhile();
      },
      onNotice: (sentence) => onNotice(path, sentence),
      onProgress: (progress) => onProgress(path, progress),
    };
  }
}

/** Returns the files of an entry as they were hashed: the lock must name what is sent. */
function agreedFiles(entry: RequestEntry, { inputs }: Origin, folder: string) {
  return sentFilesOf(entry).map((path) => ({ path: join(folder, path), sha256: inputs[`./${path}`] ?? '' }));
}

function sentenceFor(requests: number): string {
  if (requests === 0) return l10n.t('Made without a request.');
  return requests === 1 ? l10n.t('Made with 1 request.') : l10n.t('Made with {0} requests.', requests);
}

const transcriptFormats: Readonly<Partial<Record<string, TranscriptFormat>>> = {
  md: 'markdown',
  txt: 'text',
  srt: 'srt',
  vtt: 'vtt',
};

/**
 * Speaks the changed blocks of a document and joins them with the unchanged blocks of the existing file.
 *
 * @throws MediaError; spoken blocks are kept for the next attempt
 */
async function narrateEntry(
  project: ManifestProject,
  found: Evaluated,
  { runner, sandbox }: Pick<ApplyOptions, 'runner' | 'sandbox'>,
  { key, place, options }: { readonly key: string; readonly place: PlaceReference; readonly options: RunOptions },
): Promise<void> {
  const { entry, narration, model = '' } = found;
  if (entry.type !== 'request' || !narration) return;
  const speaker = speakerOf(entry, model);
  const request = { ...speaker, input: entry.document ?? '' };
  const { maxCharacters } = narration;
  const facts = { key: project.narrationKey(entry.path), note: key, request, place, sandbox };
  const whole = { ...facts, entry: entry.path, maxCharacters };
  const task: Narration<string | undefined> = {
    whole,
    blocks: narration.blocks,
    previous: () => previousOf(project, found),
    save: async (narrated) => {
      if (!hasTypeOf(entry, `.${narrated.kind}`)) {
        project.checkThere();
        return project.variants.keep(key, `${variantName}.${narrated.kind}`, narrated.data);
      }
      await saveNarrated(project, { ...found, entry }, narrated, { speaker, sandbox });
      return undefined;
    },
  };
  const other = await narrateWhole(task, runner, options);
  if (other !== undefined) checkType(entry, other);
}

/** Saves a narration with its cues, and records it as the editor's command does, so that each finds the other's. */
async function saveNarrated(
  project: ManifestProject,
  { entry, line, origin, local }: Evaluated & { readonly entry: RequestEntry },
  narrated: NarratedFile,
  { speaker, sandbox }: { readonly speaker: Speaker; readonly sandbox: boolean },
): Promise<void> {
  const { path, document: source = '', further } = entry;
  const document = project.recorded(source);
  const file = project.recorded(path);
  const states = (await readNarrations(project.library)).filter((one) => one.document === document);
  const replaced = states.findLast((one) => one.file === file);
  const documentHash = await project.hashes.of(source);
  const { kind, marks } = narrated;
  const facts = { document, documentHash, speaker, fields: chosenValues(speaker, further?.declared), sandbox };
  let id = '';
  await placeOutput(project, path, narrated.data, line?.output, async (output, bytes) => {
    const { blocks, transcript } = narrated.parts();
    const spoken = { ...facts, kind, marks, bytes, sha256: output, blocks, transcript };
    const name = posix.basename(path);
    ({ id } = await recordNarration(spoken, placeOf(project, path), {
      name,
      cues: cuesFor(project, path),
      states,
      replaced,
    }));
    const made = sandbox ? { sandbox: true as const } : {};
    return { path, ...origin, local, output, blocks, ...made, credentials: lostIn(marks) };
  });
  await recordReplaced(project, path, id);
  // Listeners that read the file after it was recorded saw the old one.
  project.library.changed();
}

/** Returns the folder of a path of the manifest. */
function placeOf(project: ManifestProject, path: string) {
  const { manifest, root, library } = project;
  const folder = posix.dirname(path);
  return {
    folder: new LocalFolder(join(manifest.folder, folder), root),
    library,
    recordedName: (name: string) => project.recorded(posix.join(folder, name)),
  };
}

/** Returns the name for the cues of a narration, without extension. It is not that of an asset. */
function cuesFor({ entryAt }: ManifestProject, path: string): string {
  const name = path.slice(0, path.lastIndexOf('.'));
  return posix.basename(entryAt(`${name}.vtt`) ? `${name}-narration` : name);
}

/** Returns the narration that the plan counted on: a kept one, or that in place if it is unchanged since it was locked. */
async function previousOf(
  { hashes }: ManifestProject,
  { entry, line, output, narration, isAnew }: Evaluated,
): Promise<PreviousNarration | undefined> {
  if (narration?.kept) return narration.kept;
  if (isAnew || !line?.blocks || output === undefined || line.output !== output) return undefined;
  const file = await hashes.locate(entry.path);
  if (file === undefined) return undefined;
  const { size } = await stat(file);
  const blocks = readBlockRanges(line.blocks, size);
  const kind = file.slice(file.lastIndexOf('.') + 1).toLowerCase();
  if (!blocks) return undefined;
  const { credentials } = line;
  return { kind, sha256: output, blocks, credentials, stream: () => createReadStream(file) };
}
