import { posix } from 'node:path';
import * as vscode from 'vscode';
import { contributedSettings } from '../../contributions.ts';
import type { Agreed } from '../../files/AgreedFile.ts';
import type { LibraryRecord } from '../../library/LibraryRecord.ts';
import type { Amounts } from '../../operations/amounts.ts';
import { amountsOf, readAmounts, sum } from '../../operations/amounts.ts';
import { extensionsOf, typedValue } from '../../operations/fields.ts';
import { MediaError } from '../../operations/MediaError.ts';
import type {
  AudioFileField,
  Field,
  ImageField,
  MediaRequest,
  Operation,
  OperationId,
} from '../../operations/operations.ts';
import { operations, takesFiles } from '../../operations/operations.ts';
import { toRequest, validateField, validateRequest } from '../../operations/validateRequest.ts';
import { recordingMinutes } from '../../sound/readRecording.ts';
import { requestsFor } from '../../work/speakInParts.ts';
import type { UnsentRequest } from '../askAbout.ts';
import { maySend } from '../askAbout.ts';
import { isMediaInput, resolveInput } from '../MediaInputs.ts';
import type { Settings } from '../Settings.ts';
import { showError } from '../showError.ts';
import type { RunParts } from './requests.ts';

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
  { settings, lastUsed, models }: RunParts,
): Promise<MediaRequest | undefined> {
  const operation: Operation = operations[id];
  const last = lastUsed.get(id, sandbox);
  const fallback = (name: string) => settings.valueFor(id, name);
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
        load: field.type === 'model' && models.canLoad(id, sandbox) ? (signal) => models.load(id, signal) : undefined,
      };
    });
  const answers = await askRequest(operation, questions);
  if (!answers) return undefined;
  return toRequest(id, (field) => {
    const { [field.name]: chosen = fallback(field.name) } = { ...given, ...answers };
    return resolveInput(field, chosen, base);
  });
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

type Fields = Readonly<Record<string, unknown>>;

export interface Question {
  readonly field: Field;
  /** Initial value of the control, given the answers so far. */
  value(answers: Fields): unknown;
  /** Names of models, or videos, to choose from. */
  suggestions(answers: Fields): readonly Suggestion[];
  /** Loads more suggestions from the service on request; missing when there are none to load. */
  load?(signal: AbortSignal): Promise<void>;
}

interface Suggestion {
  /** The value that is sent. */
  readonly value: string;
  readonly label: string;
  readonly description?: string;
}

interface Asked extends Pick<Question, 'field' | 'load'> {
  readonly value: unknown;
  /** The current suggestions. */
  suggestions(): readonly Suggestion[];
}

/**
 * Asks one question after the other; the person can go back.
 *
 * @returns the answers by field, or undefined when the person dismissed a question
 */
export async function askRequest(operation: Operation, questions: readonly Question[]): Promise<Fields | undefined> {
  const answers: Record<string, unknown> = {};
  for (let step = 0; step < questions.length; ) {
    const question = questions[step];
    if (!question) break;
    const { field } = question;
    const value = answers[field.name] ?? question.value(answers);
    const answer = await ask(
      { ...question, value, suggestions: () => question.suggestions(answers) },
      {
        title: vscode.l10n.t(operation.title),
        step: step + 1,
        totalSteps: questions.length,
      },
    );
    if (!answer) return undefined;
    // Typed text survives going back and forth.
    answers[field.name] = answer.value;
    step += answer.back ? -1 : 1;
  }
  return answers;
}

/** Undefined when the question was dismissed. */
type Answer = { readonly value: unknown; readonly back?: true } | undefined;
type Frame = Pick<vscode.QuickInput, 'title' | 'step' | 'totalSteps'>;

function ask(question: Asked, frame: Frame): Promise<Answer> {
  const { field, suggestions, load } = question;
  switch (field.type) {
    case 'image':
    case 'images':
    case 'audioFile':
      return pickFile(field, frame);
    case 'choice':
      return pick({ ...question, suggestions: () => field.options.map(named) }, field.open ?? false, frame);
    case 'model':
    case 'video':
      return suggestions().length > 0 || load ? pick(question, true, frame) : enter(question, frame);
    default:
      return enter(question, frame);
  }
}

function named(value: string): Suggestion {
  return { value, label: value };
}

/** Asks for files of the workspace or elsewhere; for images also for a URL. */
function pickFile(field: ImageField | AudioFileField, frame: Frame): Promise<Answer> {
  const input = vscode.window.createQuickPick();
  input.canSelectMany = field.type === 'images';
  input.matchOnDescription = true;
  input.placeholder = placeholderOf(field);
  return answered(
    input,
    frame,
    () => undefined,
    (settle) => {
      void offerFiles(input, field);
      input.onDidAccept(async () => {
        const items = input.canSelectMany ? input.selectedItems : input.selectedItems.slice(0, 1);
        if (items.length === 0) return;
        const files = await chosenFiles(items, field);
        if (files.length > 0) settle({ value: field.type === 'images' ? files : files[0] });
      });
    },
  );
}

/** Asks for a text or a number, validated while typing. */
function enter({ field, value }: Asked, frame: Frame): Promise<Answer> {
  const input = vscode.window.createInputBox();
  input.value = value === undefined ? '' : String(value);
  input.valueSelection = [0, input.value.length];
  input.placeholder = 'placeholder' in field ? vscode.l10n.t(field.placeholder) : '';
  input.prompt = field.type === 'model' ? modelHint() : vscode.l10n.t(field.label);
  const answerOf = () => typedValue(field, input.value);
  return answered(input, frame, answerOf, (settle) => {
    input.onDidChangeValue(() => {
      input.validationMessage = input.value === '' ? undefined : problemOf(field, answerOf());
    });
    input.onDidAccept(() => {
      input.validationMessage = problemOf(field, answerOf());
      if (!input.validationMessage) settle({ value: answerOf() });
    });
  });
}

type Item = vscode.QuickPickItem & { readonly value: string };

/** Asks for one of several values; with `free` also for a typed one. */
function pick({ field, value, suggestions, load }: Asked, free: boolean, frame: Frame): Promise<Answer> {
  const input = vscode.window.createQuickPick<Item>();
  const closed = new AbortController();
  // The empty value marks this item, since no model has an empty name. Created again each time, because VS Code accepts
  // each item only once.
  const loadItem = () => ({ label: loadLabel(), alwaysShow: true, value: '' });
  let more = load && loadItem();
  const offer = () => {
    const known = suggestions();
    const own = input.value.trim();
    const isKnown = !free || own === '' || known.some(({ label }) => label === own);
    // Last, so that Enter takes the value that the typed letters find.
    const typed = { label: own, description: vscode.l10n.t('use this name'), alwaysShow: true, value: own };
    input.items = [...known, ...(isKnown ? [] : [typed]), ...(more ? [more] : [])];
  };
  const loadMore = async () => {
    input.busy = true;
    try {
      await load?.(closed.signal);
      more = undefined;
    } catch (error) {
      if (closed.signal.aborted) return;
      more = loadItem();
      void showError(error, vscode.l10n.t('List of models'));
    }
    input.busy = false;
    offer();
  };
  offer();
  input.matchOnDescription = true;
  input.placeholder = placeholderOf(field);
  // Without an active item VS Code selects the first.
  const active = input.items.filter((item) => item.value === value);
  if (active.length > 0) input.activeItems = active;
  return answered(
    input,
    frame,
    () => value,
    (settle) => {
      input.onDidChangeValue(offer);
      input.onDidHide(() => closed.abort());
      input.onDidAccept(() => {
        const [chosen] = input.selectedItems;
        if (chosen && chosen === more) void loadMore();
        else if (chosen) settle({ value: chosen.value });
      });
    },
  ).finally(() => closed.abort());
}

function loadLabel(): string {
  return `$(cloud-download) ${vscode.l10n.t('Load the Service’s List…')}`;
}

function placeholderOf(field: Field): string {
  switch (field.type) {
    case 'model':
      return vscode.l10n.t('Choose a model, or type its name');
    case 'video':
      return vscode.l10n.t('Choose a video, or type its ID');
    case 'images':
      return vscode.l10n.t('Choose images, or type a URL');
    case 'image':
      return vscode.l10n.t('Choose an image, or type a URL');
    case 'audioFile':
      return vscode.l10n.t('Choose a recording');
    default:
      return vscode.l10n.t(field.label);
  }
}

/** Shows an input until the person answers, dismisses it or goes back. */
function answered(
  input: vscode.InputBox | vscode.QuickPick<Item> | vscode.QuickPick<vscode.QuickPickItem>,
  frame: Frame,
  draft: () => unknown,
  listen: (settle: (answer: Answer) => void) => void,
): Promise<Answer> {
  return new Promise<Answer>((resolve) => {
    Object.assign(input, frame);
    // The text must not get lost when the person looks something up in another window.
    input.ignoreFocusOut = true;
    input.buttons = (frame.step ?? 1) > 1 ? [vscode.QuickInputButtons.Back] : [];
    listen(resolve);
    input.onDidTriggerButton((button) => {
      if (button === vscode.QuickInputButtons.Back) resolve({ value: draft(), back: true });
    });
    input.onDidHide(() => resolve(undefined));
    input.show();
  }).finally(() => input.dispose());
}

function modelHint(): string {
  return vscode.l10n.t(
    'Enter a model name from the service’s list. To have names suggested, add them to the setting “models”.',
  );
}

function problemOf(field: Field, value: unknown): string | undefined {
  try {
    validateField(field, value);
    return undefined;
  } catch (error) {
    if (error instanceof MediaError) return error.message;
    throw error;
  }
}

/** More than a person scrolls through; typing narrows the list. */
const maxFiles = 1000;

interface FileItem extends vscode.QuickPickItem {
  readonly value?: vscode.Uri | string;
}

/** Fills a quick pick with the workspace's files for a field. The person can also type a URL or browse. */
async function offerFiles(
  input: vscode.QuickPick<vscode.QuickPickItem>,
  field: ImageField | AudioFileField,
): Promise<void> {
  input.busy = true;
  const files = await vscode.workspace.findFiles(`**/*.{${extensionsOf(field).join(',')}}`, undefined, maxFiles);
  const found = files
    .map((uri): FileItem => {
      const path = vscode.workspace.asRelativePath(uri);
      return { label: posix.basename(path), description: posix.dirname(path).replace(/^\.$/, ''), value: uri };
    })
    .sort((a, b) => a.label.localeCompare(b.label));
  const fixed: FileItem[] = [...found, { label: vscode.l10n.t('$(folder-opened) Browse…'), alwaysShow: true }];
  const show = (typed: string): void => {
    const isUrl = field.type !== 'audioFile' && /^https?:\/\/\S+$/i.test(typed.trim());
    const url: FileItem = {
      label: typed.trim(),
      description: vscode.l10n.t('use this URL'),
      alwaysShow: true,
      value: typed.trim(),
    };
    input.items = isUrl ? [url, ...fixed] : fixed;
  };
  show(input.value);
  input.onDidChangeValue(show);
  input.busy = false;
}

/** Returns the files of the chosen items, opening a dialog for Browse; empty when the dialog was dismissed. */
async function chosenFiles(
  items: readonly vscode.QuickPickItem[],
  field: ImageField | AudioFileField,
): Promise<readonly (vscode.Uri | string)[]> {
  const values = (items as readonly FileItem[]).map(({ value }) => value);
  const known = values.filter((value) => value !== undefined);
  if (known.length === values.length) return known;
  const opened = await vscode.window.showOpenDialog({
    title: vscode.l10n.t(field.label),
    canSelectMany: field.type === 'images',
    filters: { [vscode.l10n.t(field.label)]: [...extensionsOf(field)] },
  });
  return [...known, ...(opened ?? [])];
}

/**
 * Asks for confirmation when requests together exceed the limits of the setting.
 *
 * @returns as {@link maySend}
 */
export async function maySendAll(
  requests: readonly UnsentRequest[],
  { confirmAbove, speechMaxCharacters, hosts }: Pick<Settings, 'confirmAbove' | 'speechMaxCharacters' | 'hosts'>,
): Promise<readonly Agreed[] | undefined> {
  const amounts = await Promise.all(
    requests.map(async ({ operation, request }) => {
      const minutes = 'file' in request ? await recordingMinutes(request.file) : 0;
      return amountsOf(operation, request, minutes, requestsFor(request, speechMaxCharacters));
    }),
  );
  const title = questionFor(sum(...amounts), readAmounts(confirmAbove, contributedSettings.confirmAbove.default));
  if (title === undefined) return requests.map(() => undefined);
  const note = vscode.l10n.t('The service may bill each of them. The setting “confirmAbove” sets when you are asked.');
  return maySend({ title, requests, note, send: vscode.l10n.t('Send') }, { hosts });
}

function questionFor({ images, videos, characters, minutes, requests }: Amounts, limits: Amounts): string | undefined {
  if (images > limits.images) {
    return images === 1 ? vscode.l10n.t('Generate an image?') : vscode.l10n.t('Generate {0} images?', images);
  }
  if (videos > limits.videos) {
    return videos === 1 ? vscode.l10n.t('Generate a video?') : vscode.l10n.t('Generate {0} videos?', videos);
  }
  if (characters > limits.characters) return vscode.l10n.t('Speak {0} characters?', characters);
  if (minutes > limits.minutes) return vscode.l10n.t('Send {0}?', vscode.l10n.t('{0} minutes of recordings', minutes));
  if (requests > limits.requests) return vscode.l10n.t('Send {0}?', vscode.l10n.t('{0} requests', requests));
  return undefined;
}
