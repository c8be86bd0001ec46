// All that the schedules know of how paid work is stored, so that a change of the store changes only this file.
import { join } from 'node:path';
import type { Asset } from '../../src/library/LibraryRecord.ts';
import type { ApplyOptions } from '../../src/manifest/applyAssets.ts';
import { makeAssets } from '../../src/wholes/makeAssets.ts';
import type { RunOptions } from '../../src/work/Attempt.ts';
import { isRunning, type Job } from '../../src/work/Job.ts';
import type { JobInput } from '../../src/work/JobRunner.ts';
import { sweep } from '../../src/work/sweep.ts';
import { jobRunnerAt } from '../support/jobRunner.ts';

/** With this flag a person agrees to pay again for what the command line has named as unknown. */
export const yesFlag = '--again';

/** How much of a text the command line sends at once. */
export const maxCharacters = 4096;

/** Names a note that a person has to remove by hand. */
export const nameOfNote = /\.unified-media.jobs.[0-9a-f]{32,64}/;

/** Hours that pass before the last sweep: more than a schedule sets its clock back. */
export const hoursBeforeSweep = 10;

export const videoStatusPath = '/v1/videos/{id}';

/** Where programs keep their state: one store for all of them. */
export const stateFolders = {
  /** `XDG_STATE_HOME` of the command line. */
  home: (state: string) => state,
  /** The store of the editor, which is that of the command line. */
  editor: (state: string) => join(state, 'unified-media', 'work'),
} as const;

/** What may remain in the state folder, as paths relative to it with forward slashes. A lease must have been released. */
export const mayStayInState: readonly RegExp[] = [
  /^unified-media\/hashes\/[0-9a-f]+\.json$/,
  // The sandbox can remix its videos later.
  /^unified-media\/sandbox\/videos\//,
  // What the service sent for an answer that was given up.
  /^unified-media\/work\/[0-9a-f]{32,64}\.[0-9a-f-]{36}\/(answer-|journal\.jsonl$|lease-\d+$)/,
  // What a program has just held is removed by the next sweep.
  /^unified-media\/work\/[0-9a-f]{64}\/lease-\d+$/,
];

/**
 * Parts that wait for a whole which was made without them, by another computer, for another folder or cut otherwise, with
 * their notes.
 */
export const mayWait: readonly RegExp[] = [
  /^unified-media\/work\/[0-9a-f]{64}\/(journal\.jsonl|saved\.json|part\.\w+|answer-[^/]+|lease-\d+)$/,
  /^jobs\/(\.gitignore|[0-9a-f]{64})$/,
];

/**
 * What a killed program may leave where results are saved: an empty file with which it tried whether it may write there.
 * The next program that saves there removes it.
 */
export const probe = /(^|\/)\.probe-[0-9a-f-]{36}\.part$/;

/** An answer that had no room in the state folder: the command line prints its path. */
export const mayStayInTemporary: readonly RegExp[] = [/^unified-media-\w+\/answer$/];

/** What may remain in a `.unified-media` folder, as paths relative to it. A lease must have been released. */
export const mayStayInProject: readonly RegExp[] = [
  /^library\.jsonl$/,
  probe,
  /^variants\/\.gitignore$/,
  /^variants\/[0-9a-f]{32}\/variant(-\d+)?\.\w+$/,
  /^variants\/kept\/[^/]+$/,
];

export interface EditorOptions {
  readonly host: string;
  readonly key: string;
  /** Absolute path of the workspace folder. */
  readonly root: string;
  /** Its URI as VS Code writes it. */
  readonly rootUri: string;
  /** The editor's folder of {@link stateFolders}. */
  readonly storage: string;
  /** Larger recordings are sent in parts. */
  readonly maxBytes: number;
  /** Longer texts are sent in parts. */
  readonly maxCharacters: number;
}

/** Makes what runs paid work in a window of the editor, and recovers what earlier ones have left. */
export async function openEditor({ host, key, root, rootUri, storage, maxBytes, maxCharacters }: EditorOptions) {
  const window = jobRunnerAt(host, { root, journal: storage, videoStatusPath }, 3, key);
  const { runner, jobs } = window;
  const limits = { speechMaxCharacters: maxCharacters, soundOnly: true, maxBytes };
  await runner.recover([rootUri], new AbortController().signal);
  return {
    runner,
    run: (input: JobInput, options: RunOptions): Promise<readonly Asset[]> =>
      makeAssets(input, runner, limits, options),
    /** What `applyAssets` needs, as the editor makes it. */
    forManifests: { runner, limits } satisfies Pick<ApplyOptions, 'runner' | 'limits'>,
    /** The ended work that the editor shows to the person, with what it is for. */
    shown: () => jobs.all.filter((job) => job.state !== 'done' && !isRunning(job)).map(shownJob),
    /** Saves again what waits for its download, for free. */
    saveWaiting: async (): Promise<void> => {
      const waiting = jobs.all.filter((job) => job.hasAnswer && !isRunning(job) && !job.whole);
      const options = { signal: new AbortController().signal, onNotice: () => undefined, onProgress: () => undefined };
      for (const { id } of waiting) await runner.downloadAgain(id, options).catch(() => undefined);
    },
    /** Removes everything from the list that the person sees, and sweeps. */
    tidy: async (): Promise<void> => {
      for (const { id, state } of jobs.all) if (state !== 'done') await runner.dismiss(id);
      await sweep(runner.store, [rootUri]);
    },
    [Symbol.asyncDispose]: () => window[Symbol.asyncDispose](),
  };
}

export interface ShownJob {
  readonly state: string;
  readonly message: string;
  /** The request, in which the owner of the work can be found. */
  readonly request: string;
}

export function shownJob({ state, error, request, whole }: Job): ShownJob {
  return { state, message: error?.message ?? '', request: JSON.stringify([request, whole?.request, whole?.document]) };
}
