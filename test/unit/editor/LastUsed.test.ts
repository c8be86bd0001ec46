import assert from 'node:assert/strict';
import { Memory } from '../../../src/editor/Memory.ts';
import { LastUsed } from '../../../src/editor/requests/requests.ts';
import { memento } from '../../support/memento.ts';

describe('LastUsed', () => {
  let hosts = { image: 'https://one.example', audio: '', video: '' };
  let globalState: ReturnType<typeof memento>;
  let lastUsed: LastUsed;

  beforeEach(() => {
    hosts = { image: 'https://one.example', audio: '', video: '' };
    globalState = memento();
    lastUsed = inWorkspace();
  });

  const inWorkspace = () => new LastUsed(new Memory({ globalState, workspaceState: memento() }), () => hosts);

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

  it('takes a voice to the next workspace, and no count', async () => {
    await lastUsed.sent('generateImage', false, { prompt: 'A fox', n: 3 });
    await lastUsed.sent('speak', false, { voice: 'nova' });
    assert.equal(lastUsed.get('generateImage', false).n, 3);
    const next = inWorkspace();
    assert.deepEqual(next.get('generateImage', false).n, undefined);
    assert.equal(next.get('speak', false).voice, 'nova');
  });

  it('ignores a count that was stored for all workspaces', async () => {
    await globalState.update('lastUsed.https://one.example.generateImage', { model: 'painter', n: 3 });
    assert.equal(lastUsed.get('generateImage', false).n, undefined);
    assert.equal(model(), 'painter');
  });
});
