import * as vscode from 'vscode';
import {
  type BodyIn,
  envelopeOf,
  type NameIn,
  type Reply,
  type ReplyIn,
  type RequestTable,
  type ready,
} from '../webview/protocol/requestTable.ts';
import { focusPage } from './askInDialog.ts';

/** A page that the build makes from `src/webview`. */
interface PageFile {
  /** Base name of its script and its style sheet. */
  readonly name: 'main' | 'imageEditor' | 'player';
  /** The id of the element that the page renders into. */
  readonly id: string;
  readonly title: string;
}

/** The requests that a page may post. It posts `ready` when it has rendered. */
type PageRequests = RequestTable & { readonly ready: typeof ready };

/** The handler of each request. A failure becomes the message of its reply. */
export type AnswersTo<Table extends PageRequests> = {
  readonly [Name in Exclude<NameIn<Table>, 'ready'>]: (body: BodyIn<Table, Name>) => Promise<ReplyIn<Table, Name>>;
};

interface Page<Table extends PageRequests> {
  readonly file: PageFile;
  readonly requests: Table;
  readonly answers: AnswersTo<Table>;
  /** The extension's installation folder. */
  readonly extensionUri: vscode.Uri;
  readonly log: vscode.LogOutputChannel;
  /** Returns the folders that the page may load from, besides its own. */
  roots(): readonly vscode.Uri[];
  /** Returns the page's initial data, passed as JSON. */
  start(): unknown;
  /** Whether VS Code keeps the page while it is hidden. */
  readonly isKept?: boolean;
  /** Called each time that the page has rendered: when it is opened, and when it is shown again. */
  onReady?(): void;
  /** Logs why a request failed. @returns a sentence for the user */
  failed(error: unknown, request: string): string;
}

/** How long a visible page may take to start, in milliseconds, before it is loaded once more. */
const patience = 8000;

/** VS Code's own commands, which links of a page may run. */
const reload = 'workbench.action.webview.reloadWebviewAction';
const walkthrough = 'workbench.action.openWalkthrough';

/**
 * Shows a page in a webview and answers its requests.
 *
 * A webview stays empty when its script does not arrive. VS Code serves it through a service worker. If the browser
 * stops that worker, or the worker does not control the frame yet, the request is lost.
 */
export class PageHost<Table extends PageRequests> implements vscode.Disposable {
  readonly #view: vscode.WebviewView | vscode.WebviewPanel;
  readonly #page: Page<Table>;
  readonly #isEnvelope: ReturnType<typeof envelopeOf<Table>>;
  readonly #subscriptions: vscode.Disposable;
  #isVisible = false;
  #isReady = false;
  #isSecondAttempt = false;
  #isGone = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(view: vscode.WebviewView | vscode.WebviewPanel, page: Page<Table>) {
    this.#view = view;
    this.#page = page;
    this.#isEnvelope = envelopeOf(page.requests);
    const onDidShow = 'onDidChangeVisibility' in view ? view.onDidChangeVisibility : view.onDidChangeViewState;
    this.#subscriptions = vscode.Disposable.from(
      view.webview.onDidReceiveMessage((message: unknown) => this.#receive(message)),
      onDidShow(() => this.#noteVisibility()),
      view.onDidDispose(() => this.dispose()),
    );
    this.load();
  }

  dispose(): void {
    this.#isGone = true;
    clearTimeout(this.#timer);
    this.#subscriptions.dispose();
  }

  /** Whether the page is visible and has rendered. */
  get isReady(): boolean {
    return this.#isReady && this.#view.visible;
  }

  /** Whether the page has rendered; a page that keeps its context stays so while it is hidden. */
  get hasStarted(): boolean {
    return this.#isReady;
  }

  /** Gives the page the focus, unless it is hidden by now. */
  focus(): void {
    if (!this.#view.visible) return;
    if ('reveal' in this.#view) this.#view.reveal();
    else this.#view.show();
  }

  /** Loads the page from the beginning, with the folders and the data of this moment. */
  load(): void {
    this.#isSecondAttempt = false;
    this.#isVisible = this.#view.visible;
    this.#view.webview.options = {
      enableScripts: true,
      enableForms: false,
      enableCommandUris: [reload, walkthrough],
      localResourceRoots: [pageFolder(this.#page.extensionUri), ...this.#page.roots()],
    };
    this.#write();
  }

  /** Posts a message, unless the page is gone: VS Code gives a view that was closed no webview any more. */
  post(message: unknown): void {
    if (this.#isGone) return;
    this.#view.webview.postMessage(message).then(undefined, () => undefined);
  }

  #write(): void {
    const { file, extensionUri } = this.#page;
    this.#isReady = false;
    this.#view.webview.html = createPage(this.#view.webview, extensionUri, file, this.#page.start());
    this.#watch();
  }

  #noteVisibility(): void {
    if (this.#isVisible === this.#view.visible) return;
    this.#isVisible = this.#view.visible;
    if (this.#page.isKept && this.#isReady) return;
    // VS Code removes a page that is hidden, and loads it from its HTML when it is shown.
    this.#isReady = false;
    this.#isSecondAttempt = false;
    this.#watch();
  }

  /** Writes the page again if it does not start: with another nonce, because VS Code ignores the same HTML. */
  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#isReady || !this.#view.visible) return;
    this.#timer = setTimeout(() => {
      this.#page.log.warn(`The page "${this.#page.file.id}" has not started.`);
      if (this.#isSecondAttempt) return;
      this.#isSecondAttempt = true;
      this.#write();
    }, patience);
  }

  #begin(): null {
    clearTimeout(this.#timer);
    this.#isReady = true;
    this.#page.onReady?.();
    return null;
  }

  async #receive(message: unknown): Promise<void> {
    const { requests, answers, file, log } = this.#page;
    if (!this.#isEnvelope(message)) return log.warn(`Ignored an invalid message from the page "${file.id}".`);
    const { id, name, body } = message;
    let isAnswered = false;
    // What goes on after the answer asks a person who may be elsewhere by then.
    const focus = () => isAnswered || this.focus();
    try {
      if (!requests[name]?.body(body)) throw new Error(`${name}: invalid request body`);
      // The body's type follows from the name, which the compiler cannot infer.
      const answer = (answers as Readonly<Record<string, (body: unknown) => Promise<unknown>>>)[name];
      const value = answer ? await focusPage.run(focus, answer, body) : this.#begin();
      this.post({ type: 'reply', id, value } satisfies Reply);
    } catch (error) {
      this.post({ type: 'failed', id, message: this.#page.failed(error, name) } satisfies Reply);
    } finally {
      isAnswered = true;
    }
  }
}

function pageFolder(extensionUri: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
}

/**
 * Returns the HTML of a webview. Outside data goes into attributes and messages, never into markup. The script removes
 * the sentence in the page; the style sheet shows it only after some seconds.
 */
function createPage(
  webview: vscode.Webview,
  extensionUri: vscode.Uri,
  { name: file, id, title }: PageFile,
  start: unknown,
): string {
  const nonce = crypto.randomUUID();
  const at = (name: string) =>
    attribute(webview.asWebviewUri(vscode.Uri.joinPath(pageFolder(extensionUri), name)).toString());
  const source = webview.cspSource;
  const policy = [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src ${source}`,
    `img-src ${source}`,
    `media-src ${source}`,
    // default-src does not cover these two.
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ');
  const hint = vscode.l10n.t('This view has not started. If a reload does not help, run “Developer: Reload Window”.');
  const name = attribute(vscode.l10n.t('Reload'));
  return `<!DOCTYPE html>
<html lang="${attribute(vscode.env.language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${attribute(policy)}">
<title>${attribute(title)}</title>
<link rel="stylesheet" href="${at(`${file}.css`)}">
<script type="module" nonce="${nonce}" src="${at(`${file}.js`)}"></script>
</head>
<body>
<main id="${attribute(id)}" data-start="${attribute(JSON.stringify(start))}" data-translations="${attribute(JSON.stringify(vscode.l10n.bundle ?? {}))}">
<p class="late">${attribute(hint)} <a href="command:${reload}" title="${name}">${name}</a></p>
</main>
</body>
</html>`;
}

function attribute(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');
}
