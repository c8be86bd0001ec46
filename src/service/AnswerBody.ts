import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import * as compression from 'node:zlib';
import {
  brotliDecompressSync,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  gunzipSync,
  inflateRawSync,
  inflateSync,
} from 'node:zlib';
import * as l10n from '@vscode/l10n';
import { giveAway } from '../files/freeMemory.ts';
import { headOfFile } from '../files/readBytes.ts';
import { MediaError } from '../operations/MediaError.ts';
import { headBytes } from '../operations/mediaType.ts';
import type { Dispatcher } from './undici.ts';

/** A response body: in memory, or in a file when it is large. */
export type AnswerBody = Uint8Array | AnswerFile;

export interface AnswerFile {
  /** Absolute path. */
  readonly path: string;
  /** Size in bytes. */
  readonly length: number;
}

/** A new file that an answer is written to while it is received. */
export interface AnswerSink extends AsyncDisposable {
  readonly path: string;
  /** Resolves when the next chunk can be written. */
  write(chunk: Uint8Array): Promise<void>;
  /** Resolves when everything is on disk. */
  finish(): Promise<void>;
  /** Returns all chunks passed to `write`, including those that could not be written. */
  takeBack(): Promise<readonly Uint8Array[]>;
}

/** Answers larger than this go to a file if the caller provides one. */
export const maxBytesInMemory = 4 * 1024 * 1024;

/** Returns the first bytes of a body, or all of them when it is in memory. */
export async function headOf(body: AnswerBody, length = headBytes): Promise<Uint8Array> {
  if (body instanceof Uint8Array) return body;
  return await headOfFile(body.path, length);
}

/** Returns the bytes of a file; each iteration reads it again. */
export function bytesOf({ path }: AnswerFile): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => createReadStream(path, { highWaterMark: 2 ** 20 })[Symbol.asyncIterator]() };
}

/** Returns the bytes of a body in pieces, which must not be changed. */
export function piecesOf(body: AnswerBody): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  return body instanceof Uint8Array ? [body] : bytesOf(body);
}

export interface ReceivedBody {
  /** Everything that arrived. */
  readonly body: AnswerBody;
  /** Why the body ended early; undefined when it is complete. */
  readonly failure: unknown;
}

/**
 * Receives a body. A large one streams to a file, so it is never completely in memory. If the file cannot be written,
 * the body stays in memory, since it may be paid for. If the connection ends early, the received part is kept.
 *
 * @param openFile undefined to keep everything in memory
 */
export async function receiveBody(
  data: AsyncIterable<Uint8Array>,
  openFile: (() => Promise<AnswerSink>) | undefined,
): Promise<ReceivedBody> {
  await using body = new GrowingBody(openFile);
  let failure: unknown;
  try {
    for await (const chunk of data) {
      await body.add(chunk);
    }
  } catch (error) {
    failure = error;
  }
  return { body: await body.finish(), failure };
}

class GrowingBody {
  #openFile: (() => Promise<AnswerSink>) | undefined;
  #file: AnswerSink | undefined;
  /** Chunks that are not written to the file yet. */
  #held: Uint8Array[] = [];
  #length = 0;

  constructor(openFile: (() => Promise<AnswerSink>) | undefined) {
    this.#openFile = openFile;
  }

  async add(chunk: Uint8Array): Promise<void> {
    this.#held.push(chunk);
    this.#length += chunk.length;
    if (this.#length > maxBytesInMemory) await this.#toFile((file) => this.#writeHeld(file));
  }

  async finish(): Promise<AnswerBody> {
    if (this.#file) await this.#toFile((file) => file.finish());
    return this.#file ? { path: this.#file.path, length: this.#length } : Buffer.concat(this.#held);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.[Symbol.asyncDispose]();
  }

  async #writeHeld(file: AnswerSink): Promise<void> {
    for (let chunk = this.#held.shift(); chunk; chunk = this.#held.shift()) await file.write(chunk);
  }

  /** Runs `work` on the file. After the first failure, everything moves back to memory and stays there. */
  async #toFile(work: (file: AnswerSink) => Promise<void>): Promise<void> {
    if (!this.#openFile) return;
    try {
      this.#file ??= await this.#openFile();
      await work(this.#file);
    } catch {
      const file = this.#file;
      this.#openFile = undefined;
      this.#file = undefined;
      this.#held.unshift(...((await file?.takeBack()) ?? []));
      await file?.[Symbol.asyncDispose]();
    }
  }
}

/** Longer timers overflow and fire at once. */
const maxTimerMs = 2 ** 31 - 1;

/** Ends a call that takes too long: each of its phases has a limit, or the call as a whole. */
export class TimeLimit implements Disposable {
  /** Aborts when the caller cancels or the time is over. */
  readonly signal: AbortSignal;
  /** Longest time in which no byte is sent or received. */
  readonly silenceSeconds: number;
  /** Address that is waited for. */
  url: URL;
  readonly #caller: AbortSignal | undefined;
  readonly #isWhole: boolean;
  readonly #over = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #error: MediaError | undefined;

  /** @param wholeSeconds longest time of the whole call; phases are then not limited */
  constructor(
    { url, signal, silenceSeconds = 60 }: { url: URL; signal?: AbortSignal; silenceSeconds?: number },
    wholeSeconds?: number,
  ) {
    this.url = url;
    this.silenceSeconds = silenceSeconds;
    this.#caller = signal;
    this.signal = signal ? AbortSignal.any([signal, this.#over.signal]) : this.#over.signal;
    this.#isWhole = wholeSeconds !== undefined;
    if (wholeSeconds !== undefined) {
      this.#set(wholeSeconds, l10n.t('{0} did not answer within {1} s.', url.host, wholeSeconds));
    }
  }

  /**
   * Starts a phase and ends the one before.
   *
   * @param sentence message of the timeout error
   */
  start(seconds: number, sentence: string): void {
    if (!this.#isWhole) this.#set(seconds, sentence);
  }

  /** Starts a phase that ends when the host sends something. */
  awaitBytes(): void {
    const { url, silenceSeconds } = this;
    this.start(silenceSeconds, l10n.t('{0} sent nothing for {1} s.', url.host, silenceSeconds));
  }

  /** Pauses the timeout until the next phase starts. */
  stop(): void {
    if (!this.#isWhole) clearTimeout(this.#timer);
  }

  get isCancelled(): boolean {
    return this.#caller?.aborted === true;
  }

  /** Set when the time was over. */
  get error(): MediaError | undefined {
    return this.#error;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #set(seconds: number, sentence: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#error = new MediaError('timeout', sentence, { mayBeBilled: true });
        this.#over.abort(this.#error);
      },
      Math.min(seconds * 1000, maxTimerMs),
    );
  }
}

/**
 * Resolves like a request, but rejects as soon as the signal aborts: undici checks the signal only once it is
 * connected.
 */
export function untilAborted<T>(signal: AbortSignal, request: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  return Promise.race([request, promise]).finally(() => signal.removeEventListener('abort', abort));
}

/** Received part of a body, in bytes on the wire. */
export interface Arrival {
  readonly bytes: number;
  /** Announced length of the body, if any. */
  readonly total?: number;
}

/** Returns the Content-Length of a response. */
export function announcedLength({ headers }: Dispatcher.ResponseData): number | undefined {
  return Number([headers['content-length']].flat()[0]) || undefined;
}

/**
 * Yields a body as it is on the wire. Only waiting for bytes counts towards the timeout, not the time the reader takes.
 *
 * @param onArrived called with the number of bytes so far
 */
export async function* arriving(
  { body }: Dispatcher.ResponseData,
  limit: TimeLimit,
  onArrived: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  limit.awaitBytes();
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      limit.stop();
      bytes += chunk.length;
      onArrived(bytes);
      yield chunk;
      limit.awaitBytes();
    }
  } finally {
    limit.stop();
  }
}

/** Returns “19 of 40 MiB”, or “19 MiB” when the length is unknown. */
export function describeArrival({ bytes, total }: Arrival): string {
  const { unit, size } = units.find((candidate) => (total ?? bytes) >= candidate.size) ?? bytesUnit;
  // Round down, so that a partial body never looks complete.
  const arrived = String(Math.floor((bytes / size) * 10) / 10);
  if (total === undefined) return `${arrived} ${unit()}`;
  return l10n.t('{0} of {1} {2}', arrived, String(Math.ceil((total / size) * 10) / 10), unit());
}

const bytesUnit = { size: 1, unit: () => l10n.t('bytes') };
const units = [
  { size: 2 ** 30, unit: () => 'GiB' },
  { size: 2 ** 20, unit: () => 'MiB' },
  { size: 2 ** 10, unit: () => 'KiB' },
  bytesUnit,
];

/** Closes the connection, so that the body of a useless response is not read. */
export function drop({ body }: Pick<Dispatcher.ResponseData, 'body'>): void {
  body.on('error', () => undefined).destroy();
}

/**
 * Decompresses the body of a response: some services compress although they are asked not to. The chunks belong to
 * the caller.
 *
 * @param body bytes on the wire
 */
export async function* decoded(
  response: Dispatcher.ResponseData,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let chunks = body;
  for (const encoding of encodingsOf(response).reverse()) chunks = decompressed(encoding, chunks, response);
  for await (const chunk of chunks) yield giveAway(chunk);
}

/** Returns the known encodings in the order in which they were applied. Some servers name one twice. */
function encodingsOf({ headers }: Dispatcher.ResponseData): string[] {
  const names = String(headers['content-encoding'] ?? '').toLowerCase();
  const known = names.split(/[\s,]+/).filter((name) => /^(x-)?gzip$|^deflate$|^br$|^zstd$/.test(name));
  return [...new Set(known)];
}

/**
 * Formats of compressed bodies. `flush` decodes as far as possible instead of failing at an early end. The trailer holds
 * the checksum.
 */
const gzip = { create: createGunzip, decode: gunzipSync, flush: constants.Z_SYNC_FLUSH, trailerBytes: 8 };
const zlib = { create: createInflate, decode: inflateSync, flush: constants.Z_SYNC_FLUSH, trailerBytes: 4 };
const rawDeflate = { create: createInflateRaw, decode: inflateRawSync, flush: constants.Z_SYNC_FLUSH, trailerBytes: 0 };
const brotli = {
  create: createBrotliDecompress,
  decode: brotliDecompressSync,
  flush: constants.BROTLI_OPERATION_FLUSH,
  trailerBytes: 0,
};
/** Absent before Node 22.15; {@link isZstd} then names what cannot be decoded. */
const zstd = 'createZstdDecompress' in compression && {
  create: () => compression.createZstdDecompress(),
  decode: compression.zstdDecompressSync,
  flush: compression.constants.ZSTD_e_flush,
  trailerBytes: 0,
};
type Format = typeof gzip | typeof brotli | Exclude<typeof zstd, false>;

/** Whether data begins like a frame of Zstandard: RFC 8878, 3.1.1. */
export function isZstd(head: Uint8Array): boolean {
  return Buffer.from(head.subarray(0, 4)).equals(Buffer.from([0x28, 0xb5, 0x2f, 0xfd]));
}

async function* decompressed(
  encoding: string,
  body: AsyncIterable<Uint8Array>,
  response: Dispatcher.ResponseData,
): AsyncGenerator<Uint8Array> {
  const source = body[Symbol.asyncIterator]();
  const head = await readHead(source);
  const whole = joined(head, source);
  const format = formatOf(encoding, head);
  // A range must not be taken for an uncompressed body.
  const isCompressed = format && head.length > 0 && (response.statusCode === 206 || isApplied(format, head));
  if (!isCompressed) return yield* whole;
  // Some servers leave out the trailer. If all announced bytes arrived, zeros in its place tell that from a cut body.
  const missing = announcedLength(response) === undefined ? 0 : format.trailerBytes;
  const chunks: AsyncIterable<Uint8Array> = pipeline(padded(apart(whole), missing), format.create(), () => undefined);
  try {
    yield* chunks;
  } catch (error) {
    if (!isWrongChecksum(error)) throw error;
  }
}

function formatOf(encoding: string, [first = 0, second = 0]: Uint8Array): Format | undefined {
  if (encoding === 'br') return brotli;
  if (encoding === 'zstd') return zstd || undefined;
  if (encoding !== 'deflate') return gzip;
  // Many servers leave out the zlib header.
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0 ? zlib : rawDeflate;
}

/** Whether a body has the named format. Some servers name one that they do not apply; the answer may be paid for. */
function isApplied({ decode, flush }: Format, head: Uint8Array): boolean {
  // JSON may look like a short deflate stream.
  if (decode === inflateRawSync && /^(\{\s*["}]|\[\s*["[{\]])/.test(Buffer.from(head).toString('latin1'))) return false;
  try {
    decode(head, { finishFlush: flush, maxOutputLength: 1 });
    return true;
  } catch (error) {
    return error instanceof RangeError || isWrongChecksum(error);
  }
}

/** Whether compressed data was decoded completely and only its checksum differs. Browsers ignore that, too. */
function isWrongChecksum(error: unknown): boolean {
  return error instanceof Error && /^incorrect (data|length) check$/.test(error.message);
}

/** Yields the end of each chunk byte by byte: a wrong checksum would discard what is decoded in the same step. */
async function* apart(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    const end = Math.max(0, chunk.length - gzip.trailerBytes);
    if (end > 0) yield chunk.subarray(0, end);
    for (let at = end; at < chunk.length; at++) yield chunk.subarray(at, at + 1);
  }
}

async function* padded(chunks: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  yield* chunks;
  if (bytes > 0) yield new Uint8Array(bytes);
}

/** Bytes that suffice to tell compressed data from other data. */
const formatBytes = 64;

/** Reads the first bytes, or everything if it is shorter. */
async function readHead(source: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  let head: Uint8Array = new Uint8Array();
  while (head.length < formatBytes) {
    const { done, value } = await source.next();
    if (done) break;
    head = head.length === 0 ? value : Buffer.concat([head, value]);
  }
  return head;
}

async function* joined(head: Uint8Array, source: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    if (head.length > 0) yield head;
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
  } finally {
    await source.return?.();
  }
}
