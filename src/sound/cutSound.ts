import { basename, extname, join } from 'node:path';
import type { SoundSteps } from './loudness.ts';
import { measureLoudness, stepOf } from './loudness.ts';
import type { CopiedSound, SoundPart } from './readRecording.ts';
import type { RecordingFile, SoundTrack } from './SoundTrack.ts';
import { openSound, packetsOf, SoundWriter } from './SoundTrack.ts';

/** Space reserved in each file for what is not packets: header, index and cover images. */
const headBytes = 4096;

/** Cuts the sound of a recording at quiet places into files of at most `partBytes`. Copies packets without decoding. */
export async function cutSound(
  recording: RecordingFile,
  folder: string,
  partBytes: number,
  onProgress: (share: number) => void,
): Promise<CopiedSound> {
  const { path } = recording;
  return openSound(recording, async (opened): Promise<CopiedSound> => {
    if (opened.type !== 'track') return opened;
    const { sound } = opened;
    const cuts = planParts(await measureLoudness(sound, (share) => onProgress(share / 2)), partBytes - headBytes);
    if (!cuts) return { type: 'unreadable', reason: 'a tenth of a second of it is larger than the part size' };
    const target = (part: number) =>
      join(folder, `${basename(path, extname(path))}-part-${part + 1}.${sound.format.extension}`);
    return { type: 'parts', parts: await writeParts(sound, cuts, target, (share) => onProgress(0.5 + share / 2)) };
  });
}

async function writeParts(
  sound: SoundTrack,
  cuts: readonly number[],
  target: (part: number) => string,
  onProgress: (share: number) => void,
): Promise<readonly SoundPart[]> {
  const parts: SoundPart[] = [];
  let writer = await SoundWriter.open(sound, target(0));
  for await (const packet of packetsOf(sound, true, onProgress)) {
    const cut = cuts[parts.length];
    if (cut !== undefined && stepOf(packet.timestamp) >= cut) {
      parts.push(await writer.finish());
      writer = await SoundWriter.open(sound, target(parts.length));
    }
    await writer.add(packet);
  }
  return [...parts, await writer.finish()];
}

/** Number of steps over which the loudness of a pause is averaged. */
const pauseSteps = 4;
/** Maximum distance of a cut from the even position, in steps. */
const reachSteps = 300;
const clearlyQuieter = 0.9;
/** Maximum planned fill of a part, which leaves room for a pause after the even position. */
const maxFill = 0.9;

/**
 * Plans where to cut a sound into parts of at most `partBytes`. Parts are even, except that each cut moves to the
 * quietest place nearby.
 *
 * @returns the first step of each part after the first; undefined when a single step is too large
 */
export function planParts({ bytes, loudness }: SoundSteps, partBytes: number): readonly number[] | undefined {
  if (bytes.some((one) => one > partBytes)) return undefined;
  const cuts: number[] = [];
  const until = sums(bytes);
  const total = until.at(-1) ?? 0;
  for (let start = 0; ; ) {
    const before = until[start] ?? 0;
    const left = total - before;
    if (left <= partBytes) return cuts;
    const even = before + left / Math.ceil(left / (partBytes * maxFill));
    // The last step at which the part is small enough.
    const last = lastBelow(until, before + partBytes);
    const middle = Math.min(lastBelow(until, even), last);
    const from = Math.max(start + 1, middle - reachSteps, Math.ceil((start + middle) / 2));
    start = quietest(loudness, from, Math.min(last, middle + reachSteps), middle);
    cuts.push(start);
  }
}

/** Returns the middle of the quietest pause, or the even position when nothing nearby is clearly quieter. */
function quietest(loudness: readonly number[], from: number, to: number, middle: number): number {
  let best = Math.max(from, Math.min(middle, to));
  let least = around(loudness, best);
  for (let distance = 1; distance <= reachSteps; distance++) {
    for (const step of [middle - distance, middle + distance]) {
      if (step < from || step > to) continue;
      const loud = around(loudness, step);
      // With equal loudness everywhere, as in sound of a constant bit rate, noise must not decide.
      if (loud < least * clearlyQuieter) [best, least] = [step, loud];
    }
  }
  return best;
}

function around(loudness: readonly number[], step: number): number {
  const pause = loudness.slice(Math.max(0, step - pauseSteps / 2), step + pauseSteps / 2);
  return pause.reduce((sum, one) => sum + one, 0) / Math.max(1, pause.length);
}

function sums(numbers: readonly number[]): readonly number[] {
  let sum = 0;
  return [0, ...numbers.map((number) => (sum += number))];
}

/** Returns the last step that has at most this many bytes before it. */
function lastBelow(until: readonly number[], maxBytes: number): number {
  let low = 0;
  let high = until.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((until[middle] ?? 0) <= maxBytes) low = middle;
    else high = middle - 1;
  }
  return low;
}
