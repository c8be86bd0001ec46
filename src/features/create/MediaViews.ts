import * as vscode from 'vscode';
import { commandIds, libraryTabType, viewIds } from '../../contributions.ts';
import { run } from '../../editor/commands.ts';
import { Refresh } from '../../editor/LibraryReaders.ts';
import { uriArgument } from '../../editor/MediaInputs.ts';
import { notify } from '../../editor/notify.ts';
import { type AnswersTo, PageHost } from '../../editor/PageHost.ts';
import { buttonOf, logError, openProxySettings, showError } from '../../editor/showError.ts';
import type { Window } from '../../editor/Window.ts';
import { openUris, uriOf } from '../../editor/workspaceFiles.ts';
import { nameOf } from '../../foreign/nameOf.ts';
import { checked, count, flag, isObject, list, objectWith, type Shaped, text } from '../../foreign/shape.ts';
import { isVideo } from '../../library/Lineage.ts';
import { altTextOf } from '../../library/origins.ts';
import { typedValue } from '../../operations/fields.ts';
import { MediaError, reasonOf } from '../../operations/MediaError.ts';
import {
  type Field,
  field,
  type Operation,
  type OperationId,
  operationIds,
  operations,
  takesFiles,
} from '../../operations/operations.ts';
import {
  type ComposedWith,
  type FeedItem,
  type HostMessage,
  type Move,
  type Parts,
  pageSize,
  type ResultVariant,
  requests,
  type Start,
} from '../../webview/protocol/messages.ts';
import { tabOf } from '../../webview/protocol/tabs.ts';
import { attach, attachmentOfResult } from './attach.ts';
import { CreateSession, setupOf, type ViewChange } from './CreateSession.ts';
import { keepDraft, readDraft } from './FormInputs.ts';
import { detailsOf, type GalleryResult, headingOf, type ItemContext, itemOf, matching } from './Gallery.ts';
import { actOnItems, keepOnly, offerPath } from './itemActions.ts';
import { recall } from './recall.ts';

/** The views that show this window's session: the one in the side bar and the library's tab. */
export class MediaViews implements vscode.Disposable {
  readonly #session: CreateSession;
  #view: ViewConnection | undefined;
  /** What the view puts into its composer once it is there. */
  #composed: Composed | ComposedWith | undefined;
  #tab: { readonly panel: vscode.WebviewPanel; readonly connection: ViewConnection } | undefined;
  #comparing: ((number: number | undefined) => void) | undefined;

  constructor(dependencies: Window) {
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
    const connection = this.#connect(view, 'view');
    this.#view = connection;
    if (this.#composed) connection.compose(this.#composed);
    this.#composed = undefined;
    view.onDidDispose(() => {
      connection.dispose();
      if (this.#view === connection) this.#view = undefined;
    });
  }

  /** Attaches files to the composer in the side bar, which takes the focus. */
  async compose(operation: unknown, uris: unknown): Promise<void> {
    const id = operationIds.find((one) => one === operation);
    if (!id || !Array.isArray(uris)) return;
    await this.#compose({ operation: id, uris: uris.filter((one) => one instanceof vscode.Uri).map(String) });
  }

  /** Puts all that a video was made with into the composer in the side bar. */
  async usePrompt(video: unknown): Promise<void> {
    if (!isVideo(video)) return;
    const { root, entry } = video;
    const { gallery, roots } = this.#session;
    await gallery.follow(roots);
    const isIt = (one: GalleryResult) =>
      one.root.toString() === root && one.entry.createdAt === entry.createdAt && one.entry.file === entry.file;
    const result = gallery.all.find(isIt);
    if (result) await this.#compose({ id: result.id, of: 'result', action: 'usePrompt' });
  }

  #connect(view: vscode.WebviewView | vscode.WebviewPanel, place: Start['place']): ViewConnection {
    return new ViewConnection(view, place, {
      session: this.#session,
      useInView: (source) => this.#compose(source),
      chooseVariant: (number) => this.#comparing?.(number ?? undefined),
    });
  }

  /**
   * Compares the variants of an asset in the library's tab.
   *
   * @returns the number of the variant to keep; undefined when the person closed the comparison
   */
  async compareVariants(argument: unknown): Promise<number | undefined> {
    const { name, variants } = checked(isComparison, argument) ?? {};
    if (name === undefined || !variants) return undefined;
    this.#comparing?.(undefined);
    await this.openLibrary(undefined);
    const tab = this.#tab;
    if (!tab) return undefined;
    const chosen = new Promise<number | undefined>((resolve) => {
      this.#comparing = resolve;
    });
    const closing = tab.panel.onDidDispose(() => this.#comparing?.(undefined));
    tab.connection.compare({ name, variants });
    return chosen.finally(() => closing.dispose());
  }

  async #compose(composed: Composed | ComposedWith): Promise<void> {
    if (this.#view) this.#view.compose(composed);
    else this.#composed = composed;
    await vscode.commands.executeCommand(`${viewIds.create}.focus`);
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
    const icon = (name: string) => vscode.Uri.joinPath(this.#session.dependencies.context.extensionUri, 'media', name);
    panel.iconPath = { light: icon('media.svg'), dark: icon('media-dark.svg') };
    const connection = this.#connect(panel, 'tab');
    const tab = { panel, connection };
    this.#tab = tab;
    panel.onDidDispose(() => {
      connection.dispose();
      if (this.#tab === tab) this.#tab = undefined;
    });
  }
}

/** The variants of an asset of a manifest, and the asset's path. */
const isComparison = objectWith({
  name: text(),
  variants: list(objectWith({ number: count, file: text(), isChosen: flag })),
});
/** @throws MediaError `invalidInput` */
function requestedAsset(argument: unknown): { readonly uri?: vscode.Uri; readonly id?: string } {
  if (!isObject(argument)) return {};
  const { uri, id } = argument;
  return typeof id === 'string' ? { id } : { uri: uriArgument(uri) };
}

/** Minimum time between progress updates, in milliseconds. Bytes arrive more often. */
const progressPause = 100;

/** Files for an operation in the composer. */
interface Composed {
  readonly operation: OperationId;
  /** URIs. */
  readonly uris: readonly string[];
}

/** Sends a webview the parts of the session that changed, and answers its requests. */
class ViewConnection implements vscode.Disposable {
  readonly #session: CreateSession;
  readonly #place: Start['place'];
  readonly #context: ItemContext;
  readonly #host: PageHost<typeof requests>;
  readonly #subscription: vscode.Disposable;
  readonly #changed = new Set<keyof Parts>();
  #roots: readonly vscode.Uri[];
  readonly #sending = new Refresh(() => this.#send());
  #timer: NodeJS.Timeout | undefined;
  #selected: string | undefined;
  #composed: Composed | ComposedWith | undefined;
  #compared: Shaped<typeof isComparison> | undefined;
  /** Renamed and moved files that the composer does not know of yet. */
  #moves: readonly Move[] = [];

  constructor(
    view: vscode.WebviewView | vscode.WebviewPanel,
    place: Start['place'],
    asked: Pick<Asking, 'session' | 'useInView' | 'chooseVariant'>,
  ) {
    const { session } = asked;
    const { context, log, memory, previews } = session.dependencies;
    this.#session = session;
    this.#place = place;
    this.#roots = session.roots;
    const load = (uri: vscode.Uri) => view.webview.asWebviewUri(uri).toString();
    this.#context = {
      load,
      usesSandbox: () => session.dependencies.settings.usesSandbox,
      altTextOf: (result) => altTextOf(result, session.gallery.all),
      previewOf: ({ entry }) => previews.of(entry),
    };
    const asking: Asking = {
      ...asked,
      context: this.#context,
      isVisible: () => view.visible,
      show: () => this.#host.focus(),
      chooseVariant: (number) => {
        this.#compared = undefined;
        asked.chooseVariant(number);
      },
    };
    this.#host = new PageHost(view, {
      file: { name: 'main', id: 'create', title: vscode.l10n.t('Create') },
      requests,
      answers: answersOf(asking),
      extensionUri: context.extensionUri,
      log,
      roots: () => [session.inputs.folder, session.voices.folder, previews.folder, ...this.#roots],
      start: (): Start => ({
        id: crypto.randomUUID(),
        draft: readDraft(memory),
        place,
        parts: { ...(place === 'view' && { setup: setupOf(session) }), jobs: session.cards },
      }),
      onReady: () => this.#begin(),
      failed: (error, request) => {
        log.warn(`${request} failed.`);
        return reasonOf(error);
      },
    });
    void session.gallery.follow(this.#roots);
    this.#subscription = vscode.Disposable.from(
      session.onDidChange((change) => this.#note(change)),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.#follow()),
      vscode.workspace.onDidRenameFiles(({ files }) => this.#noteMoves(files)),
    );
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#subscription.dispose();
  }

  /** Fills the composer once the page is ready. */
  compose(composed: Composed | ComposedWith): void {
    this.#composed = composed;
    if (this.#host.isReady) void this.#compose();
  }

  async #compose(): Promise<void> {
    const composed = this.#composed;
    if (!composed) return;
    this.#composed = undefined;
    if ('action' in composed) return this.#post({ type: 'use', source: composed });
    const { operation, uris } = composed;
    const tab = tabOf(operation);
    try {
      const attachments = await attach(tab, [], { from: 'uris', uris }, this.#session, this.#context.load);
      this.#post({ type: 'compose', tab, attachments });
    } catch (error) {
      void showError(error);
    }
  }

  /** Selects a result in the tab. */
  select(id: string): void {
    this.#selected = id;
    if (this.#host.isReady) this.#select();
  }

  #select(): void {
    if (this.#selected === undefined) return;
    this.#post({ type: 'select', id: this.#selected });
    this.#selected = undefined;
  }

  /** Shows variants side by side in the tab until one is chosen. */
  compare(compared: Shaped<typeof isComparison>): void {
    this.#compared = compared;
    if (this.#host.isReady) this.#compare();
  }

  #compare(): void {
    if (!this.#compared) return;
    const { name, variants } = this.#compared;
    const shown = variants.map(({ number, file, isChosen }): ResultVariant => {
      return { number, source: this.#context.load(vscode.Uri.file(file)), isChosen };
    });
    this.#post({ type: 'compare', name, variants: shown });
  }

  #noteMoves(files: vscode.FileRenameEvent['files']): void {
    if (this.#place === 'tab') return;
    const { load } = this.#context;
    const moves = files.map(({ oldUri, newUri }): Move => {
      const [from, to] = [oldUri.toString(), newUri.toString()];
      return { from, to, name: nameOf(to), shownFrom: load(oldUri), shownTo: load(newUri) };
    });
    this.#moves = [...this.#moves, ...moves];
    if (this.#host.isReady) this.#move();
  }

  #move(): void {
    if (this.#moves.length === 0) return;
    this.#post({ type: 'moved', moves: this.#moves });
    this.#moves = [];
  }

  #note(change: ViewChange): void {
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
    this.#move();
    void this.#compose();
    this.#compare();
    this.#select();
    // Both may have changed while the view was hidden.
    void this.#session.gallery.read();
    void this.#session.checkReadiness();
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#sending.request();
  }

  async #send(): Promise<void> {
    if (!this.#host.isReady || this.#changed.size === 0) return;
    const changed = new Set(this.#changed);
    this.#changed.clear();
    const library = changed.has('library') ? await this.#library() : undefined;
    const jobs = changed.has('jobs') ? this.#session.cards : undefined;
    const setup = this.#place === 'view' && changed.has('setup') ? setupOf(this.#session) : undefined;
    this.#post({ type: 'parts', parts: { library, jobs, setup } });
  }

  async #library(): Promise<NonNullable<Parts['library']>> {
    const { gallery } = this.#session;
    const { revision, all, models, isRead } = gallery;
    const newest = all.slice(0, pageSize);
    const first: readonly FeedItem[] = await Promise.all(newest.map((one) => itemOf(one, this.#context)));
    return { revision, total: all.length, models, isRead, first };
  }

  #post(message: HostMessage): void {
    this.#host.post(message);
  }
}

/** The view that sent a request. */
interface Asking {
  readonly session: CreateSession;
  readonly context: ItemContext;
  useInView(source: ComposedWith): Promise<void>;
  /** @param number of a variant, from 1; null when the person closed the comparison */
  chooseVariant(number: number | null): void;
  isVisible(): boolean;
  /** Gives the view the focus. */
  show(): void;
}

/** Actions that ask for a name, a folder or a key, end soon after the answer, and leave the person in the view. */
const askingActions: readonly string[] = ['rename', 'move', 'setApiKey'];

const maxPrompts = 50;
/** Maximum length of a prompt in the history, in characters. Longer ones are documents that were read aloud. */
const maxPromptLength = 20_000;

function answersOf(asking: Asking): AnswersTo<typeof requests> {
  const { session, context, useInView, chooseVariant, isVisible, show } = asking;
  const { gallery, connector, dependencies } = session;
  /** Gives the view the focus again after an input box or a file dialog, as after a dialog with a question. */
  function asked<Reply>(reply: Promise<Reply>): Promise<Reply> {
    return reply.finally(show);
  }
  /** Does what a person clicked. Their page does not wait for it, so a failure is shown here. */
  const told = async (work: () => Promise<unknown>, action = ''): Promise<null> => {
    const doing = work();
    await (askingActions.includes(action) ? asked(doing) : doing).catch((error: unknown) => {
      logError(error, dependencies.log);
      void showError(error);
    });
    return null;
  };
  return {
    keepDraft: async ({ draft }) => done(keepDraft(dependencies.memory, draft)),
    attach: ({ tab, switched, source }) => {
      const attaching = attach(tab, switched, source, session, context.load);
      return 'uris' in source || 'bytes' in source ? attaching : asked(attaching);
    },
    attachItem: async ({ id, as }) => {
      const result = gallery.get(id);
      const attaching = result && attachmentOfResult(result, as, session, context.load);
      // The page shows no failure of it.
      const attachment = await attaching?.catch((error: unknown) => {
        void showError(error);
        throw error;
      });
      return attachment ? [attachment] : [];
    },
    keepMask: ({ bytes }) => session.inputs.fromBytes(field('editImage', 'image_urls'), 'mask.png', bytes),
    submit: async ({ operation, values, files, fields: further, shape, region }) => {
      const { fields }: Operation = operations[operation];
      const unknown = [...Object.keys(values), ...Object.keys(files)].find(
        (name) => !fields.some((one) => one.name === name),
      );
      if (unknown !== undefined) throw new Error(`${operation} has no field ${unknown}.`);
      const request = requestOf(operation, values, (name) => files[name] ?? []);
      const reply = await session.submit(
        operation,
        { ...request, ...(Object.keys(further).length > 0 && { fields: further }) },
        isVisible,
        { shape, region },
      );
      if (reply.outcome === 'declined') show();
      return reply;
    },
    connect: async ({ service, isTried, insecureHost }) => {
      const reply = await connector.connect(service, isTried, insecureHost);
      if (reply.connected) await session.checkReadiness();
      return reply;
    },
    closeConnecting: async () => done(session.closeConnecting()),
    stopConnecting: async () => done(connector.stop()),
    saveModels: async (body) => done(connector.saveModels(body)),
    chooseFile: async ({ field }) => {
      const [file] = (await asked(Promise.resolve(vscode.window.showOpenDialog({ title: field })))) ?? [];
      return file ? file.toString() : null;
    },
    hearVoice: async ({ model, voice }) => {
      let sample: vscode.Uri | undefined;
      await told(async () => {
        sample = await session.voices.hear(model, voice);
      });
      return sample ? context.load(sample) : null;
    },
    keepFavourite: async ({ voice, isFavourite }) => done(session.keepFavourite(voice, isFavourite)),
    forgetModel: async ({ operation, model }) => done(session.forgetModel(operation, model)),
    loadModels: async ({ operation }) => done(session.loadModels(operation)),
    history: async ({ tab }) => {
      const ofTab = gallery.all.filter(({ entry }) => tabOf(entry.operation) === tab);
      const prompts = new Set<string>();
      for (const { entry } of ofTab) {
        if (entry.prompt && entry.prompt.length <= maxPromptLength) prompts.add(entry.prompt);
        if (prompts.size === maxPrompts) break;
      }
      return [...prompts];
    },
    page: async ({ filter, since, from, limit }) => {
      const { revision } = gallery;
      const { results, groups } = gallery.select(filter, since);
      const isMatch = matching(filter);
      const items = await Promise.all(
        results
          .slice(from, from + limit)
          .map(async (result) => ({ ...(await itemOf(result, context)), isHidden: !isMatch(result) })),
      );
      const headings = groups
        .map((one) => ({ from: one.from, title: headingOf(one, filter.group) }))
        .filter((heading) => heading.from > 0 || heading.title !== '');
      return { revision, total: results.length, items, headings };
    },
    details: async ({ id, filter, since }) => {
      const result = known(gallery.get(id));
      const position = gallery.select(filter, since).results.indexOf(result);
      return { ...(await detailsOf(result, gallery, context)), position: position < 0 ? undefined : position };
    },
    items: ({ ids }) => Promise.all(ids.flatMap((id) => gallery.get(id) ?? []).map((one) => itemOf(one, context))),
    recall: (asked) => recall(asked, session, context.load),
    useInView: (source) => told(() => useInView(source)),
    openSource: ({ id, uri }) =>
      told(async () => {
        const { sources } = await detailsOf(known(gallery.get(id)), gallery, context);
        const source = sources.find((one) => one.uri === uri);
        if (source?.uri) await openUris([source.uri]);
      }),
    actOnJob: ({ id, action }) => told(() => session.actOnJob(id, action, isVisible), action),
    actOnItems: async ({ ids, action }) => {
      let isDone = false;
      await told(async () => {
        // Another window may have removed some of several from the library.
        const results = ids.flatMap((id) => gallery.get(id) ?? []);
        isDone = await actOnItems(results.length > 0 ? results : [known(undefined)], action, session);
      }, action);
      return isDone;
    },
    keepOnly: async ({ id, others }) => {
      let isDecided = false;
      await told(async () => {
        const compared = others.flatMap((other) => gallery.get(other) ?? []);
        isDecided = await keepOnly(known(gallery.get(id)), compared, session);
      });
      return isDecided;
    },
    copyRefused: ({ id }) => told(() => offerPath(known(gallery.get(id)))),
    chooseVariant: async ({ number }) => done(chooseVariant(number)),
    actOnNotice: ({ action }) => told(() => actOnNotice(action, session), action),
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
function known(result: GalleryResult | undefined): GalleryResult {
  if (!result) throw new MediaError('invalidInput', vscode.l10n.t('This result is no longer in the library.'));
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
      await run(commandIds.connectService);
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
