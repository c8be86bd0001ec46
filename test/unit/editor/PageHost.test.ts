import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import type { LogOutputChannel, WebviewPanel, WebviewView } from 'vscode';
import { count, nothing as noReply, object, text } from '../../../src/foreign/shape.ts';
import { ready } from '../../../src/webview/protocol/requestTable.ts';
import { importWithEditor, Uri } from '../../support/editorStub.ts';
import { type StoppedTime, stopTime } from '../../support/fakeTime.ts';
import { imageJob } from '../../support/jobRunner.ts';

type Pages = typeof import('../../support/askingPage.ts');

const requests = {
  ready,
  measure: { body: object({ width: count }), reply: object({ bytes: count }) },
  fail: { body: object({}), reply: text() },
  ask: { body: object({}), reply: noReply },
  start: { body: object({}), reply: noReply },
  saveElsewhere: { body: object({}), reply: noReply },
} as const;

/** A view that keeps what the host writes and posts. */
class FakeView {
  visible = true;
  readonly written: string[] = [];
  readonly posted: unknown[] = [];
  receive: (message: unknown) => unknown = () => undefined;
  noteVisibility: () => void = () => undefined;
  close: () => void = () => undefined;
  readonly webview = this.#webview();
  readonly onDidChangeVisibility = (listener: () => void) => {
    this.noteVisibility = listener;
    return nothing;
  };
  readonly onDidDispose = (listener: () => void) => {
    this.close = listener;
    return nothing;
  };

  show(isVisible: boolean): void {
    this.visible = isVisible;
    this.noteVisibility();
  }

  #webview() {
    const { written, posted } = this;
    return {
      cspSource: 'https://own.example',
      asWebviewUri: String,
      options: {},
      set html(html: string) {
        written.push(html);
      },
      onDidReceiveMessage: (listener: (message: unknown) => unknown) => {
        this.receive = listener;
        return nothing;
      },
      postMessage: async (message: unknown) => posted.push(message),
    };
  }
}

const nothing = { dispose: () => undefined };

describe('PageHost', () => {
  let pages: Pages;
  let time: StoppedTime;
  let warnings: string[];
  let done: string[];
  let finish: () => void;

  before(async () => {
    const env = { language: 'en' };
    pages = await importWithEditor<Pages>(new URL('../../support/askingPage.ts', import.meta.url), {
      env,
      window: {
        showWarningMessage: async (question: string) => done.push(question),
        withProgress: (_: unknown, work: (...all: unknown[]) => unknown) =>
          work({ report: () => undefined }, { onCancellationRequested: () => nothing }),
      },
    });
    env.language = 'de"';
  });

  beforeEach(() => {
    time = stopTime();
    warnings = [];
    done = [];
  });

  afterEach(() => time[Symbol.dispose]());

  function open(view = new FakeView(), onReady?: () => void) {
    const host = new pages.PageHost(view as unknown as WebviewView | WebviewPanel, {
      file: { name: 'main', id: 'view', title: '<b>' },
      requests,
      answers: {
        measure: async ({ width }) => ({ bytes: width * 2 }),
        fail: () => Promise.reject(new Error('No.')),
        start: async () => {
          void new Promise<void>((resolve) => {
            finish = resolve;
          }).then(() => pages.askInDialog('Send again?', ''));
          return null;
        },
        ask: async () => {
          await pages.askInDialog('Delete?', '');
          done.push('deleted');
          return null;
        },
        saveElsewhere: async () => {
          const actions = new pages.JobActions(
            {
              refresh: async () => undefined,
              downloadAgain: async () => done.push('saved') && [],
              withRawFiles: async () => done.push('saved') && [],
            } as never,
            () => assert.fail('sent'),
            {
              jobs: new Map([['job', imageJob('/project')]]),
              places: { chooseReference: async () => done.push('Where?') && imageJob('/project').place },
              lastUsed: { worked: async () => undefined },
              log: { warn: () => undefined },
            } as never,
          );
          await actions.resume('saveElsewhere', 'job', 'view');
          await actions.saveRawAnswer('job', 'person');
          return null;
        },
      },
      extensionUri: Uri.file('/x'),
      log: { warn: (sentence: string) => warnings.push(sentence) } as unknown as LogOutputChannel,
      roots: () => [],
      start: () => '"><script>',
      onReady,
      failed: (error, request) => `${request}: ${String(error)}`,
    });
    return { host, view };
  }

  const start = (view: FakeView) => view.receive({ id: 1, name: 'ready', body: {} });
  const nonceOf = (page = '') => /<script type="module" nonce="([^"]+)"/.exec(page)?.[1];

  it('allows nothing but its own script, styles and media: no base, no form', () => {
    const [page = ''] = open().view.written;
    const [, policy = ''] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
    assert.deepEqual(policy.split('; '), [
      "default-src 'none'",
      `script-src 'nonce-${nonceOf(page)}'`,
      'style-src https://own.example',
      'img-src https://own.example',
      'media-src https://own.example',
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    assert.match(nonceOf(page) ?? '', /^[0-9a-f-]{36}$/);
    // The policy stands before anything that it governs.
    assert(page.indexOf('Content-Security-Policy') < page.search(/<(link|script|base|title)/));
    assert.equal(page.match(/<script/g)?.length, 1);
  });

  it('lets a page run two commands without a script, of which one loads it again', () => {
    const { view } = open();
    const { enableCommandUris } = { enableCommandUris: undefined, ...view.webview.options };
    assert.deepEqual(enableCommandUris, [
      'workbench.action.webview.reloadWebviewAction',
      'workbench.action.openWalkthrough',
    ]);
    const links = view.written[0]?.match(/href="command:[^"]*"/g);
    assert.deepEqual(links, ['href="command:workbench.action.webview.reloadWebviewAction"']);
  });

  it('is the host of all webviews', () => {
    const writers = globSync('src/**/*.ts').filter((file) => /\.html = /.test(readFileSync(file, 'utf8')));
    assert.deepEqual(
      writers.map((file) => file.replaceAll('\\', '/')),
      ['src/editor/PageHost.ts'],
    );
  });

  it('loads a page that does not start once more, with another nonce', () => {
    const { view } = open();
    time.pass(7);
    assert.equal(view.written.length, 1);
    time.pass(1);
    assert.equal(view.written.length, 2);
    assert.notEqual(nonceOf(view.written[0]), nonceOf(view.written[1]));
    assert.equal(
      view.written[0]?.replaceAll(nonceOf(view.written[0]) ?? '', ''),
      view.written[1]?.replaceAll(nonceOf(view.written[1]) ?? '', ''),
    );
    time.pass(3600);
    assert.equal(view.written.length, 2, 'the second page says what to do');
    assert.deepEqual(warnings, Array(2).fill('The page "view" has not started.'));
  });

  it('leaves a page alone that has started', async () => {
    let calls = 0;
    const { host, view } = open(new FakeView(), () => calls++);
    assert.equal(host.isReady, false);
    await start(view);
    time.pass(3600);
    assert.deepEqual([host.isReady, calls, view.written.length], [true, 1, 1]);
    assert.deepEqual(view.posted, [{ type: 'reply', id: 1, value: null }]);
  });

  it('waits only while the page is visible, and again each time that it is shown', async () => {
    const { host, view } = open();
    time.pass(7);
    view.show(false);
    time.pass(3600);
    assert.equal(view.written.length, 1);
    view.show(true);
    await start(view);
    time.pass(3600);
    assert.equal(view.written.length, 1);
    view.show(false);
    assert.equal(host.isReady, false);
    view.show(true);
    time.pass(8);
    assert.equal(view.written.length, 2, 'the page that is shown again does not start');
  });

  it('goes on waiting while VS Code reports other changes of the view', () => {
    const { view } = open();
    time.pass(7);
    view.show(true);
    time.pass(1);
    assert.equal(view.written.length, 2);
  });

  it('ends with its view', () => {
    const { view } = open();
    view.close();
    time.pass(3600);
    assert.deepEqual([view.written.length, warnings], [1, []]);
  });

  it('posts nothing after its view was closed, which has no webview any more', () => {
    const view = new FakeView();
    const { host } = open(view);
    view.close();
    Object.defineProperty(view, 'webview', {
      get: () => {
        throw new Error('Webview is disposed');
      },
    });
    host.post({ type: 'late' });
    assert.deepEqual(view.posted, []);
  });

  it('gives a page that asked in a dialog the focus again before it goes on, unless the page is hidden', async () => {
    const { view } = open(Object.assign(new FakeView(), { reveal: () => done.push('focused') }));
    await view.receive({ id: 1, name: 'ask', body: {} });
    view.visible = false;
    await view.receive({ id: 2, name: 'ask', body: {} });
    assert.deepEqual(done, ['Delete?', 'focused', 'deleted', 'Delete?', 'deleted']);
  });

  it('gives it the focus again when it has asked for a folder, before anything is saved there', async () => {
    const { view } = open(Object.assign(new FakeView(), { reveal: () => done.push('focused') }));
    await view.receive({ id: 1, name: 'saveElsewhere', body: {} });
    assert.deepEqual(done, ['Where?', 'focused', 'saved', 'Where?', 'focused', 'saved']);
  });

  it('leaves the focus where it is when work that goes on after an answer asks', async () => {
    const { view } = open(Object.assign(new FakeView(), { reveal: () => done.push('focused') }));
    await view.receive({ id: 1, name: 'start', body: {} });
    finish();
    await new Promise(setImmediate);
    assert.deepEqual(done, ['Send again?']);
  });

  it('answers requests, and rejects what is none', async () => {
    const { view } = open();
    await view.receive({ id: 1, name: 'measure', body: { width: 4 } });
    await view.receive({ id: 2, name: 'measure', body: { width: '4' } });
    await view.receive({ id: 3, name: 'fail', body: {} });
    await view.receive({ id: 4, name: 'toString', body: {} });
    assert.deepEqual(view.posted, [
      { type: 'reply', id: 1, value: { bytes: 8 } },
      { type: 'failed', id: 2, message: 'measure: Error: measure: invalid request body' },
      { type: 'failed', id: 3, message: 'fail: Error: No.' },
    ]);
    assert.deepEqual(warnings, ['Ignored an invalid message from the page "view".']);
  });
});
