import assert from 'node:assert/strict';
import { createElement, render } from 'preact';

/** What the page of a webview has that Node.js lacks. */
const page = Object.assign(globalThis, {
  window: new EventTarget(),
  acquireVsCodeApi: () => ({ postMessage: (message: object) => posted.push(message), setState: () => undefined }),
});
const posted: object[] = [];
/** An element that nothing is rendered into. */
const nowhere = { childNodes: [], firstChild: null, nodeType: 1, namespaceURI: null };

describe('useHistory', () => {
  after(() => {
    Reflect.deleteProperty(page, 'window');
    Reflect.deleteProperty(page, 'acquireVsCodeApi');
  });

  /** Presses the Up key in a field, and then shows the field with another text before the answer arrives. */
  async function recall(textMeanwhile: string): Promise<readonly string[]> {
    const { useHistory } = await import('../../../src/webview/composer/useHistory.ts');
    const { listen } = await import('../../../src/webview/host.ts');
    const end = listen(() => undefined);
    const written: string[] = [];
    let press: ReturnType<typeof useHistory> = () => false;
    const Field = ({ prompt }: { prompt: string }) => {
      press = useHistory('image', prompt, (text) => written.push(text));
      return null;
    };
    const show = (prompt: string) => Reflect.apply(render, undefined, [createElement(Field, { prompt }), nowhere]);
    show('');
    const key = { key: 'ArrowUp', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
    assert.equal(Reflect.apply(press, undefined, [key]), true);
    show(textMeanwhile);
    const { id } = { id: undefined, ...posted.at(-1) };
    const event = Object.assign(new Event('message'), { data: { type: 'reply', id, value: ['a fox', 'a hen'] } });
    page.window.dispatchEvent(event);
    await new Promise(setImmediate);
    end();
    return written;
  }

  it('recalls the newest prompt in an empty field', async () => {
    assert.deepEqual(await recall(''), ['a fox']);
  });

  it('keeps text that was typed before the prompts arrived', async () => {
    assert.deepEqual(await recall('a harbour'), []);
  });
});
