#!/bin/sh
# Guess: an HTTP client reads past "100 Continue" that it did not ask for, as RFC 9110 (15.2) demands, so the 200 after it counts.
# undici, and the fetch that is built on it, close the connection ("bad response"); Node's own http reads the answer.
# A gateway that sends it loses the answer of a paid request, of which nobody then knows whether it was billed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund undici@7.30.2 >/dev/null
cat > try.mjs <<'END'
import assert from 'node:assert/strict';
import http from 'node:http';
import net from 'node:net';
import { createRequire } from 'node:module';
import { fetch, request } from 'undici';

const { version } = createRequire(import.meta.url)('undici/package.json');
console.log(`undici ${version}, Node ${process.version}`);
const final = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
const interim = { none: '', 100: 'HTTP/1.1 100 Continue\r\n\r\n', 102: 'HTTP/1.1 102 Processing\r\n\r\n' };
const results = {};
for (const [name, before] of Object.entries(interim)) {
  const server = net.createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(before + final)));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}/`;
  const clients = {
    'undici.request': async () => (await request(url, { method: 'POST', body: '{}' })).body.text(),
    'undici.fetch': async () => (await fetch(url, { method: 'POST', body: '{}' })).text(),
    'node:http': () =>
      new Promise((resolve, reject) => {
        const sent = http.request(url, { method: 'POST' }, async (response) => {
          let text = '';
          for await (const chunk of response) text += chunk;
          resolve(text);
        });
        sent.on('error', reject).end('{}');
      }),
  };
  for (const [client, send] of Object.entries(clients)) {
    const result = await send().catch((error) => (error.cause ?? error).message);
    results[`${client} ${name}`] = result;
    console.log(`${client}, interim response ${name}: ${result}`);
  }
  server.close();
}
assert.equal(results['node:http 100'], 'ok');
assert.equal(results['undici.request 102'], 'ok');
assert.match(results['undici.request 100'], /bad response/);
assert.match(results['undici.fetch 100'], /bad response/);
END
node try.mjs
