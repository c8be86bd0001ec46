import assert from 'node:assert/strict';
import type { TextDocument } from 'vscode';
import { changeDocument } from '../../../src/editor/changeDocument.ts';

const documentOf = () => ({ version: 1, isClosed: false }) as { version: number; isClosed: boolean } & TextDocument;

describe('changeDocument', () => {
  it('computes the edit again, at most five times, while the text changes or VS Code refuses it', async () => {
    for (const hindrance of ['typing', 'refusal']) {
      const document = documentOf();
      let [computed, applied] = [0, 0];
      const isChanged = await changeDocument(
        () => document,
        async () => {
          computed++;
          if (hindrance === 'typing') document.version++;
          return async () => ++applied < 0;
        },
      );
      assert.deepEqual([isChanged, computed, applied], [false, 5, hindrance === 'typing' ? 0 : 5], hindrance);
    }
  });

  it('changes no document that was closed or replaced by another one meanwhile', async () => {
    const [first, second] = [documentOf(), documentOf()];
    let current: TextDocument | undefined = first;
    const applied: TextDocument[] = [];
    const change = (hinder: (document: TextDocument) => void) =>
      changeDocument(
        () => current,
        async (document) => {
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
    assert.equal(
      await change(() => {
        current = undefined;
      }),
      false,
    );
    assert.equal(applied.length, 1);
  });
});
