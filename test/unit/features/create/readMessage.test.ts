import assert from 'node:assert/strict';
import { anything, assert as assertProperty, property } from 'fast-check';
import { readMessage } from '../../../../src/features/create/readMessage.ts';
import type { Message } from '../../../../src/webview/messages.ts';

const good: readonly Message[] = [
  { type: 'ready' },
  { type: 'tab', operation: 'remixVideo' },
  { type: 'edit', operation: 'generateImage', field: 'prompt', text: '<b>a fox</b>' },
  { type: 'addFile', operation: 'editImage', field: 'image_urls', text: 'media/fox.png' },
  { type: 'dropUris', operation: 'transcribe', field: 'file', uris: ['file:///a.mp3'] },
  { type: 'dropBytes', operation: 'animateImage', field: 'image_url', name: 'a.png', bytes: new Uint8Array(3) },
  { type: 'pick', operation: 'translate', field: 'file', from: 'library' },
  { type: 'removeFile', operation: 'editImage', field: 'image_urls', uri: 'file:///a.png' },
  { type: 'submit', id: 1, operation: 'speak', texts: { model: 'm', input: 'words' } },
  { type: 'cancel', jobId: 'job' },
  { type: 'failure', id: 'job', action: 'runAgain' },
  { type: 'result', uri: 'file:///a.png', action: 'insert' },
  { type: 'notice', action: 'openFolder' },
];

describe('readMessage', () => {
  for (const message of good) {
    it(`takes "${message.type}", and nothing like it`, () => {
      assert.equal(readMessage(message), message);
      assert.equal(readMessage({ ...message, more: 1 }), undefined, 'a name too many');
      for (const name of Object.keys(message)) {
        const { [name as 'type']: _, ...less } = message;
        assert.equal(readMessage(less), undefined, `without ${name}`);
        assert.equal(readMessage({ ...message, [name]: null }), undefined, `${name} is null`);
        assert.equal(readMessage({ ...message, [name]: { toString: 'a' } }), undefined, `${name} is an object`);
      }
    });
  }

  it('refuses fields that an operation does not have, and files for what takes none', () => {
    assert.equal(readMessage({ type: 'edit', operation: 'speak', field: 'prompt', text: '' }), undefined);
    assert.equal(readMessage({ type: 'addFile', operation: 'editImage', field: 'prompt', text: 'a.png' }), undefined);
    assert.equal(readMessage({ type: 'edit', operation: 'speak', field: '__proto__', text: '' }), undefined);
  });

  it('refuses texts for fields that an operation does not have', () => {
    assert.equal(readMessage({ type: 'submit', id: 1, operation: 'speak', texts: { prompt: '' } }), undefined);
  });

  it('refuses what would fill the memory', () => {
    const text = 'a'.repeat(2_000_001);
    assert.equal(readMessage({ type: 'edit', operation: 'speak', field: 'input', text }), undefined);
  });

  it('refuses anything else without a failure', () => {
    assertProperty(
      property(anything({ withNullPrototype: true, withBigInt: true }), (value) => readMessage(value) === undefined),
      { seed: 7 },
    );
    assert.equal(readMessage({ type: 'toString' }), undefined);
  });
});
