import { open } from 'node:fs/promises';
import type { RecordingFormat } from './detectRecording.ts';
import { detectRecording } from './detectRecording.ts';
import type { WavFacts } from './readWav.ts';
import { readWav } from './readWav.ts';

export interface Recording {
  readonly format: RecordingFormat;
  /** Bytes. */
  readonly size: number;
  readonly wav: WavFacts | undefined;
}

/** Looks at a file. Undefined when it is no recording. */
export async function inspectRecording(path: string): Promise<Recording | undefined> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const head = Buffer.alloc(16);
    const { bytesRead } = await file.read(head, 0, 16, 0);
    const format = detectRecording(head.subarray(0, bytesRead));
    if (!format) return undefined;
    const wav = format === 'WAV' ? await readWav(file) : undefined;
    return format === 'WAV' && !wav ? undefined : { format, size, wav };
  } finally {
    await file.close();
  }
}
