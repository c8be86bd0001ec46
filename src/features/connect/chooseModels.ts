import * as vscode from 'vscode';
import type { ServiceSetup } from '../../editor/ServiceSetup.ts';
import type { OperationId } from '../../operations/operations.ts';
import { operations } from '../../operations/operations.ts';
import { chooseOne } from './chooseOne.ts';
import type { Frame, Reply } from './enterText.ts';

/** Lets a person choose the models of each operation, for as many operations as they like. */
export async function chooseModels(setup: ServiceSetup, frame: Frame): Promise<Reply<undefined>> {
  for (let last: OperationId | undefined; ; ) {
    const reply = await chooseOne<OperationId | undefined>(
      { placeholder: placeholderOf(setup), choices: [done(), ...setup.operations.map(choiceOf)], active: last },
      frame,
    );
    if (!reply) return undefined;
    if (reply.move === 'back' || reply.value === undefined) return { value: undefined, move: reply.move };
    last = reply.value;
    const names = await pickNames(last, setup, frame);
    if (!names) return undefined;
    if (names.move === 'on') await setup.saveModels(last, names.value);
  }

  function choiceOf(id: OperationId) {
    const { chosen } = setup.models(id);
    const description = chosen.length > 0 ? chosen.join(', ') : vscode.l10n.t('no model chosen');
    return { label: vscode.l10n.t(operations[id].title), description, value: id };
  }
}

function done() {
  return { label: `$(check) ${vscode.l10n.t('Done')}`, value: undefined };
}

function placeholderOf({ listedModels }: ServiceSetup): string {
  return listedModels > 0
    ? vscode.l10n.t('Models found: {0}. Choose an operation to set its models, or Done', listedModels)
    : vscode.l10n.t('The service lists no models. Choose an operation to type model names, or Done');
}

/**
 * Lets a person choose among known and typed names. Earlier choices stay in front, because the first is the default.
 */
function pickNames(id: OperationId, setup: ServiceSetup, frame: Frame): Promise<Reply<readonly string[]>> {
  const { names, chosen } = setup.models(id);
  const input = vscode.window.createQuickPick();
  Object.assign(input, frame, { ignoreFocusOut: true, canSelectMany: true });
  input.title = `${frame.title}: ${vscode.l10n.t(operations[id].title)}`;
  input.placeholder = vscode.l10n.t('Choose models, or type a name; the first is the default');
  input.buttons = [vscode.QuickInputButtons.Back];
  const offered = new TypedItems(names);
  input.items = offered.items;
  input.selectedItems = offered.items.filter(({ label }) => chosen.includes(label));
  return new Promise<Reply<readonly string[]>>((resolve) => {
    input.onDidChangeValue((typed) => {
      const selected = input.selectedItems;
      if (!offered.type(typed, selected)) return;
      input.items = offered.items;
      input.selectedItems = selected;
    });
    input.onDidAccept(() => {
      const all = [...input.selectedItems.map(({ label }) => label), ...offered.meant];
      resolve({ value: [...new Set([...chosen.filter((name) => all.includes(name)), ...all])], move: 'on' });
    });
    input.onDidTriggerButton(() => resolve({ value: chosen, move: 'back' }));
    input.onDidHide(() => resolve(undefined));
    input.show();
  }).finally(() => input.dispose());
}

/** The offered names, and the typed one when it is new. */
class TypedItems {
  #items: readonly vscode.QuickPickItem[];
  #typed: vscode.QuickPickItem | undefined;
  #text = '';

  constructor(names: readonly string[]) {
    this.#items = names.map((label) => ({ label }));
  }

  get items(): readonly vscode.QuickPickItem[] {
    return this.#typed ? [...this.#items, this.#typed] : this.#items;
  }

  /**
   * The names meant by the typed text, without ticking: a new name, or the only match. Text that fits several names is
   * a filter.
   */
  get meant(): readonly string[] {
    if (this.#text === '') return [];
    const fitting = this.#items.filter(({ label }) => label.toLowerCase().includes(this.#text.toLowerCase()));
    if (fitting.length === 0) return [this.#text];
    const exact = fitting.length === 1 ? fitting : fitting.filter(({ label }) => label === this.#text);
    return exact.map(({ label }) => label);
  }

  /** @returns whether the items changed */
  type(text: string, selected: readonly vscode.QuickPickItem[]): boolean {
    const name = text.trim();
    this.#text = name;
    const before = this.#typed;
    // A typed name that is ticked stays in the list.
    if (before && selected.includes(before)) this.#items = [...this.#items, before];
    const isKnown = name === '' || this.#items.some(({ label }) => label === name);
    // Last, so that Enter takes the name that the typed letters find.
    this.#typed = isKnown ? undefined : { label: name, description: vscode.l10n.t('use this name'), alwaysShow: true };
    return before !== this.#typed;
  }
}
