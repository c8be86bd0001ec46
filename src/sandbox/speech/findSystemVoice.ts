import { access, constants } from 'node:fs/promises';
import { posix, win32 } from 'node:path';
import { createEspeakVoice } from './createEspeakVoice.ts';
import { createSayVoice } from './createSayVoice.ts';
import { createWindowsVoice } from './createWindowsVoice.ts';
import type { SystemVoice } from './SystemVoice.ts';

/** Where a voice can come from. */
export interface VoicePlaces {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether there is a program at an absolute path. */
  readonly isProgram: (path: string) => Promise<boolean>;
}

const here: VoicePlaces = { platform: process.platform, environment: process.env, isProgram };

/** The voice that the operating system brings along; undefined where there is none. */
export async function findSystemVoice(places: VoicePlaces = here): Promise<SystemVoice | undefined> {
  const { platform, environment } = places;
  if (platform === 'darwin') return firstOf(['/usr/bin/say'], createSayVoice, places);
  if (platform === 'win32') {
    const root = environment.SystemRoot ?? 'C:\\Windows';
    // PowerShell 7 cannot load System.Speech; this one is part of Windows.
    const path = win32.join(root, 'System32', 'WindowsPowerShell', 'v1.0', 'powershell.exe');
    return firstOf([path], createWindowsVoice, places);
  }
  // A relative folder in PATH would let a workspace bring its own program.
  const folders = (environment.PATH ?? '').split(':').filter((folder) => posix.isAbsolute(folder));
  return firstOf(
    folders.map((folder) => posix.join(folder, 'espeak-ng')),
    createEspeakVoice,
    places,
  );
}

async function firstOf(
  paths: readonly string[],
  create: (path: string) => SystemVoice,
  { isProgram }: VoicePlaces,
): Promise<SystemVoice | undefined> {
  for (const path of paths) {
    if (await isProgram(path)) return create(path);
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
