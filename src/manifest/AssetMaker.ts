import { dirname, join, posix } from 'node:path';
import * as l10n from '@vscode/l10n';
import { isRunning } from '../jobs/JobList.ts';
import type { JobRecord, PlaceReference } from '../jobs/JobRecord.ts';
import type { RunOptions } from '../jobs/JobRun.ts';
import type { TranscriptFormat } from '../library/formatTranscript.ts';
import { LocalFolder } from '../library/LocalFolder.ts';
import { extensionOf } from '../operations/fileExtensions.ts';
import { MediaError } from '../operations/MediaError.ts';
import { requestOf } from './describeRequest.ts';
import type { Evaluated } from './Evaluated.ts';
import { finishAsset, finishLocally } from './finishAsset.ts';
import type { MakerOptions } from './MakerOptions.ts';
import type { RequestEntry } from './Manifest.ts';
import type { ManifestProject } from './ManifestProject.ts';
import { narrateEntry } from './narrateEntry.ts';
import { variantName } from './Variants.ts';
import { isUnknown, jobFor } from './waitingFor.ts';

export interface MakeResult {
  /** The number of requests sent. */
  readonly requests: number;
  /** What was done, for the user. */
  readonly sentence: string;
}

/** Makes the assets of a manifest, one at a time. */
export class AssetMaker {
  readonly #project: ManifestProject;
  readonly #options: MakerOptions;

  constructor(project: ManifestProject, options: MakerOptions) {
    this.#project = project;
    this.#options = options;
  }

  /** Makes one asset. @throws MediaError; results that were paid for are kept for the next run */
  async make(found: Evaluated): Promise<MakeResult> {
    const { entry, action, quantities, repeats } = found;
    if (entry.type === 'derived' || action === 'local') {
      return { requests: 0, sentence: await finishLocally(this.#project, found, this.#options) };
    }
    const { request } = found.origin;
    if (request === undefined) throw new MediaError('invalidInput', l10n.t('Some of its inputs are missing.'));
    const key = this.#project.variants.keyFor(entry.path, request, this.#options.sandbox);
    if (found.narration) return await this.#narrate(entry, found, key);
    const isFree = await this.#resume(entry, key);
    if (!isFree) await this.#request(entry, found, key);
    await finishAsset(this.#project, found, { ...this.#options, key, number: 1 });
    const requests = isFree ? 0 : Math.max(1, quantities.requests, repeats);
    return {
      requests,
      sentence: isFree ? l10n.t('Saved the results of an earlier run, without a request.') : sentenceFor(requests),
    };
  }

  async #narrate(entry: RequestEntry, found: Evaluated, key: string): Promise<MakeResult> {
    const { jobs } = this.#options;
    const keys = new Set(found.narration?.blocks.map((block) => block.key));
    // Requests with unknown outcome only get here if the user chose to repeat them.
    for (const job of jobs.all) if (isUnknown(job) && keys.has(job.place.fileName)) await jobs.dismiss(job.id);
    const place = this.#placeOf(entry, key);
    const options = this.#runOptions(entry);
    const requests = await narrateEntry(this.#project, found, this.#options, { place, options });
    return { requests, sentence: sentenceFor(requests) };
  }

  /** Resumes the job of an earlier run, if there is one. @returns whether the results are there now */
  async #resume(entry: RequestEntry, key: string): Promise<boolean> {
    const { jobs } = this.#options;
    const { variants, rootUri } = this.#project;
    const job = jobFor(jobs.all, { root: rootUri, path: variants.pathOf(key) });
    if (job && !job.whole) {
      if (isRunning(job)) {
        throw new MediaError(
          'invalidInput',
          l10n.t('Another program is working on the assets of this manifest. Try again when it has finished.'),
        );
      }
      if (job.hasAnswer) await this.#download(entry, job);
      else await jobs.dismiss(job.id);
    }
    return (await variants.list(key)).length > 0;
  }

  /** Saves the results of a kept answer, or gives them up when the service no longer has them. */
  async #download(entry: RequestEntry, { id }: JobRecord): Promise<void> {
    const { jobs, sandbox, yes } = this.#options;
    try {
      await jobs.downloadAgain(id, this.#runOptions(entry));
    } catch (error) {
      if (!sandbox && !(yes && isGone(error))) throw error;
      await jobs.dismiss(id);
      // The sandbox is free, and its results are lost when it stops. A request to a service was not part of the plan.
      if (sandbox) return;
      const sentence = l10n.t(
        'The service no longer has the results that were paid for. The next “apply” sends the request again.',
      );
      throw new MediaError('download', sentence);
    }
  }

  async #request(entry: RequestEntry, { model = '', parentId: videoId }: Evaluated, key: string): Promise<void> {
    const { jobs, sandbox } = this.#options;
    const request = requestOf(entry, { model, videoId }, this.#project.manifest.folder);
    const place = this.#placeOf(entry, key);
    // Check the target folder before anything is paid for.
    const target = join(this.#project.manifest.folder, entry.path);
    await new LocalFolder(dirname(target), this.#project.root).check();
    const { variants } = this.#project;
    await variants.noteSending(key, jobs.journal);
    try {
      await jobs.run({ operation: entry.operation, request, place, sandbox }, this.#runOptions(entry));
    } catch (error) {
      // As long as results wait to be saved here, other journals must not send the request again.
      const isFree = error instanceof MediaError && !error.mayBeBilled && !error.hasAnswer;
      if (isFree) await variants.sent(key);
      throw error;
    }
    await variants.sent(key);
  }

  #placeOf({ path }: RequestEntry, key: string): PlaceReference {
    const { rootUri, variants } = this.#project;
    return {
      root: rootUri,
      isPrivate: this.#options.isPrivate ?? false,
      path: variants.pathOf(key),
      fileName: variantName,
      transcriptFormat: transcriptFormats[extensionOf(path)] ?? 'markdown',
      linksFrom: posix.dirname(this.#project.recorded(path)),
    };
  }

  #runOptions({ path }: RequestEntry): RunOptions {
    const { signal, onNotice, onProgress } = this.#options;
    return {
      signal,
      onNotice: (sentence) => onNotice(path, sentence),
      onProgress: (progress) => onProgress(path, progress),
    };
  }
}

/** Whether the service refused a download because the URL is unknown or has expired. */
function isGone(error: unknown): boolean {
  return error instanceof MediaError && error.kind === 'download' && [403, 404, 410].includes(error.status ?? 0);
}

function sentenceFor(requests: number): string {
  if (requests === 0) return l10n.t('Made without a request.');
  return requests === 1 ? l10n.t('Made with 1 request.') : l10n.t('Made with {0} requests.', requests);
}

const transcriptFormats: Readonly<Partial<Record<string, TranscriptFormat>>> = {
  md: 'markdown',
  txt: 'text',
  srt: 'srt',
  vtt: 'vtt',
};
