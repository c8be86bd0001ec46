import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import type { FrameFormat } from './FrameFormat.ts';
import type { Sound } from './findSound.ts';
import { findSound } from './findSound.ts';
import type { JoinedSpeech, SpeechPiece } from './JoinedSpeech.ts';
import { readBytes } from './readBytes.ts';

const windowLength = 65_536;
const maxTagBytes = 1_000_000;

/**
 * Joins the frames of several files. Drops trailing tags and index frames: they describe the length of one part, and a
 * player would stop there.
 */
export async function joinFrames(format: FrameFormat, files: readonly string[]): Promise<JoinedSpeech> {
  let setup: string | undefined;
  for (const [part, path] of files.entries()) {
    await using file = await open(path);
    const found = await firstSetup(file, format);
    if (found === undefined) return { joined: false, reason: 'unreadable', part };
    if (found !== (setup ?? found)) return { joined: false, reason: 'formatsDiffer', part };
    setup = found;
  }
  if (setup === undefined) return { joined: false, reason: 'unreadable' };
  return { joined: true, data: { [Symbol.asyncIterator]: () => framesOfAll(format, files) } };
}

async function firstSetup(file: FileHandle, format: FrameFormat): Promise<string | undefined> {
  for await (const run of runsOfFrames(file, format, await findSound(file))) return format.read(run, 0)?.setup;
  return undefined;
}

async function* framesOfAll(format: FrameFormat, files: readonly string[]): AsyncGenerator<SpeechPiece> {
  for (const [part, path] of files.entries()) {
    await using file = await open(path);
    const sound = await findSound(file);
    if (part === 0 && format.hasTag) yield { bytes: await keptTag(file, sound), seconds: 0 };
    let isFirst = true;
    for await (const run of runsOfFrames(file, format, sound)) {
      const length = format.read(run, 0)?.length ?? 0;
      const bytes = isFirst && format.isIndex(run.subarray(0, length)) ? run.subarray(length) : run;
      yield { part, bytes, seconds: secondsOf(bytes, format) };
      isFirst = false;
    }
  }
}

/** Returns the duration of whole frames. */
function secondsOf(run: Uint8Array, format: FrameFormat): number {
  let seconds = 0;
  for (let offset = 0; offset < run.length; ) {
    const frame = format.read(run, offset);
    if (!frame) break;
    seconds += frame.seconds;
    offset += frame.length;
  }
  return seconds;
}

/** Returns the tag of the first part, or nothing if it describes the length of that part. */
async function keptTag(file: FileHandle, { tagLength }: Sound): Promise<Uint8Array> {
  const tag = tagLength <= maxTagBytes ? await readBytes(file, 0, tagLength) : Buffer.alloc(0);
  const hasLength = /(TLEN|MLLT)\0|TLE\0\0/.test(tag.toString('latin1'));
  return hasLength ? Buffer.alloc(0) : tag;
}

/** Yields pieces of a file with whole frames of one setup. Skips an incomplete frame at the end. */
async function* runsOfFrames(file: FileHandle, format: FrameFormat, sound: Sound): AsyncGenerator<Uint8Array> {
  let setup: string | undefined;
  let inStep = false;
  for (let position = sound.start; position < sound.end; ) {
    const window = await readBytes(file, position, Math.min(windowLength, sound.end - position));
    if (window.length === 0) return;
    const isLast = position + window.length >= sound.end;
    // Read a frame only if the header after it is in the window, too.
    const safe = isLast ? window.length : window.length - format.maxFrameBytes - format.headerLength;
    let offset = 0;
    while (offset < safe) {
      const start: number = inStep ? offset : findFrame(window, offset, safe, format, setup);
      if (start < safe) setup ??= format.read(window, start)?.setup;
      offset = endOfRun(window, start, safe, format, setup);
      inStep = offset > start;
      if (inStep) yield window.subarray(start, offset);
    }
    position += offset;
  }
}

/**
 * Finds the first frame that is followed by another one or the end, because bytes that look like a header are common.
 */
function findFrame(window: Buffer, from: number, to: number, format: FrameFormat, setup: string | undefined): number {
  for (let offset = window.indexOf(0xff, from); offset >= 0 && offset < to; offset = window.indexOf(0xff, offset + 1)) {
    const frame = format.read(window, offset);
    if (!frame || frame.setup !== (setup ?? frame.setup)) continue;
    const next = offset + frame.length;
    if (next === window.length || format.read(window, next)?.setup === frame.setup) return offset;
  }
  return to;
}

function endOfRun(window: Buffer, from: number, to: number, format: FrameFormat, setup: string | undefined): number {
  let offset = from;
  while (offset < to) {
    const frame = format.read(window, offset);
    if (!frame || frame.setup !== setup || offset + frame.length > window.length) break;
    offset += frame.length;
  }
  return offset;
}
