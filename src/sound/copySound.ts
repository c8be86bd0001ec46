import { open } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { MATROSKA, MP4, MPEG_TS, QTFF, WEBM } from 'mediabunny';
import { type Clock, ClockMaker, delayed, isMoved, SteadyTime } from './Clock.ts';
import { checkMp4 } from './checkMp4.ts';
import { mpegFormat } from './frames.ts';
import type { Link } from './links.ts';
import { measureLoudness, type SoundSteps, stepOf } from './loudness.ts';
import { missingSeconds } from './missingSeconds.ts';
import type { RecordingFile } from './RecordingFile.ts';
import type { CopiedSound, RecordingTask, SoundPart } from './readRecording.ts';
import {
  type OpenedSound,
  openLinks,
  openSound,
  type SoundTrack,
  SoundWriter,
  steadyPackets,
  type TrackOpened,
} from './SoundTrack.ts';

/** Copies the sound of a recording into its own file; that of a chain into one for each link. */
export async function takeSound(
  recording: RecordingFile,
  { folder, copies, track }: Pick<Extract<RecordingTask, { type: 'takeSound' }>, 'folder' | 'copies' | 'track'>,
  onProgress: (share: number) => void,
): Promise<CopiedSound> {
  const { path } = recording;
  if (copies !== 'never') {
    const program = await takeProgramSound(
      recording,
      join(folder, `${basename(path, extname(path))}.mpga`),
      onProgress,
    );
    if (program) return program;
  }
  const choice = { track, onProgress };
  const isCopied = await openSound(
    recording,
    async (opened) => {
      if (opened.type !== 'track') return opened;
      // A service that gets several tracks chooses one of them.
      const isPicked = opened.hasPicture || opened.tracks > 1;
      const isWanted =
        copies === 'always' || (copies === 'ofVideos' && (isPicked || (await hasGaps(opened, onProgress))));
      return isWanted || ({ type: 'isSound' } as const);
    },
    choice,
  );
  if (isCopied !== true) return isCopied;
  return copyLinks(recording, choice, async (sound, made, report) => {
    const name = `${basename(path, extname(path))}${made === 0 ? '' : `-${made + 1}`}.${sound.format.extension}`;
    return writeParts(sound, [], () => join(folder, name), report);
  });
}

/** Containers whose packets have times of their own. */
const timed = [MATROSKA, WEBM, MP4, QTFF, MPEG_TS];

/** Whether the times of a sound would be wrong if it were sent as it is, because decoders leave out its gaps. */
async function hasGaps(opened: TrackOpened, onProgress: (share: number) => void): Promise<boolean> {
  if (!timed.includes(opened.container)) return false;
  const clock = new ClockMaker();
  for await (const { packet, plays } of steadyPackets(opened.sound, false, onProgress))
    clock.add(packet.timestamp, plays);
  return isMoved(delayed(clock.clock, -(await zeroOf(opened))));
}

/** Returns when a recording starts to play, in the time of its file. A transport stream may start anywhere. */
async function zeroOf({ container, sound }: TrackOpened): Promise<number> {
  return container === MPEG_TS ? sound.track.input.getFirstTimestamp() : 0;
}

/**
 * Copies the sound of each link of a recording, and checks that nothing of it is missing.
 *
 * @param copy copies a track after that many other parts were made
 */
async function copyLinks(
  recording: RecordingFile,
  { track, onProgress }: { readonly track?: number; readonly onProgress: (share: number) => void },
  copy: (
    sound: SoundTrack,
    made: number,
    onProgress: (share: number) => void,
  ) => Promise<readonly SoundPart[] | Exclude<CopiedSound, { readonly type: 'parts' }>>,
): Promise<CopiedSound> {
  const links = await openLinks(recording, onProgress);
  if ('type' in links) return links;
  const parts: SoundPart[] = [];
  let missing = 0;
  for (const [index, link] of links.entries()) {
    const report = (share: number) => onProgress((index + share) / links.length);
    const copyOpened = async (opened: OpenedSound) => {
      if (opened.type !== 'track') return opened;
      if (opened.container === MP4 || opened.container === QTFF) await checkMp4(link.recording);
      const made = await copy(opened.sound, parts.length, report);
      if ('type' in made) return made;
      const missing = await checkedAgainst(link, opened, made);
      const zero = await zeroOf(opened);
      return {
        type: 'parts',
        parts: made.map((one) => ({ ...one, clock: delayed(one.clock, -zero) })),
        missing,
      } as const;
    };
    const copied = await openSound(link.recording, copyOpened, { track, onProgress: report });
    if (copied.type !== 'parts') return copied;
    const start = parts.at(-1)?.end ?? 0;
    parts.push(
      ...copied.parts.map((one) => ({
        ...one,
        start: start + one.start,
        end: start + one.end,
        clock: delayed(one.clock, start),
      })),
    );
    missing += copied.missing ?? 0;
  }
  return { type: 'parts', parts, ...(missing > 0 ? { missing } : {}) };
}

/**
 * Returns how many seconds a file says that it has more than are in its parts: its end is lost.
 *
 * @throws Error when the file has them, but they were not read
 */
async function checkedAgainst(link: Link, opened: TrackOpened, parts: readonly SoundPart[]): Promise<number> {
  const { seconds, isLost } = await missingSeconds(link, opened, {
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
    start: parts[0]?.start ?? 0,
    end: parts.at(-1)?.end ?? 0,
  });
  if (seconds > 0 && !isLost) throw new Error(`${seconds.toFixed(1)} s of its sound cannot be read`);
  return seconds;
}

const windowBytes = 1 << 20;
const packHeader = Buffer.from([0, 0, 1, 0xba]);
const privateStream = 0xbd;
const progressBytes = 64 * windowBytes;

/**
 * Copies the first sound stream of an MPEG program stream (ISO 11172-1, 13818-1). The result is plain MPEG audio
 * frames. mediabunny does not read these streams.
 *
 * @param path path of the new file; there must be none yet
 * @returns undefined for any other file
 */
async function takeProgramSound(
  source: RecordingFile,
  path: string,
  onProgress: (share: number) => void,
): Promise<Exclude<CopiedSound, { readonly type: 'isSound' }> | undefined> {
  const head = Buffer.alloc(4);
  await source.read(head, 0);
  if (!head.equals(packHeader)) return undefined;
  await using sound = await open(path, 'wx');
  let stream: number | undefined;
  let bytes = 0;
  let hasOtherSound = false;
  const frames = new FrameClock();
  const starts = new Map<number, number>();
  const sounds = new Set<number>();
  for await (const { code, packet } of packetsIn(source, onProgress)) {
    if (code === privateStream) hasOtherSound = true;
    if (code < 0xc0 || code > 0xef) continue;
    const { data, time } = contentOf(packet);
    if (time !== undefined && !starts.has(code)) starts.set(code, time);
    if (code > 0xdf) continue;
    stream ??= code;
    sounds.add(code);
    if (code !== stream) continue;
    frames.add(data, time);
    await sound.writev([data]);
    bytes += data.length;
  }
  if (bytes > 0) {
    const clock = delayed(frames.clock, -Math.min(...starts.values(), frames.clock[0]?.plays ?? 0));
    const part = { file: path, bytes, start: 0, end: 0, seconds: frames.seconds, clock };
    return { type: 'parts', parts: [part], ...(sounds.size > 1 ? { firstOf: sounds.size } : {}) };
  }
  return hasOtherSound ? { type: 'unreadable', reason: 'its sound is not MPEG audio' } : { type: 'noSound' };
}

/** Yields the packets that have a length. They share one buffer. */
async function* packetsIn(source: RecordingFile, onProgress: (share: number) => void) {
  const { size } = source;
  const memory = Buffer.allocUnsafe(windowBytes);
  let reported = 0;
  for (let position = 0; position < size; ) {
    const bytesRead = await source.read(memory, position);
    const window = memory.subarray(0, bytesRead);
    let offset = nextCode(window, 0);
    while (offset + 6 <= window.length) {
      const code = window[offset + 3] ?? 0;
      // Lower codes are picture data and packs, which have no length.
      const hasLength = code >= 0xbb;
      const end = offset + (hasLength ? 6 + window.readUInt16BE(offset + 4) : 4);
      if (end > window.length && position + end <= size) break;
      if (hasLength) yield { code, packet: window.subarray(offset + 6, end) };
      offset = nextCode(window, end);
    }
    // The last bytes may be part of a start code, and a packet that did not fit goes to the next window.
    position += Math.max(1, Math.min(offset, window.length - 3));
    if (position - reported < progressBytes) continue;
    reported = position;
    onProgress(position / size);
  }
}

/** Returns the offset of the next start code, or the length when there is none. */
function nextCode(window: Buffer, from: number): number {
  const found = window.indexOf('\0\0\x01', from, 'latin1');
  return found < 0 ? window.length : found;
}

/** Returns the data of an MPEG-2 or MPEG-1 packet without its header, and its time in seconds, if it has one. */
function contentOf(packet: Buffer): { readonly data: Buffer; readonly time?: number } {
  const [first = 0, second = 0, third = 0] = packet;
  if ((first & 0xc0) === 0x80) {
    const data = packet.subarray(3 + third);
    return (second & 0x80) === 0 ? { data } : { data, time: timeAt(packet, 3) };
  }
  let offset = 0;
  while (packet[offset] === 0xff) offset++;
  // Skips the size of the decoder's buffer.
  if (((packet[offset] ?? 0) & 0xc0) === 0x40) offset += 2;
  const kind = (packet[offset] ?? 0) >> 4;
  if (kind !== 2 && kind !== 3) return { data: packet.subarray(offset + 1) };
  return { data: packet.subarray(offset + (kind === 3 ? 10 : 5)), time: timeAt(packet, offset) };
}

/** Reads a time of 33 bits, in units of 1/90,000 s. */
function timeAt(packet: Buffer, at: number): number | undefined {
  if (at + 5 > packet.length) return undefined;
  const high = ((packet[at] ?? 0) >> 1) & 7;
  return (high * 2 ** 30 + (packet.readUInt16BE(at + 1) >> 1) * 2 ** 15 + (packet.readUInt16BE(at + 3) >> 1)) / 90_000;
}

/** Makes the clock of a stream of frames, of which only some have a time. */
class FrameClock {
  readonly #maker = new ClockMaker();
  readonly #time = new SteadyTime();
  #rest = Buffer.alloc(0);
  #next = 0;
  seconds = 0;

  get clock(): Clock {
    return this.#maker.clock;
  }

  /** @param time of the first frame that starts in the data */
  add(data: Buffer, time: number | undefined): void {
    const window = Buffer.concat([this.#rest, data]);
    let [offset, given] = [0, time];
    while (offset + mpegFormat.headerLength <= window.length) {
      const frame = mpegFormat.read(window, offset);
      if (!frame) {
        offset++;
        continue;
      }
      if (given !== undefined && offset >= this.#rest.length) [this.#next, given] = [given, undefined];
      if (offset + frame.length > window.length) break;
      this.#maker.add(this.#time.next(this.#next, frame.seconds), this.#next);
      this.#next += frame.seconds;
      this.seconds += frame.seconds;
      offset += frame.length;
    }
    this.#rest = window.subarray(offset);
  }
}

/** Space reserved in each file for what is not packets: header, index and cover images. */
const headBytes = 4096;

/** Cuts the sound of a recording at quiet places into files of at most `partBytes`. Copies packets without decoding. */
export async function cutSound(
  recording: RecordingFile,
  { folder, partBytes, track }: Pick<Extract<RecordingTask, { type: 'cut' }>, 'folder' | 'partBytes' | 'track'>,
  onProgress: (share: number) => void,
): Promise<CopiedSound> {
  const { path } = recording;
  return copyLinks(recording, { track, onProgress }, async (sound, made, report) => {
    const cuts = planParts(await measureLoudness(sound, (share) => report(share / 2)), partBytes - headBytes);
    if (!cuts) return { type: 'unreadable', reason: 'a tenth of a second of it is larger than the part size' };
    const target = (part: number) =>
      join(folder, `${basename(path, extname(path))}-part-${made + part + 1}.${sound.format.extension}`);
    return writeParts(sound, cuts, target, (share) => report(0.5 + share / 2));
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
  for await (const one of steadyPackets(sound, true, onProgress)) {
    const cut = cuts[parts.length];
    if (cut !== undefined && stepOf(one.packet.timestamp) >= cut) {
      parts.push(await writer.finish());
      writer = await SoundWriter.open(sound, target(parts.length));
    }
    await writer.add(one);
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
    // In a gap or before a late start there is nothing to send.
    const sound = lastBelow(until, before);
    const from = Math.max(sound + 1, middle - reachSteps, Math.ceil((start + middle) / 2));
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
