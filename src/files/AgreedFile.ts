import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { nodeCalls } from './FileCalls.ts';
import type { FileContent } from './Folder.ts';
import { PathGuard } from './LocalFolder.ts';

/** A file as it was when somebody agreed to send it. Nothing else is sent in its place. */
export interface AgreedFile extends FileContent {
  /** Absolute path. */
  readonly path: string;
}

/** The files that may be sent, by content; undefined if the caller chose the files and nobody was asked. */
export type Agreed = readonly Pick<AgreedFile, 'path' | 'sha256'>[] | undefined;

// Windows has neither: there, only the checks before and after opening detect links.
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

const chunkBytes = 2 ** 20;

/**
 * Opens a regular file for reading, but no link to one. From here on, the handle decides what is read, whatever happens
 * at the path.
 *
 * @throws MediaError or ReplacedError as {@link PathGuard.verify}; errors of node:fs
 */
export async function openOnce(path: string): Promise<FileHandle> {
  const guard = new PathGuard(dirname(path), undefined, nodeCalls);
  await guard.checkFile(path);
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    await guard.verify(handle, path);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Reads all of an open file, in pieces that share one buffer.
 *
 * @param onPiece called with each piece; it must be done with it when its promise resolves
 */
export async function readContent(
  handle: FileHandle,
  onPiece: (piece: Uint8Array) => Promise<unknown> | undefined = () => undefined,
): Promise<FileContent> {
  const digest = createHash('sha256');
  const memory = Buffer.allocUnsafe(chunkBytes);
  for (let bytes = 0; ; ) {
    const { bytesRead } = await handle.read(memory, 0, chunkBytes, bytes);
    if (bytesRead === 0) return { bytes, sha256: digest.digest('hex') };
    const piece = memory.subarray(0, bytesRead);
    digest.update(piece);
    await onPiece(piece);
    bytes += bytesRead;
  }
}

/** Reads a file for a question. @throws as {@link openOnce} */
export async function readAgreed(path: string): Promise<AgreedFile> {
  await using handle = await openOnce(path);
  return { path, ...(await readContent(handle)) };
}

/** Whether a file may be sent. */
export function isAgreed(agreed: Agreed, path: string, { sha256 }: FileContent): boolean {
  return agreed?.some((one) => one.path === path && one.sha256 === sha256) ?? true;
}
