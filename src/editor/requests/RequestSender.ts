import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import type { Agreed } from '../../files/AgreedFile.ts';
import { type Asset, canRemix, type LibraryEntry } from '../../library/LibraryRecord.ts';
import { MediaError } from '../../operations/MediaError.ts';
import { type OperationId, operations, takesVideo } from '../../operations/operations.ts';
import { keyOriginOf } from '../../service/ServiceConfiguration.ts';
import { MissingTimes } from '../../transcripts/MissingTimes.ts';
import { type Limits, makeAssets } from '../../wholes/makeAssets.ts';
import type { WholeOptions } from '../../wholes/SpokenSoFar.ts';
import type { RunOptions } from '../../work/Attempt.ts';
import type { JobRecord, PlaceReference } from '../../work/Job.ts';
import { inputAgain, isRepeatedOnce, type JobInput, JobRunner } from '../../work/JobRunner.ts';
import { isUnknownOutcome, mayBeBilledAgain } from '../../work/jobErrors.ts';
import { Store } from '../../work/Store.ts';
import { maySend, maySendAgain } from '../askAbout.ts';
import type { Caller } from '../Caller.ts';
import { run } from '../commands.ts';
import { operationTitle } from '../describeJob.ts';
import { lazy } from '../lazy.ts';
import { notify } from '../notify.ts';
import { tryToShow } from '../runCommand.ts';
import { completeRequest, eachFile, fieldsToRemember, maySendAll, takeFiles } from './completeRequest.ts';
import { JobActions } from './JobActions.ts';
import type { Requested, RequestOptions, RequestOutcome, RunParts } from './requests.ts';
import { chooseSoundTrack, mayCutRecording, showRecovered, showSaved, withJobProgress } from './showRun.ts';

/** Completes requests with a person's answers, asks about spending, and runs them. See {@link Requests}. */
export class RequestSender {
  readonly jobs: JobActions;
  readonly runner: JobRunner;
  /** Loads what speaks the changes of documents. */
  readonly narrator = lazy(async () => {
    const { DocumentNarrator } = await import('./narrateDocument.ts');
    return new DocumentNarrator(this.runner, this.#parts);
  });
  readonly #parts: RunParts;
  readonly #missingTimes = new MissingTimes();

  constructor(parts: RunParts) {
    this.#parts = parts;
    const { settings, service, places, jobs, retired, storeFolder } = parts;
    this.runner = new JobRunner({
      store: new Store(storeFolder),
      jobs,
      openClient: (sandbox) => service.open(sandbox),
      placeAt: (reference) => places.placeAt(reference),
      convert: async (bytes, extension, mark) => {
        const { convertPicture } = await import('../../images/transformImage.ts');
        return convertPicture(bytes, extension, settings.get('markGenerated') ? mark : undefined);
      },
      marksGenerated: () => settings.get('markGenerated'),
      noteModel: async (operation, model, isGone) => {
        const host = settings.hosts[operations[operation].area];
        const known = await retired();
        await (isGone ? known.refused(host, operation, model) : known.worked(host, operation, model));
      },
      keyOrigin: (operation) =>
        settings.usesSandbox ? undefined : keyOriginOf(settings.service, operations[operation].area),
      maxConcurrentJobs: () => settings.maxConcurrentJobs,
      timeoutSeconds: (area) => settings.timeoutSeconds[area],
    });
    this.jobs = new JobActions(this.runner, (job, options) => this.#runAgain(job, options), parts);
  }

  async run(
    requests: readonly Requested[],
    caller: Caller,
    options: RequestOptions,
  ): Promise<readonly RequestOutcome[] | undefined> {
    const inputs = await this.#complete(requests, caller, options);
    const agreed = inputs && (await this.#mayRun(inputs, caller, options));
    if (!inputs || !agreed) return undefined;
    options.onSending?.();
    const operation = requests.map(operationTitle)[0] ?? '';
    const many = inputs.length > 1 ? vscode.l10n.t('{0}, {1} requests', operation, inputs.length) : operation;
    const { title = many, signal, beforeSending, hear } = options;
    const outcomes = await withJobProgress(title, caller, (running) =>
      // All jobs end before a failure is reported.
      Promise.allSettled(
        inputs.map((input, index) =>
          this.makeAssets(input, {
            ...running,
            signal: signal ? AbortSignal.any([signal, running.signal]) : running.signal,
            beforeSending,
            hear,
            agreed: agreed[index],
          }),
        ),
      ),
    );
    for (const [index, { status }] of outcomes.entries()) {
      const { operation, request, sandbox } = inputs[index] ?? {};
      if (status === 'fulfilled' && caller !== 'program' && operation && request && sandbox !== undefined) {
        await this.#parts.lastUsed.worked(operation, sandbox, request.model);
      }
    }
    const isPlaced = requests.some(({ place }) => place);
    // What was made is shown, also when another one of several failed.
    const made = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
    if (!isPlaced && made.length > 0) await showSaved(made, caller, this.#parts);
    if (caller !== 'program') void tryToShow(this.#parts.log, this.#tellMissingTimes(made, inputs[0]?.place));
    return outcomes;
  }

  async #tellMissingTimes(made: readonly Asset[], place: PlaceReference | undefined): Promise<void> {
    if (!place || !made.some(({ kind }) => kind === 'transcripts')) return;
    const { places, settings } = this.#parts;
    const jobs = new Set(made.map(({ jobId }) => jobId));
    // Whether times came is in the record.
    const all = await places.libraryOf(vscode.Uri.parse(place.root, true)).entries('transcripts');
    const records = all.filter(({ jobId }) => jobs.has(jobId));
    const sentence = this.#missingTimes.sentenceFor(records, settings.hosts.audio);
    if (sentence === undefined) return;
    const choose = vscode.l10n.t('Use the Fields of a Service');
    if ((await notify.information(sentence, choose)) === choose) await run(commandIds.usePreset);
  }

  /** @returns undefined when the person dismissed a question */
  async #complete(
    requests: readonly Requested[],
    caller: Caller,
    { start = {}, document, isAgreed, asks, preferred }: RequestOptions,
  ): Promise<readonly JobInput[] | undefined> {
    const { settings, service, lastUsed, places } = this.#parts;
    const taken = requests.map((one) => ({ ...one, ...takeFiles(one.operation, one.fields, settings.declaredFields) }));
    // Report a missing service or key before asking anything.
    for (const id of new Set(requests.map(({ operation }) => operation))) await service.checkReady(id);
    const sandbox = settings.usesSandbox;
    const models = new Map<OperationId, unknown>();
    const inputs: JobInput[] = [];
    for (const { operation, given, files, place: own, into, key } of taken) {
      const place = own ?? (await this.#placeFor(operation, document, caller));
      if (!place) return undefined;
      // Loads the client while the person answers. A failure is reported when the client is used.
      if (inputs.length === 0) service.open(sandbox).catch(() => undefined);
      // The first of several files is asked for; the others are made with the same model.
      const model = own && models.get(operation);
      const base = vscode.Uri.parse(place.root, true);
      const videos = !own && takesVideo(operations[operation]) ? await this.#videos(place, sandbox) : [];
      const byPerson = caller !== 'program';
      const asking = { sandbox, base, videos, start, byPerson, asks: byPerson ? asks : [], preferred };
      const all = model === undefined ? given : { model, ...given };
      const request = await completeRequest(operation, all, asking, this.#parts);
      if (!request) return undefined;
      models.set(operation, request.model);
      const [source] = operation === 'editImage' && 'image_urls' in request ? request.image_urls : [];
      const saved = own || source === undefined ? place : await places.referenceForEdit(source, place);
      for (const one of await eachFile(operation, request, files, base)) {
        inputs.push({ operation, request: one, place: saved, sandbox, into, ...(key !== undefined && { key }) });
      }
      if (caller === 'program' || isAgreed) continue;
      const { prompt } = { prompt: undefined, ...request };
      const words = requests.length === 1 && prompt !== undefined ? { prompt } : {};
      const fields = own ? { ...lastUsed.get(operation, sandbox), ...words } : fieldsToRemember(operation, request);
      await lastUsed.sent(operation, sandbox, fields);
    }
    return inputs;
  }

  #placeFor(
    operation: OperationId,
    document: vscode.TextDocument | undefined,
    caller: Caller,
  ): Promise<PlaceReference | undefined> {
    const { places } = this.#parts;
    const { result } = operations[operation];
    const byPerson = caller !== 'program';
    return document ? places.referenceForDocument(document, result, byPerson) : places.referenceFor(result, byPerson);
  }

  /** @returns as {@link maySend} */
  async #mayRun(
    inputs: readonly JobInput[],
    caller: Caller,
    { question: title, billing = vscode.l10n.t('The service may bill each of them.'), send, isAgreed }: RequestOptions,
  ): Promise<readonly Agreed[] | undefined> {
    const { settings } = this.#parts;
    if (caller === 'program' || isAgreed) return [];
    if (title === undefined) return maySendAll(inputs, settings);
    return maySend({ title, billing, requests: inputs, send: send ?? vscode.l10n.t('Generate') }, settings);
  }

  /** Runs one job, or several whose results are joined when the input is too long for one request. */
  async makeAssets(input: JobInput, options: WholeOptions, id?: string): Promise<readonly Asset[]> {
    let track: Promise<number | undefined> | undefined;
    // A person who agrees to send it again has chosen already.
    const chooseTrack: Limits['chooseTrack'] = (asked, tracks) => (track ??= chooseSoundTrack(asked, tracks));
    const limits = { ...this.limits, chooseTrack };
    const run = (again: boolean) => makeAssets(input, this.runner, limits, { ...options, again }, id);
    return run(options.again ?? false).catch(async (error: unknown) => {
      const asks = isUnknownOutcome(error) && options.isAttended;
      if (asks && (await maySendAgain([input], this.#parts.settings))) return run(true);
      throw error;
    });
  }

  get limits(): Limits {
    const { settings } = this.#parts;
    return {
      speechMaxCharacters: settings.get('speech.maxCharacters'),
      splitsAnew: true,
      soundOnly: settings.get('transcript.soundOnly'),
      maxBytes: settings.transcriptMaxBytes,
      mayCut: (input, cut) => mayCutRecording(input, cut, settings),
    };
  }

  /** Resumes jobs whose window closed, and reports how they end. Can be called repeatedly. */
  async recover(): Promise<void> {
    const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.toString());
    await this.runner.recover(folders, new AbortController().signal, (job) => {
      void tryToShow(this.#parts.log, showRecovered(job, this.#parts));
    });
  }

  /** Sends the same request as a new job. If parts of a text failed, sends only the missing ones. */
  async #runAgain(job: JobRecord, options: RunOptions): Promise<readonly Asset[]> {
    const { whole } = job;
    // The button was about this part. Before others that may be billed are sent again, the person is asked.
    const isRepeat = isRepeatedOnce(job, this.runner.keyOriginFor({ operation: job.operation }));
    const again = !options.isAttended || (mayBeBilledAgain(job) && !isRepeat);
    if (whole?.document !== undefined && 'voice' in whole.request) {
      // Not those of the job: its paragraph may have a voice of its own.
      const { input: _, further, ...speaker } = whole.request;
      const narrated = { uri: whole.document, ...speaker, fields: further?.values };
      const made = await (await this.narrator()).run(narrated, 'program', { ...options, again });
      if (made) return made;
      throw new MediaError('cancelled', vscode.l10n.t('Cancelled. Nothing was sent.'));
    }
    return this.makeAssets(inputAgain(job), { ...options, again });
  }

  /** Returns the library's videos that the service can remix, newest first. */
  async #videos({ root }: PlaceReference, isSandbox: boolean): Promise<readonly LibraryEntry[]> {
    const videos = await this.#parts.places.libraryOf(vscode.Uri.parse(root, true)).entries('videos');
    return videos.filter((video) => canRemix(video, isSandbox)).reverse();
  }
}
