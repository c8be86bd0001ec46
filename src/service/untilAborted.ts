/**
 * The outcome of a request, or at once the reason of its signal: undici heeds a signal only when a connection stands,
 * and then sends nothing.
 */
export function untilAborted<T>(signal: AbortSignal, request: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  return Promise.race([request, promise]).finally(() => signal.removeEventListener('abort', abort));
}
