import { basename, extname, join } from 'node:path';
import { takeProgramSound } from './mpegProgram.ts';
import type { SoundTrack } from './SoundTrack.ts';
import { openSound, packetsOf } from './SoundTrack.ts';
import { SoundWriter } from './SoundWriter.ts';
import type { RecordingResult, RecordingTask, SoundPart } from './tasks.ts';

/** Copies the sound of a recording into its own file. */
export async function takeSound(
  { file, folder, copies }: Extract<RecordingTask, { type: 'takeSound' }>,
  onProgress: (share: number) => void,
): Promise<RecordingResult> {
  if (copies !== 'never') {
    const program = await takeProgramSound(file, join(folder, basename(file, extname(file))), onProgress);
    if (program) return program;
  }
  return openSound(file, async (opened): Promise<RecordingResult> => {
    if (opened.type !== 'track') return opened;
    if (copies === 'never' || (copies === 'ofVideos' && !opened.hasPicture)) return { type: 'isSound' };
    return { type: 'parts', parts: [await copyAll(opened.sound, file, folder, onProgress)] };
  });
}

async function copyAll(sound: SoundTrack, file: string, folder: string, onProgress: (share: number) => void) {
  const target = join(folder, `${basename(file, extname(file))}.${sound.format.extension}`);
  const writer = await SoundWriter.open(sound, target);
  for await (const packet of packetsOf(sound, true, onProgress)) await writer.add(packet);
  return (await writer.finish()) satisfies SoundPart;
}
