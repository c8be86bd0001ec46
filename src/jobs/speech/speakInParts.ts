import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as l10n from '@vscode/l10n';
import type { Asset } from '../../library/Asset.ts';
import { MediaError } from '../../operations/MediaError.ts';
import type { MediaRequest } from '../../operations/operations.ts';
import type { Job, JobList } from '../JobList.ts';
import { isRunning } from '../JobList.ts';
import type { RunOptions } from '../JobRun.ts';
import type { JobInput, JobRunner } from '../JobRunner.ts';
import { beforeSending } from '../jobErrors.ts';
import { Lease } from '../Lease.ts';
import type { Place } from '../saveResults.ts';
import { checkPlace, saveAsset } from '../saveResults.ts';
import { joinSpeech } from './joinSpeech.ts';

export interface SpeakOptions extends RunOptions {
  readonly runner: Pick<JobRunner, 'run' | 'downloadAgain'>;
  /** Where a part may stand whose answer waits to be saved. */
  readonly jobs: Pick<JobList, 'all' | 'onDidChange'>;
  readonly place: Place;
  /** The extension's own folder, where parts wait for the others: a part that is there is not paid for again. */
  readonly partsFolder: string;
}

const narrationsFolder = 'narrations';
/** Milliseconds. */
const partKeptFor = 30 * 24 * 60 * 60 * 1000;
const attemptKeptFor = 60 * 60 * 1000;

type SpeechInput = JobInput & { readonly request: MediaRequest<'speak'> };

/**
 * Speaks a long text part by part and joins the parts into one file; parts that cannot be joined are saved one by one.
 * When a part fails, those before it stay, and the same text goes on with it.
 *
 * @returns one asset, or one for each part
 * @throws MediaError
 */
export async function speakInParts(
  input: SpeechInput,
  parts: readonly string[],
  options: SpeakOptions,
): Promise<readonly Asset[]> {
  await checkPlace(options.place).catch((error: unknown) => {
    throw beforeSending(error);
  });
  const lease = await takeNarration(input, options.partsFolder);
  try {
    return await speakAll(input, parts, lease, options);
  } finally {
    // Its folder stays for the sweep: another window may take the lease at this moment.
    await lease.release();
  }
}

async function speakAll(
  input: SpeechInput,
  parts: readonly string[],
  lease: Lease,
  options: SpeakOptions,
): Promise<readonly Asset[]> {
  const files: string[] = [];
  for (const part of parts) {
    if (!(await lease.renew())) throw spokenElsewhere();
    const request = { ...input.request, input: part };
    files.push(await spokenPart({ ...input, request }, { ...options, whole: input }));
  }
  const assets = await saveParts(input, files, options).catch((error: unknown) => {
    throw error instanceof MediaError ? withPartsKept(error) : error;
  });
  await Promise.all(files.map((file) => rm(file, { force: true })));
  return assets;
}

/** Parts have one place each: the same narration twice, also in another window, would pay for each twice. */
async function takeNarration(input: SpeechInput, partsFolder: string): Promise<Lease> {
  const folder = join(partsFolder, narrationsFolder, nameOf(input));
  await mkdir(folder, { recursive: true });
  const lease = await Lease.take(folder);
  if (!lease) throw spokenElsewhere();
  return lease;
}

function spokenElsewhere(): MediaError {
  return new MediaError('invalidInput', l10n.t('This text is already being spoken.'), { field: 'input' });
}

/** Names what a request makes: the same words by the same model and voice. */
function nameOf({ sandbox, request }: Pick<JobInput, 'sandbox' | 'request'>): string {
  return createHash('sha256')
    .update(JSON.stringify([sandbox, request]))
    .digest('hex');
}

/**
 * Removes parts that nobody has asked for again in 30 days, unfinished files of attempts that ended, and narrations that
 * nobody works on.
 */
export async function sweepParts(partsFolder: string): Promise<void> {
  for (const name of await namesIn(partsFolder)) {
    if (name === narrationsFolder) continue;
    const path = join(partsFolder, name);
    const age = Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now());
    if (age > (name.endsWith('.part') ? attemptKeptFor : partKeptFor)) await rm(path, { force: true });
  }
  for (const name of await namesIn(join(partsFolder, narrationsFolder))) {
    const path = join(partsFolder, narrationsFolder, name);
    const quiet = await Lease.quietFor(path).catch(() => 0);
    if (quiet > attemptKeptFor) await rm(path, { recursive: true, force: true });
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}

function withPartsKept(error: MediaError): MediaError {
  const sentence = l10n.t('{0} The parts already spoken are kept; you will not pay for them again.', error.message);
  return new MediaError(error.kind, sentence, { ...error, cause: error });
}

/** The file of one part: the one that an earlier run has left, or a new one. */
async function spokenPart(
  input: SpeechInput,
  options: SpeakOptions & { readonly whole: SpeechInput },
): Promise<string> {
  const { partsFolder, runner, jobs } = options;
  const name = nameOf(input);
  await mkdir(partsFolder, { recursive: true });
  const isPart = ({ place }: Job) => place.fileName === name;
  // The recovery of an earlier window may be saving it at this moment.
  await untilIdle(jobs, isPart);
  const known = await partIn(partsFolder, name);
  if (known) return known;
  const root = pathToFileURL(partsFolder).href;
  const { request, place } = options.whole;
  // The exact name is that of the whole.
  const { exactName: _, ...shared } = place;
  const paid = jobs.all.find((job) => job.hasAnswer && job.place.fileName === name);
  if (paid) await runner.downloadAgain(paid.id, options);
  else {
    const partPlace = { ...shared, root, path: '', fileName: name };
    await runner.run({ ...input, place: partPlace, whole: { request, place } }, options);
  }
  const saved = await partIn(partsFolder, name);
  if (!saved) throw new Error(`the spoken part ${name} is gone`);
  return saved;
}

/** The path of a part that is on disk; what a crash has left without content is none. */
async function partIn(partsFolder: string, name: string): Promise<string | undefined> {
  for (const file of await readdir(partsFolder)) {
    const path = join(partsFolder, file);
    if (file.startsWith(`${name}.`) && (await stat(path)).size > 0) return path;
  }
  return undefined;
}

function untilIdle(jobs: SpeakOptions['jobs'], isMeant: (job: Job) => boolean): Promise<void> {
  const isBusy = () => jobs.all.some((job) => isRunning(job) && isMeant(job));
  if (!isBusy()) return Promise.resolve();
  return new Promise((resolve) => {
    const listening = jobs.onDidChange(() => {
      if (isBusy()) return;
      listening.dispose();
      resolve();
    });
  });
}

async function saveParts(
  input: SpeechInput,
  files: readonly string[],
  options: SpeakOptions,
): Promise<readonly Asset[]> {
  const { place, onNotice, onProgress } = options;
  const job = { ...input, id: randomUUID(), createdAt: new Date().toISOString() };
  const save = (data: AsyncIterable<Uint8Array>, index: number, file: string) => {
    onProgress({ stage: 'saving', file: index + 1, files: files.length });
    const announced = extname(file) === '.pcm' ? 'audio/pcm' : undefined;
    return saveAsset({ data, index, announced }, job, { id: undefined, usage: undefined }, { place });
  };
  const [first = ''] = files;
  const joined = await joinSpeech(extname(first).slice(1), files);
  if (joined.joined) return [await save(joined.data, 0, first)];
  onNotice(
    l10n.t('The {0} spoken parts cannot be joined in this format: they are saved one by one, in order.', files.length),
  );
  const assets: Asset[] = [];
  for (const [index, file] of files.entries()) assets.push(await save(createReadStream(file), index, file));
  return assets;
}
