import { createHmac, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { isOutside } from '../../files/pathFrom.ts';
import { replaceText } from '../../files/readText.ts';
import { checked, list, number, objectWith, type Shaped, text } from '../../foreign/shape.ts';
import { parseJson } from '../../operations/parseJson.ts';
import { isAlive } from '../../work/Lease.ts';

/** The discovery file, by which programs of the same user find the server of a window. */
const isDiscovery = objectWith({
  url: text(),
  token: text(),
  pid: number,
  /** Absolute paths. */
  workspaceFolders: list(text()),
  /** Version of the extension. */
  version: text(),
});
export type Discovery = Shaped<typeof isDiscovery>;

const fileName = /^\d+\.json$/;

/** Writes the file of this process, readable only for its user, and removes the files of processes that have ended. */
export async function writeDiscovery(folder: string, discovery: Discovery): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // The folder may already exist with wider permissions.
  await chmod(folder, 0o700);
  await removeStale(folder);
  const file = join(folder, `${discovery.pid}.json`);
  await replaceText(file, JSON.stringify(discovery), { mode: 0o600 });
  return file;
}

/** Reads the discovery files of the open windows. */
export async function readDiscoveries(folder: string): Promise<readonly Discovery[]> {
  const names = await readdir(folder).catch(() => []);
  const read = await Promise.all(
    names
      .filter((name) => fileName.test(name))
      .map(async (name) => {
        const text = await readFile(join(folder, name), 'utf8').catch(() => '');
        return checked(isDiscovery, parseJson(text));
      }),
  );
  return read.flatMap((one) => (one && isAlive(one.pid) ? [one] : []));
}

/** Returns the window whose workspace folder holds a path; among several, the one with the innermost folder. */
export function discoveryFor(path: string, all: readonly Discovery[]): Discovery | undefined {
  const depths = all.flatMap((discovery) =>
    discovery.workspaceFolders
      .filter((folder) => !isOutside(relative(folder, path)))
      .map((folder) => ({ discovery, depth: resolve(folder).length })),
  );
  return depths.sort((a, b) => b.depth - a.depth)[0]?.discovery;
}

async function removeStale(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (fileName.test(name) && !isAlive(Number.parseInt(name, 10))) await rm(join(folder, name), { force: true });
  }
}

/** Removes a discovery file synchronously, since the process may be exiting. */
export function removeDiscovery(file: string): void {
  rmSync(file, { force: true });
}

/** The header in which a program states its name, percent-encoded, if several share the token. */
export const clientHeader = 'x-unified-media-client';

/** Returns 32 random bytes as base64url, which a header can hold. */
export function createSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** The port of a window's server. */
export interface ServerPort {
  readonly number: number;
  /** Chosen anew with each port, so that the tokens of a port that was given up stay worthless if it is used again. */
  readonly salt: string;
}

/** Returns the token by which a client calls the server at one port. Another port, or another secret, has other tokens. */
export function tokenFor(secret: string, { number, salt }: ServerPort, client: string): string {
  return createHmac('sha256', secret)
    .update(JSON.stringify([number, salt, client]))
    .digest('base64url');
}
