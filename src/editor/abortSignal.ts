import type { CancellationToken, Disposable } from 'vscode';

/** A cancellation token as the signal that the inner parts take; dispose it when the work is over. */
export function abortSignal(token: CancellationToken): { readonly signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  const subscription = token.onCancellationRequested(() => controller.abort());
  return { signal: controller.signal, dispose: () => subscription.dispose() };
}
