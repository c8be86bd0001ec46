import { hash } from 'node:crypto';

/** Returns the SHA-256 in hex of a text or of bytes, or of any other value as JSON. */
export function hashOf(value: unknown): string {
  const isPlain = typeof value === 'string' || value instanceof Uint8Array;
  return hash('sha256', isPlain ? value : (JSON.stringify(value) ?? ''));
}
