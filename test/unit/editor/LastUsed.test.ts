import assert from 'node:assert/strict';
import type { Memento } from 'vscode';
import { LastUsed } from '../../../src/editor/runs/requests.ts';

describe('LastUsed', () => {
  let hosts = { image: 'https://one.example', audio: '', video: '' };
  let lastUsed: LastUsed;

  beforeEach(() => {
    hosts = { image: 'https://one.example', audio: '', video: '' };
    const stored = new Map<string, unknown>();
    const memento: Memento = {
      keys: () => [...stored.keys()],
      get: <T>(key: string, standard?: T) => (stored.get(key) as T | undefined) ?? standard,
      update: async (key: string, value: unknown) => void stored.set(key, value),
    };
    lastUsed = new LastUsed(memento, () => hosts);
  });

  const model = () => lastUsed.get('generateImage', false).model;

  it('remembers a model only after it made something, and the other values at once', async () => {
    await lastUsed.sent('generateImage', false, { model: 'a mistyped name', prompt: 'A fox', n: 2 });
    assert.equal(model(), undefined);
    assert.equal(lastUsed.get('generateImage', false).prompt, 'A fox');
    await lastUsed.worked('generateImage', false, 'painter');
    await lastUsed.sent('generateImage', false, { model: 'another mistyped name', prompt: 'A hare' });
    assert.equal(model(), 'painter');
  });

  it('remembers the models of each service on their own', async () => {
    await lastUsed.worked('generateImage', false, 'painter');
    assert.equal(lastUsed.get('generateImage', true).model, undefined);
    hosts = { ...hosts, image: 'https://two.example' };
    assert.equal(model(), undefined);
  });

  it('keeps a name forgotten through later requests, until it makes something again', async () => {
    await lastUsed.worked('generateImage', false, 'painter');
    await lastUsed.forget('generateImage', false, 'painter');
    assert.equal(model(), undefined);
    await lastUsed.sent('generateImage', false, { model: 'sculptor', prompt: 'A fox' });
    await lastUsed.worked('generateImage', false, 'sculptor');
    assert.deepEqual(lastUsed.forgotten('generateImage', false), ['painter']);
    await lastUsed.worked('generateImage', false, 'painter');
    assert.deepEqual(lastUsed.forgotten('generateImage', false), []);
  });
});
