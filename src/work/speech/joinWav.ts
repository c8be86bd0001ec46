import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { JoinedSpeech, SpeechPiece } from './JoinedSpeech.ts';
import type { WavPart } from './readWavPart.ts';
import { readWavPart } from './readWavPart.ts';

const maxSize = 0xffff_ffff;
/** Codings with independent samples: PCM, floating point, A-law, µ-law. */
const joinable = [1, 3, 6, 7];
const pcm = 1;

/** Joins the samples of several files under one header. Drops other chunks, which describe a single part. */
export async function joinWav(files: readonly string[]): Promise<JoinedSpeech> {
  const parts: WavPart[] = [];
  for (const [part, path] of files.entries()) {
    await using file = await open(path);
    const found = await readWavPart(file, path);
    if (!found || !joinable.includes(found.coding)) return { joined: false, reason: 'unreadable', part };
    if (found.setup !== (parts[0]?.setup ?? found.setup)) return { joined: false, reason: 'formatsDiffer', part };
    parts.push(found);
  }
  const [first] = parts;
  if (!first) return { joined: false, reason: 'unreadable' };
  const length = parts.reduce((sum, { end, start }) => sum + end - start, 0);
  const header = headerOf(first, length);
  if (header.length + length > maxSize) return { joined: false, reason: 'tooLarge' };
  return { joined: true, data: { [Symbol.asyncIterator]: () => samplesOfAll(header, parts, length) } };
}

async function* samplesOfAll(
  header: Uint8Array,
  parts: readonly WavPart[],
  length: number,
): AsyncGenerator<SpeechPiece> {
  yield { bytes: header, seconds: 0 };
  for (const [part, { path, start, end, blockLength, sampleRate }] of parts.entries()) {
    // The stream's `end` is inclusive, so it cannot express an empty part.
    const chunks = end > start ? createReadStream(path, { start, end: end - 1 }) : [];
    for await (const bytes of chunks) yield { part, bytes, seconds: bytes.length / blockLength / sampleRate };
  }
  if (length % 2 === 1) yield { bytes: new Uint8Array(1), seconds: 0 };
}

function headerOf({ format, coding, blockLength }: WavPart, length: number): Buffer {
  const data = Buffer.alloc(8, 'data');
  data.writeUInt32LE(Math.min(length, maxSize), 4);
  const counted = coding === pcm ? [] : [fact(Math.min(length / blockLength, maxSize))];
  const chunks = Buffer.concat([chunk('fmt ', format), ...counted, data]);
  const riff = Buffer.from('RIFF....WAVE');
  riff.writeUInt32LE(Math.min(4 + chunks.length + length + (length % 2), maxSize), 4);
  return Buffer.concat([riff, chunks]);
}

/** Returns the `fact` chunk, which all codings except PCM need: the number of samples per channel. */
function fact(samples: number): Buffer {
  const content = Buffer.alloc(4);
  content.writeUInt32LE(samples);
  return chunk('fact', content);
}

/** Returns a chunk, padded to an even length. The padding does not count towards its size. */
function chunk(id: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8, id);
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}
