import { basename, extname } from 'node:path';

/** In a bundle the WebAssembly of a library lies beside the code, under its own name. */
export function locateWasm(path: string): URL {
  const isBundled = extname(import.meta.url) !== '.ts';
  return new URL(isBundled ? `./${basename(path)}` : import.meta.resolve(path), import.meta.url);
}
