import { realpath as realpathByLinks } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { promisify } from 'node:util';
import { hasCode } from './FileCalls.ts';

const resolveLinks = promisify(realpathByLinks);

/**
 * Resolves the links of a path. Windows cannot do so on RAM disks and some virtual and mapped drives
 * (https://github.com/nodejs/node/issues/6861), so there each link is followed in JavaScript, which leaves the case of
 * names and short names such as `GIT~1` as they are.
 *
 * @throws errors of node:fs, such as ENOENT
 */
export async function realPath(path: string, native: (path: string) => Promise<string> = realpath): Promise<string> {
  try {
    return await native(path);
  } catch (error) {
    if (!hasCode(error, 'EISDIR', 'UNKNOWN')) throw error;
    return resolveLinks(path);
  }
}
