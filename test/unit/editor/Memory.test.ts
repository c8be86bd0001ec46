import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Memory, rows } from '../../../src/editor/Memory.ts';
import { LastUsed } from '../../../src/editor/requests/requests.ts';
import { keepUnfinished } from '../../../src/features/create/unfinished.ts';
import { emptyDraft } from '../../../src/webview/protocol/messages.ts';
import { importWithEditor } from '../../support/editorStub.ts';
import { memento } from '../../support/memento.ts';

const create = (name: string) => new URL(`../../../src/features/create/${name}.ts`, import.meta.url);
const { keepDraft } = await importWithEditor<typeof import('../../../src/features/create/FormInputs.ts')>(
  create('FormInputs'),
  {},
);
const { keepFavouriteVoice } = await importWithEditor<typeof import('../../../src/features/create/Voices.ts')>(
  create('Voices'),
  {},
);

describe('Memory', () => {
  let storage: {
    readonly globalState: ReturnType<typeof memento>;
    readonly workspaceState: ReturnType<typeof memento>;
  };
  let memory: Memory;

  beforeEach(() => {
    storage = { globalState: memento(), workspaceState: memento() };
    memory = new Memory(storage);
  });

  /** Uses everything that keeps what a person typed or attached; here that is always `words`. */
  async function work(words: string) {
    const lastUsed = new LastUsed(memory, () => ({ image: 'https://one.example', audio: '', video: '' }));
    await lastUsed.sent('generateImage', false, { prompt: words, n: 3 });
    await keepFavouriteVoice(memory, words, true);
    keepDraft(memory, { ...emptyDraft, prompts: { image: words } });
    keepUnfinished(memory, 'hash', { source: words });
    await memory.set('serverPort', { number: 40123, salt: 'a' });
    await memory.set('acceptedBudget', { requests: 5 });
  }

  it('keeps each value where earlier versions did', async () => {
    await work('a fox');
    assert.deepEqual(
      storage.globalState.keys().map((key) => [key, storage.globalState.get(key)]),
      [
        ['lastUsed.https://one.example.generateImage', { prompt: 'a fox', model: undefined, forgotten: undefined }],
        ['favouriteVoices', ['a fox']],
        ['agents.acceptedBudget', { requests: 5 }],
      ],
    );
    assert.deepEqual(
      storage.workspaceState.keys().map((key) => [key, storage.workspaceState.get(key)]),
      [
        ['lastUsed.https://one.example.generateImage', { n: 3 }],
        ['composer.draft.view', { ...emptyDraft, prompts: { image: 'a fox' } }],
        ['composer.unfinished.view', { hash: { source: 'a fox' } }],
        ['agents.port', { number: 40123, salt: 'a' }],
      ],
    );
  });

  it('calls private what holds words of a person', async () => {
    await work('a fox');
    const found = Object.values(rows).map(({ id, keptIn, isPrivate }) => {
      const values = storage[keptIn]
        .keys()
        .filter((key) => key === id || key.startsWith(`${id}.`))
        .map((key) => storage[keptIn].get(key));
      assert(values.length > 0, `work() stores nothing for ${id} in ${keptIn}`);
      return { id, keptIn, holdsWords: JSON.stringify(values).includes('a fox'), isPrivate };
    });
    for (const { id, keptIn, holdsWords, isPrivate } of found)
      assert.equal(isPrivate, holdsWords, `${id} in ${keptIn}`);
  });

  it('gives back a port only with its salt', async () => {
    for (const value of [undefined, null, 40123, '40123', { number: 40123 }, { number: '40123', salt: 'a' }]) {
      await storage.workspaceState.update('agents.port', value);
      assert.equal(memory.get('serverPort'), undefined);
    }
    await memory.set('serverPort', { number: 40123, salt: 'a' });
    assert.deepEqual(memory.get('serverPort'), { number: 40123, salt: 'a' });
  });

  it('is the only one that uses the storage of VS Code', async () => {
    const files = globSync('src/**/*.ts');
    const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
    const using = files.filter((_file, index) => /\b(?:Memento|(?:global|workspace)State)\b/.test(texts[index] ?? ''));
    assert.deepEqual(using, ['src/editor/Memory.ts']);
  });
});
