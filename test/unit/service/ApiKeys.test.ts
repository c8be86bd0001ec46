import assert from 'node:assert/strict';
import { secretIds } from '../../../src/contributions.ts';
import { ApiKeys, keyProblem, normalizeKey } from '../../../src/service/ServiceConnection.ts';
import { FakeSecrets } from '../../support/fakeSecrets.ts';

const origin = 'https://images.example';
const other = 'https://evil.example';

describe('ApiKeys (promise 1)', () => {
  let secrets: FakeSecrets;
  let keys: ApiKeys;

  beforeEach(() => {
    secrets = new FakeSecrets();
    keys = new ApiKeys(secrets, secretIds.apiKey);
  });

  const unreadable = {
    kind: 'noKey',
    message: /could not be read from the editor’s secret storage: The keyring is locked.*Set the key again/,
  };

  it('returns a key only for the origins that it was entered for', async () => {
    assert.equal(await keys.keyFor(origin), undefined);
    assert.equal(await keys.set('key-1', [origin, 'https://audio.example']), true);
    assert.equal(await keys.keyFor(origin), 'key-1');
    for (const wrong of [other, 'http://images.example', `${origin}:8443`, `${origin}.evil.example`]) {
      assert.equal(await keys.keyFor(wrong), undefined, wrong);
    }
  });

  it('keeps the key of one service when another gets its own', async () => {
    await keys.set('key-1', [origin, 'https://audio.example']);
    await keys.set('key-2', [other]);
    assert.equal(await keys.keyFor(origin), 'key-1');
    assert.equal(await keys.keyFor(other), 'key-2');
    await keys.set('key-3', [origin]);
    assert.equal(await keys.keyFor(origin), 'key-3');
    assert.equal(await keys.keyFor('https://audio.example'), 'key-1');
    assert.equal(await keys.remove(), 'removed');
    for (const each of [origin, other, 'https://audio.example']) assert.equal(await keys.keyFor(each), undefined);
  });

  it('forgets the oldest of more than ten services', async () => {
    for (let index = 0; index <= 10; index++) await keys.set(`key-${index}`, [`https://host-${index}.example`]);
    assert.equal(await keys.keyFor('https://host-0.example'), undefined);
    assert.equal(await keys.keyFor('https://host-1.example'), 'key-1');
    assert.equal(await keys.keyFor('https://host-10.example'), 'key-10');
  });

  it('follows changes that other windows make', async () => {
    const window = new ApiKeys(secrets, secretIds.apiKey);
    await keys.set('key-1', [origin]);
    assert.equal(await window.keyFor(origin), 'key-1');
    await window.set('key-2', [origin]);
    assert.equal(await keys.keyFor(origin), 'key-2');
    assert.equal(await keys.remove(), 'removed');
    assert.equal(await window.keyFor(origin), undefined);
  });

  for (const state of ['throws', 'forgets'] as const) {
    it(`keeps the key for the session and returns false when the store ${state}`, async () => {
      secrets.state = state;
      assert.equal(await keys.set('key-1', [origin]), false);
      assert.equal(await keys.keyFor(origin), 'key-1');
      assert.equal(await keys.keyFor(other), undefined);
      secrets.state = 'works';
      assert.equal(await new ApiKeys(secrets, secretIds.apiKey).keyFor(origin), undefined);
    });
  }

  it('prefers a key that another window stored later to a session key', async () => {
    secrets.state = 'throws';
    await keys.set('key-1', [origin]);
    secrets.state = 'works';
    const window = new ApiKeys(secrets, secretIds.apiKey);
    await secrets.store('another.secret', 'x');
    await window.remove();
    assert.equal(await keys.keyFor(origin), 'key-1');
    await window.set('key-2', [origin]);
    assert.equal(await keys.keyFor(origin), 'key-2');
  });

  it('rejects when the store fails, rather than reporting that there is no key', async () => {
    await keys.set('key-1', [origin]);
    secrets.state = 'throws';
    await assert.rejects(keys.keyFor(origin), unreadable);
    assert.equal(await keys.set('key-2', [origin]), false);
    assert.equal(await keys.keyFor(origin), 'key-2');
  });

  it('keeps the stored keys of other services when a key is set again after the store works again', async () => {
    await keys.set('key-1', [other]);
    secrets.state = 'throws';
    assert.equal(await keys.set('key-2', [origin]), false);
    secrets.state = 'works';
    assert.equal(await keys.set('key-3', [origin]), true);
    assert.equal(await keys.keyFor(origin), 'key-3');
    assert.equal(await keys.keyFor(other), 'key-1');
  });

  it('reports whether there was a key to remove', async () => {
    assert.equal(await keys.remove(), 'none');
    await keys.set('key-1', [origin]);
    assert.deepEqual([await keys.remove(), await keys.remove()], ['removed', 'none']);
    secrets.state = 'forgets';
    await keys.set('key-1', [origin]);
    assert.deepEqual([await keys.remove(), await keys.remove()], ['removed', 'none']);
  });

  it('reports when the store fails to remove a key', async () => {
    secrets.state = 'throws';
    await keys.set('key-1', [origin]);
    assert.equal(await keys.remove(), 'failed');
    await assert.rejects(keys.keyFor(origin), unreadable);
  });

  for (const damaged of [
    '{"keys":',
    '"key-1"',
    'null',
    '{"keys":{}}',
    '{"keys":["key-1"]}',
    '{"keys":[{"key":1,"origins":["https://images.example"]}]}',
    '{"keys":[{"key":"k","origins":"https://images.example"}]}',
  ]) {
    it(`treats ${damaged} as no key`, async () => {
      await secrets.store(secretIds.apiKey, damaged);
      assert.equal(await keys.keyFor(origin), undefined);
      assert.equal(await keys.set('key-1', [origin]), true);
      assert.equal(await keys.keyFor(origin), 'key-1');
    });
  }

  it('stops listening when disposed', () => {
    assert.equal(secrets.listeners, 1);
    keys.dispose();
    assert.equal(secrets.listeners, 0);
  });
});

describe('a pasted key (promise 1)', () => {
  for (const pasted of [
    'key-1',
    ' key-1\n',
    'Bearer key-1',
    'bearer  key-1',
    'Authorization: Bearer key-1',
    'authorization:key-1',
  ]) {
    it(`is normalised to key-1: ${JSON.stringify(pasted)}`, () => {
      assert.equal(normalizeKey(pasted), 'key-1');
      assert.equal(keyProblem(pasted), undefined);
    });
  }

  for (const [pasted, problem] of [
    [' ', /Paste the key/],
    ['Bearer ', /Paste the key/],
    ['key 1', /may contain only ASCII characters/],
    ['schlüssel', /ASCII/],
  ] as const) {
    it(`is rejected: ${JSON.stringify(pasted)}`, () => assert.match(keyProblem(pasted) ?? '', problem));
  }
});
