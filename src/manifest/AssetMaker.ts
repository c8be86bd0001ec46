import { basename, dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as l10n from '@vscode/l10n';
import type { TranscriptFormat } from '../library/formatTranscript.ts';
import { LocalFolder } from '../library/LocalFolder.ts';
import { extensionOf } from '../operations/fileExtensions.ts';
import { MediaError } from '../operations/MediaError.ts';
import type { MediaRequest, Operation } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';
import type { PlaceReference } from '../work/Job.ts';
import type { RunOptions } from '../work/JobRun.ts';
import { isUnusable } from '../work/jobErrors.ts';
import { runJob } from '../work/runJob.ts';
import { requestOf } from './describeRequest.ts';
import type { Evaluated } from './Evaluated.ts';
import { inUse } from './entryProblems.ts';
import { FileHashes } from './FileHashes.ts';
import { finishAsset, finishLocally } from './finishAsset.ts';
import type { MakerOptions } from './MakerOptions.ts';
import type { RequestEntry } from './Manifest.ts';
import type { ManifestProject } from './ManifestProject.ts';
import { narrateEntry } from './narrateEntry.ts';
import { variantName } from './Variants.ts';

/** Makes the assets of a manifest, one at a time. */
export class AssetMaker {
  readonly #project: ManifestProject;
  readonly #options: MakerOptions;
  #sent = 0;

  constructor(project: ManifestProject, options: MakerOptions) {
    this.#project = project;
    this.#options = options;
  }

  /** The number of requests sent so far. */
  get sent(): number {
    return this.#sent;
  }

  /**
   * Makes one asset.
   *
   * @returns what was done, for the user
   * @throws MediaError; results that were paid for are kept for the next run
   */
  async make(found: Evaluated): Promise<string> {
    const { entry, action } = found;
    if (entry.type === 'derived' || action === 'local') return finishLocally(this.#project, found, this.#options);
    const before = this.#sent;
    const { request } = found.origin;
    if (request === undefined) throw new MediaError('invalidInput', l10n.t('Some of its inputs are missing.'));
    const key = this.#project.variants.keyFor(entry.path, request, this.#options.sandbox);
    const place = this.#placeOf(entry, key);
    const options = this.#runOptions(entry, found);
    const parts = found.parts?.blocks.map((block) => block.key) ?? [];
    await this.#resume([key, ...parts], place, options);
    const isFree = (await this.#project.variants.list(key)).length > 0;
    if (found.narration && !isFree) {
      await narrateEntry(this.#project, found, this.#options, { key, place, options });
      return sentenceFor(this.#sent - before);
    }
    if (!isFree) await this.#request(found, key, place, options);
    await finishAsset(this.#project, found, { ...this.#options, key, number: 1 });
    return isFree
      ? l10n.t('Saved the results of an earlier run, without a request.')
      : sentenceFor(this.#sent - before);
  }

  /** Saves the results of the answers that earlier runs have left, or gives up those that cannot be used. */
  async #resume(keys: readonly string[], place: PlaceReference, options: RunOptions): Promise<void> {
    const { runner, sandbox, again } = this.#options;
    const states = await runner.store.statesOf(keys, place.root);
    const kept: string[] = [];
    let isGivenUp = false;
    for (const key of new Set(keys)) {
      const state = states.get(key);
      if (state !== 'answered' && state !== 'unusable') continue;
      try {
        await runner.resume(key, place, options);
      } catch (error) {
        const isUseless = error instanceof MediaError && isUnusable(error) && !options.signal.aborted;
        if (!sandbox && !(again && isUseless)) throw error;
        isGivenUp = true;
        kept.push(...(await runner.giveUp(key, place)));
      }
    }
    // The sandbox is free, and its results are lost when it stops. A request to a service was not part of the plan.
    if (!isGivenUp || sandbox) return;
    const isSaved = (await this.#project.variants.list(keys[0] ?? '')).length > 0;
    const sentence = isSaved
      ? l10n.t('A part of the answer cannot be used, so it was given up. The next “apply” uses what was saved of it.')
      : l10n.t(
          'The answer that was paid for cannot be used, so it was given up. The next “apply” sends the request again.',
        );
    const raw = kept.length === 0 ? '' : ` ${l10n.t('What the service sent is kept in {0}.', kept.join(', '))}`;
    throw new MediaError('download', sentence + raw);
  }

  async #request(
    { entry, model = '', parentId: videoId, waiting, parts }: Evaluated,
    key: string,
    place: PlaceReference,
    options: RunOptions,
  ): Promise<void> {
    const { runner, limits, sandbox } = this.#options;
    if (entry.type !== 'request') return;
    // Nobody has agreed to a request in place of a result that was there.
    if (!sandbox && !parts && (waiting === 'answered' || waiting === 'unusable')) throw inUse();
    const request = requestOf(entry, { model, videoId }, this.#project.manifest.folder);
    // Check the target folder before anything is paid for.
    const target = join(this.#project.manifest.folder, entry.path);
    await new LocalFolder(dirname(target), this.#project.root).check();
    const input = { key, operation: entry.operation, request, place, sandbox };
    await runJob(input, runner, limits, options);
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

  #runOptions(entry: RequestEntry, { origin }: Evaluated): RunOptions {
    const { path } = entry;
    const { signal, again, onNotice, onProgress } = this.#options;
    return {
      signal,
      again,
      beforeSending: async (sent) => {
        await checkCopies(entry, sent, origin.inputs);
        this.#sent++;
      },
      onNotice: (sentence) => onNotice(path, sentence),
      onProgress: (progress) => onProgress(path, progress),
    };
  }
}

/** @throws MediaError `invalidInput` when an image was saved after it was hashed: the lock must name what is sent */
async function checkCopies(
  { operation, images = [], image }: RequestEntry,
  sent: MediaRequest,
  hashes: Readonly<Record<string, string>>,
): Promise<void> {
  const { fields }: Operation = operations[operation];
  const values = new Map<string, unknown>(Object.entries(sent));
  const copies = fields.flatMap(({ type, name }) =>
    type === 'image' || type === 'images' ? [values.get(name) ?? []].flat() : [],
  );
  for (const [index, path] of [...images, ...(image === undefined ? [] : [image])].entries()) {
    const copy = fileURLToPath(String(copies[index]));
    if ((await new FileHashes(dirname(copy), dirname(copy)).of(basename(copy))) === hashes[`./${path}`]) continue;
    throw new MediaError(
      'invalidInput',
      l10n.t('{0} was changed while it was read. Nothing was sent. Apply again.', path),
    );
  }
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
