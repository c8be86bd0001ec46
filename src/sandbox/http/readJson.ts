import type { IncomingMessage } from 'node:http';
import { readBody } from './readBody.ts';
import { SandboxError } from './SandboxError.ts';

/** @throws SandboxError 413 over `limit` bytes, 415 for another content type, 400 for what is no JSON in UTF-8 */
export async function readJson(request: IncomingMessage, limit: number): Promise<unknown> {
  checkContentType(request, 'application/json');
  const bytes = await readBody(request, limit);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SandboxError(400, 'The body is not valid UTF-8.', { code: 'invalid_utf8' });
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new SandboxError(400, 'The body is not valid JSON.', { code: 'invalid_json' });
  }
}

/** @throws SandboxError 415 unless the body is of this type, in UTF-8 and not compressed */
export function checkContentType(request: IncomingMessage, expected: string): void {
  const { 'content-type': given = '', 'content-encoding': encoding = 'identity' } = request.headers;
  const [type = '', ...parameters] = given.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.replaceAll('"', '');
  if (type === expected && (charset ?? 'charset=utf-8') === 'charset=utf-8' && encoding === 'identity') return;
  throw new SandboxError(415, `The body must be ${expected} in UTF-8, not compressed.`, { code: 'wrong_content_type' });
}
