import type { JobRecord } from './Job.ts';
import { nextTurn } from './Journals.ts';
import { Lease } from './Lease.ts';
import type { Store } from './Store.ts';
import { placeNow, removeSaved } from './savedWhole.ts';
import { isExpired } from './stateOfWork.ts';
import { readWork } from './Work.ts';

/**
 * Removes the leftovers of works that ended before anything was sent, that were saved, or that are expired.
 *
 * @param roots URIs of the folders that this program works in, which may have had other names before
 */
export async function sweep(store: Store, roots: readonly string[]): Promise<void> {
  // A job of the sandbox that was killed is never billed either.
  const mayEnd = (text: string) => text.trim() === '' || /"event":"ended"|"sandbox":true/.test(text);
  let began = performance.now();
  for (const key of await store.keysWhere(mayEnd)) {
    await sweepOne(store, key, roots).catch(() => undefined);
    began = await nextTurn(began);
  }
}

async function sweepOne(store: Store, key: string, roots: readonly string[]): Promise<void> {
  const folder = store.folderOf(key);
  const read = await readWork(folder);
  if (read === 'torn') return;
  if (read) return sweepEnded(store, read.record, roots);
  if ((await Lease.quietFor(folder)) < store.silence) return;
  const work = await store.take(key);
  if (!work) return;
  if (await removeSaved(store, work, roots)) await work.remove();
  else await work.release();
}

/** Removes a work that is expired, or that was saved by a process that was killed before it could remove it. */
async function sweepEnded(store: Store, ended: JobRecord, roots: readonly string[]): Promise<void> {
  const isSaved = ended.state === 'done' && !ended.whole;
  if (!isSaved && !isExpired(ended)) return;
  const place = await placeNow(store, ended, roots);
  const work = place && (await store.take(ended.key));
  if (work) await store.remove(work, { key: ended.key, place });
}
