#!/bin/sh
# Guess: undici's connector resumes the TLS session of an earlier connection to a host; `maxCachedSessions` is 100.
# It holds sessions only through a WeakRef, so the next garbage collection forgets them all, and the handshake is a full one
# again, with certificates and a signature. Whoever keeps the Buffer of the socket's `session` event keeps it in the cache.
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
import https from 'node:https';
import { createRequire } from 'node:module';
import { setImmediate as turn } from 'node:timers/promises';
import { buildConnector, Client } from 'undici';

const { version } = createRequire(import.meta.url)('undici/package.json');
console.log(`undici ${version}, Node ${process.version}`);
const certificate = { key: readFileSync('key.pem'), cert: readFileSync('cert.pem') };
const server = https.createServer(certificate, ({ socket }, response) => response.end(String(socket.isSessionReused())));
await once(server.listen(0, '127.0.0.1'), 'listening');
const held = [];
for (const holds of [false, true]) {
  const connect = buildConnector({ rejectUnauthorized: false });
  const isResumed = async () => {
    const client = new Client(`https://127.0.0.1:${server.address().port}`, {
      connect: (options, callback) =>
        connect(options, (error, socket) => {
          if (holds) socket?.on('session', (session) => held.push(session));
          callback(error, socket);
        }),
    });
    const { body } = await client.request({ path: '/', method: 'GET' });
    const result = await body.text();
    await client.close();
    return result === 'true';
  };
  const before = [await isResumed(), await isResumed()];
  for (let time = 0; time < 3; time++) {
    await turn();
    gc();
  }
  const after = await isResumed();
  console.log(`session ${holds ? 'held' : 'not held'}: resumed ${before.join(', ')}; after a garbage collection ${after}`);
  assert.deepEqual([...before, after], [false, true, holds]);
}
process.exit();
END_OF_SCRIPT
node --expose-gc try.mjs
