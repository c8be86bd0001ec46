import * as vscode from 'vscode';
import type { Settings } from '../../editor/Settings.ts';
import { errorForCaller, logError, showError } from '../../editor/showError.ts';
import { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import type { JobRecord } from '../../jobs/JobRecord.ts';
import { JobRunner } from '../../jobs/JobRunner.ts';
import { Journal } from '../../jobs/Journal.ts';
import type { Asset } from '../../library/Asset.ts';
import { MediaError, reasonOf } from '../../operations/MediaError.ts';
import type { MediaRequest, Operation, OperationId } from '../../operations/operations.ts';
import { operations } from '../../operations/operations.ts';
import { validateField, validateRequest } from '../../operations/validateRequest.ts';
import type { Question } from './askRequest.ts';
import { askRequest } from './askRequest.ts';
import type { OperationDependencies } from './registerOperations.ts';
import { withJobProgress } from './withJobProgress.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What the sandbox's models are called when the settings name none. */
const sandboxModel = 'sandbox-1';

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
  async run(id: OperationId, argument: unknown): Promise<readonly Asset[] | undefined> {
    const byPerson = argument === undefined;
    const { settings, service, lastUsed } = this.#dependencies;
    try {
      const given = checkGiven(id, argument);
      // What is missing to run at all is said before anything is asked.
      const place = this.#places.referenceFor(operations[id].result);
      await service.checkReady(id);
      const sandbox = settings.usesSandbox;
      // Loads and starts what is needed while the person answers; a failure shows when it is needed.
      service.open(sandbox).catch(() => undefined);
      const request = await completeRequest(id, given, { byPerson, sandbox }, this.#dependencies);
      if (!request) return undefined;
      // Kept before it is sent: after a failure nobody has to type it again.
      if (byPerson) await lastUsed.set(id, sandbox, { ...request });
      const assets = await withJobProgress(vscode.l10n.t(operations[id].title), (options) =>
        this.#runner.run({ operation: id, request, place, sandbox }, options),
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

  /** Goes on with the jobs that an earlier window left, and tells how they ended. */
  async recover(): Promise<void> {
    for (const job of await this.#runner.recover(new AbortController().signal)) {
      void tried(this.#dependencies.log, showRecovered(job));
    }
  }
}

/** Tells how a job ended that an earlier window left. */
async function showRecovered(job: JobRecord): Promise<void> {
  if (job.state === 'done') return offerToOpen(Object.values(job.assets).map(({ uri }) => uri));
  const prompt = 'prompt' in job.request ? ` “${job.request.prompt.slice(0, 80)}”` : '';
  const title = vscode.l10n.t(operations[job.operation].title);
  await vscode.window.showWarningMessage(`${title}${prompt}: ${job.error?.message ?? job.state}`);
}

/** A request from what is given, what the settings say, and what the person answers; undefined when dismissed. */
async function completeRequest(
  id: OperationId,
  given: Fields,
  { byPerson, sandbox }: { readonly byPerson: boolean; readonly sandbox: boolean },
  { settings, lastUsed }: OperationDependencies,
): Promise<MediaRequest | undefined> {
  const operation: Operation = operations[id];
  const last = lastUsed.get(id, sandbox);
  const fallback = (name: string) => settingFor(id, name, settings);
  const suggestions = modelNames(settings.models(id), last, sandbox);
  const questions = operation.fields
    .filter((field) => {
      if (given[field.name] !== undefined) return false;
      // With an argument, a default is an answer. Without one a person is asked, but not for technical formats.
      if (!byPerson) return !('default' in field) && fallback(field.name) === undefined;
      return !(field.type === 'choice' && field.technical);
    })
    .map((field): Question => {
      const standard = fallback(field.name) ?? ('default' in field ? field.default : undefined);
      return { field, value: last[field.name] ?? standard, suggestions };
    });
  const answers = await askRequest(operation, questions);
  if (!answers) return undefined;
  const defaults = Object.fromEntries(operation.fields.map(({ name }) => [name, fallback(name)]));
  return validateRequest(id, { ...withoutUndefined(defaults), ...given, ...answers });
}

/** What the settings say for a field, where one of them does. */
function settingFor(id: OperationId, field: string, settings: Settings): unknown {
  if (field === 'model') return settings.models(id)[0];
  if (operations[id].area !== 'image') return undefined;
  if (field === 'n') return settings.imageCount;
  return field === 'output_format' ? settings.imageOutputFormat : undefined;
}

/** The fields of an argument; a wrong one is named before anything is asked. */
function checkGiven(id: OperationId, argument: unknown): Fields {
  if (argument === undefined) return {};
  const { fields }: Operation = operations[id];
  const given = isFields(argument) ? withoutUndefined(argument) : undefined;
  const isKnown = given && Object.keys(given).every((name) => fields.some((field) => field.name === name));
  // What is no object or holds another field cannot become right by asking.
  if (!isKnown) return validateRequest(id, argument);
  for (const field of fields) {
    if (given[field.name] !== undefined) validateField(field, given[field.name]);
  }
  return given;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withoutUndefined(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Models to choose from: the one used last, then those of the settings. */
function modelNames(listed: readonly string[], last: Fields, sandbox: boolean): readonly string[] {
  const names = [...(typeof last.model === 'string' ? [last.model] : []), ...listed];
  return [...new Set(sandbox ? [...names, sandboxModel] : names)];
}

/** Opens what was saved, or says so where the settings want nothing opened. */
async function showSaved(
  assets: readonly Asset[],
  byPerson: boolean,
  { settings, log }: OperationDependencies,
): Promise<void> {
  const uris = assets.map(({ uri }) => uri);
  if (settings.openAfterSave) await tried(log, openUris(uris));
  else if (byPerson) void tried(log, offerToOpen(uris));
}

async function offerToOpen(uris: readonly string[]): Promise<void> {
  const names = uris.map((uri) => decodeURIComponent(uri.slice(uri.lastIndexOf('/') + 1))).join(', ');
  const open = vscode.l10n.t('Open');
  const chosen = await vscode.window.showInformationMessage(vscode.l10n.t('Saved {0}.', names), open);
  if (chosen === open) await openUris(uris);
}

async function openUris(uris: readonly string[]): Promise<void> {
  for (const uri of uris) {
    await vscode.commands.executeCommand('vscode.open', vscode.Uri.parse(uri), { preview: false });
  }
}

/** What only shows something: when it fails, the files are safe, and it is no failure of the command. */
async function tried(log: vscode.LogOutputChannel, showing: Promise<void>): Promise<void> {
  try {
    await showing;
  } catch (error) {
    log.warn(`Something could not be shown: ${reasonOf(error)}`);
  }
}
