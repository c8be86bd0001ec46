import * as vscode from 'vscode';
import type { ConnectedClient } from '../../editor/ServiceConnection.ts';
import type { Settings } from '../../editor/Settings.ts';
import { errorForCaller, showError } from '../../editor/showError.ts';
import { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import type { Place } from '../../jobs/runJob.ts';
import { runJob } from '../../jobs/runJob.ts';
import type { Asset } from '../../library/Asset.ts';
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

  constructor(dependencies: OperationDependencies) {
    this.#dependencies = dependencies;
    this.#places = new WorkspacePlaces(dependencies.settings);
  }

  /**
   * Runs an operation from the fields of an argument, or, without one, from what the person answers.
   *
   * @returns the saved assets, or undefined when the person dismissed a question or has been shown the error
   * @throws MediaError whose message ends with its kind, when there is an argument
   */
  async run(id: OperationId, argument: unknown): Promise<readonly Asset[] | undefined> {
    const byPerson = argument === undefined;
    try {
      const given = checkGiven(id, argument);
      // What is missing to run at all is said before anything is asked.
      const place = this.#places.placeFor(operations[id].result);
      await this.#dependencies.service.checkReady(id);
      // Loads and starts what is needed while the person answers; a failure shows where it is awaited.
      const opening = this.#dependencies.service.open();
      opening.catch(() => undefined);
      const request = await completeRequest(id, given, byPerson, this.#dependencies);
      if (!request) return undefined;
      const assets = await runRequest(id, request, place, await opening, this.#dependencies);
      await showSaved(assets, byPerson, this.#dependencies);
      return assets;
    } catch (error) {
      if (!byPerson) throw errorForCaller(error);
      // The command is over; the notification may stay as long as the person likes.
      void showError(error, this.#dependencies.log);
      return undefined;
    }
  }
}

/** A request from what is given, what the settings say, and what the person answers; undefined when dismissed. */
async function completeRequest(
  id: OperationId,
  given: Fields,
  byPerson: boolean,
  { settings, lastUsed }: OperationDependencies,
): Promise<MediaRequest | undefined> {
  const operation: Operation = operations[id];
  const last = lastUsed.get(id, settings.usesSandbox);
  const fallback = (name: string) => settingFor(id, name, settings);
  const suggestions = modelNames(id, settings, last);
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
function modelNames(id: OperationId, settings: Settings, last: Fields): readonly string[] {
  const names = [...(typeof last.model === 'string' ? [last.model] : []), ...settings.models(id)];
  return [...new Set(settings.usesSandbox ? [...names, sandboxModel] : names)];
}

async function runRequest(
  id: OperationId,
  request: MediaRequest,
  place: Place,
  { client, sandbox }: ConnectedClient,
  { lastUsed }: OperationDependencies,
): Promise<readonly Asset[]> {
  // Kept before it is sent: after a failure nobody has to type it again.
  await lastUsed.set(id, sandbox, { ...request });
  return withJobProgress(vscode.l10n.t(operations[id].title), (signal, onProgress) =>
    runJob({ operation: id, request }, { client, sandbox, place, signal, onProgress }),
  );
}

/** Opens what was saved, or says so where the settings want nothing opened. */
async function showSaved(
  assets: readonly Asset[],
  byPerson: boolean,
  { settings, log }: OperationDependencies,
): Promise<void> {
  try {
    if (settings.openAfterSave) await openAssets(assets);
    else if (byPerson) void offerToOpen(assets);
  } catch (error) {
    // The files are safe; that an editor for them did not open is no failure of the command.
    log.warn(`A new file could not be opened: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function offerToOpen(assets: readonly Asset[]): Promise<void> {
  const names = assets.map(({ uri }) => decodeURIComponent(uri.slice(uri.lastIndexOf('/') + 1))).join(', ');
  const open = vscode.l10n.t('Open');
  const chosen = await vscode.window.showInformationMessage(vscode.l10n.t('Saved {0}.', names), open);
  if (chosen === open) await openAssets(assets);
}

async function openAssets(assets: readonly Asset[]): Promise<void> {
  for (const { uri } of assets) {
    await vscode.commands.executeCommand('vscode.open', vscode.Uri.parse(uri), { preview: false });
  }
}
