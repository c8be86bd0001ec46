import type { CancellationToken, Disposable } from 'vscode';

/** Adapts a cancellation token to an AbortSignal; dispose it when the work is over. */
export function abortSignal(token: CancellationToken): { readonly signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  const subscription = token.onCancellationRequested(() => controller.abort());
  return { signal: controller.signal, dispose: () => subscription.dispose() };
}
