import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { readBytes } from './readBytes.ts';
import { readSpokenTexts } from './readId3.ts';
import { readMpegAudioFrame } from './readMpegAudioFrame.ts';
import { readMpegProgram } from './readMpegProgram.ts';
import { readWav } from './readWav.ts';
import type { SoundFacts } from './SoundFacts.ts';

export interface Recording extends SoundFacts {
  readonly format: RecordingFormat;
  /** File size, in bytes. */
  readonly size: number;
  /** Texts that the sandbox spoke, one for each of its files that were joined into this one. */
  readonly texts: readonly string[];
}

/** Reads the properties of a recording. Returns undefined if the file is not a recording or is damaged. */
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
  // music-metadata reads MPEG audio but not MPEG program streams.
  if (format === 'MPEG' && head[0] === 0) return readMpegProgram(file);
  // Load the large library only when it is needed.
  const { readMediaFacts } = await import('./readMediaFacts.ts');
  const facts = await readMediaFacts(path, file, signal);
  if (!facts || format !== 'MP3') return facts;
  const { texts, innerBytes } = await readSpokenTexts(file);
  // The duration is computed from the file's length, so subtract the tags inside it.
  const tagSeconds = facts.bitrate ? (innerBytes * 8) / facts.bitrate : 0;
  const duration = facts.duration - tagSeconds;
  return duration > 0 ? { ...facts, texts, duration } : undefined;
}

/** Container formats, named for people. */
type RecordingFormat = 'WAV' | 'FLAC' | 'Ogg' | 'WebM' | 'MP4 audio' | 'MP4' | 'MP3' | 'MPEG';

/** Detects the format from the first 16 bytes. */
function detectRecording(head: Buffer): RecordingFormat | undefined {
  const text = head.toString('latin1', 0, 16);
  if (/^RIFF[\s\S]{4}WAVE/.test(text)) return 'WAV';
  if (text.startsWith('fLaC')) return 'FLAC';
  if (text.startsWith('OggS')) return 'Ogg';
  if (text.startsWith('\x1a\x45\xdf\xa3')) return 'WebM';
  if (text.slice(4, 8) === 'ftyp') return text.startsWith('M4A', 8) ? 'MP4 audio' : 'MP4';
  if (text.startsWith('ID3')) return 'MP3';
  if (text.startsWith('\0\0\x01\xba')) return 'MPEG';
  const frame = readMpegAudioFrame(head);
  if (!frame) return undefined;
  return frame.layer === 3 ? 'MP3' : 'MPEG';
}
