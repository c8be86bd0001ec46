import { posix } from 'node:path';
import * as vscode from 'vscode';
import { callerOf } from '../../editor/Caller.ts';
import type { DocumentPlaces } from '../../editor/DocumentPlaces.ts';
import { isMediaInput, uriOf } from '../../editor/MediaInputs.ts';
import { notify } from '../../editor/notify.ts';
import { movedUri } from '../../editor/openDocuments.ts';
import { type AnswersTo, PageHost } from '../../editor/PageHost.ts';
import { pickFile } from '../../editor/pickFile.ts';
import { runCommand } from '../../editor/runCommand.ts';
import type { Settings } from '../../editor/Settings.ts';
import { asMediaError, markFor, readSource, type SourceFile, saveBeside } from '../../editor/SourceFile.ts';
import { logError } from '../../editor/showError.ts';
import type { Window } from '../../editor/Window.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import { openUris } from '../../editor/workspaceFiles.ts';
import { nameIn } from '../../files/pathFrom.ts';
import { isObject } from '../../foreign/shape.ts';
import { pictureFormat, pictureSize } from '../../images/codecs/pictureFile.ts';
import type { CropArea, ImageChange } from '../../images/ImageChange.ts';
import { faviconLines, makeFavicons, webManifest } from '../../images/makeFavicons.ts';
import { checkChange, enlargedSentence, transformImage } from '../../images/transformImage.ts';
import type { Asset } from '../../library/LibraryRecord.ts';
import { nameNew, saveBytes } from '../../library/saveMedia.ts';
import { MediaError, reasonOf } from '../../operations/MediaError.ts';
import { isEditableImage, outputExtensions } from '../../operations/operations.ts';
import { type ImageMessage, type ImageStart, imageRequests } from '../../webview/protocol/imageEditor.ts';

/** The command of local edits; loaded on first use. */
export class ImageCommands implements vscode.Disposable {
  readonly #dependencies: Pick<Window, 'settings' | 'places' | 'projects' | 'log' | 'context'>;
  readonly #tabs = new Set<ImageTab>();

  constructor(dependencies: Pick<Window, 'settings' | 'places' | 'projects' | 'log' | 'context'>) {
    this.#dependencies = dependencies;
  }

  dispose(): void {
    for (const tab of this.#tabs) tab.dispose();
  }

  /**
   * Edits an image as the argument says. Without a file, edits the image in the active tab, or asks for one. Without an
   * edit, opens a tab in which the person makes one.
   *
   * @param argument `{file, width, height, format, quality}`, a Uri from the Explorer, or an item of a view
   * @returns the saved assets; undefined when nothing was saved
   * @throws MediaError, whose message ends with its kind, when a program gave the argument
   */
  transform(argument: unknown): Promise<readonly Asset[] | undefined> {
    return runCommand(callerOf(argument), this.#dependencies, async () => {
      try {
        const { file, change } = await readChange(argument, this.#dependencies.places);
        const uri = file ?? (await choosePicture(vscode.l10n.t('Resize, Crop or Convert Image')));
        if (!uri) return undefined;
        return change ? [await this.#apply(uri, change)] : await this.#edit(uri);
      } catch (error) {
        throw asMediaError(error);
      }
    });
  }

  /**
   * Saves the icons of a website beside an image, with their HTML lines. Without a file, takes the image in the active
   * tab, or asks for one.
   *
   * @param argument `{file}`
   * @returns the saved icons; undefined when the person chose no image
   * @throws MediaError, whose message ends with its kind, when a program gave the argument
   */
  saveFavicons(argument: unknown): Promise<readonly Asset[] | undefined> {
    const caller = callerOf(argument);
    return runCommand(caller, this.#dependencies, async () => {
      try {
        const { file } = await readChange(argument, this.#dependencies.places, ['file']);
        const uri = file ?? (await choosePicture(vscode.l10n.t('Save Favicon Set')));
        if (!uri) return undefined;
        const set = await saveFaviconSet(
          await readSource(uri, this.#dependencies.places),
          undefined,
          this.#dependencies,
        );
        if (caller === 'person') void offerPage(set);
        return set.assets;
      } catch (error) {
        throw asMediaError(error);
      }
    });
  }

  async #apply(uri: vscode.Uri, change: Parameters<typeof transformImage>[1]): Promise<Asset> {
    const { places, settings, log } = this.#dependencies;
    const name = posix.basename(uri.path);
    const source = await readSource(uri, places);
    const file = await transformImage(source.bytes, change, markFor(source, settings)).catch((error: unknown) => {
      throw asMediaError(error, name);
    });
    const asset = await saveBeside(source, posix.parse(name).name, file, places);
    if (settings.get('openAfterSave')) {
      await openUris([asset.uri]).catch((error: unknown) =>
        log.warn(`The image could not be opened: ${String(error)}`),
      );
    }
    return asset;
  }

  /** Resolves when the person closes the tab. */
  async #edit(uri: vscode.Uri): Promise<readonly Asset[] | undefined> {
    const tab = new ImageTab(await readSource(uri, this.#dependencies.places), this.#dependencies);
    this.#tabs.add(tab);
    const saved = await tab.closed;
    this.#tabs.delete(tab);
    return saved.length > 0 ? saved : undefined;
  }
}

/** Returns the image of the active tab, or else asks for one. */
async function choosePicture(title: string): Promise<vscode.Uri | undefined> {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  if (input instanceof vscode.TabInputCustom && isEditableImage(input.uri.path)) return input.uri;
  return pickFile(title, vscode.l10n.t('Choose an image'), outputExtensions.images);
}

/** Says where the HTML lines are, with a button that shows them. */
async function offerPage({ assets, others, notes }: FaviconSet): Promise<void> {
  const show = vscode.l10n.t('Show HTML');
  const names = [...assets.map(({ uri }) => uri), ...others].map(nameIn).join(', ');
  const sentence = vscode.l10n.t('Saved {0}. The HTML lines for your pages are on the clipboard.', names);
  if ((await notify.information([sentence, ...notes].join(' '), show)) === show) await openUris([others[1]]);
}

const fields = ['file', 'width', 'height', 'format', 'quality'];

/**
 * Reads the argument of a command.
 *
 * @param known the fields that it may have
 * @throws MediaError `invalidInput`, or ImageError, that names the field
 */
export async function readChange(
  argument: unknown,
  places: WorkspacePlaces,
  known: readonly string[] = fields,
): Promise<{
  readonly file: vscode.Uri | undefined;
  /** Undefined when the argument asks for no edit, so that a person makes one. */
  readonly change: ImageChange | undefined;
}> {
  if (argument === undefined) return { file: undefined, change: undefined };
  if (argument instanceof vscode.Uri) return { file: argument, change: undefined };
  if (!isObject(argument)) throw invalid('file', vscode.l10n.t('The argument must be an object that names a file.'));
  if (isItem(argument)) return { file: pictureOf(argument.uris), change: undefined };
  const given = new Map<string, unknown>(Object.entries(argument).filter(([, value]) => value !== undefined));
  for (const name of given.keys()) {
    if (!known.includes(name)) throw invalid(name, vscode.l10n.t('{0} is not a field of this command.', name));
  }
  const file = given.get('file');
  if (file !== undefined && !isMediaInput(file))
    throw invalid('file', vscode.l10n.t('file must be the URI or the path of an image.'));
  if (typeof file === 'string' && /^(https?|data):/i.test(file)) {
    throw invalid(
      'file',
      vscode.l10n.t('file must be a file, not a web address, because the result is saved beside it.'),
    );
  }
  const change = {
    width: given.get('width'),
    height: given.get('height'),
    format: given.get('format'),
    quality: given.get('quality'),
  };
  // Before any file is read.
  checkChange(change);
  const uri = typeof file === 'string' ? await locate(file, places) : file;
  const isChange = Object.values(change).some((value) => value !== undefined);
  return { file: uri, change: isChange ? change : undefined };
}

/** Whether an argument is an item of a tree, which holds the files of a job. */
export function isItem(argument: unknown): argument is { readonly uris: readonly unknown[] } {
  return isObject(argument) && Array.isArray(argument.uris);
}

/** @param file a path or a URI */
async function locate(file: string, places: WorkspacePlaces): Promise<vscode.Uri> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const isWhole = /^([a-z][a-z0-9+.-]*:|[\\/])/i.test(file);
  if (isWhole) return uriOf(file, folder?.uri ?? vscode.Uri.file('/'));
  if (!folder) throw invalid('file', vscode.l10n.t('file is a relative path, but no folder is open.'));
  // The workspace folder of the active file, or the first one.
  const reference = await places.referenceFor('images', false);
  return uriOf(file, reference ? vscode.Uri.parse(reference.root, true) : folder.uri);
}

function pictureOf(uris: readonly unknown[]): vscode.Uri | undefined {
  const picture = uris.find((uri) => typeof uri === 'string' && isEditableImage(uri));
  return typeof picture === 'string' ? vscode.Uri.parse(picture, true) : undefined;
}

function invalid(field: string, sentence: string): MediaError {
  return new MediaError('invalidInput', sentence, { field });
}

/** A tab in which a person edits one image. */
export class ImageTab implements vscode.Disposable {
  /** Resolves to everything saved from the tab, when it is closed. */
  readonly closed: Promise<readonly Asset[]>;
  #uri: vscode.Uri;
  /** The file as the page shows it. */
  #source: SourceFile;
  readonly #dependencies: Pick<Window, 'settings' | 'places' | 'projects' | 'log' | 'context'>;
  readonly #panel: vscode.WebviewPanel;
  readonly #host: PageHost<typeof imageRequests>;
  readonly #saved: Asset[] = [];
  #lastSaved: readonly string[] = [];
  #measuring = new AbortController();

  constructor(source: SourceFile, dependencies: Pick<Window, 'settings' | 'places' | 'projects' | 'log' | 'context'>) {
    this.#uri = source.uri;
    this.#source = source;
    this.#dependencies = dependencies;
    const { context, log } = dependencies;
    const title = titleFor(source.uri);
    this.#panel = vscode.window.createWebviewPanel('unifiedMedia.imageEditor', title, vscode.ViewColumn.Active);
    const renames = vscode.workspace.onDidRenameFiles(({ files }) => this.#follow(files));
    this.closed = new Promise((resolve) => {
      this.#panel.onDidDispose(() => {
        renames.dispose();
        this.#measuring.abort();
        resolve(this.#saved);
      });
    });
    this.#host = new PageHost(this.#panel, {
      file: { name: 'imageEditor', id: 'image-editor', title },
      requests: imageRequests,
      answers: this.#answers(),
      extensionUri: context.extensionUri,
      log,
      roots: () => [vscode.Uri.joinPath(this.#uri, '..')],
      start: () => this.#start(),
      onReady: () => this.#show(),
      failed: (error) => {
        const failure = asMediaError(error);
        // A newer request replaced the one that was aborted.
        if (!(failure instanceof Error && failure.name === 'AbortError')) logError(failure, log);
        return reasonOf(failure);
      },
    });
  }

  dispose(): void {
    this.#panel.dispose();
  }

  #start(): ImageStart {
    const { bytes, sha256 } = this.#source;
    return {
      name: posix.basename(this.#uri.path),
      // The browser loads changed bytes only from another address.
      source: `${this.#panel.webview.asWebviewUri(this.#uri)}?version=${sha256}`,
      bytes: bytes.length,
      format: pictureFormat(bytes) ?? 'png',
    };
  }

  #show(): void {
    this.#host.post({ type: 'show', start: this.#start() } satisfies ImageMessage);
  }

  #follow(files: vscode.FileRenameEvent['files']): void {
    const moved = movedUri(this.#uri, files);
    if (moved === this.#uri) return;
    this.#uri = moved;
    this.#panel.title = titleFor(moved);
    this.#host.load();
  }

  /** Reads the file, and shows it again if it changed. */
  async #read(): Promise<SourceFile> {
    const source = await readSource(this.#uri, this.#dependencies.places);
    const isSame = source.sha256 === this.#source.sha256;
    this.#source = source;
    if (!isSame) this.#show();
    return source;
  }

  /** @throws MediaError if the page showed something else */
  async #readShown(): Promise<SourceFile> {
    const shown = this.#source.sha256;
    const source = await this.#read();
    if (source.sha256 === shown) return source;
    const name = posix.basename(source.uri.path);
    throw invalid('file', vscode.l10n.t('{0} has changed and is shown as it is now. Save again if it is right.', name));
  }

  #answers(): AnswersTo<typeof imageRequests> {
    const mark = (source: SourceFile) => markFor(source, this.#dependencies.settings);
    return {
      measure: async ({ change }) => {
        this.#measuring.abort();
        const measuring = new AbortController();
        this.#measuring = measuring;
        const source = await this.#read();
        const { bytes } = await transformImage(source.bytes, change, { ...mark(source), signal: measuring.signal });
        return { bytes: bytes.length };
      },
      save: async ({ change }) => {
        const source = await this.#readShown();
        const file = await transformImage(source.bytes, change, mark(source));
        const asset = await saveBeside(source, posix.parse(source.uri.path).name, file, this.#dependencies.places);
        this.#saved.push(asset);
        this.#lastSaved = [asset.uri];
        return { name: nameIn(asset.uri), bytes: asset.bytes, notes: enlargedSentence(file) };
      },
      saveFavicons: async ({ crop }) => {
        const { assets, others, notes } = await saveFaviconSet(await this.#readShown(), crop, this.#dependencies);
        this.#saved.push(...assets);
        this.#lastSaved = [...assets.map(({ uri }) => uri), ...others];
        return { names: this.#lastSaved.map(nameIn).join(', '), notes: notes.join(' ') };
      },
      open: async () => {
        await openUris(this.#lastSaved);
        return null;
      },
    };
  }
}

function titleFor({ path }: vscode.Uri): string {
  return vscode.l10n.t('Change {0}', posix.basename(path));
}

/** The saved files of a website's icon. */
interface FaviconSet {
  readonly assets: readonly Asset[];
  /** URIs of the web manifest and of the page with the lines for the head of the site's pages. */
  readonly others: readonly [manifest: string, page: string];
  /** Sentences that say what the icons lack. */
  readonly notes: readonly string[];
}

interface FaviconPlaces {
  readonly settings: Pick<Settings, 'get'>;
  readonly places: WorkspacePlaces;
  /** Knows at which addresses a project serves its files. */
  projects(): Promise<DocumentPlaces>;
}

/**
 * Saves the icons of a website beside a picture, with a web manifest and `favicon.html`, which has the lines for the
 * head of the site's pages. These lines are put on the clipboard, too. Existing files are kept: the new ones get a
 * number.
 *
 * @param crop part of the picture to use; default: all of it
 * @throws ImageError like `makeFavicons`, MediaError `save`
 */
async function saveFaviconSet(
  source: SourceFile,
  crop: CropArea | undefined,
  { places, projects, settings }: FaviconPlaces,
): Promise<FaviconSet> {
  const files = await makeFavicons(source.bytes, crop, markFor(source, settings));
  const assets: Asset[] = [];
  for (const file of files) assets.push(await saveBeside(source, posix.parse(file.name).name, file, places));
  const names = assets.map(({ uri }) => nameIn(uri));
  const manifest = await saveText(source, ['site', 'webmanifest'], webManifest(names), places);
  const saved = [...assets.map(({ uri }) => uri), manifest];
  const lines = faviconLines(await Promise.all(saved.map((uri) => addressOf(uri, source.uri, projects))));
  const page = await saveText(source, ['favicon', 'html'], lines, places);
  await vscode.env.clipboard.writeText(lines);
  const { width, height } = crop ?? pictureSize(source.bytes) ?? { width: 1, height: 1 };
  const cropped = width === height ? [] : [vscode.l10n.t('The image is not square, so its middle was used.')];
  const largest = files.at(-1);
  const enlarged = (largest && enlargedSentence(largest)) ?? [];
  return { assets, others: [manifest, page], notes: [...cropped, enlarged].flat() };
}

/** Saves a text beside the picture, under a free name, and returns its URI. */
async function saveText(
  { uri }: SourceFile,
  [name, extension]: readonly [string, string],
  text: string,
  places: WorkspacePlaces,
): Promise<string> {
  const { folder } = places.placeAt(places.referenceBeside(uri));
  const saved = await saveBytes(
    folder,
    new TextEncoder().encode(text),
    (created) => nameNew(folder, created, name, extension),
    (reason) => vscode.l10n.t('The icons were saved, but not {0}: {1}.', `${name}.${extension}`, reason),
  );
  return folder.uriOf(saved);
}

/** Returns the address of a file in the site's pages: the one at which the project serves it, else a relative one. */
async function addressOf(uri: string, source: vscode.Uri, projects: FaviconPlaces['projects']): Promise<string> {
  const page = { uri: vscode.Uri.joinPath(source, '../favicon.html'), languageId: 'html' };
  const { places, document } = (await projects()).placeOf(page);
  const { address } = await places.write(document, vscode.Uri.parse(uri, true).path, { form: 'site' });
  return encodeURI(address);
}
