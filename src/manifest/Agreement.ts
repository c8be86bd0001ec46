import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import { hashOf } from '../files/sha256.ts';
import { type Amounts, amountsOf, fits, noAmounts, sum } from '../operations/amounts.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import type { JobFacts } from '../work/Job.ts';
import { isCausedBy } from '../work/jobErrors.ts';
import { describeLocal, describeRequest } from './describeRequest.ts';
import type { Evaluated, PlanOptions } from './Evaluation.ts';
import { type Entry, keyOf, type RequestEntry, sortEntries } from './Manifest.ts';
import type { ManifestProject } from './ManifestProject.ts';

/**
 * What may be sent: what each entry would have sent when somebody agreed. It is compared before an entry is made, and
 * counted at each request.
 */
export class Agreement {
  readonly #project: ManifestProject;
  readonly #options: PlanOptions & { readonly maxRequests?: number };
  readonly #hasMade: (path: string) => boolean;
  /** The entries as they were evaluated for the question. */
  readonly #agreed: ReadonlyMap<Entry, Evaluated>;
  /** What has been sent for each entry. */
  readonly #counted = new Map<Entry, Amounts>();
  readonly #declared: ReadonlyMap<string, string>;
  #sent = 0;

  /**
   * @param options with the maximum number of requests to send
   * @param hasMade whether the file of an entry was made since
   */
  constructor(
    project: ManifestProject,
    agreed: readonly Evaluated[],
    options: PlanOptions & { readonly maxRequests?: number },
    hasMade: (path: string) => boolean,
  ) {
    this.#project = project;
    this.#options = options;
    this.#hasMade = hasMade;
    this.#agreed = new Map(agreed.map((found) => [found.entry, found]));
    this.#declared = declaredRequests(project.manifest.entries, options);
  }

  /** Returns why the request of an entry may not be sent; undefined if it may. */
  async refusal(found: Evaluated): Promise<string | undefined> {
    const changed = await this.#refusalOfEntry(found.entry).catch(reasonOf);
    if (changed !== undefined) return changed;
    return this.#refusalOf(found.entry, found.quantities) ?? (this.#isAsAgreed(found) ? undefined : changedSentence());
  }

  /** Counts a request that is about to be sent. @throws NotAgreed, and nothing is sent */
  async send(
    { entry, quantities }: Evaluated,
    { operation, request }: Pick<JobFacts, 'operation' | 'request'>,
  ): Promise<void> {
    const changed = await this.#refusalOfEntry(entry);
    if (changed !== undefined) throw new NotAgreed(changed);
    // No await from here on: several requests of an entry may have their turn at a time.
    const counted = this.#counted.get(entry) ?? noAmounts;
    // In how many parts a recording is sent is known only once it is cut, so the first stands for all of its minutes.
    const ofRecording = counted.requests > 0 ? noAmounts : { ...quantities, requests: 1 };
    const amounts = 'file' in request ? ofRecording : amountsOf(operation, request, 0);
    const refusal = this.#refusalOf(entry, amounts, 1);
    if (refusal !== undefined) throw new NotAgreed(refusal);
    this.#counted.set(entry, sum(counted, amounts));
    this.#sent++;
  }

  /** @param requests how many requests these are in fact */
  #refusalOf(entry: Entry, amounts: Amounts, requests = amounts.requests): string | undefined {
    const { maxRequests, sandbox } = this.#options;
    const agreed = this.#agreed.get(entry)?.quantities ?? noAmounts;
    // The sandbox is free, and makes again what was lost when it stopped.
    if (!sandbox && !fits(agreed, this.#counted.get(entry) ?? noAmounts, amounts)) {
      return l10n.t(
        'Not sent: it has changed since you agreed, and would now send more. Apply again to be asked about it.',
      );
    }
    if (maxRequests !== undefined && this.#sent + requests > maxRequests) {
      return l10n.t('Not sent: this run is limited to {0} requests.', maxRequests);
    }
    return undefined;
  }

  /** Whether an entry would send what was agreed to. Of its inputs, only files that were made since may differ. */
  #isAsAgreed({ entry, origin }: Evaluated): boolean {
    const before = this.#agreed.get(entry)?.origin;
    if (!before) return false;
    if (before.request !== undefined && before.request === origin.request) return true;
    const names = new Set([...Object.keys(before.inputs), ...Object.keys(origin.inputs)]);
    const differing = [...names].filter((name) => before.inputs[name] !== origin.inputs[name]);
    return differing.length > 0 && differing.every((name) => this.#isOfMade(entry, name, origin.inputs[name]));
  }

  /** Whether an input is as this run has made it: somebody may have replaced it since. */
  #isOfMade(entry: Entry, name: string, hash: string | undefined): boolean {
    const path = name.slice('./'.length);
    if (!name.startsWith('./') || !this.#hasMade(path)) return false;
    // Of a video only the service's ID is sent.
    const isVideo = entry.type === 'request' && entry.values.video_id === path;
    return isVideo || this.#project.lock.get(keyOf(path))?.output === hash;
  }

  /** Returns what is wrong with an entry in the manifest as it is now. @throws MediaError if it is no longer there */
  async #refusalOfEntry({ path }: Entry): Promise<string | undefined> {
    const { manifest } = this.#project;
    const now = await this.#project.readChanged();
    if (!now) return undefined;
    const key = keyOf(path);
    const declared = declaredRequests(now.manifest.entries, this.#options).get(key);
    if (declared !== undefined) return declared === this.#declared.get(key) ? undefined : changedSentence();
    const name = basename(manifest.file);
    return now.problems.length > 0
      ? l10n.t('Not sent: {0} has changed since you agreed, and there is a mistake in it. Apply again to see it.', name)
      : l10n.t('Not sent: its entry was removed from {0} since you agreed.', name);
  }
}

function changedSentence(): string {
  return l10n.t('Not sent: it has changed since you agreed. Apply again to be asked about it.');
}

/** Nobody has agreed to a request. Nothing was sent. */
export class NotAgreed extends MediaError {
  constructor(sentence: string) {
    super('invalidInput', sentence);
  }
}

/** Whether an error or one of its causes is {@link NotAgreed}. */
export function isNotAgreed(error: unknown): boolean {
  return isCausedBy(error, NotAgreed);
}

/**
 * Hashes what a manifest alone says about what each entry sends: a file stands for itself, or for the entry that makes it.
 *
 * @returns by the keys of the paths
 * @throws MediaError `invalidInput` for a cycle
 */
function declaredRequests(
  entries: readonly Entry[],
  { modelFor }: Pick<PlanOptions, 'modelFor'>,
): ReadonlyMap<string, string> {
  const sent = new Map<string, string>();
  const made = new Map<string, string>();
  const contentOf = (path: string) => made.get(keyOf(path)) ?? path;
  for (const entry of sortEntries(new Map(entries.map((one) => [keyOf(one.path), one])))) {
    const key = keyOf(entry.path);
    const request = entry.type === 'derived' ? contentOf(entry.from) : requestIn(entry, contentOf, modelFor);
    sent.set(key, request);
    made.set(key, hashOf([request, describeLocal(entry).local]));
  }
  return sent;
}

function requestIn(
  entry: RequestEntry,
  contentOf: (path: string) => string,
  modelFor: PlanOptions['modelFor'],
): string {
  const { operation, model = modelFor?.(operation) ?? '', document, values } = entry;
  const standFor = (path: string | undefined) => (path === undefined ? undefined : contentOf(path));
  const facts = { model, contentOf, videoId: standFor(values.video_id), spoken: standFor(document) };
  return describeRequest(entry, facts).request ?? '';
}
