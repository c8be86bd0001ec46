import { pipeline } from 'node:stream/promises';
import type { Busboy } from 'busboy';
import busboy from 'busboy';
import type { OperationId } from '../operations/operations.ts';
import type { Exchange } from './Exchange.ts';
import { checkContentType, checkLength, SandboxError, tooLarge } from './Exchange.ts';
import { bodyOfForm, sandboxFields } from './furtherFields.ts';

/** Whether the body of a request is a form. */
export function isForm({ headers }: Exchange['request']): boolean {
  return headers['content-type']?.startsWith('multipart/form-data') ?? false;
}

/**
 * Reads a form into memory, as the JSON body that it stands for: its files are `data:` URLs.
 *
 * @param parts the fields that hold files, by the names of their parts
 * @throws SandboxError 413 for more than `maxBytes`, 400 for an invalid form
 */
export async function receiveForm(
  id: OperationId,
  { request, signal }: Exchange,
  parts: Readonly<Record<string, string>>,
  maxBytes: number,
): Promise<Readonly<Record<string, unknown>>> {
  checkContentType(request, 'multipart/form-data');
  checkLength(request, maxBytes);
  const form = openForm(request.headers);
  const values = new Map<string, string[]>();
  const files = new Map<string, string[]>();
  const add = (map: Map<string, string[]>, name: string, value: string) =>
    map.set(name, [...(map.get(name) ?? []), value]);
  let problem: SandboxError | undefined;
  form.on('field', (name, value) => add(values, name, value));
  form.on('file', (name, stream, { mimeType }) => {
    const field = parts[name];
    if (field === undefined) problem ??= invalidForm(`The field "${name}" must not be a file.`, name);
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      if (field !== undefined) add(files, field, `data:${mimeType};base64,${Buffer.concat(chunks).toString('base64')}`);
    });
    stream.on('error', () => undefined);
  });
  form.on('partsLimit', () => {
    problem ??= invalidForm('The form has too many parts.');
  });
  let length = 0;
  const counted = async function* (source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      length += chunk.length;
      if (length > maxBytes) throw tooLarge(maxBytes);
      yield chunk;
    }
  };
  await pipeline(request.iterator({ destroyOnReturn: false }), counted, form, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error instanceof SandboxError ? error : invalidForm('The form is damaged or incomplete.');
  });
  if (problem) throw problem;
  const isList = (name: string) =>
    sandboxFields(id).own.some((field) => field.name === name && field.type === 'images');
  const inFiles = [...files].map(([field, urls]) => [field, isList(field) ? urls : urls[0]] as const);
  return { ...bodyOfForm(id, values), ...Object.fromEntries(inFiles) };
}

function openForm(headers: Exchange['request']['headers']): Busboy {
  try {
    return busboy({ headers, defParamCharset: 'utf8', limits: { fieldSize: 200_000, parts: 100, headerPairs: 20 } });
  } catch {
    throw invalidForm('The content type of the form has no boundary.');
  }
}

function invalidForm(message: string, param?: string): SandboxError {
  return new SandboxError(400, message, { param, code: 'invalid_form' });
}
