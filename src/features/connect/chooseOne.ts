import * as vscode from 'vscode';
import type { Frame, Reply } from './enterText.ts';

export interface Choice<T> extends vscode.QuickPickItem {
  readonly value: T;
}

export interface ChoiceQuestion<T> {
  readonly placeholder: string;
  readonly choices: readonly Choice<T>[];
  /** The value that is preselected. */
  readonly active: T;
}

/** Asks for one of several choices. */
export function chooseOne<T>({ placeholder, choices, active }: ChoiceQuestion<T>, frame: Frame): Promise<Reply<T>> {
  const input = vscode.window.createQuickPick<Choice<T>>();
  Object.assign(input, frame, { placeholder, ignoreFocusOut: true, matchOnDescription: true });
  input.items = choices;
  input.activeItems = choices.filter(({ value }) => value === active).slice(0, 1);
  input.buttons = (frame.step ?? 1) > 1 ? [vscode.QuickInputButtons.Back] : [];
  return new Promise<Reply<T>>((resolve) => {
    input.onDidAccept(() => {
      const [chosen] = input.selectedItems;
      if (chosen) resolve({ value: chosen.value, move: 'on' });
    });
    input.onDidTriggerButton(() => resolve({ value: active, move: 'back' }));
    input.onDidHide(() => resolve(undefined));
    input.show();
  }).finally(() => input.dispose());
}
