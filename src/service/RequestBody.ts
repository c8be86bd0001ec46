import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import FormData from 'form-data';
import { MediaError } from '../operations/MediaError.ts';
import type { MediaRequest, OperationId } from '../operations/operations.ts';
import { isMultipart, operations } from '../operations/operations.ts';
import { checkRecording, unreadable } from './checkRecording.ts';

/** What a request carries; opened anew for each time it is sent. */
export interface RequestBody {
  readonly bytes: number;
  open(onSent: (bytes: number) => void): {
    readonly headers: Record<string, string>;
    /** Text, or chunks of which each must be sent before the next is asked for; `return` them when they are not. */
    readonly body: string | AsyncGenerator<Uint8Array>;
  };
}

/**
 * The body of an operation's request: JSON, or multipart with its file streamed from disk.
 *
 * @throws MediaError `invalidInput` that names the field of a file that cannot be read or holds no sound
 */
export async function requestBody(id: OperationId, request: MediaRequest): Promise<RequestBody> {
  if (isMultipart(operations[id])) return multipartBody(request as MediaRequest<'transcribe'>);
  const text = JSON.stringify(request);
  return {
    bytes: Buffer.byteLength(text),
    open: (onSent) => {
      onSent(0);
      return { headers: { 'content-type': 'application/json' }, body: text };
    },
  };
}

/** Formats that several services refuse by their usual type, with the one that all take. */
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

/**
 * How much of a file is sent at once. More than undici's sockets take in before they are full, 64 KiB: nothing of it is
 * left when the next is asked for. Little enough to show progress on a slow line.
 */
const pieceBytes = 512 * 1024;

async function multipartBody({ model, file }: MediaRequest<'transcribe'>): Promise<RequestBody> {
  const size = await checkRecording(file);
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
  const bytes = head.length + size + foot.length;
  return {
    bytes,
    open: (onSent) => ({
      headers: { ...form.getHeaders(), 'content-length': String(bytes) },
      body: sent(piecesOf(head, file, size, foot), onSent),
    }),
  };
}

/** Tells after each chunk how much has been sent. */
async function* sent(chunks: AsyncIterable<Uint8Array>, onSent: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    yield chunk;
    bytes += chunk.length;
    onSent(bytes);
  }
}

/** A file in its frame. All of its pieces lie in the same memory: each must be sent before the next is asked for. */
async function* piecesOf(head: Uint8Array, file: string, size: number, foot: Uint8Array) {
  await using handle = await open(file).catch((cause: unknown) => {
    throw unreadable(file, cause);
  });
  yield head;
  const memory = Buffer.allocUnsafe(Math.min(size, pieceBytes));
  try {
    for (let at = 0; at < size; at += memory.length) {
      const piece = memory.subarray(0, size - at);
      await readWhole(handle, piece, at);
      yield piece;
    }
  } catch (cause) {
    throw changed(file, cause);
  }
  yield foot;
}

async function readWhole(handle: FileHandle, memory: Uint8Array, position: number): Promise<void> {
  for (let length = 0; length < memory.length; ) {
    const { bytesRead } = await handle.read(memory, length, memory.length - length, position + length);
    if (bytesRead === 0) throw new Error('the file ends early');
    length += bytesRead;
  }
}

function changed(file: string, cause: unknown): MediaError {
  const problem = l10n.t('{0} changed while it was sent. The service may still bill it.', basename(file));
  return new MediaError('invalidInput', `${l10n.t('Audio file')} (file): ${problem}`, {
    field: 'file',
    mayBeBilled: true,
    cause,
  });
}
