import { ADTS, FLAC, type InputFormat, MATROSKA, MP3, OGG, WAVE, WEBM } from 'mediabunny';
import { adtsFormat, endOfRun, type FrameFormat, findFrame, leadingTag, mpegFormat } from './frames.ts';
import { mendedMatroska } from './matroskaFile.ts';
import { mendedWav } from './mendedWav.ts';
import type { RecordingFile } from './RecordingFile.ts';

/**
 * A range of a recording that a reader takes for the whole: recordings are chained by appending one to another, and
 * readers stop at, or skip, what has another form than the start.
 */
export interface Link {
  readonly recording: RecordingFile;
  /** Duration, where all frames were counted. */
  readonly seconds?: number;
  /** Number of bytes in these frames. */
  readonly frameBytes?: number;
}

/** A chain of more links is no recording that anybody made. */
const maxLinks = 1000;
const windowBytes = 1 << 20;

/**
 * Finds the links of a recording, in order; one if it is not a chain. Reads the whole file.
 *
 * @throws Error when there are too many
 */
export async function linksOf(
  recording: RecordingFile,
  container: InputFormat,
  onProgress: (share: number) => void,
): Promise<readonly Link[]> {
  const format = container === MP3 ? mpegFormat : container === ADTS ? adtsFormat : undefined;
  if (format) {
    const links = await framedLinks(recording, format, onProgress);
    // Frames of free format have no known length.
    return links.length > 0 ? links : [{ recording }];
  }
  const mark = marks.get(container);
  if (!mark) return [{ recording }];
  const starts = await startsOf(recording, mark, onProgress);
  // Whatever is before the first mark belongs to the first link.
  const slices = starts.map((start, index) =>
    sliceOf(recording, index === 0 ? 0 : start, starts[index + 1] ?? recording.size),
  );
  const links: Link[] = [];
  const mended = menders.get(container);
  for (const one of slices.length > 1 ? slices : [recording]) {
    links.push({ recording: mended ? await mended(one) : one });
  }
  return links;
}

/** Returns a range of a recording as a recording. */
function sliceOf({ path, read }: RecordingFile, start: number, end: number): RecordingFile {
  const size = end - start;
  const left = (position: number) => Math.max(0, size - position);
  return {
    path,
    size,
    read: (memory, position) => read(memory.subarray(0, Math.min(memory.length, left(position))), start + position),
  };
}

interface Run {
  readonly setup: string;
  readonly start: number;
  end: number;
  seconds: number;
  bytes: number;
}

/** Finds runs of frames of one form. Leaves out tags and whatever else is between them. */
async function framedLinks(recording: RecordingFile, format: FrameFormat, onProgress: (share: number) => void) {
  const runs: Run[] = [];
  const add = (window: Buffer, position: number, from: number, to: number) => {
    const setup = format.read(window, from)?.setup ?? '';
    let run = runs.at(-1);
    // The reader of ADTS does not look for a frame behind anything else. That of MPEG audio does.
    const isNext = run?.end === position + from || format === mpegFormat;
    if (!run || run.setup !== setup || !isNext) {
      run = { setup, start: position + from, end: 0, seconds: 0, bytes: 0 };
      runs.push(run);
      if (runs.length > maxLinks) throw new Error(`it changes its form more than ${maxLinks} times`);
    }
    run.end = position + to;
    run.seconds += secondsIn(window.subarray(from, to), format);
    run.bytes += to - from;
  };
  const memory = Buffer.allocUnsafe(windowBytes);
  let position = 0;
  while (position < recording.size) {
    const window = memory.subarray(0, await recording.read(memory, position));
    if (window.length === 0) break;
    const isLast = position + window.length >= recording.size;
    const safe = isLast ? window.length : window.length - format.maxFrameBytes - format.headerLength;
    let offset = 0;
    while (offset < safe) {
      const tag = leadingTag(window.subarray(offset, offset + 32));
      offset += tag;
      if (tag > 0) continue;
      const last = runs.at(-1);
      const isNext = last?.end === position + offset && format.read(window, offset)?.setup === last.setup;
      // A lone header may be anything.
      const start = isNext ? offset : findFrame(window, offset, safe, format, undefined);
      if (start >= safe) {
        offset = start;
        break;
      }
      const end = endOfRun(window, start, safe, format, format.read(window, start)?.setup);
      if (end > start) add(window, position, start, end);
      offset = Math.max(end, start + 1);
    }
    if (offset === 0) break;
    position += offset;
    onProgress(Math.min(1, position / recording.size));
  }
  return runs.map(({ start, end, seconds, bytes }): Link => {
    return { recording: sliceOf(recording, start, end), seconds, frameBytes: bytes };
  });
}

/** Returns the duration of whole frames. */
function secondsIn(run: Uint8Array, format: FrameFormat): number {
  let seconds = 0;
  for (let offset = 0; offset < run.length; ) {
    const frame = format.read(run, offset);
    if (!frame) break;
    if (!format.isIndex(run.subarray(offset, offset + frame.length))) seconds += frame.seconds;
    offset += frame.length;
  }
  return seconds;
}

/** What stands at the start of a file, and hardly ever anywhere else. */
interface Mark {
  readonly bytes: Buffer;
  /** Number of bytes of the file before the mark. */
  readonly before: number;
  /** Whether the bytes from the start on begin a file. */
  isStart(head: Buffer): boolean;
}

const headBytes = 64;
const matroska: Mark = {
  bytes: Buffer.from([0x1a, 0x45, 0xdf, 0xa3]),
  before: 0,
  isStart: (head) => /matroska|webm/.test(head.toString('latin1')),
};
const marks: ReadonlyMap<InputFormat, Mark> = new Map([
  // A page that begins a stream.
  [OGG, { bytes: Buffer.from('OggS\0\x02'), before: 0, isStart: () => true }],
  [
    WAVE,
    { bytes: Buffer.from('WAVE'), before: 8, isStart: (head) => /^(RIFF|RIFX|RF64)/.test(head.toString('latin1')) },
  ],
  // Followed by the description of the stream, which has 34 bytes.
  [FLAC, { bytes: Buffer.from('fLaC'), before: 0, isStart: (head) => (head.readUInt32BE(4) & 0x7fff_ffff) === 34 }],
  [MATROSKA, matroska],
  [WEBM, matroska],
]);

/** Make lengths those of what there is, where its reader would stop. */
const menders: ReadonlyMap<InputFormat, (recording: RecordingFile) => Promise<RecordingFile>> = new Map([
  [WAVE, mendedWav],
  [MATROSKA, mendedMatroska],
  [WEBM, mendedMatroska],
]);

/** Finds the marks in a recording. */
async function startsOf(recording: RecordingFile, mark: Mark, onProgress: (share: number) => void) {
  const starts: number[] = [];
  const memory = Buffer.allocUnsafe(windowBytes);
  // The end of an Ogg page that begins a stream. Another one there begins a stream beside it, such as the picture.
  let pageEnd = -1;
  for (let position = 0; position < recording.size; position += windowBytes - headBytes) {
    const window = memory.subarray(0, await recording.read(memory, position));
    for (let at = window.indexOf(mark.bytes); at >= 0; at = window.indexOf(mark.bytes, at + 1)) {
      const offset = at - mark.before;
      const start = position + offset;
      // The end of the window is read again with the next one.
      if (offset < 0 || start <= (starts.at(-1) ?? -1)) continue;
      const head = Buffer.alloc(headBytes);
      await recording.read(head, start);
      if (!mark.isStart(head)) continue;
      if (start !== pageEnd) starts.push(start);
      if (mark === marks.get(OGG)) pageEnd = start + (await pageLength(recording, start));
      if (starts.length > maxLinks) throw new Error(`it is a chain of more than ${maxLinks} recordings`);
    }
    onProgress(position / recording.size);
  }
  return starts;
}

/** Returns the length of an Ogg page: RFC 3533, 6. */
async function pageLength({ read }: RecordingFile, start: number): Promise<number> {
  const head = Buffer.alloc(27 + 255);
  await read(head, start);
  const segments = head[26] ?? 0;
  return head.subarray(27, 27 + segments).reduce((sum, one) => sum + one, 27 + segments);
}
