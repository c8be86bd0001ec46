import type { IncomingMessage } from 'node:http';
import { SandboxError } from './SandboxError.ts';

/** @throws SandboxError 413 as soon as the body turns out to be larger than `maxBytes` */
async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  checkLength(request, maxBytes);
  const chunks: Buffer[] = [];
  let length = 0;
  // Leaving the loop must not close the connection: the error response still has to be sent.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
  }
  return Buffer.concat(chunks);
}

/** @throws SandboxError 413 if the request declares more than `maxBytes` */
export function checkLength(request: IncomingMessage, maxBytes: number): void {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

export function tooLarge(maxBytes: number): SandboxError {
  return new SandboxError(413, `The request body is larger than the sandbox's limit of ${maxBytes} bytes.`, {
    code: 'request_too_large',
  });
}

/** @throws SandboxError 413 for more than `maxBytes`, 415 for another content type, 400 for invalid UTF-8 or JSON */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  checkContentType(request, 'application/json');
  const bytes = await readBody(request, maxBytes);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SandboxError(400, 'The request body is not valid UTF-8.', { code: 'invalid_utf8' });
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new SandboxError(400, 'The request body is not valid JSON.', { code: 'invalid_json' });
  }
}

/** @throws SandboxError 415 unless the body has this content type, is in UTF-8 and not compressed */
export function checkContentType(request: IncomingMessage, expected: string): void {
  const { 'content-type': given = '', 'content-encoding': encoding = 'identity' } = request.headers;
  const [type = '', ...parameters] = given.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.replaceAll('"', '');
  if (type === expected && (charset ?? 'charset=utf-8') === 'charset=utf-8' && encoding === 'identity') return;
  throw new SandboxError(415, `The request body must be ${expected} in UTF-8, not compressed.`, {
    code: 'wrong_content_type',
  });
}
