import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MediaError } from '../../src/operations/MediaError.ts';
import { type NarrationBlock, narrationBlocks } from '../../src/wholes/NarrationBlock.ts';
import type { Speaker } from '../../src/wholes/Speaker.ts';
import { wavOf } from './mediaBytes.ts';
import { id3v1, id3v2, indexFrame, mp3Frame } from './mp3Bytes.ts';

export type Kind = 'mp3' | 'wav' | 'aac';

const voice = { sampleRate: 44_100, isMono: true } as const;

/** Returns the sound of a text: bytes that occur in no other text's sound. */
export function samplesOf(kind: Kind, text: string): Buffer {
  const mark = [...text].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) % 200, 7);
  if (kind === 'wav') return Buffer.alloc(text.length * 10, mark);
  const frame = kind === 'mp3' ? mp3Frame(voice) : adtsFrame(200);
  frame.fill(mark, kind === 'mp3' ? 40 : 7);
  return Buffer.concat(Array.from({ length: text.length }, () => frame));
}

/** Returns the file that a service makes from a text, with everything that encoders add. */
export function soundOf(kind: Kind, text: string): Buffer {
  const samples = samplesOf(kind, text);
  if (kind === 'wav') return wavOf(samples);
  if (kind === 'aac') return samples;
  return Buffer.concat([id3v2(text.slice(0, 100)), indexFrame(voice, 'Xing', text.length), samples, id3v1('T')]);
}

/** Returns the duration of the sound. */
export function secondsOf(kind: Kind, text: string): number {
  if (kind === 'wav') return (text.length * 10) / 8000;
  return kind === 'mp3' ? (text.length * 1152) / 44_100 : (text.length * 1024) / 24_000;
}

export function speakerOf(kind: string): Speaker {
  return { model: 'm', voice: 'nova', response_format: kind };
}

export function blocksOf(texts: readonly string[], kind: string): readonly NarrationBlock[] {
  return narrationBlocks(
    texts.map((text) => ({ text })),
    speakerOf(kind),
    { sandbox: false, maxCharacters: 0 },
  );
}

/** Speaks blocks into a folder as the extension does, without speaking existing ones again. */
export function speakInto(folder: string, kind: Kind, sound = soundOf) {
  const spoken: string[] = [];
  const speak = async ({ key, request }: NarrationBlock): Promise<string> => {
    const file = join(folder, `${key}.${kind}`);
    await mkdir(folder, { recursive: true });
    if (!existsSync(file)) {
      spoken.push(request.input);
      await writeFile(file, sound(kind, request.input));
    }
    return file;
  };
  const refuse = async ({ key }: NarrationBlock, error: MediaError): Promise<MediaError> => {
    await rm(join(folder, `${key}.${kind}`));
    return error;
  };
  return { speak, refuse, spoken };
}

function adtsFrame(length: number): Buffer {
  const header = [0xff, 0xf1, 0x58, 0x40 | (length >> 11), (length >> 3) & 255, (length & 7) << 5, 0xfc];
  return Buffer.concat([Buffer.from(header), Buffer.alloc(length - 7)]);
}
