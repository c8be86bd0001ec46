import assert from 'node:assert/strict';
import type { TextDocument } from 'vscode';
import { importWithEditor } from '../../support/editorStub.ts';
import { stopTime } from '../../support/fakeTime.ts';

const listeners = new Set<(event: unknown) => void>();
const { changeDocument } = await importWithEditor<typeof import('../../../src/editor/changeDocument.ts')>(
  new URL('../../../src/editor/changeDocument.ts', import.meta.url),
  {
    workspace: {
      onDidChangeTextDocument: (listener: (event: unknown) => void) => {
        listeners.add(listener);
        return { dispose: () => listeners.delete(listener) };
      },
    },
  },
);

const documentOf = () => ({ version: 1, isClosed: false }) as { version: number; isClosed: boolean } & TextDocument;

describe('changeDocument', () => {
  afterEach(() => assert.equal(listeners.size, 0));

  it('computes the edit again, at most five times, while the text changes or VS Code refuses it', async () => {
    for (const hindrance of ['typing', 'refusal']) {
      const document = documentOf();
      let [computed, applied] = [0, 0];
      using time = stopTime();
      const changed = changeDocument(
        () => document,
        async () => {
          computed++;
          if (hindrance === 'typing') document.version++;
          return async () => ++applied < 0;
        },
      );
      const isChanged = await time.passUntil(changed, 0.1);
      assert.deepEqual([isChanged, computed, applied], [false, 5, hindrance === 'typing' ? 0 : 5], hindrance);
    }
  });

  it('waits for a pause before it computes the edit again, for at most half a minute', async () => {
    for (const [seconds, expected] of [
      [10, [true, 2]],
      [60, [false, 1]],
    ] as const) {
      const document = documentOf();
      let computed = 0;
      using time = stopTime();
      const changed = changeDocument(
        () => document,
        async () => {
          if (++computed === 1) document.version++;
          return async () => true;
        },
      );
      for (let passed = 0; passed < seconds; passed += 0.2) {
        await new Promise(setImmediate);
        document.version++;
        for (const listener of listeners) listener({ document });
        assert.equal(computed, 1);
        time.pass(0.2);
      }
      assert.deepEqual([await time.passUntil(changed, 0.1), computed], expected);
    }
  });

  it('changes no document that was closed or replaced by another one meanwhile', async () => {
    const [first, second] = [documentOf(), documentOf()];
    let current: TextDocument | undefined = first;
    let computed = 0;
    const applied: TextDocument[] = [];
    const change = (hinder: (document: TextDocument) => void) =>
      changeDocument(
        () => current,
        async (document) => {
          computed++;
          hinder(document);
          return async () => applied.push(document) > 0;
        },
      );
    assert.equal(
      await change(() => {
        current = second;
      }),
      true,
    );
    assert.deepEqual(applied, [second]);
    assert.equal(
      await change(() => {
        second.isClosed = true;
      }),
      false,
    );
    assert.equal(computed, 3);
    assert.equal(
      await change(() => {
        current = undefined;
      }),
      false,
    );
    assert.equal(applied.length, 1);
  });
});
