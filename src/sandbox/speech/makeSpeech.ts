import { join } from 'node:path';
import { planSpeech } from './planSpeech.ts';
import { recordVoice } from './recordVoice.ts';
import type { Sound } from './Sound.ts';
import type { FindVoice, SystemVoice } from './SystemVoice.ts';
import { synthesiseTones } from './synthesiseTones.ts';
import type { VoiceName } from './voices.ts';
import { pitches, shiftOf } from './voices.ts';
import { writeMp3 } from './writeMp3.ts';
import { writeWav } from './writeWav.ts';

export type SpeechFormat = 'mp3' | 'wav';

export interface SpeechOrder {
  readonly text: string;
  readonly voice: VoiceName;
  readonly format: SpeechFormat;
}

/**
 * Speaks a text into a file: with the system's voice, or with a tone per word where there is none or it fails.
 *
 * @param folder for its files; the caller removes it
 * @returns the file
 */
export async function makeSpeech(
  { text, voice, format }: SpeechOrder,
  folder: string,
  findVoice: FindVoice,
  signal: AbortSignal,
): Promise<string> {
  const systemVoice = await findVoice();
  const spoken = systemVoice && (await spokenBy(systemVoice, text, voice, folder, signal));
  const sound = spoken ?? synthesiseTones(planSpeech(text), pitches[voice], signal);
  const speaker = spoken ? `${voice}, spoken by ${systemVoice.name}` : `${voice}, a tone per word`;
  const path = join(folder, `speech.${format}`);
  const write = { mp3: writeMp3, wav: writeWav }[format];
  await write(path, sound, { text, speaker }, signal);
  return path;
}

async function spokenBy(
  systemVoice: SystemVoice,
  text: string,
  voice: VoiceName,
  folder: string,
  signal: AbortSignal,
): Promise<Sound | undefined> {
  try {
    return await recordVoice(systemVoice, text, shiftOf(voice), folder, signal);
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
