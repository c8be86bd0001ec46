import { posix } from 'node:path';
import type { Job } from '../../jobs/JobList.ts';
import { isRunning } from '../../jobs/JobList.ts';
import type { JobProgress } from '../../jobs/saveResults.ts';
import type { LibraryEntry } from '../../library/LibraryRecord.ts';
import { canRemix } from '../../library/LibraryRecord.ts';
import type { MediaError, MediaErrorAction } from '../../operations/MediaError.ts';
import type { Operation, OperationId } from '../../operations/operations.ts';
import { operationIds, operations } from '../../operations/operations.ts';
import type {
  Failure,
  FieldTexts,
  Result,
  RunningJob,
  ShownFile,
  Snapshot,
  VideoChoice,
} from '../../webview/messages.ts';

/** In characters: more of a prompt than anyone reads in a list. */
const longestWords = 300;
const mostVideos = 200;
const mostModels = 20;

/** What is said in the editor's language. */
export interface Wording {
  titleOf(id: OperationId): string;
  stageOf(job: Pick<Job, 'state' | 'progress'>): string;
  buttonOf(action: MediaErrorAction, error: MediaError): string;
  dismiss: string;
}

export function runningJobs(jobs: readonly Job[], wording: Wording): readonly RunningJob[] {
  return jobs.filter(isRunning).map((job) => {
    const part = partOf(job.progress);
    return {
      id: job.id,
      title: wording.titleOf(job.operation),
      words: shortened(wordsOf(job)),
      stage: wording.stageOf(job),
      since: job.createdAt,
      ...(part === undefined ? {} : { part }),
    };
  });
}

export function shownFailures(
  failures: readonly (readonly [string, { readonly operation: OperationId; readonly error: MediaError }])[],
  wording: Wording,
): readonly Failure[] {
  return failures.map(([id, { operation, error }]) => ({
    id,
    text: `${wording.titleOf(operation)}: ${error.message}`,
    actions: [
      ...error.actions.map((action) => ({ id: action, title: wording.buttonOf(action, error) })),
      { id: 'dismiss', title: wording.dismiss },
    ],
  }));
}

/** @param load a file's address as the view may load it */
export function shownResult(
  {
    uri,
    entry,
    ...facts
  }: { readonly uri: string; readonly entry: LibraryEntry; readonly text?: string; readonly isSilent?: boolean },
  load: (uri: string) => string,
  wording: Wording,
): Result {
  return {
    uri,
    source: load(uri),
    name: nameOf(uri),
    kind: entry.kind,
    title: wording.titleOf(entry.operation),
    model: entry.model,
    sandbox: entry.sandbox === true,
    canRemix: entry.videoId !== undefined,
    ...(entry.prompt === undefined ? {} : { words: shortened(entry.prompt) }),
    ...facts,
  };
}

/** @param load undefined for what the view may not load */
export function shownFiles(
  draft: readonly (readonly [OperationId, Readonly<Record<string, readonly string[]>>])[],
  load: (uri: string) => string | undefined,
): Snapshot['files'] {
  return Object.fromEntries(
    draft.map(([id, fields]) => [
      id,
      Object.fromEntries(
        Object.entries(fields).map(([field, uris]) => [
          field,
          uris.map((uri): ShownFile => {
            const thumbnail = load(uri);
            return { uri, name: nameOf(uri), ...(thumbnail === undefined ? {} : { thumbnail }) };
          }),
        ]),
      ),
    ]),
  );
}

/** Videos that the service can remix. @param entries newest first */
export function videoChoices(entries: readonly LibraryEntry[], isSandbox: boolean): readonly VideoChoice[] {
  return entries
    .filter((entry) => canRemix(entry, isSandbox))
    .slice(0, mostVideos)
    .map(({ videoId: id = '', prompt, model }) => ({ id, model, label: prompt ? shortened(prompt).slice(0, 80) : id }));
}

/** The names that were used with an operation. @param entries newest first */
export function usedModels(id: OperationId, entries: readonly LibraryEntry[], isSandbox: boolean): readonly string[] {
  const names = entries.filter(({ operation, sandbox = false }) => operation === id && sandbox === isSandbox);
  return [...new Set(names.map(({ model }) => model))].slice(0, mostModels);
}

/**
 * What the controls start with.
 *
 * @param last the values of the operation's last run
 * @param setting what the settings say of a field
 */
export function startingTexts(
  id: OperationId,
  last: Readonly<Record<string, unknown>>,
  setting: (field: string) => unknown,
  models: readonly string[],
): FieldTexts {
  const { fields }: Operation = operations[id];
  const pairs = fields.flatMap((field) => {
    // Words are typed anew; the same ones again are a result's Reuse Prompt.
    if (field.type === 'text' || field.type === 'video') return [];
    const value = last[field.name] ?? setting(field.name) ?? ('default' in field ? field.default : undefined);
    const known = value ?? (field.type === 'model' ? models[0] : undefined);
    return typeof known === 'string' || typeof known === 'number' ? [[field.name, String(known)]] : [];
  });
  return Object.fromEntries(pairs);
}

/** Something of each operation. */
export function forEachOperation<T>(of: (id: OperationId) => T): Readonly<Record<OperationId, T>> {
  return Object.fromEntries(operationIds.map((id) => [id, of(id)])) as Record<OperationId, T>;
}

function wordsOf({ request }: Pick<Job, 'request'>): string {
  if ('prompt' in request) return request.prompt;
  return 'input' in request ? request.input : nameOf(request.file);
}

function partOf(progress: JobProgress | undefined): number | undefined {
  if (!progress) return undefined;
  if ('total' in progress && progress.total) return Math.min(1, progress.bytes / progress.total);
  return progress.stage === 'waiting' && progress.progress !== undefined ? progress.progress / 100 : undefined;
}

function shortened(text: string): string {
  const words = text
    .slice(0, 4 * longestWords)
    .replace(/\s+/g, ' ')
    .trim();
  // A character of two units is not cut through.
  return words.length > longestWords ? `${words.slice(0, longestWords).replace(/[\ud800-\udbff]$/, '')}…` : words;
}

/** Of a URI, its last part as a person reads it; of a path, the same. */
function nameOf(uri: string): string {
  const name = posix.basename(uri.replace(/[?#].*$/s, '').replaceAll('\\', '/'));
  try {
    return decodeURIComponent(name).slice(0, longestWords) || uri.slice(0, longestWords);
  } catch {
    return name.slice(0, longestWords);
  }
}
