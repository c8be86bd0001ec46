import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { RunParts } from '../../../src/editor/requests/requests.ts';
import type { Asset } from '../../../src/library/LibraryRecord.ts';
import { JobList, type JobRecord } from '../../../src/work/Job.ts';
import type { JobRunner } from '../../../src/work/JobRunner.ts';
import { commonEditor, importWithEditor, Position, type Range, Uri } from '../../support/editorStub.ts';
import { imageJob } from '../../support/jobRunner.ts';

const { EventEmitter, TabInputText } = commonEditor;
const text = '<!-- transcribing call.wav · 12345678 -->';
/** What was shown: messages, then the files that were opened. */
const shown: string[] = [];
/** The button that the person chooses in each message. */
let answers: string[] = [];

class Document {
  readonly uri: Uri;
  readonly languageId = 'markdown';
  readonly isClosed = false;
  version = 1;
  text: string;

  constructor(address: string, text = '') {
    this.uri = Uri.parse(address);
    this.text = text;
  }

  getText(): string {
    return this.text;
  }

  positionAt(offset: number): Position {
    const translate = (_: number, by: number) => new Position(0, offset + by);
    return Object.assign(new Position(0, offset), { translate });
  }
}

/** The document in front, which has nothing to do with a job. */
const front = new Document('file:///w/contract.md', 'A contract.\n');
/** What is on disk. */
let files: Document[] = [];
const workspace = {
  textDocuments: [front],
  onDidChangeTextDocument: new EventEmitter().event,
  asRelativePath: ({ path }: Uri) => path.slice('/w/'.length),
  openTextDocument: async (uri: Uri) => {
    const file = files.find((one) => one.uri.toString() === uri.toString());
    if (file) return file;
    // VS Code makes an untitled document when there is none.
    if (uri.scheme === 'untitled') return new Document(uri.toString());
    throw new Error('No such file');
  },
  fs: { readFile: async () => Buffer.from('---\nsource: "call.wav"\n---\n\nHello Bob.\n') },
  applyEdit: async ({ uri, changes }: WorkspaceEdit) => {
    const document = workspace.textDocuments.find((one) => one.uri.toString() === uri?.toString());
    assert(document);
    for (const { start, end, text } of changes) {
      document.text = document.text.slice(0, start.character) + text + document.text.slice(end.character);
    }
    return true;
  },
};
class WorkspaceEdit {
  uri: Uri | undefined;
  changes: readonly { readonly start: Position; readonly end: Position; readonly text: string }[] = [];

  set(uri: Uri, changes: WorkspaceEdit['changes']): void {
    this.uri = uri;
    this.changes = changes;
  }
}
const ask = async (sentence: string, ...buttons: string[]) => {
  shown.push([sentence, ...buttons.map((button) => `[${button}]`)].join(' '));
  return answers.shift();
};
const editorOf = (document: Document) => ({ document, selection: { active: new Position(0, 4) } });
const editor = {
  ...{ WorkspaceEdit, workspace },
  TextEdit: {
    insert: (at: Position, text: string) => ({ start: at, end: at, text }),
    replace: ({ start, end }: Range, text: string) => ({ start, end, text }),
  },
  commands: {
    executeCommand: async (_command: string, { uris }: { readonly uris: readonly string[] }) => shown.push(...uris),
  },
  window: {
    ...{ activeTextEditor: editorOf(front), visibleTextEditors: [editorOf(front)] },
    tabGroups: {
      activeTabGroup: {},
      get all() {
        return [
          { tabs: workspace.textDocuments.map(({ uri }) => ({ input: Object.assign(new TabInputText(), { uri }) })) },
        ];
      },
    },
    showTextDocument: async (document: Document) => {
      workspace.textDocuments.push(document);
      return editorOf(document);
    },
    showInformationMessage: ask,
    showWarningMessage: ask,
  },
};
const load = <Module>(path: string) => importWithEditor<Module>(new URL(path, import.meta.url), editor);
const { deliverTranscript } = await load<typeof import('../../../src/editor/deliverTranscript.ts')>(
  '../../../src/editor/deliverTranscript.ts',
);
const { JobActions } = await load<typeof import('../../../src/editor/requests/JobActions.ts')>(
  '../../../src/editor/requests/JobActions.ts',
);

/** The messages stay open when the work ends; here they are answered at once. */
async function answered(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await setImmediate();
}

describe('the place of a transcript in a document', () => {
  const log = { warn: (line: string) => assert.fail(line) };

  beforeEach(() => {
    files = [];
    answers = [];
    shown.length = 0;
    workspace.textDocuments = [front];
  });

  it('is in no other document when its own was deleted, or was never saved', async () => {
    const transcript = { uri: 'file:///w/media/call.md' } as Asset;
    for (const document of ['file:///w/notes.md', 'untitled:///w/notes.md']) {
      shown.length = 0;
      answers = ['Insert', 'Open'];
      const parts = { references: () => assert.fail('no player'), log } as never;
      await deliverTranscript([transcript], { document, text }, parts);
      await answered();
      const saved = 'The transcript was saved as media/call.md. It was not inserted, because';
      assert.deepEqual(shown, [
        `${saved} its place in notes.md is gone or the document is closed. [Insert] [Open]`,
        `${saved} notes.md can no longer be opened. [Open]`,
        'file:///w/media/call.md',
      ]);
      assert.equal(front.text, 'A contract.\n');
    }
  });

  describe('after a failure, when the job is dismissed', () => {
    const into = { document: 'file:///w/notes.md', text };
    const failed: JobRecord = {
      ...imageJob('/project'),
      ...{ id: 'job', key: 'job', createdAt: '2026-11-26T00:00:00.000Z', assets: {}, hasAnswer: false },
      ...{ state: 'failed', error: { kind: 'server', message: 'Busy.', mayBeBilled: false }, into },
    };

    function actionsFor(...all: readonly JobRecord[]) {
      const jobs = new JobList();
      for (const job of all) jobs.set(job);
      const runner = { refresh: async () => undefined, dismiss: async (id: string) => jobs.remove(id) };
      const parts = { jobs, log } as unknown as RunParts;
      return new JobActions(runner as unknown as JobRunner, () => assert.fail('sent'), parts);
    }

    it('is emptied once no other part of the recording can be transcribed', async () => {
      const notes = new Document(into.document, `Before.\n${text}\nAfter.\n`);
      files = [notes];
      workspace.textDocuments.push(notes);
      const { into: _, ...part } = failed;
      const whole = { key: 'whole', request: part.request, place: part.place, into };
      const actions = actionsFor({ ...part, whole }, { ...part, id: 'other', key: 'other', whole });
      await actions.dismiss('job', 'person');
      assert(notes.text.includes(text));
      await actions.dismiss('other', 'person');
      assert.equal(notes.text, 'Before.\n\nAfter.\n');
      assert.deepEqual(shown, []);
    });

    it('is named by a message when the document is closed, and emptied if the person wants to', async () => {
      const notes = new Document(into.document, `Before.\n${text}\nAfter.\n`);
      files = [notes];
      answers = ['Remove'];
      await actionsFor(failed).dismiss('job', 'person');
      await answered();
      assert.deepEqual(shown, [`notes.md still contains “${text}”, but that transcript will not come. [Remove]`]);
      assert.equal(notes.text, 'Before.\n\nAfter.\n');
    });

    it('is not talked about when the person removed it', async () => {
      files = [new Document(into.document, 'Before.\n')];
      await actionsFor(failed).dismiss('job', 'person');
      await answered();
      assert.deepEqual(shown, []);
    });
  });
});
