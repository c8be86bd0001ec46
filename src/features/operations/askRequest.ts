import * as vscode from 'vscode';
import { showError } from '../../editor/showError.ts';
import type { AudioFileField, Field, ImageField } from '../../operations/Field.ts';
import { MediaError } from '../../operations/MediaError.ts';
import type { Operation } from '../../operations/operations.ts';
import { validateField } from '../../operations/validateRequest.ts';
import { chosenFiles, offerFiles } from './pickFiles.ts';

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
  const answerOf = () => (field.type === 'integer' ? numberOf(input.value) : input.value);
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

function numberOf(text: string): unknown {
  return /^\s*-?\d+(\.\d+)?\s*$/.test(text) ? Number(text) : text;
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
