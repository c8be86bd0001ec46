import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

/** Does some work while folders cannot be removed, as on Windows when another program reads a file in them. */
export async function whileHeld<T>(name: string, work: () => Promise<T>): Promise<T> {
  const { rm } = fs;
  fs.rm = (path, options) =>
    String(path).includes(name)
      ? Promise.reject(Object.assign(new Error('EBUSY'), { code: 'EBUSY' }))
      : rm(path, options);
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    fs.rm = rm;
    syncBuiltinESMExports();
  }
}
