import * as vscode from 'vscode';
import { commandIds, libraryTabType, viewIds } from '../../contributions.ts';
import { createPage, pageFolder } from '../../editor/createPage.ts';
import { notify } from '../../editor/notify.ts';
import { buttonOf, openProxySettings } from '../../editor/showError.ts';
import { deleteFile, openUris } from '../../editor/workspaceFiles.ts';
import { MediaError } from '../../operations/MediaError.ts';
import type { Operation, OperationId } from '../../operations/operations.ts';
import { operations } from '../../operations/operations.ts';
import type {
  BodyOf,
  HostMessage,
  Item,
  ItemAction,
  Parts,
  ReplyOf,
  RequestName,
  Start,
} from '../../webview/protocol/messages.ts';
import { envelope, pageSize, requests } from '../../webview/protocol/messages.ts';
import { tabOf, tabs } from '../../webview/protocol/tabs.ts';
import { attach, attachmentOfResult } from './attach.ts';
import type { Change, CreateDependencies } from './CreateSession.ts';
import { CreateSession, setupOf } from './CreateSession.ts';
import type { ItemContext, Result } from './Gallery.ts';
import { detailsOf, itemOf, uriOf } from './Gallery.ts';
import { keepDraft, readDraft } from './KeptInputs.ts';

/** The views that show this window's session: the one in the side bar and the library's tab. */
export class MediaViews implements vscode.Disposable {
  readonly #session: CreateSession;
  #tab: { readonly panel: vscode.WebviewPanel; readonly connection: ViewConnection } | undefined;

  constructor(dependencies: CreateDependencies) {
    this.#session = new CreateSession(dependencies);
  }

  dispose(): void {
    this.#tab?.panel.dispose();
    this.#session.dispose();
  }

  /** Opens the form that connects a service, with the focus in its first field. */
  async connectService(): Promise<void> {
    await this.#session.askToConnect();
    await vscode.commands.executeCommand(`${viewIds.create}.focus`);
  }

  showView(view: vscode.WebviewView): void {
    const shown = { webview: view.webview, place: 'view', isVisible: () => view.visible } as const;
    const connection = new ViewConnection(shown, this.#session);
    view.onDidDispose(() => connection.dispose());
  }

  /**
   * Opens or reveals the library's tab. Warns if the library does not know the asset.
   *
   * @param argument `{uri}` of the asset to select, or `{id}` of a result
   * @throws MediaError `invalidInput`
   */
  async openLibrary(argument: unknown): Promise<void> {
    const { uri, id } = requestedAsset(argument);
    if (this.#tab) this.#tab.panel.reveal();
    else {
      const title = vscode.l10n.t('Media Library');
      this.showPanel(vscode.window.createWebviewPanel(libraryTabType, title, vscode.ViewColumn.Active));
    }
    if (!uri && id === undefined) return;
    const { gallery, roots } = this.#session;
    await gallery.follow(roots);
    const address = uri?.toString();
    const result = id === undefined ? gallery.all.find((one) => uriOf(one)?.toString() === address) : gallery.get(id);
    if (result) this.#tab?.connection.select(result.id);
    else if (uri) {
      const sentence = vscode.l10n.t(
        '{0} is not in the library, which lists the files that Unified Media saved in this workspace.',
        vscode.workspace.asRelativePath(uri),
      );
      void notify.warning(sentence);
    }
  }

  /** Fills a tab, which may have been restored from an earlier window. */
  showPanel(panel: vscode.WebviewPanel): void {
    this.#tab?.panel.dispose();
    const icon = (name: string) => vscode.Uri.joinPath(this.#session.dependencies.extensionUri, 'media', name);
    panel.iconPath = { light: icon('media.svg'), dark: icon('media-dark.svg') };
    const shown = { webview: panel.webview, place: 'tab', isVisible: () => panel.visible } as const;
    const connection = new ViewConnection(shown, this.#session);
    const tab = { panel, connection };
    this.#tab = tab;
    panel.onDidDispose(() => {
      connection.dispose();
      if (this.#tab === tab) this.#tab = undefined;
    });
  }
}

/** @throws MediaError `invalidInput` */
function requestedAsset(argument: unknown): { readonly uri?: vscode.Uri; readonly id?: string } {
  if (typeof argument !== 'object' || argument === null) return {};
  const { uri, id } = argument as { readonly uri?: unknown; readonly id?: unknown };
  if (typeof id === 'string') return { id };
  if (uri === undefined) return {};
  if (uri instanceof vscode.Uri) return { uri };
  try {
    if (typeof uri === 'string') return { uri: vscode.Uri.parse(uri, true) };
  } catch {
    // Reported below.
  }
  throw new MediaError('invalidInput', vscode.l10n.t('Open Library needs the URI of a file (uri).'), {
    field: 'uri',
  });
}

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
      parts: { setup: setupOf(this.#session, place), jobs: this.#session.cards },
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
          ...(changed.has('setup') ? { setup: setupOf(this.#session, this.#shown.place) } : {}),
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

/** Runs an action of a result's menu. */
export async function actOnItem(result: Result, action: ItemAction, session: CreateSession): Promise<void> {
  const uri = uriOf(result);
  const { prompt, videoId, id } = result.entry;
  switch (action) {
    case 'openLibrary':
      return run(commandIds.openLibrary, { id: result.id });
    case 'copyPrompt':
      return vscode.env.clipboard.writeText(prompt ?? '');
    case 'copyId':
      return vscode.env.clipboard.writeText(videoId ?? '');
    case 'forget':
      return session.dependencies.places.libraryOf(result.root).append({ forgotten: id });
    default:
      return uri && actOnFile(uri, action, result, session);
  }
}

async function actOnFile(
  uri: vscode.Uri,
  action: Exclude<ItemAction, 'openLibrary' | 'copyPrompt' | 'copyId' | 'forget'>,
  { root, entry: { prompt } }: Result,
  { dependencies }: CreateSession,
): Promise<void> {
  switch (action) {
    case 'open':
      return openUris([uri]);
    case 'openExternally':
      await vscode.env.openExternal(uri);
      return;
    case 'insert':
      return run(commandIds.insertAsset, { uri, ...(prompt === undefined ? {} : { title: prompt }) });
    case 'transform':
      return run(commandIds.transformImage, uri);
    case 'addToManifest':
      return run(commandIds.addToManifest, uri);
    case 'reveal':
      return run(commandIds.revealAsset, { uri });
    case 'copyPath':
      return vscode.env.clipboard.writeText(uri.scheme === 'file' ? uri.fsPath : uri.toString());
    case 'delete':
      if (await deleteFile(uri, vscode.l10n.t('The library keeps its entry and its prompt.')))
        dependencies.places.libraryOf(root).changed();
  }
}

async function run(command: string, argument: unknown): Promise<void> {
  await vscode.commands.executeCommand(command, argument);
}

/** The view that sent a request. */
export interface Asking {
  readonly session: CreateSession;
  readonly place: Start['place'];
  readonly context: ItemContext;
  isVisible(): boolean;
  /** Called when the view has rendered. */
  onReady(): void;
}

type Answers = { readonly [Name in RequestName]: (body: BodyOf<Name>, asking: Asking) => Promise<ReplyOf<Name>> };

const maxPrompts = 50;
/** Maximum length of a prompt in the history, in characters. Longer ones are documents that were read aloud. */
const maxPromptLength = 20_000;

/** The handler of each request. A failure becomes the message of its reply. */
const answers: Answers = {
  ready: async (_, { onReady }) => done(onReady()),
  keepDraft: async ({ draft }, { session, place }) => done(keepDraft(session.dependencies.memory, place, draft)),
  attach: ({ tab, switched, source }, { session, context }) => attach(tab, switched, source, session, context.load),
  attachItem: async ({ id, as }, { session, context }) => {
    const result = session.gallery.get(id);
    const attachment = result && (await attachmentOfResult(result, as, session, context.load));
    return attachment ? [attachment] : [];
  },
  submit: async ({ operation, values, files }, { session, isVisible }) => {
    const { fields }: Operation = operations[operation];
    const unknown = [...Object.keys(values), ...Object.keys(files)].find(
      (name) => !fields.some((one) => one.name === name),
    );
    if (unknown !== undefined) throw new Error(`${operation} has no field ${unknown}.`);
    const request = requestOf(operation, values, (name) => files[name] ?? []);
    return session.submit(operation, request, isVisible);
  },
  connect: async ({ service, isTried }, { session }) => {
    const reply = await session.connector.connect(service, isTried);
    if (reply.connected) await session.checkReadiness();
    return reply;
  },
  closeConnecting: async (_, { session }) => done(session.closeConnecting()),
  stopConnecting: async (_, { session }) => done(session.connector.stop()),
  saveModels: async ({ models }, { session }) => done(session.connector.saveModels(models)),
  loadModels: async ({ operation }, { session }) => done(session.loadModels(operation)),
  history: async ({ tab }, { session: { gallery } }) => {
    const ofTab = gallery.all.filter(({ entry }) => tabs[tab].text && tabOf(entry.operation) === tab);
    const prompts = new Set<string>();
    for (const { entry } of ofTab) {
      if (entry.prompt && entry.prompt.length <= maxPromptLength) prompts.add(entry.prompt);
      if (prompts.size === maxPrompts) break;
    }
    return [...prompts];
  },
  page: async ({ filter, from, limit }, { session: { gallery }, context }) => {
    const { revision } = gallery;
    const results = gallery.select(filter);
    const items = await Promise.all(results.slice(from, from + limit).map((result) => itemOf(result, context)));
    return { revision, total: results.length, items };
  },
  details: ({ id }, { session: { gallery }, context }) => detailsOf(known(gallery.get(id)), gallery, context),
  jobPrompt: async ({ id }, { session }) => session.promptOf(id),
  actOnJob: async ({ id, action }, { session, isVisible }) => done(session.actOnJob(id, action, isVisible)),
  actOnItem: async ({ id, action }, { session }) => done(actOnItem(known(session.gallery.get(id)), action, session)),
  actOnNotice: async ({ action }, { session }) => done(actOnNotice(action, session)),
  keepPreview: async ({ id, bytes, seconds }, { session: { gallery, dependencies } }) => {
    const isWebp = Buffer.from(bytes.subarray(8, 12)).toString('latin1') === 'WEBP';
    if (!isWebp) throw new Error('the preview is not a WebP image');
    return done(dependencies.previews.keep(known(gallery.get(id)).entry, bytes, seconds));
  },
};

/** @throws the failure that the reply reports */
export function answerRequest<Name extends RequestName>(
  name: Name,
  body: BodyOf<Name>,
  asking: Asking,
): Promise<ReplyOf<Name>> {
  return answers[name](body, asking);
}

/** Reply of a request that returns nothing. */
async function done(work: unknown): Promise<null> {
  await work;
  return null;
}

/** The result may have been removed from the library meanwhile. */
function known(result: Result | undefined): Result {
  if (!result) throw new Error(vscode.l10n.t('This result is no longer in the library.'));
  return result;
}

async function actOnNotice(action: string, session: CreateSession): Promise<void> {
  const { executeCommand } = vscode.commands;
  switch (action) {
    case 'manageTrust':
      return executeCommand('workbench.trust.manage').then(() => undefined);
    case 'openFolder':
      return executeCommand('workbench.action.files.openFolder').then(() => undefined);
    case 'connectService':
      await executeCommand(commandIds.connectService);
      break;
    case 'openProxySettings':
      return openProxySettings();
    case 'setApiKey':
    case 'useSandbox':
    case 'setUpService':
    case 'showLog':
      await buttonOf(action).run();
  }
  await session.checkReadiness();
}

/**
 * Returns the composer's request. Missing and wrong values are left to the validation that every request goes through.
 *
 * @param texts by the fields' names on the wire
 * @param filesOf returns the files of a field
 */
export function requestOf(
  id: OperationId,
  texts: Readonly<Record<string, string>>,
  filesOf: (field: string) => readonly string[],
): Readonly<Record<string, unknown>> {
  const { fields }: Operation = operations[id];
  return Object.fromEntries(
    fields.map((field) => {
      const text = texts[field.name] ?? '';
      switch (field.type) {
        case 'integer':
          return [field.name, /^\d+$/.test(text.trim()) ? Number(text) : text];
        case 'images':
          return [field.name, filesOf(field.name)];
        case 'image':
        case 'audioFile':
          return [field.name, filesOf(field.name)[0] ?? ''];
        default:
          return [field.name, text];
      }
    }),
  );
}
