import { FLAC, MATROSKA, MP4, OGG, QTFF, WAVE, WEBM } from 'mediabunny';
import type { Link } from './links.ts';
import { endOfMatroska } from './matroskaFile.ts';
import { statedWavBytes } from './mendedWav.ts';
import type { RecordingFile } from './RecordingFile.ts';
import type { TrackOpened } from './SoundTrack.ts';

/** A difference that nobody hears, or that comes from rounding. In seconds, and as a share. */
const [tolerance, toleratedShare] = [0.2, 0.002];
/** Files with less in packets than this share of their bytes have sound that was not read. */
const readShare = 0.9;

/** What was read of a link. */
interface Read {
  readonly bytes: number;
  readonly start: number;
  readonly end: number;
}

/**
 * Compares what was read of a link with what is in it.
 *
 * @returns the seconds that are missing, and whether the file has lost them
 */
export async function missingSeconds({ recording, seconds }: Link, opened: TrackOpened, { bytes, start, end }: Read) {
  const { container, sound } = opened;
  const lacking = (expected: number, got: number) =>
    expected - got > Math.max(tolerance, expected * toleratedShare) ? expected - got : 0;
  if (seconds !== undefined) return { seconds: lacking(seconds, end - start), isLost: false };
  if (container === OGG) return { seconds: lacking(await endOfOgg(recording, opened), end), isLost: false };
  if (container === MATROSKA || container === WEBM) {
    const { ofTrack = 0, ofAny = 0, isCut } = await endOfMatroska(recording, sound.track.id);
    const unread = lacking(ofTrack, end);
    if (unread > 0) return { seconds: unread, isLost: false };
    // The duration is that of all tracks, so it says nothing when the file is complete.
    const isLost = isCut && sound.duration !== undefined && lacking(sound.duration, ofAny) > 0;
    return { seconds: isLost ? lacking(sound.duration, end) : 0, isLost: true };
  }
  if (container === WAVE) {
    const stated = await statedWavBytes(recording);
    return { seconds: stated > bytes ? lacking((stated / bytes) * (end - start), end - start) : 0, isLost: true };
  }
  // Others state the duration of all tracks, or none.
  const isStated = container === MP4 || container === QTFF || container === FLAC;
  const missing = isStated && sound.duration !== undefined ? lacking(sound.duration, end) : 0;
  return { seconds: missing, isLost: container !== FLAC || bytes >= recording.size * readShare };
}

const tailBytes = 131_072;

/** Returns the time at which the last page of a stream ends: RFC 3533, 6. Not exact, as it counts samples before 0. */
async function endOfOgg({ size, read }: RecordingFile, { sound: { codec, track } }: TrackOpened): Promise<number> {
  const tail = Buffer.alloc(Math.min(size, tailBytes));
  await read(tail, size - tail.length);
  const rate = codec === 'opus' ? 48_000 : await track.getSampleRate();
  for (let at = tail.lastIndexOf('OggS'); at >= 0; at = at === 0 ? -1 : tail.lastIndexOf('OggS', at - 1)) {
    if (at + 18 > tail.length || tail.readUInt32LE(at + 14) !== track.id) continue;
    const granule = tail.readBigInt64LE(at + 6);
    // No packet ends on a page with -1.
    if (granule >= 0n) return Number(granule) / rate;
  }
  return 0;
}
