import assert from 'node:assert/strict';

// Imported by a variable name, because the types of Preact bring those of the browser, which differ from Node.js's.
const preact: { createElement(...of: unknown[]): unknown; render(...what: unknown[]): void } = await load('preact');

/** What the page of a webview has that Node.js lacks. */
const page = {
  window: new EventTarget(),
  acquireVsCodeApi: () => ({ postMessage: (message: object) => posted.push(message) }),
};
const posted: object[] = [];
/** An element that nothing is rendered into. */
const nowhere = { childNodes: [], firstChild: null, nodeType: 1, namespaceURI: null };
const upKey = { key: 'ArrowUp', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };

type UseHistory = (tab: string, prompt: string, onPrompt: (prompt: string) => void) => (event: object) => boolean;

describe('useHistory', () => {
  before(() => Object.assign(globalThis, page));
  after(() => {
    for (const name of Object.keys(page)) Reflect.deleteProperty(globalThis, name);
  });

  /** Presses the Up key in an empty field, and shows the field with a text before the earlier prompts arrive. */
  async function recall(textMeanwhile: string): Promise<readonly string[]> {
    const { useHistory }: { useHistory: UseHistory } = await load('../../../src/webview/composer/useDraft.ts');
    const written: string[] = [];
    let press: ReturnType<UseHistory> = () => false;
    const Field = ({ prompt }: { readonly prompt: string }) => {
      press = useHistory('image', prompt, (text) => written.push(text));
      return null;
    };
    const show = (prompt: string) => preact.render(preact.createElement(Field, { prompt }), nowhere);
    show('');
    assert.equal(press(upKey), true);
    show(textMeanwhile);
    const { id } = { id: undefined, ...posted.at(-1) };
    const data = { type: 'reply', id, value: ['a fox', 'a hen'] };
    page.window.dispatchEvent(Object.assign(new Event('message'), { data }));
    await new Promise(setImmediate);
    return written;
  }

  it('recalls the newest prompt in an empty field', async () => {
    assert.deepEqual(await recall(''), ['a fox']);
  });

  it('keeps text that was typed before the prompts arrived', async () => {
    assert.deepEqual(await recall('a harbour'), []);
  });
});

function load(path: string) {
  return import(path);
}
