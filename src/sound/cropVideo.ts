import type { EncodedPacket, InputAudioTrack, InputTrack, InputVideoTrack, MediaSource } from 'mediabunny';
import {
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Mp4OutputFormat,
  Output,
} from 'mediabunny';
import type { DigitalSource } from '../marks/DigitalSource.ts';
import { xmpBox, xmpPacket } from '../marks/DigitalSource.ts';
import type { ChangeUnit, CroppableCodec, PicturePart, PictureSet } from './parameterSets.ts';
import {
  isPictureSet,
  lengthBytesIn,
  mapPacket,
  mapRecord,
  readPictureSet,
  UncroppableVideo,
  withShown,
} from './parameterSets.ts';
import type { CroppedVideo, CropTask } from './readRecording.ts';
import { inputOf, packetsOf } from './SoundTrack.ts';

/**
 * Crops a video around its middle, on the worker thread. Packets are copied; only the sequence parameter sets say what
 * part of the pictures is shown, so the file is as large as before, and what is cut off can still be found in it. The
 * pictures cannot be scaled this way. Metadata, chapters and subtitles are not copied.
 *
 * FFmpeg shows exactly that part. Chromium 156 shows the right size where it decodes in software, but from the upper left
 * corner of the decoded picture: it ignores the left and upper offsets (measured 2026-11).
 *
 * @param onProgress called with the share that is done, 0 to 1
 */
export async function cropVideo(
  { bytes, ratio, mark }: CropTask,
  onProgress: (share: number) => void,
): Promise<CroppedVideo> {
  try {
    return await crop(bytes, ratio, mark, onProgress);
  } catch (error) {
    // Any other error of the reader comes from the file, too.
    const isUnusual = error instanceof UncroppableVideo && error.reason === 'unusual';
    return {
      type: isUnusual ? 'unusual' : 'unreadable',
      reason: error instanceof Error ? error.message : String(error),
    };
  }
}

async function crop(
  bytes: Uint8Array,
  ratio: number,
  mark: DigitalSource | undefined,
  onProgress: (share: number) => void,
): Promise<CroppedVideo> {
  using input = inputOf({
    size: bytes.length,
    read: async (memory, position) => {
      const piece = bytes.subarray(position, position + memory.length);
      memory.set(piece);
      return piece.length;
    },
  });
  if (!(await input.canRead())) return { type: 'unreadable', reason: 'its container is not known' };
  const tracks = await input.getTracks();
  const [picture, ...others] = tracks.filter((one) => one.isVideoTrack());
  if (!picture) return { type: 'unreadable', reason: 'it has no pictures' };
  if (others.length > 0) return { type: 'unusual', reason: 'it has several tracks of pictures' };
  const codec = await picture.getCodec();
  if (codec !== 'avc' && codec !== 'hevc') return { type: 'codec', codec: nameOf(codec) };
  const format = new Mp4OutputFormat({ fastStart: 'in-memory' });
  const sounds = tracks.filter((one) => one.isAudioTrack());
  for (const sound of sounds) {
    const name = await sound.getCodec();
    if (!name || !format.getSupportedAudioCodecs().includes(name)) return { type: 'sound' };
  }
  const plan = await planCrop(picture, codec, ratio);
  if (!plan) return { type: 'same' };
  const target = new BufferTarget();
  const output = new Output({ format, target });
  const copies = [await pictureCopy(output, plan), ...(await Promise.all(sounds.map((one) => soundCopy(output, one))))];
  await output.start();
  let end = 0;
  for (const [index, copy] of copies.entries()) {
    const onShare = (share: number) => onProgress((index + share) / copies.length);
    end = Math.max(end, await copy(bytes.length, onShare));
  }
  checkEdits(bytes, end);
  await output.finalize();
  if (!target.buffer) throw new Error('the writer has written nothing');
  const file = Buffer.from(target.buffer);
  const { width, height } = plan.shown;
  return {
    type: 'cropped',
    bytes: new Uint8Array(mark ? Buffer.concat([file, markBox(mark)]) : file),
    ...(plan.isOnItsSide ? { width: height, height: width } : { width, height }),
  };
}

interface CropPlan {
  readonly track: InputVideoTrack;
  readonly codec: CroppableCodec;
  readonly config: VideoDecoderConfig;
  readonly record: Uint8Array;
  /** The part of the pictures to show. */
  readonly shown: PicturePart;
  /** Whether the pictures are shown turned by a quarter. */
  readonly isOnItsSide: boolean;
  readonly change: ChangeUnit;
}

/** @returns undefined if the video has that shape already */
async function planCrop(track: InputVideoTrack, codec: CroppableCodec, ratio: number): Promise<CropPlan | undefined> {
  const config = await track.getDecoderConfig();
  const { description } = config ?? {};
  if (!config || !description) throw new UncroppableVideo('unusual', 'it has no decoder configuration');
  const record = ArrayBuffer.isView(description)
    ? new Uint8Array(description.buffer, description.byteOffset, description.byteLength)
    : new Uint8Array(description);
  const before = await readSets(track, codec, record);
  const isOnItsSide = (await track.getRotation()) % 180 !== 0;
  const { num, den } = await track.getPixelAspectRatio();
  const shown = middleOf(before, ((isOnItsSide ? 1 / ratio : ratio) * den) / num);
  if (!shown) return undefined;
  const change: ChangeUnit = (unit) => {
    if (!isPictureSet(codec, unit)) return unit;
    if (!isSame(readPictureSet(codec, unit), before))
      throw new UncroppableVideo('unusual', 'its pictures differ in size');
    return withShown(codec, unit, shown);
  };
  return { track, codec, config, record, shown, isOnItsSide, change };
}

/** Reads the size of the pictures, from the decoder configuration or else from the first packet. */
async function readSets(track: InputVideoTrack, codec: CroppableCodec, record: Uint8Array): Promise<PictureSet> {
  const found: PictureSet[] = [];
  const look: ChangeUnit = (unit) => {
    if (isPictureSet(codec, unit)) found.push(readPictureSet(codec, unit));
    return unit;
  };
  mapRecord(codec, record, look);
  if (found.length === 0) {
    const first = await new EncodedPacketSink(track).getFirstPacket();
    if (first) mapPacket(codec, first.data, lengthBytesIn(codec, record), look);
  }
  const [set] = found;
  if (!set) throw new UncroppableVideo('damaged', 'it has no sequence parameter set');
  return set;
}

function isSame(one: PictureSet, other: PictureSet): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Decoders of FFmpeg, which browsers and many players use, move the left edge of the shown part to a multiple of this, so
 * that rows begin at an even place in memory, and show a wider part than they should. In luma samples; see
 * `av_frame_apply_cropping` in its libavutil/frame.c.
 */
const leftStep = 64;
/** As between an asked and a measured ratio in library/differences.ts. */
const sameShare = 0.01;

/** Returns the largest part with this ratio around the middle of what is shown; undefined if it has the ratio. */
function middleOf({ shown, unit }: PictureSet, ratio: number): PicturePart | undefined {
  const { x, y, width, height } = shown;
  if (Math.abs(width / height / ratio - 1) <= sameShare) return undefined;
  const [across, down] = [
    Math.min(width, Math.max(unit.x, Math.round((height * ratio) / unit.x) * unit.x)),
    Math.min(height, Math.max(unit.y, Math.round(width / ratio / unit.y) * unit.y)),
  ];
  return {
    x: nearStep(x, x + width - across, leftStep) ?? x + Math.round((width - across) / 2 / unit.x) * unit.x,
    y: y + Math.round((height - down) / 2 / unit.y) * unit.y,
    width: across,
    height: down,
  };
}

/** Returns the multiple of a step that is nearest to the middle of a span; undefined if there is none in it. */
function nearStep(from: number, to: number, step: number): number | undefined {
  const nearest = Math.round((from + to) / 2 / step) * step;
  return [nearest, nearest - step, nearest + step].find((one) => one >= from && one <= to);
}

/**
 * Copies all packets of a track.
 *
 * @param bytes size of the whole file
 * @returns the end of the last packet, in seconds
 */
type Copy = (bytes: number, onProgress: (share: number) => void) => Promise<number>;

/** Adds the pictures to a file that has not been started. */
async function pictureCopy(output: Output, { track, codec, config, record, shown, change }: CropPlan): Promise<Copy> {
  const source = new EncodedVideoPacketSource(codec);
  const { num, den } = await track.getPixelAspectRatio();
  output.addVideoTrack(source, {
    ...(await namesOf(track)),
    rotation: await track.getRotation(),
    flip: await track.getFlip(),
    // The writer counts time in these, so no time is rounded.
    frameRate: await track.getTimeResolution(),
  });
  const decoderConfig: VideoDecoderConfig = {
    ...config,
    description: new Uint8Array(mapRecord(codec, record, change)),
    codedWidth: shown.width,
    codedHeight: shown.height,
    displayAspectWidth: shown.width * num,
    displayAspectHeight: shown.height * den,
  };
  const lengthBytes = lengthBytesIn(codec, record);
  return copyOf(track, source, (packet) => {
    const data = mapPacket(codec, packet.data, lengthBytes, change);
    return source.add(packet.clone({ data }), { decoderConfig });
  });
}

async function soundCopy(output: Output, track: InputAudioTrack): Promise<Copy> {
  const codec = await track.getCodec();
  const decoderConfig = await track.getDecoderConfig();
  if (!codec || !decoderConfig) throw new UncroppableVideo('damaged', 'its sound has no decoder configuration');
  const source = new EncodedAudioPacketSource(codec);
  output.addAudioTrack(source, await namesOf(track));
  return copyOf(track, source, (packet) => source.add(packet, { decoderConfig }));
}

async function copyOf(
  track: InputTrack,
  source: MediaSource,
  add: (packet: EncodedPacket) => Promise<void>,
): Promise<Copy> {
  const duration = (await track.getDurationFromMetadata()) ?? undefined;
  return async (bytes, onProgress) => {
    let end = 0;
    for await (const packet of packetsOf({ track, bytes, duration }, true, onProgress)) {
      end = Math.max(end, packet.timestamp + packet.duration);
      await add(packet);
    }
    source.close();
    checkEnd(end, duration);
    return end;
  };
}

/** About one packet, in seconds. */
const maxMissing = 0.05;

/** Refuses a truncated file, at whose end the reader stops without an error. @throws UncroppableVideo */
function checkEnd(end: number, duration: number | undefined): void {
  if (end === 0 || (duration !== undefined && end < duration - maxMissing)) {
    throw new UncroppableVideo('damaged', `it lasts ${duration} s, but ends after ${end} s`);
  }
}

/** In seconds. Lengths in headers are rounded, and the last packet of sound is longer than its audible part. */
const maxLeftOut = 0.25;

/**
 * Checks that the edit lists of an MP4 or QuickTime file leave out no more than what precedes the first picture: the
 * reader follows only their first entry, and not its end. ISO/IEC 14496-12, 8.2.2 and 8.6.6.
 *
 * @param end of the last packet, in seconds
 * @throws UncroppableVideo
 */
function checkEdits(bytes: Uint8Array, end: number): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const list of boxesAt(file, ['moov', 'trak', 'edts', 'elst'])) {
    const isLong = list[0] === 1;
    const starts = Array.from({ length: Math.min(list.readUInt32BE(4), 1000) }, (_, entry) =>
      isLong ? Number(list.readBigInt64BE(16 + entry * 20)) : list.readInt32BE(12 + entry * 12),
    );
    if (starts.filter((start) => start >= 0).length > 1) {
      throw new UncroppableVideo('unusual', 'it is put together from several parts');
    }
  }
  for (const header of boxesAt(file, ['moov', 'mvhd'])) {
    const isLong = header[0] === 1;
    const duration = isLong ? Number(header.readBigUInt64BE(24)) : header.readUInt32BE(16);
    const seconds = duration / header.readUInt32BE(isLong ? 20 : 12);
    // A file of fragments says 0.
    if (duration > 0 && end > seconds + maxLeftOut) {
      throw new UncroppableVideo('unusual', `it lasts ${seconds} s, but holds ${end} s`);
    }
  }
}

/** Yields the content of all boxes at a path of types. */
function* boxesAt(parent: Buffer, [type, ...path]: readonly string[]): Generator<Buffer> {
  for (let at = 0; at + 16 <= parent.length; ) {
    const short = parent.readUInt32BE(at);
    const head = short === 1 ? 16 : 8;
    const length = short === 1 ? Number(parent.readBigUInt64BE(at + 8)) : short === 0 ? parent.length - at : short;
    if (length < head) return;
    const content = parent.subarray(at + head, at + length);
    if (parent.toString('latin1', at + 4, at + 8) === type) {
      if (path.length === 0) yield content;
      else yield* boxesAt(content, path);
    }
    at += length;
  }
}

async function namesOf(track: InputTrack) {
  return {
    languageCode: await track.getLanguageCode(),
    name: (await track.getName()) ?? undefined,
    disposition: await track.getDisposition(),
  };
}

const codecNames: Readonly<Record<string, string>> = { vp8: 'VP8', vp9: 'VP9', av1: 'AV1', prores: 'ProRes' };

function nameOf(codec: string | null): string | undefined {
  return codec === null ? undefined : (codecNames[codec] ?? codec);
}

/** Returns a box with the mark, to stand at the end of an MP4 file. */
function markBox(source: DigitalSource): Buffer {
  const head = Buffer.from(`0000000075756964${xmpBox}`, 'hex');
  const packet = Buffer.from(xmpPacket(source), 'latin1');
  head.writeUInt32BE(head.length + packet.length);
  return Buffer.concat([head, packet]);
}
