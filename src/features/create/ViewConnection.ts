import * as vscode from 'vscode';
import { createPage, pageFolder } from '../../editor/createPage.ts';
import type { HostMessage, Item, Parts, Start } from '../../webview/protocol/messages.ts';
import { envelope, pageSize, requests } from '../../webview/protocol/messages.ts';
import type { Asking } from './answerRequest.ts';
import { answerRequest } from './answerRequest.ts';
import type { Change, CreateSession } from './CreateSession.ts';
import { readDraft } from './drafts.ts';
import { itemOf } from './itemOf.ts';
import { setupOf } from './setupOf.ts';

/** Minimum time between progress updates, in milliseconds. Bytes arrive more often. */
const progressPause = 100;

type Part = keyof Parts;

/** A webview that shows a session: a view in the side bar, or a tab. */
export interface Shown {
  readonly webview: vscode.Webview;
  readonly place: Start['place'];
  isVisible(): boolean;
}

/** Sends a webview the parts of the session that changed, and answers its requests. */
export class ViewConnection implements vscode.Disposable {
  readonly #shown: Shown;
  readonly #session: CreateSession;
  readonly #asking: Asking;
  readonly #subscriptions: vscode.Disposable;
  readonly #changed = new Set<Part>();
  #roots = '';
  #isReady = false;
  #isSending = false;
  #timer: NodeJS.Timeout | undefined;
  #selected: string | undefined;

  constructor(shown: Shown, session: CreateSession) {
    this.#shown = shown;
    this.#session = session;
    const load = (uri: vscode.Uri) => shown.webview.asWebviewUri(uri).toString();
    this.#asking = {
      session,
      place: shown.place,
      context: { load, previewOf: ({ entry }) => session.dependencies.previews.of(entry) },
      isVisible: () => shown.isVisible(),
      onReady: () => this.#begin(),
    };
    this.#subscriptions = vscode.Disposable.from(
      session.onDidChange((change) => this.#note(change)),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.#load()),
      shown.webview.onDidReceiveMessage((message: unknown) => this.#receive(message)),
    );
    this.#load();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#subscriptions.dispose();
  }

  /** Selects a result in the tab. */
  select(id: string): void {
    this.#selected = id;
    if (this.#isReady) this.#post({ type: 'select', id });
  }

  #note(change: Change): void {
    this.#load();
    if (change === 'progress') {
      this.#changed.add('jobs');
      this.#timer ??= setTimeout(() => this.#flush(), progressPause);
      return;
    }
    this.#changed.add(change);
    // The results determine the positions of the jobs among them, and the known models.
    if (change === 'library') this.#changed.add('jobs').add('setup');
    setImmediate(() => this.#flush());
  }

  /** Loads the page when the folders change, because the folders that a view may load from are set with the page. */
  #load(): void {
    const { dependencies, inputs, gallery, roots } = this.#session;
    if (this.#roots !== '' && roots.join() === this.#roots) return;
    this.#roots = roots.join() || 'none';
    this.#isReady = false;
    const { webview, place } = this.#shown;
    webview.options = {
      enableScripts: true,
      enableForms: false,
      localResourceRoots: [
        pageFolder(dependencies.extensionUri),
        inputs.folder,
        dependencies.previews.folder,
        ...roots,
      ],
    };
    const draft = readDraft(dependencies.memory, place);
    const page = { name: 'main', id: 'create', title: vscode.l10n.t('Create') } as const;
    const start: Start = {
      draft,
      place,
      parts: { setup: setupOf(this.#session), jobs: this.#session.cards },
    };
    webview.html = createPage(webview, dependencies.extensionUri, page, start);
    void gallery.follow(roots);
  }

  #begin(): void {
    this.#isReady = true;
    for (const part of ['setup', 'jobs', 'library'] as const) this.#changed.add(part);
    void this.#flush();
    if (this.#selected !== undefined) this.#post({ type: 'select', id: this.#selected });
    // Both may have changed while the view was hidden.
    void this.#session.gallery.read();
    void this.#session.checkReadiness();
  }

  async #receive(message: unknown): Promise<void> {
    const { log } = this.#session.dependencies;
    if (!envelope(message)) return log.warn('Ignored an invalid message from the Media view.');
    const { id, name, body } = message;
    try {
      const { body: isBody } = requests[name];
      if (!isBody(body)) throw new Error(`${name}: invalid request body`);
      // The body's type follows from the name, which the compiler cannot infer.
      this.#post({ type: 'reply', id, value: await answerRequest(name, body as never, this.#asking) });
    } catch (error) {
      log.warn(`${name} failed.`);
      this.#post({ type: 'failed', id, message: error instanceof Error ? error.message : String(error) });
    }
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#isReady || this.#isSending || this.#changed.size === 0 || !this.#shown.isVisible()) return;
    this.#isSending = true;
    try {
      const changed = new Set(this.#changed);
      this.#changed.clear();
      const library = changed.has('library') ? { library: await this.#library() } : {};
      this.#post({
        type: 'parts',
        parts: {
          ...library,
          ...(changed.has('jobs') ? { jobs: this.#session.cards } : {}),
          ...(changed.has('setup') ? { setup: setupOf(this.#session) } : {}),
        },
      });
    } finally {
      this.#isSending = false;
    }
    // Sends what changed in the meantime.
    if (this.#changed.size > 0) await this.#flush();
  }

  async #library(): Promise<NonNullable<Parts['library']>> {
    const { gallery } = this.#session;
    const { revision, all, models, isRead } = gallery;
    const newest = all.slice(0, pageSize);
    const first: readonly Item[] = await Promise.all(newest.map((one) => itemOf(one, this.#asking.context)));
    const hasSandbox = all.some(({ entry }) => entry.sandbox === true);
    return { revision, total: all.length, models, isRead, hasSandbox, first };
  }

  #post(message: HostMessage): void {
    this.#shown.webview.postMessage(message).then(undefined, () => undefined);
  }
}
