import * as vscode from 'vscode';
import { extensionsOf, typedValue } from '../../operations/fields.ts';
import { MediaError, messageForPerson } from '../../operations/MediaError.ts';
import type { AudioFileField, Field, ImageField, Operation } from '../../operations/operations.ts';
import { validateField } from '../../operations/validateRequest.ts';
import { type FileItem, fileItems } from '../pickFile.ts';
import { showError } from '../showError.ts';
import type { RequestFields } from './requests.ts';

export interface Question {
  readonly field: Field;
  /** Initial value of the control, given the answers so far. */
  value(answers: RequestFields): unknown;
  /** Whether that value needs no question: it stands in the title, and a button changes it. */
  isSettled(answers: RequestFields): boolean;
  /** Names of models, or videos, to choose from. */
  suggestions(answers: RequestFields): readonly Suggestion[];
  /** Loads more suggestions from the service on request; missing when there are none to load. */
  load?(signal: AbortSignal): Promise<void>;
  /** Forgets a suggested name that was used before; missing when there are none. */
  forget?(name: string): void;
}

interface Suggestion {
  /** The value that is sent. */
  readonly value: string;
  readonly label: string;
  readonly description?: string;
  /** Whether a person can remove it from the list. */
  readonly isForgettable?: boolean;
}

interface AskedField extends Pick<Question, 'field' | 'load' | 'forget'> {
  readonly value: unknown;
  /** The current suggestions. */
  suggestions(): readonly Suggestion[];
}

/**
 * Asks what is not settled, one question after the other; the person can go back, and change what is settled.
 *
 * @returns the answers by field, also the settled ones; undefined when the person dismissed a question
 */
export async function askRequest(
  operation: Operation,
  questions: readonly Question[],
): Promise<RequestFields | undefined> {
  /** Typed text survives going back and forth. */
  const drafts: Record<string, unknown> = {};
  const answered: Question[] = [];
  for (;;) {
    const answers = Object.fromEntries(answered.map(({ field }) => [field.name, drafts[field.name]]));
    const left = questions.filter((one) => !answered.includes(one));
    const open = left.filter((one) => !one.isSettled(answers));
    const settled = left.filter((one) => !open.includes(one));
    const [question] = open;
    if (!question) {
      return { ...Object.fromEntries(settled.map((one) => [one.field.name, one.value(answers)])), ...answers };
    }
    const { field } = question;
    const title = vscode.l10n.t(operation.title);
    const answer = await askOne(question, answers, drafts[field.name], {
      title: [title, ...settled.map((one) => inTitle(one, answers))].join(' · '),
      step: answered.length + 1,
      totalSteps: answered.length + open.length,
      canChange: settled.length > 0,
    });
    if (!answer) return undefined;
    drafts[field.name] = answer.value;
    if (answer.next === 'back') answered.pop();
    else if (answer.next !== 'change') answered.push(question);
    else {
      const changed = await askChange(settled, answers, title);
      // Before the questions that are left, so that going back leads to them first.
      if (changed) {
        drafts[changed.question.field.name] = changed.value;
        answered.unshift(changed.question);
      }
    }
  }
}

/** A number is shown with its label, because alone it says little. */
function inTitle({ field, value }: Question, answers: RequestFields): string {
  const text = String(value(answers));
  return field.type === 'integer' ? vscode.l10n.t('{0}: {1}', vscode.l10n.t(field.label), text) : text;
}

function askOne(
  question: Question,
  answers: RequestFields,
  draft: unknown,
  frame: QuestionFrame,
): Promise<AskedAnswer> {
  const value = draft ?? question.value(answers);
  return ask({ ...question, value, suggestions: () => question.suggestions(answers) }, frame);
}

/** Asks which settled value to change, and for the new one. */
async function askChange(
  settled: readonly Question[],
  answers: RequestFields,
  title: string,
): Promise<{ readonly question: Question; readonly value: unknown } | undefined> {
  const items = settled.map((question) => ({
    label: vscode.l10n.t(question.field.label),
    description: String(question.value(answers)),
    question,
  }));
  const [only, ...others] = items;
  const placeHolder = vscode.l10n.t('Choose what to change');
  const chosen =
    others.length === 0 ? only : await vscode.window.showQuickPick(items, { title, placeHolder, ignoreFocusOut: true });
  const answer = chosen && (await askOne(chosen.question, answers, undefined, { title }));
  return answer && { question: chosen.question, value: answer.value };
}

/** Undefined when the question was dismissed. */
type AskedAnswer = { readonly value: unknown; readonly next?: 'back' | 'change' } | undefined;

interface QuestionFrame {
  readonly title: string;
  readonly step?: number;
  readonly totalSteps?: number;
  /** Whether a button changes what the title names. */
  readonly canChange?: boolean;
}

function ask(question: AskedField, frame: QuestionFrame): Promise<AskedAnswer> {
  const { field, suggestions, load } = question;
  switch (field.type) {
    case 'image':
    case 'images':
    case 'audioFile':
      return pickFile(field, frame);
    case 'choice':
      return pick(
        {
          ...question,
          suggestions: () =>
            field.options.map((value) => ({ ...named(value), ...describedBy(field.descriptions?.[value]) })),
        },
        field.open ?? false,
        frame,
      );
    case 'model':
    case 'video':
      return suggestions().length > 0 || load ? pick(question, true, frame) : enter(question, frame);
    case 'text':
    case 'integer':
      return enter(question, frame);
  }
}

function describedBy(description: string | undefined) {
  return description === undefined ? {} : { description: vscode.l10n.t(description) };
}

function named(value: string): Suggestion {
  return { value, label: value };
}

/** Asks for files of the workspace or elsewhere; for images also for a URL. */
function pickFile(field: ImageField | AudioFileField, frame: QuestionFrame): Promise<AskedAnswer> {
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
function enter({ field, value }: AskedField, frame: QuestionFrame): Promise<AskedAnswer> {
  const input = vscode.window.createInputBox();
  input.value = value === undefined ? '' : String(value);
  input.valueSelection = [0, input.value.length];
  const placeholder = field.type === 'video' ? vscode.l10n.t('The ID that the service gave the video') : '';
  input.placeholder = 'placeholder' in field ? vscode.l10n.t(field.placeholder) : placeholder;
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

/** Asks for one of several values; with `free` also for a typed one. */
function pick(
  { field, value, suggestions, load, forget }: AskedField,
  free: boolean,
  frame: QuestionFrame,
): Promise<AskedAnswer> {
  const input = vscode.window.createQuickPick<vscode.QuickPickItem & { readonly value: string }>();
  const closed = new AbortController();
  // The empty value marks this item, since no model has an empty name. Created again each time, because VS Code accepts
  // each item only once.
  const loadItem = () => ({ label: loadLabel(), alwaysShow: true, value: '' });
  let more = load && loadItem();
  const forgetButton = { iconPath: new vscode.ThemeIcon('close'), tooltip: vscode.l10n.t('Forget This Name') };
  const offer = () => {
    const known = suggestions();
    const own = input.value.trim();
    const isKnown = !free || own === '' || known.some(({ label }) => label === own);
    // Last, so that Enter takes the value that the typed letters find.
    const typed = { label: own, description: vscode.l10n.t('use this name'), alwaysShow: true, value: own };
    const offered = known.map((one) => (one.isForgettable && forget ? { ...one, buttons: [forgetButton] } : one));
    input.items = [...offered, ...(isKnown ? [] : [typed]), ...(more ? [more] : [])];
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
      input.onDidTriggerItemButton(({ item }) => {
        forget?.(item.value);
        offer();
      });
      input.onDidHide(() => closed.abort());
      input.onDidAccept(() => {
        const [chosen] = input.selectedItems;
        if (chosen && chosen === more) void loadMore();
        else if (chosen) settle({ value: chosen.value });
        // Enter may come before VS Code lists what was typed.
        else if (free && input.value.trim() !== '') settle({ value: input.value.trim() });
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
    case 'text':
    case 'integer':
    case 'choice':
      return vscode.l10n.t(field.label);
  }
}

/** Shows an input until the person answers, dismisses it or goes back. */
function answered(
  input:
    | vscode.InputBox
    | vscode.QuickPick<vscode.QuickPickItem & { readonly value: string }>
    | vscode.QuickPick<vscode.QuickPickItem>,
  frame: QuestionFrame,
  draft: () => unknown,
  listen: (settle: (answer: AskedAnswer) => void) => void,
): Promise<AskedAnswer> {
  return new Promise<AskedAnswer>((resolve) => {
    const { title, step = 1, totalSteps = 1, canChange } = frame;
    input.title = title;
    if (totalSteps > 1) Object.assign(input, { step, totalSteps });
    // The text must not get lost when the person looks something up in another window.
    input.ignoreFocusOut = true;
    const change = { iconPath: new vscode.ThemeIcon('settings'), tooltip: vscode.l10n.t('Change Model and Options…') };
    input.buttons = [...(step > 1 ? [vscode.QuickInputButtons.Back] : []), ...(canChange ? [change] : [])];
    listen(resolve);
    input.onDidTriggerButton((button) => {
      resolve({ value: draft(), next: button === vscode.QuickInputButtons.Back ? 'back' : 'change' });
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
    if (error instanceof MediaError) return messageForPerson(error);
    throw error;
  }
}

interface SourceItem extends FileItem {
  readonly url?: string;
}

/** Fills a quick pick with the workspace's files for a field. The person can also type a URL or browse. */
async function offerFiles(
  input: vscode.QuickPick<vscode.QuickPickItem>,
  field: ImageField | AudioFileField,
): Promise<void> {
  input.busy = true;
  const files = await fileItems(extensionsOf(field));
  const show = (typed: string): void => {
    const isUrl = field.type !== 'audioFile' && /^https?:\/\/\S+$/i.test(typed.trim());
    const url = typed.trim();
    const own: SourceItem = { label: url, description: vscode.l10n.t('use this URL'), alwaysShow: true, url };
    input.items = isUrl ? [own, ...files] : files;
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
  const values = (items as readonly SourceItem[]).map(({ uri, url }) => uri ?? url);
  const known = values.filter((value) => value !== undefined);
  if (known.length === values.length) return known;
  const opened = await vscode.window.showOpenDialog({
    title: vscode.l10n.t(field.label),
    canSelectMany: field.type === 'images',
    filters: { [vscode.l10n.t(field.label)]: [...extensionsOf(field)] },
  });
  return [...known, ...(opened ?? [])];
}
