import type { SpokenRequest, SystemVoice } from '../../src/sandbox/speech/SystemVoice.ts';

/** Paths that the script gets as `text` and `sound`. */
const prelude =
  "const { readFileSync, writeFileSync } = require('node:fs'); const [text, sound] = process.argv.slice(1);";

/** A voice whose program is a JavaScript script, so that it runs on every system. */
export function fakeVoice(script: string): SystemVoice & { readonly requests: readonly SpokenRequest[] } {
  const requests: SpokenRequest[] = [];
  return {
    name: 'fake',
    requests,
    program: (request) => {
      requests.push(request);
      return { path: process.execPath, arguments: ['-e', `${prelude} ${script}`, request.textFile, request.soundFile] };
    },
  };
}

/** A script that writes one second of a 500 Hz sine: a stereo WAV file at 22,050 Hz with a silent second channel. */
export const sineScript = `
  const file = Buffer.alloc(44 + 22050 * 4);
  file.write('RIFF'); file.writeUInt32LE(file.length - 8, 4); file.write('WAVEfmt ', 8); file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20); file.writeUInt16LE(2, 22); file.writeUInt32LE(22050, 24); file.writeUInt32LE(88200, 28);
  file.writeUInt16LE(4, 32); file.writeUInt16LE(16, 34); file.write('data', 36); file.writeUInt32LE(88200, 40);
  for (let n = 0; n < 22050; n++) file.writeInt16LE(Math.round(8000 * Math.sin(2 * Math.PI * 500 * n / 22050)), 44 + n * 4);
  writeFileSync(sound, file);`;
