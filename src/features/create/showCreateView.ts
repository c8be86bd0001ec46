import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { openUris } from '../../editor/openAssets.ts';
import { buttonOf } from '../../editor/showError.ts';
import type { Message, NoticeAction, Snapshot } from '../../webview/messages.ts';
import type { CreateSession, FormChange } from './CreateSession.ts';
import { createPage } from './createPage.ts';
import { pickInputs } from './pickInputs.ts';
import { readMessage } from './readMessage.ts';
import { takeSnapshot } from './takeSnapshot.ts';

/** Bytes arrive more often than anyone can see; in milliseconds. */
const shortestPause = 100;

/** Lets a view show the session and act on it until it is closed. */
export function showCreateView(view: vscode.WebviewView, session: CreateSession): void {
  const { webview } = view;
  const { log } = session.dependencies;
  /** What the view has not been told of the form. */
  let form: FormChange | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isReady = false;
  let folders = '';

  const send = () => {
    timer = undefined;
    if (!isReady || !view.visible) return;
    const snapshot: Snapshot = {
      ...takeSnapshot(session, webview),
      ...(form ? { form: { ...session.draft.form, ...form } } : {}),
    };
    form = undefined;
    void webview.postMessage(snapshot);
  };
  const load = () => {
    const roots = session.roots;
    if (roots.join() === folders) return;
    folders = roots.join();
    isReady = false;
    loadPage(webview, session);
    session.results.follow(roots);
  };
  const receive = async (message: Message): Promise<unknown> => {
    if (message.type !== 'ready') return act(message, session, () => view.visible);
    isReady = true;
    form = {};
    send();
    // Both may have changed while nobody looked.
    session.results.read();
    return session.checkReadiness();
  };

  const subscriptions = vscode.Disposable.from(
    session.onDidChange((changed) => {
      form = changed ?? form;
      load();
      timer ??= setTimeout(send, shortestPause);
    }),
    vscode.workspace.onDidChangeWorkspaceFolders(() => load()),
    webview.onDidReceiveMessage(async (received: unknown) => {
      const message = readMessage(received);
      if (!message) return log.warn('The Create view sent a message that is not understood.');
      try {
        await receive(message);
      } catch (error) {
        log.error(error instanceof Error ? error : String(error));
      }
    }),
  );
  view.onDidDispose(() => {
    clearTimeout(timer);
    subscriptions.dispose();
  });
  load();
}

function loadPage(webview: vscode.Webview, { dependencies, inputs, roots }: CreateSession): void {
  const { extensionUri } = dependencies;
  const own = [['media'], ['dist', 'webview']].map((path) => vscode.Uri.joinPath(extensionUri, ...path));
  webview.options = {
    enableScripts: true,
    enableForms: false,
    localResourceRoots: [...own, inputs.folder, ...roots],
  };
  webview.html = createPage(webview, extensionUri);
}

async function act(
  message: Exclude<Message, { type: 'ready' }>,
  session: CreateSession,
  isVisible: () => boolean,
): Promise<unknown> {
  const { draft, inputs } = session;
  switch (message.type) {
    case 'tab':
      return draft.setTab(message.operation);
    case 'edit':
      return draft.setTexts(message.operation, { [message.field]: message.text });
    case 'addFile':
      return session.addTyped(message.operation, message.field, message.text);
    case 'dropUris':
      return session.addFiles(message.operation, message.field, (field) =>
        Promise.all(message.uris.map((uri) => inputs.fromText(field, uri, session.roots[0]))),
      );
    case 'dropBytes':
      return session.addFiles(message.operation, message.field, async (field) => [
        await inputs.fromBytes(field, message.name, message.bytes),
      ]);
    case 'pick':
      return session.addFiles(message.operation, message.field, async (field) => {
        const picked = await pickInputs(field, message.from, session);
        return Promise.all(picked.map((uri) => inputs.fromFile(field, uri)));
      });
    case 'removeFile':
      return session.removeFile(message.operation, message.field, message.uri);
    case 'submit':
      return session.submit(message.id, message.operation, message.texts, isVisible);
    case 'cancel':
      return run(commandIds.cancelJob, { jobId: message.jobId, byPerson: true });
    case 'failure':
      return session.actOn(message.id, message.action, isVisible);
    case 'result':
      return actOnResult(message, session);
    case 'notice':
      return actOnNotice(message.action, session);
  }
}

async function actOnResult(
  { uri, action }: Extract<Message, { type: 'result' }>,
  session: CreateSession,
): Promise<void> {
  const result = session.results.latest?.find((one) => one.uri === uri);
  if (!result) return;
  switch (action) {
    case 'open':
      return openUris([uri]);
    case 'openExternally':
      await vscode.env.openExternal(vscode.Uri.parse(uri));
      return;
    case 'insert': {
      const { prompt } = result.entry;
      await run(commandIds.insertAsset, { uri, ...(prompt === undefined ? {} : { title: prompt }) });
      return;
    }
    case 'reuse':
      return session.reuse(result);
    case 'remix':
      return session.remix(result);
  }
}

async function actOnNotice(action: NoticeAction, session: CreateSession): Promise<void> {
  if (action === 'manageTrust') await run('workbench.trust.manage');
  else if (action === 'openFolder') await run('workbench.action.files.openFolder');
  else {
    await buttonOf(action).run();
    await session.checkReadiness();
  }
}

function run(command: string, ...values: readonly unknown[]): Promise<unknown> {
  return Promise.resolve(vscode.commands.executeCommand(command, ...values));
}
