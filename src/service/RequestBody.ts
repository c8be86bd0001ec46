import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { PassThrough, pipeline, Transform } from 'node:stream';
import * as l10n from '@vscode/l10n';
import FormData from 'form-data';
import { MediaError } from '../operations/MediaError.ts';
import type { MediaRequest, OperationId } from '../operations/operations.ts';
import { isMultipart, operations } from '../operations/operations.ts';
import { checkRecording } from './checkRecording.ts';

/** What a request carries; opened anew for each time it is sent. */
export interface RequestBody {
  readonly bytes: number;
  open(onSent: (bytes: number) => void): { readonly headers: Record<string, string>; readonly body: string | Readable };
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

/** How much of a file is read at once. */
const readBytes = 256 * 1024;

async function multipartBody({ model, file }: MediaRequest<'transcribe'>): Promise<RequestBody> {
  const size = await checkRecording(file);
  const form = (source: Readable) => {
    const data = new FormData();
    data.append('model', model);
    data.append('file', source, {
      filename: basename(file),
      contentType: audioTypes[file.slice(file.lastIndexOf('.') + 1).toLowerCase()] ?? 'application/octet-stream',
      knownLength: size,
    });
    return data;
  };
  const empty = new PassThrough();
  const bytes = form(empty).getLengthSync();
  empty.destroy();
  return {
    bytes,
    open: (onSent) => {
      const source = createReadStream(file, { highWaterMark: readBytes, end: Math.max(size - 1, 0) });
      const data = form(source);
      let sent = 0;
      // form-data is a stream of the old kind; the pipeline gives it back-pressure, errors and a clean end.
      const body = new Transform({
        highWaterMark: readBytes,
        transform(chunk: Buffer, _encoding, done) {
          sent += chunk.length;
          onSent(sent);
          done(null, chunk);
        },
        flush: (done) => done(sent === bytes ? null : changed(file)),
      });
      // form-data neither ends its source nor tells of its failures.
      source.once('error', (cause) => body.destroy(changed(file, cause)));
      pipeline(data as unknown as Readable, body, () => source.destroy());
      return { headers: { ...data.getHeaders(), 'content-length': String(bytes) }, body };
    },
  };
}

function changed(file: string, cause?: unknown): MediaError {
  const problem = l10n.t('{0} changed while it was sent. The service may still bill it.', basename(file));
  return new MediaError('invalidInput', `${l10n.t('Audio file')} (file): ${problem}`, {
    field: 'file',
    mayBeBilled: true,
    cause,
  });
}
