import assert from 'node:assert/strict';
import { importWithEditor } from '../../../support/editorStub.ts';

const editor = {
  workspace: { asRelativePath: String },
};
const { missingActions } = await importWithEditor<typeof import('../../../../src/features/missingMedia/quickFixes.ts')>(
  new URL('../../../../src/features/missingMedia/quickFixes.ts', import.meta.url),
  editor,
);

const reference = { range: { start: 0, end: 7 }, line: 0, form: 'inline', kind: 'image', address: 'cat.png' };
const file = {
  path: '/w/cat.png',
  references: [reference],
  candidates: ['/w/img/cat.png'],
  unserved: [],
  isGuess: false,
};

describe('missingActions', () => {
  /** Returns what is called until the request is cancelled during the last of the calls. */
  const callsWhen = async (cancelled: string) => {
    const calls: string[] = [];
    const token = { isCancellationRequested: false };
    const media = new Proxy(
      {},
      {
        get: (_, name: string) => async () => {
          calls.push(name);
          token.isCancellationRequested = calls.join(' ') === cancelled;
          return { referencesIn: [reference], missingIn: [file], unservedIn: [], canBeServed: true }[name];
        },
      },
    );
    const document = { offsetAt: () => 3 };
    const actions = await missingActions(
      ...([document, {}, { diagnostics: [] }, media, token] as unknown as Parameters<typeof missingActions>),
    );
    assert.deepEqual(actions, []);
    return calls.join(' ');
  };

  for (const calls of [
    'referencesIn missingIn unservedIn',
    'referencesIn missingIn unservedIn missingIn',
    'referencesIn missingIn unservedIn missingIn canBeServed',
  ]) {
    it(`does nothing more when it is cancelled after ${calls}`, async () => {
      assert.equal(await callsWhen(calls), calls);
    });
  }
});
