import { deflateRawSync } from 'node:zlib';
import { EncodedPacketSink, type InputAudioTrack } from 'mediabunny';

/**
 * Returns the sound tracks that a person may want sent, the best first: those that can be copied and are not silent, of
 * which default tracks come first. All of them are silent only if nothing else is there.
 *
 * @param tracks all sound tracks of a recording
 * @param isCopied whether a track can be copied
 * @param bytes size of the recording
 */
export async function chooseTracks(
  tracks: readonly InputAudioTrack[],
  isCopied: (track: InputAudioTrack) => Promise<boolean>,
  bytes: number,
  onProgress: (share: number) => void,
): Promise<readonly InputAudioTrack[]> {
  const copied: InputAudioTrack[] = [];
  for (const track of tracks) if (await isCopied(track)) copied.push(track);
  if (tracks.length < 2) return copied;
  const heard: InputAudioTrack[] = [];
  for (const track of copied) if (!(await isSilent(track, bytes, onProgress))) heard.push(track);
  // What cannot be copied may be the speech.
  const meant = heard.length > 0 || copied.length < tracks.length ? heard : copied;
  const isDefault = await Promise.all(meant.map(async (track) => (await track.getDisposition()).default));
  return [...meant.filter((_, index) => isDefault[index]), ...meant.filter((_, index) => !isDefault[index])];
}

/**
 * Bytes, and share of its bytes, that a second of silence deflates to at most. No speech takes less than 700 bytes, and
 * encoders fill silence, if at all, with the same bytes again and again.
 */
const [maxSilentBytes, maxSilentShare] = [400, 0.02];
/** Bounds the memory where the times of packets lie. */
const maxWindowBytes = 16_000_000;

/** Whether no second of a track says anything. Stops reading at the first one that does. */
async function isSilent(track: InputAudioTrack, bytes: number, onProgress: (share: number) => void): Promise<boolean> {
  const duration = (await track.getDurationFromMetadata()) ?? Number.POSITIVE_INFINITY;
  let window: Uint8Array[] = [];
  let [start, size, read] = [Number.NEGATIVE_INFINITY, 0, 0];
  const isHeard = () => deflateRawSync(Buffer.concat(window)).length > maxSilentBytes + size * maxSilentShare;
  for await (const { data, timestamp } of new EncodedPacketSink(track).packets()) {
    if (timestamp >= start + 1 || size > maxWindowBytes) {
      if (isHeard()) return false;
      [window, start, size] = [[], timestamp, 0];
      onProgress(Math.max(0, Math.min(1, timestamp / duration)));
    }
    window.push(data);
    size += data.length;
    read += data.length;
    // The reader of a damaged file may go on forever.
    if (read > 2 * bytes) return false;
  }
  return !isHeard();
}
