import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as l10n from '@vscode/l10n';
import type { Asset } from '../../library/Asset.ts';
import { MediaError } from '../../operations/MediaError.ts';
import type { MediaRequest } from '../../operations/operations.ts';
import type { JobList } from '../JobList.ts';
import { isRunning } from '../JobList.ts';
import type { JobInput, JobRunner, RunOptions } from '../JobRunner.ts';
import { beforeSending } from '../jobErrors.ts';
import type { Place } from '../saveResults.ts';
import { checkPlace, saveAsset } from '../saveResults.ts';
import { joinSpeech } from './joinSpeech.ts';

export interface SpeakOptions extends RunOptions {
  readonly runner: Pick<JobRunner, 'run' | 'downloadAgain'>;
  /** Where a part may stand whose answer waits to be saved. */
  readonly jobs: Pick<JobList, 'all'>;
  readonly place: Place;
  /** The extension's own folder, where parts wait for the others: a part that is there is not paid for again. */
  readonly partsFolder: string;
}

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
  const files: string[] = [];
  for (const part of parts)
    files.push(
      await spokenPart({ ...input, request: { ...input.request, input: part } }, { ...options, whole: input }),
    );
  const assets = await saveParts(input, files, options).catch((error: unknown) => {
    throw error instanceof MediaError ? withPartsKept(error) : error;
  });
  await Promise.all(files.map((file) => rm(file, { force: true })));
  return assets;
}

function withPartsKept(error: MediaError): MediaError {
  const sentence = l10n.t('{0} What is spoken is kept: the same text is not paid for again.', error.message);
  return new MediaError(error.kind, sentence, { ...error, cause: error });
}

/** The file of one part: the one that an earlier run has left, or a new one. */
async function spokenPart(
  input: SpeechInput,
  options: SpeakOptions & { readonly whole: SpeechInput },
): Promise<string> {
  const { partsFolder, runner, jobs } = options;
  const name = createHash('sha256')
    .update(JSON.stringify([input.sandbox, input.request]))
    .digest('hex');
  await mkdir(partsFolder, { recursive: true });
  const known = (await readdir(partsFolder)).find((file) => file.startsWith(`${name}.`));
  if (known) return join(partsFolder, known);
  const root = pathToFileURL(partsFolder).href;
  const { request, place } = options.whole;
  const paid = jobs.all.find((job) => job.hasAnswer && job.place.fileName === name && !isRunning(job));
  if (paid) await runner.downloadAgain(paid.id, options);
  else {
    const partPlace = { ...place, root, path: '', fileName: name };
    await runner.run({ ...input, place: partPlace, whole: { request, place } }, options);
  }
  const saved = (await readdir(partsFolder)).find((file) => file.startsWith(`${name}.`));
  if (!saved) throw new Error(`the spoken part ${name} is gone`);
  return join(partsFolder, saved);
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
    return saveAsset({ data, index, announced }, job, { id: undefined, usage: undefined }, place);
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
