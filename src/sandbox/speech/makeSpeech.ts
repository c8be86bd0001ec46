import { join } from 'node:path';
import type { MediaRequest } from '../../operations/operations.ts';
import { planSpeech } from './planSpeech.ts';
import { recordVoice } from './recordVoice.ts';
import type { Sound } from './Sound.ts';
import type { FindVoice, SystemVoice } from './SystemVoice.ts';
import { synthesiseTones } from './synthesiseTones.ts';
import { writeMp3 } from './writeMp3.ts';
import { writeWav } from './writeWav.ts';

export type SpeechFormat = 'mp3' | 'wav';

export interface SpeechPlan {
  readonly text: string;
  readonly voice: VoiceName;
  readonly format: SpeechFormat;
}

/**
 * Speaks a text into a file with the system's voice, or with a tone per word if there is no voice or it fails.
 *
 * @param folder folder for temporary files; the caller removes it
 * @returns the path of the file
 * @throws the signal's reason when it aborts, including one that is already aborted
 */
export async function makeSpeech(
  { text, voice, format }: SpeechPlan,
  folder: string,
  findVoice: FindVoice,
  signal: AbortSignal,
): Promise<string> {
  signal.throwIfAborted();
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

type VoiceName = MediaRequest<'speak'>['voice'];

/** Pitch of each voice's tones, in Hz. */
const pitches: Readonly<Record<VoiceName, number>> = {
  onyx: 98,
  echo: 117,
  ash: 131,
  verse: 147,
  fable: 165,
  alloy: 185,
  sage: 208,
  ballad: 233,
  coral: 262,
  nova: 294,
  shimmer: 330,
};

/** Returns the pitch of a voice relative to the system's voice: 0.80 to 1.22, because speech sounds odd beyond that. */
function shiftOf(voice: VoiceName): number {
  return (pitches[voice] / pitches.alloy) ** 0.35;
}
