import { createHash, randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { copyFile, link, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as l10n from '@vscode/l10n';
import { retryWhileHeld } from '../library/FileCalls.ts';
import type { Field } from '../operations/Field.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import { detectMediaType } from '../operations/mediaType.ts';
import type { MediaRequest, Operation } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';
import { nameOf } from '../operations/validateRequest.ts';
import type { JobFacts } from './JobRecord.ts';

/**
 * Copies the images of a request (`data:` and `file:` URLs) into a job's folder, so that they are neither in memory nor in
 * the journal, and Run Again sends the same images. Jobs with the same image share one copy on disk.
 *
 * @returns the request with `file:` URLs of the copies
 * @throws MediaError `invalidInput`, naming the field of an image that cannot be read; errors of node:fs when the folder
 *   cannot be written
 */
export async function keepInputs(
  { operation, request }: Pick<JobFacts, 'operation' | 'request'>,
  folder: string,
): Promise<MediaRequest> {
  const { fields }: Operation = operations[operation];
  const kept: Record<string, unknown> = { ...request };
  for (const field of fields) {
    const value = kept[field.name];
    if (field.type === 'image' && typeof value === 'string') kept[field.name] = await keepImage(field, value, folder);
    if (field.type === 'images' && Array.isArray(value)) {
      const urls: string[] = [];
      for (const url of value as readonly string[]) urls.push(await keepImage(field, url, folder));
      kept[field.name] = urls;
    }
  }
  return kept as MediaRequest;
}

async function keepImage(field: Field, url: string, folder: string): Promise<string> {
  const temporary = join(folder, `input-${randomUUID()}.part`);
  const data = /^data:/i.test(url)
    ? Buffer.from(decodeURIComponent(url.slice(url.indexOf(',') + 1)), 'base64')
    : undefined;
  // Only the caller knows the type of such data, so leave the URL as it is.
  if (data && !(await detectMediaType(data))?.mime.startsWith('image/')) return url;
  if (data) await writeFile(temporary, data);
  else if (/^file:/i.test(url)) await copyImage(field, fileURLToPath(url), temporary);
  else return url;
  const file = join(folder, `input-${await sha256Of(temporary)}`);
  if (await linkToOther(file, (await stat(temporary)).size)) await rm(temporary);
  else await keepAs(temporary, file);
  return pathToFileURL(file).href;
}

async function copyImage(field: Field, source: string, target: string): Promise<void> {
  try {
    await copyFile(source, target, constants.COPYFILE_FICLONE);
  } catch (error) {
    const sentence = l10n.t('{0}: {1} cannot be read ({2}).', nameOf(field), basename(source), reasonOf(error));
    throw new MediaError('invalidInput', sentence, { field: field.name, cause: error });
  }
}

/** Links to another job's copy of the same image. Returns false when there is none, or links are not supported. */
async function linkToOther(file: string, bytes: number): Promise<boolean> {
  const jobs = dirname(dirname(file));
  for (const job of await readdir(jobs)) {
    const isLinked = await link(join(jobs, job, basename(file)), file).then(
      () => true,
      () => false,
    );
    if (isLinked && (await stat(file)).size === bytes) return true;
    if (isLinked) await rm(file);
  }
  return false;
}

/** Renames a copy after flushing it to disk, because other jobs trust its name. */
async function keepAs(temporary: string, file: string): Promise<void> {
  {
    await using handle = await open(temporary, 'r+');
    await handle.sync();
  }
  await retryWhileHeld(() => rename(temporary, file), { sleep });
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Uint8Array);
  return hash.digest('hex');
}
