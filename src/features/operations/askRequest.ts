import * as vscode from 'vscode';
import type { ChoiceField, Field } from '../../operations/Field.ts';
import { MediaError } from '../../operations/MediaError.ts';
import type { Operation } from '../../operations/operations.ts';
import { validateField } from '../../operations/validateRequest.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface Question {
  readonly field: Field;
  /** What the control starts with. */
  readonly value: unknown;
  /** Names to choose from, for a model. */
  readonly suggestions: readonly string[];
}

/**
 * Asks one question after the other, with a way back.
 *
 * @returns the answers by field, or undefined when the person dismissed a question
 */
export async function askRequest(operation: Operation, questions: readonly Question[]): Promise<Fields | undefined> {
  const answers: Record<string, unknown> = {};
  for (let step = 0; step < questions.length; ) {
    const question = questions[step];
    if (!question) break;
    const { field } = question;
    const answer = await ask(
      { ...question, value: answers[field.name] ?? question.value },
      {
        title: vscode.l10n.t(operation.title),
        step: step + 1,
        totalSteps: questions.length,
      },
    );
    if (!answer) return undefined;
    // What was typed is there again after going back and forth.
    answers[field.name] = answer.value;
    step += answer.back ? -1 : 1;
  }
  return answers;
}

/** Undefined when the question was dismissed. */
type Answer = { readonly value: unknown; readonly back?: true } | undefined;
type Frame = Pick<vscode.QuickInput, 'title' | 'step' | 'totalSteps'>;

function ask(question: Question, frame: Frame): Promise<Answer> {
  const { field } = question;
  if (field.type === 'model' && question.suggestions.length > 0) {
    return pick(question, question.suggestions, true, frame);
  }
  if (field.type === 'choice') return pick(question, field.options, isOpen(field), frame);
  return enter(question, frame);
}

function isOpen(field: ChoiceField): boolean {
  return field.open ?? false;
}

/** A text or number, checked while it is typed. */
function enter({ field, value }: Question, frame: Frame): Promise<Answer> {
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

/** One of several values; with `free` also one that is typed. */
function pick({ field, value }: Question, options: readonly string[], free: boolean, frame: Frame): Promise<Answer> {
  const input = vscode.window.createQuickPick();
  const items = options.map((label) => ({ label }));
  input.items = items;
  input.placeholder =
    field.type === 'model' ? vscode.l10n.t('Choose a model, or type its name') : vscode.l10n.t(field.label);
  input.activeItems = items.filter(({ label }) => label === value);
  return answered(
    input,
    frame,
    () => value,
    (settle) => {
      input.onDidChangeValue((typed) => {
        if (!free) return;
        const known = typed.trim() === '' || options.includes(typed.trim());
        // Last, so that Enter takes what the typed letters were to find.
        const own = { label: typed.trim(), description: vscode.l10n.t('use this name'), alwaysShow: true };
        input.items = known ? items : [...items, own];
      });
      input.onDidAccept(() => {
        const [chosen] = input.selectedItems;
        if (chosen) settle({ value: chosen.label });
      });
    },
  );
}

/** Shows an input until it is answered, left or gone back from. */
function answered(
  input: vscode.InputBox | vscode.QuickPick<vscode.QuickPickItem>,
  frame: Frame,
  draft: () => unknown,
  listen: (settle: (answer: Answer) => void) => void,
): Promise<Answer> {
  return new Promise<Answer>((resolve) => {
    Object.assign(input, frame);
    // Looking something up in another window must not lose what was typed.
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
  return vscode.l10n.t('The name of a model, from the service’s list of models. The setting "models" offers your own.');
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
