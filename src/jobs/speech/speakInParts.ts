import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { extname } from 'node:path';
import * as l10n from '@vscode/l10n';
import type { Asset } from '../../library/Asset.ts';
import { MediaError } from '../../operations/MediaError.ts';
import { beforeSending } from '../jobErrors.ts';
import type { Lease } from '../Lease.ts';
import type { Place } from '../Place.ts';
import { checkPlace } from '../Place.ts';
import type { PartOptions } from '../runPart.ts';
import { saveAsset } from '../saveAsset.ts';
import { sweepParts } from '../sweepParts.ts';
import { bytesOf, joinSpeech } from './joinSpeech.ts';
import type { SpeechInput } from './speechParts.ts';
import { removeParts, speakPart, speechKey, withPartsKept } from './speechParts.ts';
import { narrationsFolder, spokenElsewhere, takeNarration } from './takeNarration.ts';

export interface SpeakOptions extends Omit<PartOptions, 'whole'> {
  readonly place: Place;
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
  options: SpeakOptions,
): Promise<readonly Asset[]> {
  await checkPlace(options.place).catch((error: unknown) => {
    throw beforeSending(error);
  });
  const { lease } = await takeNarration(speechKey(input), options.partsFolder);
  try {
    return await speakAll(input, parts, lease, options);
  } finally {
    // Leaves the folder to the sweep, because another window may be taking the lease.
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
  const whole = { request: input.request, place: input.place };
  for (const part of parts) {
    if (!(await lease.renew())) throw spokenElsewhere();
    const request = { ...input.request, input: part };
    files.push(await speakPart({ ...input, request }, { ...options, whole }));
  }
  const assets = await saveParts(input, files, options).catch((error: unknown) => {
    throw error instanceof MediaError ? withPartsKept(error) : error;
  });
  await removeParts(files);
  return assets;
}

/** Removes parts that were not used for 30 days, and leftovers of ended attempts and narrations. */
export function sweepSpeech(partsFolder: string): Promise<void> {
  return sweepParts(partsFolder, narrationsFolder);
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
  if (joined.joined) return [await save(bytesOf(joined.data), 0, first)];
  onNotice(
    l10n.t('The {0} spoken parts cannot be joined in this format, so each is saved as its own file.', files.length),
  );
  const assets: Asset[] = [];
  for (const [index, file] of files.entries()) assets.push(await save(createReadStream(file), index, file));
  return assets;
}
