#!/bin/sh
# Guess: with `allowH2`, undici lets a request finish whose stream the server's GOAWAY covers, as RFC 9113 (6.8) demands: the
# server still sends its answer, and only later streams have to be sent again. And several POSTs share the connection.
# undici 7.30.2 closes the connection at once ("GOAWAY" frame received with code 0), so whenever a server begins to shut
# down, the answer of a paid request is lost. POSTs wait for each other. Node's own http2 receives the answer.
# (https://github.com/nodejs/undici/issues/5089)
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost 2>/dev/null
npm init -y >/dev/null
npm install --silent --no-audit --no-fund undici@7.30.2 >/dev/null
cat > try.mjs <<'END_OF_SCRIPT'
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http2 from 'node:http2';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { Client } from 'undici';

const { version } = createRequire(import.meta.url)('undici/package.json');
console.log(`undici ${version}, Node ${process.version}`);
const certificate = { key: readFileSync('key.pem'), cert: readFileSync('cert.pem') };
let shutsDown = false;
let open = 0;
let mostOpen = 0;
const server = http2.createSecureServer(certificate, async (request, response) => {
  mostOpen = Math.max(mostOpen, ++open);
  await text(request);
  // Sends GOAWAY with the last stream that is served, and finishes that one.
  if (shutsDown) request.stream.session.close();
  setTimeout(() => {
    open--;
    response.end('ok');
  }, 200);
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const origin = `https://127.0.0.1:${server.address().port}`;
const client = new Client(origin, { allowH2: true, connect: { rejectUnauthorized: false } });
const post = async () => (await client.request({ path: '/', method: 'POST', body: '{}' })).body.text();
assert.deepEqual(await Promise.all([post(), post(), post()]), ['ok', 'ok', 'ok']);
console.log(`3 POSTs on one connection, at most ${mostOpen} at a time`);
assert.equal(mostOpen, 1);
shutsDown = true;
const byUndici = await post().catch((error) => error.message);
console.log(`undici, GOAWAY before the answer: ${byUndici}`);
assert.match(byUndici, /"GOAWAY" frame received with code 0/);
const session = http2.connect(origin, { rejectUnauthorized: false });
const stream = session.request({ ':method': 'POST', ':path': '/' });
stream.end('{}');
const byNode = await text(stream);
console.log(`node:http2, GOAWAY before the answer: ${byNode}`);
assert.equal(byNode, 'ok');
process.exit();
END_OF_SCRIPT
node try.mjs
