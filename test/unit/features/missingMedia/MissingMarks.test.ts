import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { importWithEditor } from '../../../support/editorStub.ts';
import { settingsWith } from '../../../support/settingsWith.ts';

const none = () => ({ dispose: () => undefined });
const document = { uri: { toString: () => 'file:///w/a.md' }, version: 1, isClosed: false, positionAt: () => ({}) };
/** The sentences that were marked, one list for each time. */
const marked: string[][] = [];
const editor = {
  Diagnostic: class {
    readonly message: string;

    constructor(_range: unknown, message: string) {
      this.message = message;
    }
  },
  DiagnosticSeverity: {},
  languages: {
    createDiagnosticCollection: () => ({
      ...none(),
      set: (_uri: unknown, marks: readonly { readonly message: string }[]) =>
        marked.push(marks.map(({ message }) => message)),
    }),
  },
  workspace: {
    textDocuments: [document],
    getWorkspaceFolder: () => ({}),
    onDidOpenTextDocument: none,
    onDidChangeTextDocument: none,
    onDidCloseTextDocument: none,
    onDidChangeConfiguration: none,
  },
};
const { MissingMarks } = await importWithEditor<typeof import('../../../../src/features/missingMedia/MissingMedia.ts')>(
  new URL('../../../../src/features/missingMedia/MissingMedia.ts', import.meta.url),
  editor,
);

describe('MissingMarks', () => {
  let changeFiles: () => void = () => undefined;
  const begin = (missingIn: () => Promise<readonly object[]>) => {
    marked.length = 0;
    const media = {
      referencesIn: async () => [],
      missingIn,
      unservedIn: async () => [],
      nameIn: async (_document: unknown, path: string) => path,
    };
    return new MissingMarks(settingsWith({ missingMedia: 'warning' }), media as never, (listener) => {
      changeFiles = () => listener.call(undefined);
      return none();
    });
  };
  const pass = async (milliseconds: number) => {
    mock.timers.tick(milliseconds);
    await setImmediate();
  };

  before(() => mock.timers.enable({ apis: ['setTimeout'] }));
  after(() => mock.timers.reset());

  it('marks documents while files keep changing', async () => {
    const marks = begin(async () => []);
    for (let time = 0; time < 2000; time += 100) {
      changeFiles();
      await pass(100);
    }
    assert.equal(marked.length, 4);
    marks.dispose();
  });

  it('keeps newer marks when an older reading ends after them', async () => {
    const slow = Promise.withResolvers<readonly object[]>();
    const answers = [slow.promise, Promise.resolve([])];
    const marks = begin(() => answers.shift() ?? Promise.resolve([]));
    await pass(500);
    changeFiles();
    await pass(500);
    slow.resolve([{ path: 'cat.png', references: [{ range: {} }] }]);
    await setImmediate();
    assert.deepEqual(marked, [[]]);
    marks.dispose();
  });
});
