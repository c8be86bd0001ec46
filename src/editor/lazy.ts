import type { Disposable } from 'vscode';

/** A function that loads something once, when it is first called. */
export interface Lazy<T> extends Disposable {
  /** Loads it, or returns what is loaded already; after a failure the next call tries again. */
  (): Promise<T>;
  /** What is loaded or loading; undefined when nothing is. */
  current(): Promise<T> | undefined;
  /** Disposes and forgets what was loaded. */
  dispose(): void;
}

/** Keeps what `load` returns, so that concurrent and later calls share it. A failure is not kept. */
export function lazy<T extends object>(load: () => Promise<T>): Lazy<T> {
  let loading: Promise<T> | undefined;
  const get = (): Promise<T> => {
    if (loading) return loading;
    const attempt = load();
    loading = attempt;
    attempt.catch(() => {
      if (loading === attempt) loading = undefined;
    });
    return attempt;
  };
  const dispose = () => {
    loading
      ?.then((loaded) => {
        if ('dispose' in loaded && typeof loaded.dispose === 'function') loaded.dispose();
      })
      .catch(() => undefined);
    loading = undefined;
  };
  return Object.assign(get, { current: () => loading, dispose });
}
