#!/bin/sh
# Makes the small files with Content Credentials beside it, for test/unit/marks/independentWriters.test.ts. They are written
# by c2pa-rs, the library of the Content Authenticity Initiative, as @contentauth/c2pa-wasm 0.13.3. The signature is none:
# nothing of ours checks it. Needs ffmpeg and npm.
set -e
target=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
cd "$work"
npm install --no-save @contentauth/c2pa-wasm@0.13.3
make() { ffmpeg -v error -y "$@"; }
make -f lavfi -i testsrc=s=16x16:d=1:r=5 -frames:v 1 picture.png
make -i picture.png picture.jpg
make -i picture.png picture.webp
make -i picture.png -c:v libaom-av1 -still-picture 1 picture.avif
make -f lavfi -i sine=d=0.1:r=8000 sound.wav
make -i sound.wav -b:a 8k -ar 16000 sound.mp3
make -i sound.wav sound.flac
make -i sound.wav sound.m4a
make -f lavfi -i testsrc=s=16x16:d=0.4:r=5 -c:v libx264 video.mp4
make -i video.mp4 -movflags frag_keyframe+empty_moov fragmented.mp4
make -i video.mp4 video.mov
cat > sign.mjs <<'END'
import { readFileSync, writeFileSync } from 'node:fs';
import init, { WasmBuilder } from '@contentauth/c2pa-wasm';

// The library reads its input as a worker of a browser does.
class File extends Blob {
  constructor(bytes, type) {
    super([bytes], { type });
    this.bytes = bytes;
  }
  slice(start = 0, end = this.bytes.length, type = '') {
    return new File(this.bytes.subarray(start, end), type);
  }
}
globalThis.FileReaderSync = class {
  readAsArrayBuffer({ bytes }) {
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  }
};

const source = 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia';
const types = {
  png: 'image/png', jpg: 'image/jpeg', webp: 'image/webp', avif: 'image/avif', wav: 'audio/wav', mp3: 'audio/mpeg',
  flac: 'audio/flac', m4a: 'audio/mp4', mp4: 'video/mp4', mov: 'video/quicktime',
};
await init({ module_or_path: readFileSync('node_modules/@contentauth/c2pa-wasm/pkg/c2pa_bg.wasm') });
const [target, ...names] = process.argv.slice(2);
for (const name of names) {
  const format = types[name.split('.')[1]];
  const actions = [{ action: 'c2pa.created', digitalSourceType: source }];
  const definition = {
    claim_generator_info: [{ name: 'test', version: '1' }],
    format,
    assertions: [{ label: 'c2pa.actions.v2', data: { actions } }],
  };
  const settings = { verify: { verify_after_sign: false } };
  const builder = WasmBuilder.fromJson(JSON.stringify(definition), JSON.stringify(settings));
  const signer = { sign: async () => new Uint8Array(2000).fill(7), reserveSize: 2000, alg: 'es256' };
  const file = new File(readFileSync(name), format);
  writeFileSync(`${target}/${name}`, await builder.sign(signer, [], format, file));
}
END
node sign.mjs "$target" picture.* sound.* video.* fragmented.*
rm -r "$work"
