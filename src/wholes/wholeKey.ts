import { hashOf } from '../files/sha256.ts';
import { type MediaRequest, operations } from '../operations/operations.ts';
import { inOrder } from '../operations/validateRequest.ts';
import type { JobInput } from '../work/JobRunner.ts';

export type SpeechRequest = MediaRequest<'speak'>;
export type SpeechInput = JobInput & { readonly request: SpeechRequest };

/** Hashes what determines a recording: all fields of the request, and whether the sandbox speaks it. */
export function speechKey({ sandbox, request }: Pick<SpeechInput, 'sandbox' | 'request'>): string {
  const values = new Map<string, unknown>(Object.entries(request));
  const names = [...inOrder(operations.speak.fields).map(({ name }) => name), 'further'];
  return hashOf([sandbox, Object.fromEntries(names.map((name) => [name, values.get(name)]))]);
}

/** Returns the key that one process at a time holds while it makes a whole of parts. */
export function wholeKey(...facts: readonly unknown[]): string {
  return hashOf(['whole', ...facts]);
}
