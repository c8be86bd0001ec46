import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import type { RecordingFormat } from './detectRecording.ts';
import { detectRecording } from './detectRecording.ts';
import { readBytes } from './readBytes.ts';
import { readSpokenTexts } from './readId3.ts';
import { readMpegProgram } from './readMpegProgram.ts';
import { readWav } from './readWav.ts';
import type { SoundFacts } from './SoundFacts.ts';

export interface Recording extends SoundFacts {
  readonly format: RecordingFormat;
  /** Bytes. */
  readonly size: number;
  /** What was spoken in the parts that the sandbox made. */
  readonly texts: readonly string[];
}

/** Looks at a file. Undefined when it is no recording or a broken one. */
export async function inspectRecording(path: string, signal: AbortSignal): Promise<Recording | undefined> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const head = await readBytes(file, 0, 16);
    const format = detectRecording(head);
    if (!format) return undefined;
    const facts = await readFacts(format, head, path, file, signal);
    return facts && { texts: [], ...facts, format, size };
  } finally {
    await file.close();
  }
}

async function readFacts(
  format: RecordingFormat,
  head: Buffer,
  path: string,
  file: FileHandle,
  signal: AbortSignal,
): Promise<(SoundFacts & { readonly texts?: readonly string[] }) | undefined> {
  if (format === 'WAV') return readWav(file);
  // music-metadata reads the sound of MPEG, but not a stream of sound and pictures.
  if (format === 'MPEG' && head[0] === 0) return readMpegProgram(file);
  // Its library is a chunk of its own.
  const { readMediaFacts } = await import('./readMediaFacts.ts');
  const facts = await readMediaFacts(path, file, signal);
  if (!facts || format !== 'MP3') return facts;
  const { texts, innerBytes } = await readSpokenTexts(file);
  // The duration comes from the file's length, so what is no sound in it must not count.
  const silent = facts.bitrate ? (innerBytes * 8) / facts.bitrate : 0;
  const duration = facts.duration - silent;
  return duration > 0 ? { ...facts, texts, duration } : undefined;
}
