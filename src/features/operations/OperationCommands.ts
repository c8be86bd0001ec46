import * as vscode from 'vscode';
import { errorForCaller, logError, showError } from '../../editor/showError.ts';
import { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import type { JobRecord, PlaceReference } from '../../jobs/JobRecord.ts';
import type { JobInput, RunOptions } from '../../jobs/JobRunner.ts';
import { JobRunner } from '../../jobs/JobRunner.ts';
import { Journal } from '../../jobs/Journal.ts';
import type { Asset } from '../../library/Asset.ts';
import { readLibrary } from '../../library/readLibrary.ts';
import type { LibraryRecord } from '../../library/recordAsset.ts';
import { MediaError } from '../../operations/MediaError.ts';
import type { OperationId } from '../../operations/operations.ts';
import { operations } from '../../operations/operations.ts';
import { completeRequest, eachFile, fieldsToRemember, takeFiles } from './completeRequest.ts';
import type { OperationDependencies } from './registerOperations.ts';
import { offerToOpen, openUris, showSaved, tried } from './showAssets.ts';
import { withJobProgress } from './withJobProgress.ts';

/** Runs operations for commands; loaded with the first one. */
export class OperationCommands {
  readonly #dependencies: OperationDependencies;
  readonly #places: WorkspacePlaces;
  readonly #runner: JobRunner;

  constructor(dependencies: OperationDependencies) {
    this.#dependencies = dependencies;
    const { settings, service, journalFolder } = dependencies;
    const places = new WorkspacePlaces(settings);
    this.#places = places;
    this.#runner = new JobRunner({
      journal: new Journal(journalFolder),
      openClient: (sandbox) => service.open(sandbox),
      placeAt: (reference) => places.placeAt(reference),
      maxConcurrentJobs: () => settings.maxConcurrentJobs,
    });
  }

  /**
   * Runs an operation from the fields of an argument, or, without one, from what the person answers.
   *
   * @returns the saved assets, or undefined when the person dismissed a question or has been shown the error
   * @throws MediaError whose message ends with its kind, when there is an argument
   */
  async run(
    id: OperationId,
    argument: unknown,
    byPerson = argument === undefined,
  ): Promise<readonly Asset[] | undefined> {
    const { settings, service, lastUsed } = this.#dependencies;
    try {
      const { given, files } = takeFiles(id, argument);
      // What is missing to run at all is said before anything is asked.
      const place = this.#places.referenceFor(operations[id].result);
      await service.checkReady(id);
      const sandbox = settings.usesSandbox;
      // Loads and starts what is needed while the person answers; a failure shows when it is needed.
      service.open(sandbox).catch(() => undefined);
      const videos = id === 'remixVideo' ? await this.#videos(place, sandbox) : [];
      const base = vscode.Uri.parse(place.root, true);
      const completing = { byPerson, sandbox, base, videos };
      const request = await completeRequest(id, given, completing, this.#dependencies);
      if (!request) return undefined;
      // Kept before it is sent: after a failure nobody has to type it again.
      if (byPerson) await lastUsed.set(id, sandbox, fieldsToRemember(id, request));
      const requests = await eachFile(id, request, files, base);
      const assets = await withJobProgress(vscode.l10n.t(operations[id].title), (options) =>
        allOf(requests.map((one) => this.#runJob({ operation: id, request: one, place, sandbox }, options))),
      );
      await showSaved(assets, byPerson, this.#dependencies);
      return assets;
    } catch (error) {
      const { log } = this.#dependencies;
      logError(error, log);
      if (error instanceof MediaError && settings.openAfterSave) await tried(log, openUris(error.saved));
      if (!byPerson) throw errorForCaller(error);
      // The command is over; the notification may stay as long as the person likes.
      void tried(log, showError(error));
      return undefined;
    }
  }

  /** One job, or for a text too long for one request several whose results are joined. */
  async #runJob(input: JobInput, options: RunOptions): Promise<readonly Asset[]> {
    const { request, operation, place } = input;
    if (operation !== 'speak' || !('voice' in request)) return this.#runner.run(input, options);
    const [{ splitText }, { speakInParts }] = await Promise.all([
      import('../../jobs/speech/splitText.ts'),
      import('../../jobs/speech/speakInParts.ts'),
    ]);
    const parts = splitText(request.input, this.#dependencies.settings.speechMaxCharacters);
    if (parts.length < 2) return this.#runner.run(input, options);
    return speakInParts({ ...input, request }, parts, {
      ...options,
      runner: this.#runner,
      place: this.#places.placeAt(place),
      partsFolder: this.#dependencies.partsFolder,
    });
  }

  /** Videos of the library that the service can remix, newest first. */
  async #videos(reference: PlaceReference, isSandbox: boolean): Promise<readonly LibraryRecord[]> {
    const records = await readLibrary(this.#places.placeAt(reference).library);
    return records.filter(({ videoId, sandbox = false }) => videoId !== undefined && sandbox === isSandbox).reverse();
  }

  /** Speaks the selection, else the whole document, as a person would read it aloud. */
  async narrate(argument: unknown): Promise<readonly Asset[] | undefined> {
    const editor = vscode.window.activeTextEditor;
    const selected = editor && !editor.selection.isEmpty ? editor.document.getText(editor.selection) : undefined;
    const { speakableText } = await import('./speakableText.ts');
    const text = editor ? speakableText(selected ?? editor.document.getText(), editor.document.languageId) : '';
    if (text === '') {
      const sentence = editor ? 'There is nothing to read aloud in it.' : 'Open a document first.';
      const error = new MediaError('invalidInput', `Text (input): ${sentence}`, { field: 'input' });
      if (argument !== undefined) throw errorForCaller(error);
      void tried(this.#dependencies.log, showError(error));
      return undefined;
    }
    const given = typeof argument === 'object' ? argument : {};
    return this.run('speak', { ...given, input: text }, argument === undefined);
  }

  /** Goes on with the jobs that an earlier window left, and tells how they ended. */
  async recover(): Promise<void> {
    for (const job of await this.#runner.recover(new AbortController().signal)) {
      void tried(this.#dependencies.log, showRecovered(job));
    }
  }
}

/** The assets of jobs side by side; each is let come to its end before a failure is told. */
async function allOf(jobs: readonly Promise<readonly Asset[]>[]): Promise<readonly Asset[]> {
  const results = await Promise.allSettled(jobs);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
}

/** Tells how a job ended that an earlier window left. */
async function showRecovered(job: JobRecord): Promise<void> {
  if (job.state === 'done') return offerToOpen(Object.values(job.assets).map(({ uri }) => uri));
  const prompt = 'prompt' in job.request ? ` “${job.request.prompt.slice(0, 80)}”` : '';
  const title = vscode.l10n.t(operations[job.operation].title);
  await vscode.window.showWarningMessage(`${title}${prompt}: ${job.error?.message ?? job.state}`);
}
