import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Busboy } from 'busboy';
import busboy from 'busboy';
import type { Exchange } from '../http/Exchange.ts';
import { checkLength, tooLarge } from '../http/readBody.ts';
import { checkContentType } from '../http/readJson.ts';
import { SandboxError } from '../http/SandboxError.ts';

/** A multipart form whose file lies on disk. */
export interface ReceivedForm {
  /** What was sent by name; of the file its name. */
  readonly fields: Readonly<Record<string, string>>;
  /** Where the file lies; undefined when none was sent. */
  readonly path: string | undefined;
}

const fileField = 'file';

/**
 * Reads a multipart body, its file straight to disk. The caller removes the file, also after an error.
 *
 * @param path where the file shall lie
 * @throws SandboxError 413 over `limit` bytes, 415 for another content type, 400 for a broken form
 */
export async function receiveRecording(
  { request, signal }: Exchange,
  path: string,
  limit: number,
): Promise<ReceivedForm> {
  checkContentType(request, 'multipart/form-data');
  checkLength(request, limit);
  const form = openForm(request.headers);
  // A Map, and Object.fromEntries at the end, take a field named __proto__ as what it is.
  const fields = new Map<string, string>();
  let problem: Error | undefined;
  let writing: Promise<void> | undefined;
  const fail = (error: Error): void => {
    problem ??= error;
  };
  const take = (name: string, value: string): void => {
    if (fields.has(name)) fail(broken(`The field "${name}" is there twice.`, name));
    if (value.includes('\ufffd')) fail(broken(`The field "${name}" is not valid UTF-8.`, name));
    fields.set(name, value);
  };
  form.on('field', (name, value, { nameTruncated, valueTruncated }) => {
    if (nameTruncated || valueTruncated) fail(broken('A field of the form is too long.'));
    if (name === fileField) fail(broken('Audio file (file) must be the file itself, with a file name.', fileField));
    else take(name ?? '', value);
  });
  form.on('file', (name, stream, { filename }) => {
    stream.on('limit', () => fail(tooLarge(limit)));
    take(name ?? '', filename ?? '');
    if (name === fileField && !writing) {
      writing = write(stream, path, signal).catch(fail);
      return;
    }
    fail(broken(`The field "${name}" must not be a file.`, name));
    stream.on('error', fail).resume();
  });
  for (const event of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
    form.on(event, () => fail(broken('The form has too many parts.')));
  }
  try {
    await parse(request, form, limit, signal, () => problem);
  } finally {
    // Else the file could come to be after the caller has removed it.
    await writing;
  }
  if (problem) throw problem;
  return { fields: Object.fromEntries(fields), path: writing && path };
}

/** A new path for an upload. */
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
    throw broken('The content type of the form has no boundary.');
  }
}

async function parse(
  request: Exchange['request'],
  form: Busboy,
  limit: number,
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
          if (length > limit) throw tooLarge(limit);
          const refusal = problem();
          if (refusal) throw refusal;
          yield chunk;
        }
      },
      form,
    );
  } catch (error) {
    if (problem() || error instanceof SandboxError || signal.aborted) throw problem() ?? error;
    throw broken('The form is broken or ends too early.');
  }
}

async function write(stream: Readable, path: string, signal: AbortSignal): Promise<void> {
  await pipeline(stream, createWriteStream(path), { signal });
}

function broken(sentence: string, param?: string): SandboxError {
  return new SandboxError(400, sentence, { param, code: 'invalid_form' });
}
