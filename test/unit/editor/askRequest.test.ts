import assert from 'node:assert/strict';
import type { Question } from '../../../src/editor/requests/askRequest.ts';
import { field, operations } from '../../../src/operations/operations.ts';
import { importWithEditor } from '../../support/editorStub.ts';

interface Item {
  readonly value: string;
  readonly buttons?: readonly { readonly tooltip: string }[];
}

/** The list that is open, with its listeners. */
class QuickPick {
  items: readonly Item[] = [];
  value = '';
  onDidAccept = () => undefined;
  onDidChangeValue = () => undefined;
  onDidTriggerButton = () => undefined;
  onDidTriggerItemButton = (listener: (event: { readonly item: Item }) => void) => {
    this.press = (item) => listener({ item });
  };
  onDidHide = (listener: () => void) => {
    this.hide.push(listener);
  };
  press: (item: Item) => void = () => undefined;
  hide: (() => void)[] = [];
  show = () => undefined;
  dispose = () => undefined;
}

let list: QuickPick;
const editor = {
  QuickInputButtons: {},
  window: {
    createQuickPick: () => {
      list = new QuickPick();
      return list;
    },
  },
};
const { askRequest } = await importWithEditor<typeof import('../../../src/editor/requests/askRequest.ts')>(
  new URL('../../../src/editor/requests/askRequest.ts', import.meta.url),
  editor,
);

describe('asking for a model (askRequest)', () => {
  it('offers to forget a name that was used before, and then no longer lists it', async () => {
    let names = ['set', 'used'];
    const question: Question = {
      field: field('generateImage', 'model'),
      value: () => 'set',
      isSettled: () => false,
      suggestions: () => names.map((name) => ({ value: name, label: name, isForgettable: name === 'used' })),
      forget: (name) => {
        names = names.filter((one) => one !== name);
      },
    };
    const answer = askRequest(operations.generateImage, [question]);
    assert.deepEqual(
      list.items.map(({ value, buttons = [] }) => [value, ...buttons.map(({ tooltip }) => tooltip)]),
      [['set'], ['used', 'Forget This Name']],
    );
    const [, used] = list.items;
    assert(used);
    list.press(used);
    assert.deepEqual(
      list.items.map(({ value }) => value),
      ['set'],
    );
    for (const listener of list.hide) listener();
    assert.equal(await answer, undefined);
  });
});
