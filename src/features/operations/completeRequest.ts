import * as vscode from 'vscode';
import { isMediaInput, resolveInput } from '../../editor/MediaInputs.ts';
import { settingFor } from '../../editor/startingValues.ts';
import type { LibraryRecord } from '../../library/LibraryRecord.ts';
import type { Field } from '../../operations/Field.ts';
import { takesFiles } from '../../operations/Field.ts';
import { MediaError } from '../../operations/MediaError.ts';
import type { MediaRequest, Operation, OperationId } from '../../operations/operations.ts';
import { operations } from '../../operations/operations.ts';
import { validateField, validateRequest } from '../../operations/validateRequest.ts';
import type { Question } from './askRequest.ts';
import { askRequest } from './askRequest.ts';
import type { OperationDependencies } from './OperationDependencies.ts';

/** Fields as on the wire, not validated yet. */
export type RequestFields = Readonly<Record<string, unknown>>;

export interface Completing {
  /** Whether a person is also asked for fields that have a default. */
  readonly asksAll: boolean;
  readonly sandbox: boolean;
  /** The workspace folder that paths are relative to. */
  readonly base: vscode.Uri;
  /** Videos that can be remixed, newest first. */
  readonly videos: readonly LibraryRecord[];
  /** Initial values of the questions, instead of those used last. */
  readonly start: RequestFields;
}

/**
 * Completes a request from the given fields, the settings and the person's answers; undefined when the person dismissed
 * a question.
 */
export async function completeRequest(
  id: OperationId,
  given: RequestFields,
  { asksAll, sandbox, base, videos, start }: Completing,
  { settings, lastUsed, models }: OperationDependencies,
): Promise<MediaRequest | undefined> {
  const operation: Operation = operations[id];
  const last = lastUsed.get(id, sandbox);
  const fallback = (name: string) => settingFor(id, name, settings);
  const questions = operation.fields
    .filter((field) => {
      if (given[field.name] !== undefined) return false;
      // For a program a default is an answer. A person is asked, except for technical formats.
      if (!asksAll) return !('default' in field) && fallback(field.name) === undefined;
      return !(field.type === 'choice' && field.technical);
    })
    // The video comes first, because it decides which model can remix it.
    .sort((a, b) => Number(b.type === 'video') - Number(a.type === 'video'))
    .map((field): Question => {
      const standard = fallback(field.name) ?? ('default' in field ? field.default : undefined);
      const modelOfVideo = (answers: RequestFields) =>
        field.type === 'model' ? videos.find(({ videoId }) => videoId === answers.video_id)?.model : undefined;
      return {
        field,
        value: (answers) => modelOfVideo(answers) ?? start[field.name] ?? last[field.name] ?? standard,
        suggestions: (answers) => {
          if (field.type === 'video') return videos.map(suggestVideo);
          return [...new Set([modelOfVideo(answers) ?? [], models.names(id, sandbox)].flat())].map((name) => ({
            value: name,
            label: name,
          }));
        },
        ...(field.type === 'model' && models.canLoad(id, sandbox) ? { load: (signal) => models.load(id, signal) } : {}),
      };
    });
  const answers = await askRequest(operation, questions);
  if (!answers) return undefined;
  const defaults = Object.fromEntries(operation.fields.map(({ name }) => [name, fallback(name)]));
  const chosen = { ...withoutUndefined(defaults), ...given, ...answers };
  const resolved = await Promise.all(
    operation.fields.map(async (field) => [field.name, await resolveInput(field, chosen[field.name], base)] as const),
  );
  return validateRequest(id, { ...chosen, ...withoutUndefined(Object.fromEntries(resolved)) });
}

function suggestVideo({ videoId = '', prompt, model, createdAt }: LibraryRecord) {
  return { value: videoId, label: prompt ?? videoId, description: `${model}, ${createdAt.slice(0, 10)}` };
}

/** Returns the fields that the next run starts from. Files are left out: they may be large and differ each time. */
export function fieldsToRemember(id: OperationId, request: MediaRequest): RequestFields {
  const { fields }: Operation = operations[id];
  const files = fields.filter(takesFiles).map(({ name }) => name);
  return Object.fromEntries(Object.entries(request).filter(([name]) => !files.includes(name)));
}

/** Reads recordings given as `files`. The first one stands for all of them in the request. */
export function takeFiles(id: OperationId, argument: unknown): { given: RequestFields; files: readonly unknown[] } {
  const isAudio = operations[id].fields.some(({ type }) => type === 'audioFile');
  if (!isAudio || !isFields(argument) || argument.files === undefined) {
    return { given: checkGiven(id, argument), files: [] };
  }
  const { files, ...others } = argument;
  if (!Array.isArray(files) || files.length === 0 || !files.every(isMediaInput)) {
    const sentence = vscode.l10n.t('Audio files (files) must be a list of recordings.');
    throw new MediaError('invalidInput', sentence, { field: 'files' });
  }
  return { given: checkGiven(id, { ...others, file: files[0] }), files };
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
    files.map(async (file) => validateRequest(id, { ...request, file: await resolveInput(field, file, base) })),
  );
}

/** Returns the fields of an argument. Rejects invalid ones before anything is asked. */
function checkGiven(id: OperationId, argument: unknown): RequestFields {
  if (argument === undefined) return {};
  const { fields }: Operation = operations[id];
  const given = isFields(argument) ? withoutUndefined(argument) : undefined;
  const isKnown = given && Object.keys(given).every((name) => fields.some((field) => field.name === name));
  // Asking cannot repair an argument that is not an object or has an unknown field.
  if (!isKnown) return validateRequest(id, argument);
  for (const field of fields) {
    const value = given[field.name];
    // Files are checked when they are read.
    if (value !== undefined && !holdsFiles(field, value)) validateField(field, value);
  }
  return given;
}

function holdsFiles(field: Field, value: unknown): boolean {
  if (!takesFiles(field)) return false;
  const isList = field.type === 'images' && Array.isArray(value);
  return isList ? value.length > 0 && value.every(isMediaInput) : isMediaInput(value);
}

function isFields(value: unknown): value is RequestFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withoutUndefined(fields: RequestFields): RequestFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
