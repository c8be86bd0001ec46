import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../library/FileCalls.ts';
import type { JobRecord } from './JobRecord.ts';
import type { JournalEntry, NamedResult } from './journalEntry.ts';
import { entriesIn } from './journalEntry.ts';

export const journalFileName = 'journal.jsonl';

type Answered = Extract<JournalEntry, { readonly event: 'answered' }>;

/** A job as read from its folder. */
export interface LoggedJob {
  readonly record: JobRecord;
  /** The latest answer, if it is complete. */
  readonly answered: Answered | undefined;
  /** The first answer; its file may be missing or incomplete. */
  readonly firstAnswered: Answered | undefined;
  /** The latest name that each result was about to get, by its index in the answer. */
  readonly naming: ReadonlyMap<number, NamedResult>;
}

/**
 * Reads the folder of a job.
 *
 * @returns undefined when there is no journal, or the job was never sent
 * @throws errors of node:fs when the journal cannot be read
 */
export async function readJob(folder: string): Promise<LoggedJob | undefined> {
  const entries = entriesIn(await readIfThere(join(folder, journalFileName)));
  const sending = entries.find((entry) => entry.event === 'sending');
  if (sending?.event !== 'sending') return undefined;
  const answers = all(entries, 'answered');
  const answered = answers.at(-1);
  // An answer reopens a job: it may arrive after another process has recorded the job as ended.
  const end = last(entries.slice(answered === undefined ? 0 : entries.indexOf(answered)), 'ended');
  const isWhole = answered !== undefined && (await isOfSize(join(folder, answered.file), answered.bytes));
  const hasAnswer = isWhole && end?.hasAnswer !== false;
  return {
    record: {
      ...sending.job,
      assets: Object.fromEntries(all(entries, 'saved').map(({ index, asset }) => [index, asset])),
      hasAnswer,
      hasRawAnswer: await holdsRawAnswer(folder),
      ...(end
        ? { state: end.state, error: end.error }
        : { state: hasAnswer ? ('downloading' as const) : ('waiting' as const) }),
    },
    answered: isWhole ? answered : undefined,
    firstAnswered: answers[0],
    naming: new Map(all(entries, 'naming').map(({ index, named }) => [index, named])),
  };
}

function all<E extends JournalEntry['event']>(
  entries: readonly JournalEntry[],
  event: E,
): readonly Extract<JournalEntry, { readonly event: E }>[] {
  return entries.filter((entry): entry is Extract<JournalEntry, { readonly event: E }> => entry.event === event);
}

function last<E extends JournalEntry['event']>(entries: readonly JournalEntry[], event: E) {
  return all(entries, event).at(-1);
}

async function readIfThere(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return '';
    throw error;
  }
}

async function holdsRawAnswer(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    if (/^(answer|status|raw)-/.test(name) && !(await isOfSize(join(folder, name), 0))) return true;
  }
  return false;
}

async function isOfSize(file: string, bytes: number): Promise<boolean> {
  return stat(file).then(
    ({ size }) => size === bytes,
    () => false,
  );
}
