import * as vscode from 'vscode';
import { commandIds, libraryTabType, viewIds } from '../../contributions.ts';
import { notify } from '../../editor/notify.ts';
import type { AnswersTo } from '../../editor/PageHost.ts';
import { PageHost } from '../../editor/PageHost.ts';
import { buttonOf, openProxySettings } from '../../editor/showError.ts';
import { deleteFile, openUris } from '../../editor/workspaceFiles.ts';
import { typedValue } from '../../operations/fields.ts';
import { MediaError } from '../../operations/MediaError.ts';
import type { Field, Operation, OperationId } from '../../operations/operations.ts';
import { operations, takesFiles } from '../../operations/operations.ts';
import type { HostMessage, Item, ItemAction, Parts, Start } from '../../webview/protocol/messages.ts';
import { pageSize, requests } from '../../webview/protocol/messages.ts';
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
    const connection = new ViewConnection(view, 'view', this.#session);
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
    const connection = new ViewConnection(panel, 'tab', this.#session);
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

/** Sends a webview the parts of the session that changed, and answers its requests. */
class ViewConnection implements vscode.Disposable {
  readonly #session: CreateSession;
  readonly #place: Start['place'];
  readonly #context: ItemContext;
  readonly #host: PageHost<typeof requests>;
  readonly #subscription: vscode.Disposable;
  readonly #changed = new Set<Part>();
  #roots: readonly vscode.Uri[];
  #isSending = false;
  #timer: NodeJS.Timeout | undefined;
  #selected: string | undefined;

  constructor(view: vscode.WebviewView | vscode.WebviewPanel, place: Start['place'], session: CreateSession) {
    const { extensionUri, log, memory, previews } = session.dependencies;
    this.#session = session;
    this.#place = place;
    this.#roots = session.roots;
    const load = (uri: vscode.Uri) => view.webview.asWebviewUri(uri).toString();
    this.#context = { load, previewOf: ({ entry }) => previews.of(entry) };
    const asking: Asking = { session, place, context: this.#context, isVisible: () => view.visible };
    this.#host = new PageHost(view, {
      file: { name: 'main', id: 'create', title: vscode.l10n.t('Create') },
      requests,
      answers: answersOf(asking),
      extensionUri,
      log,
      roots: () => [session.inputs.folder, previews.folder, ...this.#roots],
      start: (): Start => ({
        draft: readDraft(memory, place),
        place,
        parts: { setup: setupOf(session, place), jobs: session.cards },
      }),
      onReady: () => this.#begin(),
      failed: (error, request) => {
        log.warn(`${request} failed.`);
        return error instanceof Error ? error.message : String(error);
      },
    });
    void session.gallery.follow(this.#roots);
    this.#subscription = vscode.Disposable.from(
      session.onDidChange((change) => this.#note(change)),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.#follow()),
    );
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#subscription.dispose();
  }

  /** Selects a result in the tab. */
  select(id: string): void {
    this.#selected = id;
    if (this.#host.isReady) this.#post({ type: 'select', id });
  }

  #note(change: Change): void {
    this.#follow();
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

  /** Loads the page again when the folders change, because the folders that a view may load from are set with the page. */
  #follow(): void {
    const { gallery, roots } = this.#session;
    if (roots.join() === this.#roots.join()) return;
    this.#roots = roots;
    this.#host.load();
    void gallery.follow(roots);
  }

  #begin(): void {
    for (const part of ['setup', 'jobs', 'library'] as const) this.#changed.add(part);
    void this.#flush();
    if (this.#selected !== undefined) this.#post({ type: 'select', id: this.#selected });
    // Both may have changed while the view was hidden.
    void this.#session.gallery.read();
    void this.#session.checkReadiness();
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#host.isReady || this.#isSending || this.#changed.size === 0) return;
    this.#isSending = true;
    try {
      const changed = new Set(this.#changed);
      this.#changed.clear();
      const library = changed.has('library') ? await this.#library() : undefined;
      const jobs = changed.has('jobs') ? this.#session.cards : undefined;
      const setup = changed.has('setup') ? setupOf(this.#session, this.#place) : undefined;
      this.#post({ type: 'parts', parts: { library, jobs, setup } });
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
    const first: readonly Item[] = await Promise.all(newest.map((one) => itemOf(one, this.#context)));
    const hasSandbox = all.some(({ entry }) => entry.sandbox === true);
    return { revision, total: all.length, models, isRead, hasSandbox, first };
  }

  #post(message: HostMessage): void {
    this.#host.post(message);
  }
}

async function actOnItem(result: Result, action: ItemAction, session: CreateSession): Promise<void> {
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
      return run(commandIds.insertAsset, { uri, title: prompt });
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
interface Asking {
  readonly session: CreateSession;
  readonly place: Start['place'];
  readonly context: ItemContext;
  isVisible(): boolean;
}

const maxPrompts = 50;
/** Maximum length of a prompt in the history, in characters. Longer ones are documents that were read aloud. */
const maxPromptLength = 20_000;

function answersOf({ session, place, context, isVisible }: Asking): AnswersTo<typeof requests> {
  const { gallery, connector, dependencies } = session;
  return {
    keepDraft: async ({ draft }) => done(keepDraft(dependencies.memory, place, draft)),
    attach: ({ tab, switched, source }) => attach(tab, switched, source, session, context.load),
    attachItem: async ({ id, as }) => {
      const result = gallery.get(id);
      const attachment = result && (await attachmentOfResult(result, as, session, context.load));
      return attachment ? [attachment] : [];
    },
    submit: async ({ operation, values, files }) => {
      const { fields }: Operation = operations[operation];
      const unknown = [...Object.keys(values), ...Object.keys(files)].find(
        (name) => !fields.some((one) => one.name === name),
      );
      if (unknown !== undefined) throw new Error(`${operation} has no field ${unknown}.`);
      const request = requestOf(operation, values, (name) => files[name] ?? []);
      return session.submit(operation, request, isVisible);
    },
    connect: async ({ service, isTried }) => {
      const reply = await connector.connect(service, isTried);
      if (reply.connected) await session.checkReadiness();
      return reply;
    },
    closeConnecting: async () => done(session.closeConnecting()),
    stopConnecting: async () => done(connector.stop()),
    saveModels: async ({ models }) => done(connector.saveModels(models)),
    loadModels: async ({ operation }) => done(session.loadModels(operation)),
    history: async ({ tab }) => {
      const ofTab = gallery.all.filter(({ entry }) => tabs[tab].text && tabOf(entry.operation) === tab);
      const prompts = new Set<string>();
      for (const { entry } of ofTab) {
        if (entry.prompt && entry.prompt.length <= maxPromptLength) prompts.add(entry.prompt);
        if (prompts.size === maxPrompts) break;
      }
      return [...prompts];
    },
    page: async ({ filter, from, limit }) => {
      const { revision } = gallery;
      const results = gallery.select(filter);
      const items = await Promise.all(results.slice(from, from + limit).map((result) => itemOf(result, context)));
      return { revision, total: results.length, items };
    },
    details: ({ id }) => detailsOf(known(gallery.get(id)), gallery, context),
    jobPrompt: async ({ id }) => session.promptOf(id),
    actOnJob: async ({ id, action }) => done(session.actOnJob(id, action, isVisible)),
    actOnItem: async ({ id, action }) => done(actOnItem(known(gallery.get(id)), action, session)),
    actOnNotice: async ({ action }) => done(actOnNotice(action, session)),
    keepPreview: async ({ id, bytes, seconds }) => {
      const isWebp = Buffer.from(bytes.subarray(8, 12)).toString('latin1') === 'WEBP';
      if (!isWebp) throw new Error('the preview is not a WebP image');
      return done(dependencies.previews.keep(known(gallery.get(id)).entry, bytes, seconds));
    },
  };
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
  const composed = (field: Field): unknown => {
    if (!takesFiles(field)) return typedValue(field, texts[field.name] ?? '');
    const files = filesOf(field.name);
    return field.type === 'images' ? files : (files[0] ?? '');
  };
  return Object.fromEntries(fields.map((field) => [field.name, composed(field)]));
}
