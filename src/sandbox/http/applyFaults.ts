import { setTimeout } from 'node:timers/promises';
import type { Faults, FaultTarget } from '../Faults.ts';
import { cutResponse } from './cutResponse.ts';
import type { Exchange } from './Exchange.ts';
import { SandboxError } from './SandboxError.ts';
import { sendJson } from './sendJson.ts';

/** @returns true when the request is answered by this */
export async function applyFaults(
  { response, signal }: Exchange,
  faults: Faults,
  target: FaultTarget,
): Promise<boolean> {
  const fault = faults.takeStatus(target);
  const cut = faults.takeCut(target);
  if (faults.latencyMs > 0) await setTimeout(faults.latencyMs, undefined, { signal });
  if (cut) cutResponse(response, cut.bytes);
  if (!fault) return false;
  const {
    status,
    headers,
    body = new SandboxError(status, 'This fault was asked for.', { code: 'fault' }).body,
  } = fault;
  if (typeof body === 'string') response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(body);
  else sendJson(response, status, body, headers);
  return true;
}
