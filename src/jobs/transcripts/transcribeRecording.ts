import { readdir, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import type { Asset } from '../../library/Asset.ts';
import { MediaError } from '../../operations/MediaError.ts';
import { beforeSending } from '../jobErrors.ts';
import { checkPlace } from '../Place.ts';
import { RecordingWork } from './RecordingWork.ts';
import { recordingKey } from './recordingKey.ts';
import type { Sound } from './soundOf.ts';
import { mayHoldPicture, soundOf } from './soundOf.ts';
import type { RecordingInput, TranscribeOptions } from './TranscribeOptions.ts';
import { cutInto, transcribeParts } from './transcribeParts.ts';

/** The most common size limit of services, in bytes. */
const usualLimit = 25_000_000;

/**
 * Transcribes or translates a recording. Sends only the sound of a video, and large recordings in parts, as the options
 * say.
 *
 * @returns one asset
 * @throws MediaError
 */
export async function transcribeRecording(
  input: RecordingInput,
  options: TranscribeOptions,
): Promise<readonly Asset[]> {
  const { file } = input.request;
  const isVideo = mayHoldPicture(extname(file));
  const { size } = await stat(file);
  const isLong = options.maxBytes > 0 && size > options.maxBytes;
  const mayBeBegun = (await keptParts(options.recordingsFolder)).length > 0;
  if (!isVideo && !isLong && !mayBeBegun && input.partBytes === undefined) {
    return options.runner
      .run(input, options, options.id)
      .catch((error: unknown) => inPartsIfTooLarge(error, input, options));
  }
  return withWork(input, options, async (work, key) => {
    const sound = isVideo ? await soundOf(file, work.folder, options) : { file, bytes: size };
    const begun = input.partBytes ?? (await partsBegun(options.recordingsFolder, key));
    const limit = begun ?? (options.maxBytes > 0 && sound.bytes > options.maxBytes ? options.maxBytes : undefined);
    const cut = limit === undefined ? undefined : await cutInto(limit, sound, work, options);
    if (cut) return transcribeParts(input, { sound, key, work, cut }, options);
    return sendWhole(input, sound, options).catch(async (error: unknown) => {
      return afterRefusal(error, input, { sound, key, work }, options);
    });
  });
}

function sendWhole(input: RecordingInput, sound: Sound, options: TranscribeOptions): Promise<readonly Asset[]> {
  const sent = sound.file === input.request.file ? {} : { sentFile: sound.file };
  return options.runner.run({ ...input, ...sent }, options, options.id);
}

/** Handles the refusal of a recording that was sent without preparation. */
async function inPartsIfTooLarge(
  error: unknown,
  input: RecordingInput,
  options: TranscribeOptions,
): Promise<readonly Asset[]> {
  if (!isTooLarge(error)) throw error;
  const { file } = input.request;
  const { size: bytes } = await stat(file);
  return withWork(input, options, (work, key) =>
    afterRefusal(error, input, { sound: { file, bytes }, key, work }, options),
  );
}

interface Refused {
  readonly sound: Sound;
  readonly key: string;
  readonly work: RecordingWork;
}

/** Offers to send the recording in parts. Throws the refusal when it cannot be cut or the person declines. */
async function afterRefusal(
  error: unknown,
  input: RecordingInput,
  refused: Refused,
  options: TranscribeOptions,
): Promise<readonly Asset[]> {
  if (!isTooLarge(error) || !options.mayCut) throw error;
  const { sound, work } = refused;
  const partBytes = Math.min(usualLimit, Math.floor(sound.bytes / 2));
  const cut = await cutInto(partBytes, sound, work, options);
  if (!cut || !(await options.mayCut({ bytes: sound.bytes, parts: cut.parts.length, partBytes }))) throw error;
  // The parts replace the refused job.
  if (error.jobId !== undefined) await options.runner.dismiss(error.jobId).catch(() => undefined);
  return transcribeParts(input, { ...refused, cut }, options);
}

async function withWork(
  input: RecordingInput,
  options: TranscribeOptions,
  work: (work: RecordingWork, key: string) => Promise<readonly Asset[]>,
): Promise<readonly Asset[]> {
  await checkPlace(options.place).catch((error: unknown) => {
    throw beforeSending(error);
  });
  const key = await recordingKey(input, options.soundOnly);
  await using held = await RecordingWork.take(options.recordingsFolder, key);
  return await work(held, key);
}

/** Returns the part size of an earlier, unfinished run, whose parts are already paid for. */
async function partsBegun(recordingsFolder: string, key: string): Promise<number | undefined> {
  const names = await keptParts(recordingsFolder);
  const sizes = names.flatMap((name) => (name.startsWith(`${key}-`) ? [Number(name.split('-')[1])] : []));
  return sizes.length === 0 ? undefined : Math.min(...sizes);
}

async function keptParts(recordingsFolder: string): Promise<readonly string[]> {
  const names = await readdir(recordingsFolder).catch(() => []);
  return names.filter((name) => name.endsWith('.json'));
}

function isTooLarge(error: unknown): error is MediaError {
  return error instanceof MediaError && error.kind === 'tooLarge';
}
