import * as vscode from 'vscode';
import { contributedSettings } from '../../contributions.ts';
import type { Agreed } from '../../files/AgreedFile.ts';
import { isObject } from '../../foreign/shape.ts';
import type { LibraryRecord } from '../../library/LibraryRecord.ts';
import { type Amounts, amountNames, describeAmountIn, readAmounts, sum } from '../../operations/amounts.ts';
import { fieldTable, validValues } from '../../operations/declarations.ts';
import { withoutUndefined } from '../../operations/fields.ts';
import { MediaError } from '../../operations/MediaError.ts';
import {
  defaultOf,
  type Field,
  isCount,
  isOption,
  type MediaRequest,
  type Operation,
  type OperationId,
  operations,
  takesFiles,
} from '../../operations/operations.ts';
import { timedFormat } from '../../operations/timedFormat.ts';
import { checkFurther, recheckRequest, toRequest } from '../../operations/toRequest.ts';
import { checkFields, validateField } from '../../operations/validateRequest.ts';
import { amountsOfAll, maySend, type SpendingSettings, type UnsentRequest } from '../askAbout.ts';
import { isMediaInput, resolveFile, resolveInput } from '../MediaInputs.ts';
import type { Settings } from '../Settings.ts';
import { askRequest, type Question } from './askRequest.ts';
import type { RequestFields, RunParts } from './requests.ts';

export interface Completing {
  readonly sandbox: boolean;
  /** The workspace folder that paths are relative to. */
  readonly base: vscode.Uri;
  /** Videos that can be remixed, newest first. */
  readonly videos: readonly LibraryRecord[];
  /** Values instead of those used last. */
  readonly start: RequestFields;
  /** Whether a person asks, for whom the voice used last stands. */
  readonly byPerson: boolean;
  /** Fields that are asked for even where a value is known. */
  readonly asks?: readonly string[];
  /** Values of further fields, sent where the model has such a field and no other value is given. */
  readonly preferred?: RequestFields;
}

/**
 * Completes a request from the given fields, the settings and the person's answers; undefined when the person dismissed
 * a question.
 */
export async function completeRequest(
  id: OperationId,
  given: RequestFields,
  completing: Completing,
  parts: RunParts,
): Promise<MediaRequest | undefined> {
  const { base, preferred = {} } = completing;
  const { settings, models } = parts;
  await models.readGone();
  const { fields: further, ...own } = given;
  const declared = settings.declaredFields;
  const operation: Operation = { ...operations[id], fields: fieldTable(id, declared, textIn(own.model)).own };
  const questions = operation.fields
    // A setting decides technical formats.
    .filter((field) => own[field.name] === undefined && !(field.type === 'choice' && field.technical))
    .sort((a, b) => rankOf(a) - rankOf(b))
    .map((field) => questionAbout(field, id, own, completing, parts));
  const answers = await askRequest(operation, questions);
  if (!answers) return undefined;
  const table = fieldTable(id, declared, textIn({ ...own, ...answers }.model));
  const wished = { ...timedFormat(table), ...validValues(table, preferred) };
  const isGiven = Object.keys(wished).length === 0 || !isObject(further ?? {});
  const fields = isGiven ? further : { ...wished, ...Object(further) };
  return toRequest(
    id,
    (field) => {
      const { [field.name]: chosen = settings.valueFor(id, field) } = { ...own, ...answers };
      return resolveInput(field, chosen, base);
    },
    { declared, fields, locate: ({ name }, file) => resolveFile(name, file, base) },
  );
}

/** Returns the question about a field, with what the settings, the last run and the service suggest for it. */
function questionAbout(
  field: Field,
  id: OperationId,
  given: RequestFields,
  { sandbox, videos, start, byPerson, asks = [] }: Completing,
  { settings, lastUsed, models }: RunParts,
): Question {
  const isModel = field.type === 'model';
  const standard = settings.valueFor(id, field) ?? defaultOf(field);
  // How many are paid for is never taken from an earlier run.
  const remembered = isModel || (byPerson && !isCount(field)) ? lastUsed.get(id, sandbox)[field.name] : undefined;
  const names = isModel ? models.names(id, sandbox) : [];
  const value = (answers: RequestFields) => {
    // A video that was given is not asked for.
    const { video_id = given.video_id } = answers;
    const modelOfVideo = isModel && videos.find(({ videoId }) => videoId === video_id)?.model;
    const only = names.length === 1 ? names[0] : undefined;
    // For a program, a setting counts more than what a person used last.
    const known = byPerson ? (remembered ?? standard) : (standard ?? remembered);
    return modelOfVideo || (start[field.name] ?? known ?? only);
  };
  /** Says in a list that the service no longer has a model, or when it ends. */
  const endOf = (name: string): string | undefined => {
    if (models.isGone(id, sandbox, name)) return vscode.l10n.t('the service no longer has it');
    const { endsOn } = fieldTable(id, settings.declaredFields, name);
    return endsOn === undefined || sandbox ? undefined : vscode.l10n.t('announced to end on {0}', endsOn);
  };
  return {
    field,
    value,
    isSettled: (answers) => isOption(field) && value(answers) !== undefined && !asks.includes(field.name),
    suggestions: (answers) => {
      if (field.type === 'video') return videos.map(suggestVideo);
      const isForgotten = (name: unknown) => lastUsed.forgotten(id, sandbox).some((one) => one === name);
      const all = [...new Set([value(answers), ...models.names(id, sandbox)])];
      return all
        .filter((name) => name !== undefined && !isForgotten(name))
        .map((name) => ({
          value: String(name),
          label: String(name),
          ...(isModel && { description: endOf(String(name)) }),
          isForgettable: models.isForgettable(id, sandbox, String(name)),
        }));
    },
    load: isModel && models.canLoad(id, sandbox) ? (signal) => models.load(id, signal) : undefined,
    forget: isModel ? (name) => void lastUsed.forget(id, sandbox, name) : undefined,
  };
}

/** What a person came for is asked first. The video decides which model can remix it. */
function rankOf(field: Field): number {
  if (field.type === 'video') return 0;
  if (field.type === 'text') return 1;
  return takesFiles(field) ? 2 : 3;
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function suggestVideo({ videoId = '', prompt, model, createdAt }: LibraryRecord) {
  return { value: videoId, label: prompt ?? videoId, description: `${model}, ${createdAt.slice(0, 10)}` };
}

/** Returns the fields that the next run starts from. Files are left out: they may be large and differ each time. */
export function fieldsToRemember(id: OperationId, request: MediaRequest): RequestFields {
  const { fields }: Operation = operations[id];
  const files = fields.filter(takesFiles).map(({ name }) => name);
  const { further: _, ...own } = request;
  return Object.fromEntries(Object.entries(own).filter(([name]) => !files.includes(name)));
}

/** Reads recordings given as `files`. The first one stands for all of them in the request. */
export function takeFiles(
  id: OperationId,
  argument: unknown,
  declared: unknown,
): { given: RequestFields; files: readonly unknown[] } {
  const isAudio = operations[id].fields.some(({ type }) => type === 'audioFile');
  if (!isAudio || !isObject(argument) || argument.files === undefined) {
    return { given: checkGiven(id, argument, declared), files: [] };
  }
  const { files, ...others } = argument;
  if (!Array.isArray(files) || files.length === 0 || !files.every(isMediaInput)) {
    const sentence = vscode.l10n.t('Audio files (files) must be a list of recordings.');
    throw new MediaError('invalidInput', sentence, { field: 'files' });
  }
  return { given: checkGiven(id, { ...others, file: files[0] }, declared), files };
}

/** Returns one request per recording, all validated before any is sent. */
export function eachFile(
  id: OperationId,
  request: MediaRequest,
  files: readonly unknown[],
  base: vscode.Uri,
): Promise<readonly MediaRequest[]> {
  const field = operations[id].fields.find(({ type }) => type === 'audioFile');
  if (!field || files.length < 2) return Promise.resolve([request]);
  return Promise.all(
    files.map(async (file) => recheckRequest(id, { ...request, file: await resolveInput(field, file, base) })),
  );
}

/** Returns the fields of an argument. Rejects invalid ones before anything is asked. */
function checkGiven(id: OperationId, argument: unknown, declared: unknown): RequestFields {
  if (argument === undefined) return {};
  const model = isObject(argument) ? textIn(argument.model) : undefined;
  const table = fieldTable(id, declared, model);
  const names = table.own.map(({ name }) => name);
  // Asking cannot repair an argument that is not an object or has an unknown field.
  const { fields = {}, ...given } = withoutUndefined(
    checkFields(vscode.l10n.t(operations[id].title), [...names, 'fields'], argument),
  );
  for (const field of table.own) {
    const value = given[field.name];
    // Files are checked when they are read.
    if (value !== undefined && !holdsFiles(field, value)) validateField(field, value);
  }
  checkFurther(table, declared, fields);
  return { ...given, fields };
}

function holdsFiles(field: Field, value: unknown): boolean {
  if (!takesFiles(field)) return false;
  const isList = field.type === 'images' && Array.isArray(value);
  return isList ? value.length > 0 && value.every(isMediaInput) : isMediaInput(value);
}

/**
 * Asks for confirmation when requests together exceed the limits of the setting.
 *
 * @returns as {@link maySend}
 */
export async function maySendAll(
  requests: readonly UnsentRequest[],
  settings: SpendingSettings & Pick<Settings, 'confirmAbove'>,
  more = '',
): Promise<readonly Agreed[] | undefined> {
  const amounts = await amountsOfAll(requests, settings.get('speech.maxCharacters'));
  const limits = readAmounts(settings.confirmAbove, contributedSettings.confirmAbove.default);
  const title = questionFor(sum(...amounts), limits);
  if (title === undefined) return requests.map(() => undefined);
  const billing = vscode.l10n.t('The service may bill each of them.');
  const note = [more, vscode.l10n.t('The setting “confirmAbove” sets when you are asked.')].filter(Boolean).join(' ');
  return maySend({ title, billing, note, requests, send: vscode.l10n.t('Send') }, settings);
}

function questionFor(amounts: Amounts, limits: Amounts): string | undefined {
  const name = amountNames.find((one) => amounts[one] > limits[one]);
  if (!name) return undefined;
  const amount = describeAmountIn(amounts, name, vscode.env.language);
  switch (name) {
    case 'images':
    case 'videos':
      return vscode.l10n.t('Generate {0}?', amount);
    case 'characters':
      return vscode.l10n.t('Speak {0}?', amount);
    case 'minutes':
    case 'requests':
      return vscode.l10n.t('Send {0}?', amount);
  }
}
