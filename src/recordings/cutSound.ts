import { basename, extname, join } from 'node:path';
import { loudnessFor } from './loudnessFor.ts';
import type { SoundSteps } from './planParts.ts';
import { planParts, stepSeconds } from './planParts.ts';
import type { SoundTrack } from './SoundTrack.ts';
import { openSound, packetsOf } from './SoundTrack.ts';
import { SoundWriter } from './SoundWriter.ts';
import type { RecordingResult, SoundPart } from './tasks.ts';

/** Space reserved in each file for what is not packets: header, index and cover images. */
const headBytes = 4096;

/** Cuts the sound of a recording at quiet places into files of at most `partBytes`. Copies packets without decoding. */
export async function cutSound(
  file: string,
  folder: string,
  partBytes: number,
  onProgress: (share: number) => void,
): Promise<RecordingResult> {
  return openSound(file, async (opened): Promise<RecordingResult> => {
    if (opened.type !== 'track') return opened;
    const { sound } = opened;
    const cuts = planParts(await measure(sound, (share) => onProgress(share / 2)), partBytes - headBytes);
    if (!cuts) return { type: 'unreadable', reason: 'a tenth of a second of it is larger than the part size' };
    const target = (part: number) =>
      join(folder, `${basename(file, extname(file))}-part-${part + 1}.${sound.format.extension}`);
    return { type: 'parts', parts: await writeParts(sound, cuts, target, (share) => onProgress(0.5 + share / 2)) };
  });
}

async function measure(sound: SoundTrack, onProgress: (share: number) => void): Promise<SoundSteps> {
  const loudness = loudnessFor(sound.codec);
  const bytes: number[] = [];
  const sums: number[] = [];
  const counts: number[] = [];
  for await (const packet of packetsOf(sound, loudness.isDataNeeded, onProgress)) {
    const step = stepOf(packet.timestamp);
    for (let next = bytes.length; next <= step; next++) [bytes[next], sums[next], counts[next]] = [0, 0, 0];
    bytes[step] = (bytes[step] ?? 0) + packet.byteLength + sound.format.bytesPerPacket;
    sums[step] = (sums[step] ?? 0) + loudness.of(packet);
    counts[step] = (counts[step] ?? 0) + 1;
  }
  // A step in which no packet starts is as loud as the one before.
  let last = 0;
  const loud = sums.map((sum, step) => {
    const count = counts[step] ?? 0;
    if (count > 0) last = sum / count;
    return last;
  });
  return { bytes, loudness: loud };
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

function stepOf(timestamp: number): number {
  return Math.max(0, Math.floor(timestamp / stepSeconds));
}
