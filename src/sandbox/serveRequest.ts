import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Area } from '../operations/operations.ts';
import { applyFaults } from './http/applyFaults.ts';
import { checkCaller, checkKey } from './http/checkCaller.ts';
import { SandboxError } from './http/SandboxError.ts';
import { createRequestId, sendJson } from './http/sendJson.ts';
import { sendResult } from './http/sendResult.ts';
import { routes } from './routes.ts';
import type { Exchange, SandboxContext } from './SandboxContext.ts';

/**
 * Answers one request. Never throws.
 *
 * @param areas the areas that the addressed host serves
 */
export async function serveRequest(
  request: IncomingMessage,
  response: ServerResponse,
  areas: readonly Area[],
  context: SandboxContext,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  response.setHeader('x-request-id', createRequestId());
  try {
    const origin = checkCaller(request);
    await route({ request, response, origin, signal: gone.signal }, areas, context);
  } catch (error) {
    if (!gone.signal.aborted) sendError(response, error);
  }
  // Discard the rest of a rejected body: some clients read the response only after sending everything.
  if (!request.complete) request.resume();
}

async function route(exchange: Exchange, areas: readonly Area[], context: SandboxContext): Promise<void> {
  const { request } = exchange;
  const [path = '/'] = (request.url ?? '/').split('?');
  const isResult = path.startsWith('/results/');
  if (await applyFaults(exchange, context.faults, isResult ? 'result' : 'operation')) return;
  if (isResult) {
    checkMethod(request, ['GET', 'HEAD']);
    const result = context.results.find(path);
    if (!result) throw new SandboxError(404, 'This result does not exist or has expired.', { code: 'no_result' });
    return sendResult(exchange, result);
  }
  const found = routes.find((candidate) => candidate.path === path && areas.includes(candidate.area));
  if (!found) throw new SandboxError(404, `There is nothing at ${path.slice(0, 200)}.`, { code: 'unknown_path' });
  checkMethod(request, ['POST']);
  checkKey(request, context.key);
  return found.handle(exchange, context);
}

function checkMethod({ method = '' }: IncomingMessage, allowed: readonly string[]): void {
  if (allowed.includes(method)) return;
  const allow = allowed.join(', ');
  throw new SandboxError(405, `This path takes ${allow}.`, { code: 'wrong_method', headers: { allow } });
}

function sendError(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, body, details } =
    error instanceof SandboxError ? error : new SandboxError(500, `The sandbox failed: ${String(error)}`);
  sendJson(response, status, body, details.headers);
}
