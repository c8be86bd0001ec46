import { randomBytes } from 'node:crypto';
import { parseJson } from '../../operations/parseJson.ts';
import type { AgentClient } from './AgentServer.ts';

/** Returns 32 random bytes as base64url, which a header can hold. */
export function createToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Decodes the clients from the secret storage. Damaged text holds none. */
export function clientsIn(text: string | undefined): readonly AgentClient[] {
  const value = parseJson(text ?? '');
  return Array.isArray(value) ? value.filter(isClient) : [];
}

function isClient(value: unknown): value is AgentClient {
  if (typeof value !== 'object' || value === null || !('name' in value) || !('token' in value)) return false;
  return typeof value.name === 'string' && typeof value.token === 'string' && value.token.length >= 32;
}
