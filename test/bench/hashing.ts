// Prints the seconds that the SHA-256 of 200 files of 5 MiB takes, read in pieces by four readers:
//   main     on the main thread, as `check` does it; the files are read on libuv's pool
//   pool     the files as a whole on libuv's pool, by WebCrypto
//   workers  on two worker threads, with their start
import { createHash, webcrypto } from 'node:crypto';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import pLimit from 'p-limit';

const [files, bytes, readers, threads] = [200, 5 * 2 ** 20, 4, 2];

/** @returns the hash in hex, so that no way gets away with less */
async function inPieces(path: string): Promise<string> {
  const buffer = Buffer.allocUnsafeSlow(2 ** 20);
  const digest = createHash('sha256');
  await using file = await open(path);
  for (let read = await file.read(buffer); read.bytesRead > 0; read = await file.read(buffer))
    digest.update(buffer.subarray(0, read.bytesRead));
  return digest.digest('hex');
}

async function onPool(path: string): Promise<string> {
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', await readFile(path))).toString('hex');
}

function inWorker(paths: readonly string[]): Promise<readonly string[]> {
  const worker = new Worker(new URL(import.meta.url), { workerData: paths });
  return new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
}

function each(paths: readonly string[], hash: (path: string) => Promise<string>, atOnce = readers) {
  return pLimit(atOnce).map(paths, hash);
}

async function measure(who: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'hashing-'));
  try {
    const paths = Array.from({ length: files }, (_, index) => join(folder, String(index)));
    const content = Buffer.alloc(bytes, 7);
    for (const path of paths) await writeFile(path, content);
    const parts = Array.from({ length: threads }, (_, part) => paths.filter((_, index) => index % threads === part));
    const start = performance.now();
    const hashes =
      who === 'main'
        ? await each(paths, inPieces)
        : who === 'pool'
          ? await each(paths, onPool)
          : (await Promise.all(parts.map(inWorker))).flat();
    const seconds = (performance.now() - start) / 1000;
    if (hashes.length !== files || new Set(hashes).size !== 1) throw new Error('not all files were hashed');
    return seconds;
  } finally {
    await rm(folder, { recursive: true });
  }
}

if (isMainThread) console.log(await measure(process.argv[2] ?? ''));
else parentPort?.postMessage(await each(workerData as readonly string[], inPieces, readers / threads));
