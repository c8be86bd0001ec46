import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { extname } from 'node:path';
import * as l10n from '@vscode/l10n';
import type { Asset } from '../../library/Asset.ts';
import { hashOf } from '../../library/sha256.ts';
import { MediaError } from '../../operations/MediaError.ts';
import type { MediaRequest } from '../../operations/operations.ts';
import type { Place } from '../deliver.ts';
import { checkPlace, saveAsset } from '../deliver.ts';
import type { RunOptions } from '../JobRun.ts';
import type { JobInput, JobRunner } from '../JobRunner.ts';
import { beforeSending } from '../jobErrors.ts';
import { bytesOf, joinSpeech } from './joinSpeech.ts';
import { SpokenWhole } from './SpokenWhole.ts';

export type SpeechRequest = MediaRequest<'speak'>;
export type SpeechInput = JobInput & { readonly request: SpeechRequest };

/** Hashes what determines a recording: text, model, voice, format, and whether the sandbox speaks it. */
export function speechKey({ sandbox, request }: Pick<SpeechInput, 'sandbox' | 'request'>): string {
  const { model, input, voice, response_format } = request;
  return hashOf([sandbox, { model, input, voice, response_format }]);
}

/**
 * Speaks a long text part by part and joins the parts into one file. Parts that cannot be joined are saved one by one.
 * When a part fails, the finished parts are kept, and running the same text again continues with the failed one.
 *
 * @returns one asset, or one per part
 * @throws MediaError
 */
export async function speakInParts(
  input: SpeechInput,
  parts: readonly string[],
  runner: JobRunner,
  options: RunOptions,
): Promise<readonly Asset[]> {
  const place = runner.placeAt(input.place);
  await checkPlace(place).catch((error: unknown) => {
    throw beforeSending(error);
  });
  const { request: _, key: __, ...facts } = input;
  const own = { key: wholeKey(speechKey(input)), request: input.request, place: input.place };
  await using whole = await SpokenWhole.open(own, { ...facts, place: partPlace(input) }, runner);
  const requests = parts.map((text) => {
    const request = { ...input.request, input: text };
    return { request, key: speechKey({ ...input, request }) };
  });
  await whole.begin(
    requests.map(({ key }) => key),
    options,
  );
  const spoken: string[] = [];
  for (const part of requests) spoken.push(await whole.speak(part, options));
  const assets = await saveParts(input, spoken, place, options).catch((error: unknown) => {
    throw error instanceof MediaError ? withPartsKept(error) : error;
  });
  await whole.saved();
  return assets;
}

/** Returns the key that one process at a time holds while it makes a whole of parts. */
export function wholeKey(...facts: readonly unknown[]): string {
  return hashOf(['whole', ...facts]);
}

/** The exact name is for the whole, not for its parts. */
export function partPlace({ place: { exactName: _, ...place } }: Pick<JobInput, 'place'>): JobInput['place'] {
  return place;
}

/** Returns the failure with a note that the parts paid for so far are kept. */
export function withPartsKept(error: MediaError): MediaError {
  const sentence = l10n.t('{0} The parts already spoken are kept; you will not pay for them again.', error.message);
  return new MediaError(error.kind, sentence, { ...error, cause: error });
}

async function saveParts(
  input: SpeechInput,
  files: readonly string[],
  place: Place,
  { onNotice, onProgress }: RunOptions,
): Promise<readonly Asset[]> {
  const id = randomUUID();
  const job = { ...input, id, key: id, createdAt: new Date().toISOString() };
  const save = (data: AsyncIterable<Uint8Array>, index: number, file: string) => {
    onProgress({ stage: 'saving', file: index + 1, files: files.length });
    const announced = extname(file) === '.pcm' ? 'audio/pcm' : undefined;
    return saveAsset({ data, index, announced }, job, { id: undefined, usage: undefined }, { place });
  };
  const [first = ''] = files;
  const joined = await joinSpeech(extname(first).slice(1), files);
  if (joined.joined) return [await save(bytesOf(joined.data), 0, first)];
  onNotice(
    l10n.t('The {0} spoken parts cannot be joined in this format, so each is saved as its own file.', files.length),
  );
  const assets: Asset[] = [];
  for (const [index, file] of files.entries()) assets.push(await save(createReadStream(file), index, file));
  return assets;
}
