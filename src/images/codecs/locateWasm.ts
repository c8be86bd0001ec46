import { basename, extname } from 'node:path';

/** Returns the URL of a library's WebAssembly. In a bundle, the file lies beside the code under its own name. */
export function locateWasm(path: string): URL {
  const isBundled = extname(import.meta.url) !== '.ts';
  return new URL(isBundled ? `./${basename(path)}` : import.meta.resolve(path), import.meta.url);
}
