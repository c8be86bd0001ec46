import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Area } from '../operations/operations.ts';
import { applyFaults } from './http/applyFaults.ts';
import { checkCaller, checkKey } from './http/checkCaller.ts';
import { createRequestId } from './http/createRequestId.ts';
import type { Exchange } from './http/Exchange.ts';
import { SandboxError } from './http/SandboxError.ts';
import { sendJson } from './http/sendJson.ts';
import { sendResult } from './http/sendResult.ts';
import { routes } from './routes.ts';
import type { Workshop } from './Workshop.ts';

/**
 * Answers one request, whatever it is: never throws.
 *
 * @param areas whose host it came to
 */
export async function serveRequest(
  request: IncomingMessage,
  response: ServerResponse,
  areas: readonly Area[],
  workshop: Workshop,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  response.setHeader('x-request-id', createRequestId());
  try {
    const origin = checkCaller(request);
    await route({ request, response, origin, signal: gone.signal }, areas, workshop);
  } catch (error) {
    if (!gone.signal.aborted) refuse(response, error);
  }
  // What is left of a refused body: a client reads the answer only after it could send everything.
  if (!request.complete) request.resume();
}

async function route(exchange: Exchange, areas: readonly Area[], workshop: Workshop): Promise<void> {
  const { request } = exchange;
  const [path = '/'] = (request.url ?? '/').split('?');
  const ofResult = path.startsWith('/results/');
  if (await applyFaults(exchange, workshop.faults, ofResult ? 'result' : 'operation')) return;
  if (ofResult) {
    checkMethod(request, ['GET', 'HEAD']);
    const result = workshop.results.find(path);
    if (!result) throw new SandboxError(404, 'There is no such result, or it has expired.', { code: 'no_result' });
    return sendResult(exchange, result);
  }
  const found = routes.find((candidate) => candidate.path === path && areas.includes(candidate.area));
  if (!found) throw new SandboxError(404, `There is nothing at ${path.slice(0, 200)}.`, { code: 'unknown_path' });
  checkMethod(request, ['POST']);
  checkKey(request, workshop.key);
  return found.handle(exchange, workshop);
}

function checkMethod({ method = '' }: IncomingMessage, allowed: readonly string[]): void {
  if (allowed.includes(method)) return;
  const allow = allowed.join(', ');
  throw new SandboxError(405, `This path takes ${allow}.`, { code: 'wrong_method', headers: { allow } });
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const refusal = error instanceof SandboxError ? error : new SandboxError(500, `The sandbox failed: ${String(error)}`);
  sendJson(response, refusal.status, refusal.body, refusal.details.headers);
}
