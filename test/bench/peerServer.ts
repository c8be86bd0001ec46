// Run by fork. Accepts uploads, serves a large video, responds with large images and videos as base64, and sends a
// very long refusal. Posts its port first.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { free, giveAway } from '../../src/files/freeMemory.ts';
import { mp4Bytes, pngBytes } from '../support/mediaBytes.ts';

const megabyte = 2 ** 20;
const images = 4;
/** Divisible by three, so that base64 chunks can be concatenated. */
const pieceBytes = 3 * 2 ** 18;
const imagePieces = (30 * megabyte) / pieceBytes;

const filling = Buffer.alloc(megabyte, 7);
const firstPiece = Buffer.concat([pngBytes, Buffer.alloc(pieceBytes - pngBytes.length, 7)]).toString('base64');
const firstVideoPiece = Buffer.concat([mp4Bytes, Buffer.alloc(pieceBytes - mp4Bytes.length, 7)]).toString('base64');
const otherPiece = Buffer.alloc(pieceBytes, 7).toString('base64');

// The measuring process may have been killed.
process.on('disconnect', () => process.exit());

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '', 'http://localhost');
  const answer = answers[url.pathname];
  // If request chunks waited for the garbage collector, this server would be slower than the clients it measures.
  request.on('data', (chunk: Buffer) => free(giveAway(chunk)));
  request.on('end', () => (answer ? answer(response, url) : response.writeHead(404).end()));
}).listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));

const answers: Readonly<Record<string, (response: ServerResponse, url: URL) => unknown>> = {
  '/v1/audio/transcriptions': (response) => sendJson(response, ['{"text":"hello"}']),
  '/v1/images/generations': (response) => sendJson(response, imagesAsJson()),
  '/v1/images/edits': (response) => sendJson(response, ['{"data":[{"url":"https://a.example/x.png"}]}']),
  '/v1/videos/v': (response) => sendJson(response, videoAsJson()),
  '/refusing/v1/images/generations': (response) => {
    response.writeHead(500, { 'content-type': 'text/html' });
    return send(response, page());
  },
  '/video': (response, url) => {
    const bytes = Number(url.searchParams.get('megabytes')) * megabyte;
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': bytes });
    return send(response, video(bytes));
  },
};

function sendJson(response: ServerResponse, pieces: Iterable<string>): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' });
  return send(response, pieces);
}

async function send(response: ServerResponse, pieces: Iterable<string | Buffer>): Promise<void> {
  const gone = new Promise((resolve) => response.once('close', resolve));
  for (const piece of pieces) {
    if (response.destroyed) return;
    if (!response.write(piece)) await Promise.race([gone, new Promise((resolve) => response.once('drain', resolve))]);
  }
  response.end();
}

function* imagesAsJson() {
  for (let image = 0; image < images; image++) {
    yield image === 0 ? '{"created":1,"data":[{"b64_json":"' : '"},{"b64_json":"';
    for (let piece = 0; piece < imagePieces; piece++) yield piece === 0 ? firstPiece : otherPiece;
  }
  yield '"}]}';
}

/** A finished video of 60 MiB as base64. */
function* videoAsJson() {
  yield '{"id":"v","status":"completed","videos":[{"base64":"';
  for (let piece = 0; piece < (60 * megabyte) / pieceBytes; piece++) yield piece === 0 ? firstVideoPiece : otherPiece;
  yield '"}]}';
}

/** A web page of 300 MiB. */
function* page() {
  yield '<html><title>500 Server Error</title>';
  for (let sent = 0; sent < 300; sent++) yield filling;
}

function* video(bytes: number) {
  yield Buffer.concat([mp4Bytes, filling.subarray(mp4Bytes.length)]);
  for (let sent = megabyte; sent < bytes; sent += megabyte) yield filling;
}
