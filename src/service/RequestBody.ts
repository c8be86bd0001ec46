import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import FormData from 'form-data';
import type { Field, MediaRequest, OperationId } from '../operations/operations.ts';
import { isMultipart, operations } from '../operations/operations.ts';
import type { ImageFile } from './inputFile.ts';
import {
  base64Length,
  base64Of,
  checkImage,
  checkInputFile,
  checkRecording,
  isFileUrl,
  piecesOf,
} from './inputFile.ts';

/** The body of a request, which can be sent more than once. */
export interface RequestBody {
  readonly bytes: number;
  /** @param onSent called after each chunk with the number of bytes sent so far */
  open(onSent: (bytes: number) => void): {
    readonly headers: Record<string, string>;
    /** Text, or chunks that reuse one buffer: send each before requesting the next. Call `return` to stop early. */
    readonly body: string | AsyncGenerator<Uint8Array>;
  };
}

/**
 * Builds the body of an operation's request: JSON, or multipart with its file streamed from disk. An image's `file:`
 * URL becomes a `data:` URL, also streamed from disk.
 *
 * @throws MediaError `invalidInput`, naming the field, for a file that cannot be read or is not a recording or image
 */
export async function requestBody(id: OperationId, request: MediaRequest): Promise<RequestBody> {
  return isMultipart(operations[id])
    ? multipartBody(request as MediaRequest<'transcribe'>)
    : jsonBody(operations[id].fields, request);
}

/**
 * Bytes per chunk. More than the 64 KiB that undici's sockets buffer, so that a chunk has left the buffer before the
 * next one is requested. Small enough that a slow connection does not look stalled.
 */
const pieceBytes = 128 * 1024;

/** Longer JSON is sent in chunks, so that progress can be reported. */
const maxBytesAtOnce = 64 * 1024;

async function jsonBody(fields: readonly Field[], request: MediaRequest): Promise<RequestBody> {
  const mark = randomUUID();
  const images: ImageFile[] = [];
  const marked = async (field: Field, value: unknown): Promise<unknown> => {
    if (!isFileUrl(value)) return value;
    const image = await checkImage(field, value);
    images.push(image);
    return `data:${image.mime};base64,${mark}`;
  };
  const sent: Record<string, unknown> = { ...request };
  for (const field of fields) {
    const value = sent[field.name];
    if (field.type === 'image') sent[field.name] = await marked(field, value);
    if (field.type !== 'images' || !Array.isArray(value)) continue;
    const urls: unknown[] = [];
    for (const url of value) urls.push(await marked(field, url));
    sent[field.name] = urls;
  }
  const json = JSON.stringify(sent);
  const texts = json.split(mark).map((text) => Buffer.from(text));
  const bytes = sumOf(texts.map(({ length }) => length)) + sumOf(images.map(base64Length));
  const headers = { 'content-type': 'application/json' };
  if (bytes <= maxBytesAtOnce && images.length === 0) {
    return {
      bytes,
      open: () => ({ headers, body: json }),
    };
  }
  return {
    bytes,
    open: (onSent) => ({
      headers: { ...headers, 'content-length': String(bytes) },
      body: reportSent(jsonChunks(texts, images), onSent),
    }),
  };
}

async function* jsonChunks(texts: readonly Uint8Array[], images: readonly ImageFile[]) {
  // A retry may come minutes later: send nothing if an image is gone by then.
  for (const { field, path } of images) await checkInputFile(field, path, async () => undefined);
  for (const [index, text] of texts.entries()) {
    for (let at = 0; at < text.length; at += pieceBytes) yield text.subarray(at, at + pieceBytes);
    const image = images[index];
    if (image) yield* base64Of(image);
  }
}

/** Media types by extension. Several services refuse other types of the same format. */
const audioTypes: Readonly<Record<string, string>> = {
  flac: 'audio/flac',
  m4a: 'audio/mp4',
  mp3: 'audio/mpeg',
  mp4: 'audio/mp4',
  mpeg: 'audio/mpeg',
  mpga: 'audio/mpeg',
  ogg: 'audio/ogg',
  wav: 'audio/wav',
  webm: 'audio/webm',
};

async function multipartBody({ model, file }: MediaRequest<'transcribe'>): Promise<RequestBody> {
  const recording = await checkRecording(file);
  const mark = Buffer.from(randomUUID());
  const form = new FormData();
  form.append('model', model);
  form.append('file', mark, {
    filename: basename(file),
    contentType: audioTypes[file.slice(file.lastIndexOf('.') + 1).toLowerCase()] ?? 'application/octet-stream',
  });
  const frame = form.getBuffer();
  const head = frame.subarray(0, frame.lastIndexOf(mark));
  const foot = frame.subarray(head.length + mark.length);
  const bytes = head.length + recording.size + foot.length;
  return {
    bytes,
    open: (onSent) => ({
      headers: { ...form.getHeaders(), 'content-length': String(bytes) },
      body: reportSent(framed(head, piecesOf(recording, pieceBytes), foot), onSent),
    }),
  };
}

async function* framed(head: Uint8Array, pieces: AsyncGenerator<Uint8Array>, foot: Uint8Array) {
  // The first piece opens the file: send nothing if that fails.
  const first = await pieces.next();
  try {
    yield head;
    if (!first.done) yield first.value;
    yield* pieces;
    yield foot;
  } finally {
    await pieces.return(undefined);
  }
}

/** Reports the number of sent bytes after each chunk. */
async function* reportSent(
  chunks: AsyncIterable<Uint8Array>,
  onSent: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    yield chunk;
    bytes += chunk.length;
    onSent(bytes);
  }
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
