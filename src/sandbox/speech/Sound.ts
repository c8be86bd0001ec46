import { open, readFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import type { WasmMediaEncoder } from 'wasm-media-encoders';
import { createEncoder } from 'wasm-media-encoders';

/** Samples per second of the sandbox's speech: mono, 16 bits per sample. */
export const sampleRate = 24_000;

/** Mono samples, in chunks of at most a few seconds. */
export type Sound = AsyncIterable<Int16Array>;

/** Metadata in the sandbox's sound files. */
export interface SpeechLabel {
  readonly text: string;
  /** Name of the voice and of the software that spoke. */
  readonly speaker: string;
}

/** Software name in the sandbox's files; transcripts use the text of files that have it. */
export const software = 'Unified Media sandbox';

/** Writes a WAV file. */
export async function writeWav(path: string, sound: Sound, label: SpeechLabel): Promise<void> {
  const file = await open(path, 'w');
  try {
    let samples = 0;
    await file.appendFile(wavHeader(samples, label));
    for await (const piece of sound) {
      // Typed arrays are little-endian, as WAV requires, on every machine that runs VS Code.
      await file.appendFile(piece);
      samples += piece.length;
    }
    // Write the header again, now with the number of samples.
    await file.write(wavHeader(samples, label), { position: 0 });
  } finally {
    await file.close();
  }
}

/**
 * Builds the part of a WAV file before its samples. The label is in a LIST chunk of type INFO, in UTF-8: the software
 * as ISFT, the text as ICMT, the speaker as IART.
 *
 * @param samples number of samples that follow
 */
function wavHeader(samples: number, { text, speaker }: SpeechLabel): Buffer {
  const format = Buffer.alloc(16);
  format.writeUInt16LE(1, 0); // PCM
  format.writeUInt16LE(1, 2);
  format.writeUInt32LE(sampleRate, 4);
  format.writeUInt32LE(sampleRate * 2, 8);
  format.writeUInt16LE(2, 12);
  format.writeUInt16LE(16, 14);
  const entries = [entry('ISFT', software), entry('IART', speaker), entry('ICMT', text)];
  const info = Buffer.concat([Buffer.from('INFO'), ...entries]);
  const chunks = Buffer.concat([chunk('fmt ', format), chunk('LIST', info), head('data', samples * 2)]);
  return Buffer.concat([head('RIFF', 4 + chunks.length + samples * 2), Buffer.from('WAVE'), chunks]);
}

function entry(id: string, text: string): Buffer {
  return chunk(id, Buffer.from(`${text}\0`));
}

/** Chunks begin at even offsets; the padding byte does not count in the length. */
function chunk(id: string, data: Buffer): Buffer {
  return Buffer.concat([head(id, data.length), data, Buffer.alloc(data.length % 2)]);
}

function head(id: string, length: number): Buffer {
  const bytes = Buffer.alloc(8, id);
  bytes.writeUInt32LE(length, 4);
  return bytes;
}

/** Bit rate in kbit/s: enough for mono speech at 24 kHz. */
const bitrate = 48;
/** Number of samples encoded at once: about 4 ms of work. */
const sliceSamples = sampleRate;

/** Writes an MP3 file: the label, then MPEG 2 layer 3 at a constant bit rate. */
export async function writeMp3(path: string, sound: Sound, label: SpeechLabel, signal: AbortSignal): Promise<void> {
  const encoder = await loadMp3Encoder();
  encoder.configure({ channels: 1, sampleRate, outputSampleRate: sampleRate, bitrate });
  const file = await open(path, 'w');
  try {
    await file.appendFile(writeId3(label));
    for await (const piece of sound) {
      for (let start = 0; start < piece.length; start += sliceSamples) {
        const slice = floatsOf(piece.subarray(start, start + sliceSamples));
        // The encoder reuses the buffer it returns, so write it before the next call.
        await file.appendFile(encoder.encode([slice]));
        await setImmediate(undefined, { signal });
      }
    }
    await file.appendFile(encoder.finalize());
  } finally {
    await file.close();
  }
}

function floatsOf(samples: Int16Array): Float32Array {
  const floats = new Float32Array(samples.length);
  // Float32Array.from is ten times slower.
  for (let index = 0; index < floats.length; index++) floats[index] = (samples[index] ?? 0) / 32_768;
  return floats;
}

const utf8 = '\x03';
/** ISO 639-2 code for an unknown language. */
const noLanguage = 'XXX';

/**
 * Builds an ID3v2.4 tag in UTF-8 with the software (TSSE), the speaker (TPE1) and the text (USLT: lyrics).
 * Format: https://id3.org/id3v2.4.0-structure
 */
function writeId3({ text, speaker }: SpeechLabel): Buffer {
  const frames = Buffer.concat([
    frame('TSSE', `${utf8}${software}`),
    frame('TPE1', `${utf8}${speaker}`),
    frame('USLT', `${utf8}${noLanguage}\0${text}`),
  ]);
  return Buffer.concat([Buffer.from('ID3\x04\0\0', 'latin1'), sevenBitLength(frames.length), frames]);
}

function frame(id: string, content: string): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from(id), sevenBitLength(bytes.length), Buffer.alloc(2), bytes]);
}

/** Encodes a length with seven bits per byte, so that no decoder mistakes it for audio. */
function sevenBitLength(length: number): Buffer {
  return Buffer.from([21, 14, 7, 0].map((shift) => (length >> shift) & 0x7f));
}

/**
 * Creates a LAME encoder; every file needs a new one.
 *
 * LAME's licence, the LGPL, requires that users can replace it with their own build. So it is not bundled but read from
 * a separate file.
 */
async function loadMp3Encoder(): Promise<WasmMediaEncoder<'audio/mpeg'>> {
  return createEncoder('audio/mpeg', await readLame());
}

async function readLame(): Promise<Uint8Array> {
  try {
    // The build copies it next to the code.
    return await readFile(new URL('lame-mp3.wasm', import.meta.url));
  } catch {
    return readFile(new URL(import.meta.resolve('wasm-media-encoders/wasm/mp3')));
  }
}
