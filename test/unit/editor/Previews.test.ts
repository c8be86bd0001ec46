import assert from 'node:assert/strict';
import { importWithEditor, Uri } from '../../support/editorStub.ts';
import { stopTime } from '../../support/fakeTime.ts';

type Module = typeof import('../../../src/editor/Previews.ts');

const { Previews } = await importWithEditor<Module>(new URL('../../../src/editor/Previews.ts', import.meta.url), {
  workspace: { fs: { readDirectory: async () => [], writeFile: async () => undefined } },
});

describe('Previews', () => {
  it('announces pictures that arrive one by one once, after a pause', async () => {
    using time = stopTime();
    const previews = new Previews(Uri.file('/previews'));
    let announced = 0;
    previews.onDidChange(() => announced++);
    const keep = (id: string) => previews.keep({ id, sha256: undefined }, new Uint8Array(1), 2);
    for (const id of ['one', 'two', 'three', 'one']) await keep(id);
    assert.equal(announced, 0);
    time.pass(1);
    assert.equal(announced, 1);
    await keep('one');
    time.pass(1);
    assert.equal(announced, 1, 'it has its picture');
    await keep('four');
    time.pass(1);
    assert.equal(announced, 2);
  });
});
