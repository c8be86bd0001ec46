import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Busboy } from 'busboy';
import busboy from 'busboy';
import { checkContentType, checkLength, tooLarge } from '../http/readBody.ts';
import { SandboxError } from '../http/SandboxError.ts';
import type { Exchange } from '../SandboxContext.ts';

/** A multipart form whose file is on disk. */
export interface ReceivedForm {
  /** Values by field name; the value of the file field is the file's name. */
  readonly fields: Readonly<Record<string, string>>;
  /** Path of the received file; undefined if none was sent. */
  readonly path: string | undefined;
}

const fileField = 'file';

/**
 * Reads a multipart body and streams its file to disk. The caller removes the file, also after an error.
 *
 * @param path path to write the file to
 * @throws SandboxError 413 for more than `maxBytes`, 415 for another content type, 400 for an invalid form
 */
export async function receiveRecording(
  { request, signal }: Exchange,
  path: string,
  maxBytes: number,
): Promise<ReceivedForm> {
  checkContentType(request, 'multipart/form-data');
  checkLength(request, maxBytes);
  const form = openForm(request.headers);
  // A Map and Object.fromEntries treat a field named __proto__ like any other.
  const fields = new Map<string, string>();
  let problem: Error | undefined;
  let writing: Promise<void> | undefined;
  const fail = (error: Error): void => {
    problem ??= error;
  };
  const take = (name: string, value: string): void => {
    if (fields.has(name)) fail(invalidForm(`The form has the field "${name}" twice.`, name));
    if (value.includes('\ufffd')) fail(invalidForm(`The field "${name}" is not valid UTF-8.`, name));
    fields.set(name, value);
  };
  form.on('field', (name, value, { nameTruncated, valueTruncated }) => {
    if (nameTruncated || valueTruncated) fail(invalidForm('A field of the form is too long.'));
    if (name === fileField) fail(invalidForm('Audio file (file) must be a file part with a file name.', fileField));
    else take(name ?? '', value);
  });
  form.on('file', (name, stream, { filename }) => {
    stream.on('limit', () => fail(tooLarge(maxBytes)));
    take(name ?? '', filename ?? '');
    if (name === fileField && !writing) {
      writing = write(stream, path, signal).catch(fail);
      return;
    }
    fail(invalidForm(`The field "${name}" must not be a file.`, name));
    stream.on('error', fail).resume();
  });
  for (const event of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
    form.on(event, () => fail(invalidForm('The form has too many parts.')));
  }
  try {
    await parse(request, form, maxBytes, signal, () => problem);
  } finally {
    // Otherwise the file could be created after the caller has removed it.
    await writing;
  }
  if (problem) throw problem;
  return { fields: Object.fromEntries(fields), path: writing && path };
}

/** Returns a new path for an upload. */
export function uploadPath(folder: string): string {
  return join(folder, `upload-${randomBytes(12).toString('hex')}`);
}

function openForm(headers: Exchange['request']['headers']): Busboy {
  try {
    return busboy({
      headers,
      defParamCharset: 'utf8',
      limits: { fieldNameSize: 200, fieldSize: 100_000, fields: 20, files: 2, parts: 22, headerPairs: 20 },
    });
  } catch {
    throw invalidForm('The content type of the form has no boundary.');
  }
}

async function parse(
  request: Exchange['request'],
  form: Busboy,
  maxBytes: number,
  signal: AbortSignal,
  problem: () => Error | undefined,
): Promise<void> {
  let length = 0;
  try {
    await pipeline(
      request.iterator({ destroyOnReturn: false }),
      async function* (source: AsyncIterable<Buffer>) {
        for await (const chunk of source) {
          length += chunk.length;
          if (length > maxBytes) throw tooLarge(maxBytes);
          const error = problem();
          if (error) throw error;
          yield chunk;
        }
      },
      form,
    );
  } catch (error) {
    if (problem() || error instanceof SandboxError || signal.aborted) throw problem() ?? error;
    throw invalidForm('The form is damaged or incomplete.');
  }
}

async function write(stream: Readable, path: string, signal: AbortSignal): Promise<void> {
  await pipeline(stream, createWriteStream(path), { signal });
}

function invalidForm(message: string, param?: string): SandboxError {
  return new SandboxError(400, message, { param, code: 'invalid_form' });
}
