import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface DecodedSound {
  /** Codec name as ffprobe reports it: https://ffmpeg.org/ffprobe.html */
  readonly codec: string;
  readonly sampleRate: number;
  readonly channels: number;
  /** Announced duration, in seconds. */
  readonly duration: number;
  /** The decoded samples. */
  readonly samples: Int16Array;
}

/** Decodes a mono sound with ffmpeg, which must be installed. @throws at the first error in the sound */
export function decodeSound(file: Uint8Array): DecodedSound {
  const folder = mkdtempSync(join(tmpdir(), 'decode-'));
  try {
    const path = join(folder, 'sound');
    writeFileSync(path, file);
    const entries = 'stream=codec_name,sample_rate,channels:format=duration';
    const told = run('ffprobe', ['-v', 'error', '-of', 'json', '-show_entries', entries, path]).toString();
    const { streams, format } = JSON.parse(told) as Probed;
    const [stream] = streams;
    const bytes = run('ffmpeg', ['-v', 'error', '-xerror', '-i', path, '-f', 's16le', 'pipe:1']);
    return {
      codec: stream.codec_name,
      sampleRate: Number(stream.sample_rate),
      channels: stream.channels,
      duration: Number(format.duration),
      samples: Int16Array.from({ length: bytes.length / 2 }, (_, index) => bytes.readInt16LE(index * 2)),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Probed {
  readonly streams: readonly [{ readonly codec_name: string; readonly sample_rate: string; readonly channels: number }];
  readonly format: { readonly duration: string };
}

function run(program: string, options: readonly string[]): Buffer {
  const { status, stdout, stderr, error } = spawnSync(program, options, { maxBuffer: 2 ** 28 });
  if (error) throw error;
  const complaints = stderr.toString().replaceAll(/.*Estimating duration from bitrate.*\n/g, '');
  if (status !== 0 || complaints !== '') throw new Error(`${program} says: ${complaints}`);
  return stdout;
}
