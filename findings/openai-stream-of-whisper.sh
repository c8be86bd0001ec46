#!/bin/sh
# Guess: where a service ignores `stream: true`, as the package openai documents it for whisper-1, a loop over the stream yields
# the whole transcript or throws. It ends at once without an event and without an error, so a paid transcript is lost in silence.
# The same holds for images: any answer that is JSON, not events, is an empty stream.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund openai@7.59.0 >/dev/null
cat > try.mjs <<'END'
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import OpenAI, { toFile } from 'openai';

const types = createRequire(import.meta.url).resolve('openai/resources/audio/transcriptions').replace(/\.m?js$/, '.d.ts');
assert.match(readFileSync(types, 'utf8'), /not supported for the `whisper-1` model and will be ignored/);

const answers = {
  '/v1/audio/transcriptions': ['application/json', '{"text":"Good morning."}'],
  '/v1/images/generations': ['application/json', '{"created":1,"data":[{"b64_json":"AAAA"}]}'],
};
const server = http.createServer((request, response) => {
  const [type, body] = answers[request.url];
  request.resume().on('end', () => response.writeHead(200, { 'content-type': type }).end(body));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const client = new OpenAI({ apiKey: 'none', baseURL: `http://127.0.0.1:${server.address().port}/v1`, maxRetries: 0 });
const file = await toFile(Buffer.from('RIFF'), 'a.wav');
const eventsOf = async (stream) => {
  const events = [];
  for await (const event of stream) events.push(event);
  return events;
};
const plain = await client.audio.transcriptions.create({ model: 'whisper-1', file });
const transcript = await eventsOf(await client.audio.transcriptions.create({ model: 'whisper-1', file, stream: true }));
const image = await eventsOf(await client.images.generate({ model: 'm', prompt: 'A fox', stream: true }));
server.close();
console.log({ plain: plain.text, 'events of a transcript': transcript, 'events of an image': image });
assert.equal(plain.text, 'Good morning.');
assert.deepEqual([transcript, image], [[], []]);
END
node try.mjs
