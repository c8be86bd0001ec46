import { posix } from 'node:path';
import * as vscode from 'vscode';
import { createPage, pageFolder } from '../../editor/createPage.ts';
import { openUris } from '../../editor/openAssets.ts';
import { logError } from '../../editor/showError.ts';
import { pictureFormat } from '../../images/codecs/pictureFormat.ts';
import { ImageError } from '../../images/ImageError.ts';
import { makeFavicons } from '../../images/makeFavicons.ts';
import { transformImage } from '../../images/transformImage.ts';
import type { Asset } from '../../library/Asset.ts';
import { MediaError, reasonOf } from '../../operations/MediaError.ts';
import type { ImageBodyOf, ImageReplyOf, ImageRequestName, ImageStart } from '../../webview/protocol/imageEditor.ts';
import { imageEnvelope, imageRequests } from '../../webview/protocol/imageEditor.ts';
import type { Reply } from '../../webview/protocol/requests.ts';
import type { ImageDependencies } from './ImageDependencies.ts';
import type { SourcePicture } from './saveBeside.ts';
import { saveBeside } from './saveBeside.ts';

type Answers = {
  readonly [Name in ImageRequestName]: (body: ImageBodyOf<Name>) => Promise<ImageReplyOf<Name>>;
};

/** A tab in which a person edits one image. */
export class ImageTab implements vscode.Disposable {
  /** Resolves to everything saved from the tab, when it is closed. */
  readonly closed: Promise<readonly Asset[]>;
  readonly #source: SourcePicture;
  readonly #dependencies: ImageDependencies;
  readonly #panel: vscode.WebviewPanel;
  readonly #saved: Asset[] = [];
  #lastSaved: readonly string[] = [];
  #measuring = new AbortController();
  readonly #answers: Answers;

  constructor(source: SourcePicture, dependencies: ImageDependencies) {
    this.#source = source;
    this.#dependencies = dependencies;
    const name = posix.basename(source.uri.path);
    const title = vscode.l10n.t('Edit {0}', name);
    this.#panel = vscode.window.createWebviewPanel('unifiedMedia.imageEditor', title, vscode.ViewColumn.Active, {
      enableScripts: true,
      localResourceRoots: [pageFolder(dependencies.extensionUri), vscode.Uri.joinPath(source.uri, '..')],
    });
    const stem = posix.parse(name).name;
    this.#answers = {
      measure: async ({ change }) => {
        this.#measuring.abort();
        this.#measuring = new AbortController();
        const { bytes } = await transformImage(source.bytes, change, { signal: this.#measuring.signal });
        return { bytes: bytes.length };
      },
      save: async ({ change }) => {
        const asset = await this.#save(stem, await transformImage(source.bytes, change));
        this.#lastSaved = [asset.uri];
        return { name: nameOf(asset), bytes: asset.bytes };
      },
      saveFavicons: async ({ crop }) => {
        const assets: Asset[] = [];
        for (const file of await makeFavicons(source.bytes, crop)) {
          assets.push(await this.#save(posix.parse(file.name).name, file));
        }
        this.#lastSaved = assets.map(({ uri }) => uri);
        return { names: assets.map(nameOf).join(', ') };
      },
      open: async () => {
        await openUris(this.#lastSaved);
        return null;
      },
    };
    this.closed = new Promise((resolve) => {
      this.#panel.onDidDispose(() => {
        this.#measuring.abort();
        resolve(this.#saved);
      });
    });
    const { webview } = this.#panel;
    webview.onDidReceiveMessage((message: unknown) => this.#receive(message));
    const start: ImageStart = {
      name,
      source: webview.asWebviewUri(source.uri).toString(),
      bytes: source.bytes.length,
      format: pictureFormat(source.bytes) ?? 'png',
    };
    const page = { name: 'imageEditor', id: 'image-editor', title } as const;
    webview.html = createPage(webview, dependencies.extensionUri, page, start);
  }

  dispose(): void {
    this.#panel.dispose();
  }

  async #save(name: string, file: Parameters<typeof saveBeside>[2]): Promise<Asset> {
    const asset = await saveBeside(this.#source, name, file, this.#dependencies.places);
    this.#saved.push(asset);
    return asset;
  }

  async #receive(message: unknown): Promise<void> {
    const { log } = this.#dependencies;
    if (!imageEnvelope(message)) return log.warn('Ignored an invalid message from the image editor.');
    const { id, name, body } = message;
    try {
      const { body: isBody } = imageRequests[name];
      if (!isBody(body)) throw new Error(`${name}: invalid request body`);
      // The body's type follows from the name, which the compiler cannot infer.
      this.#post({ type: 'reply', id, value: await this.#answers[name](body as never) });
    } catch (error) {
      const failure = mediaErrorOf(error);
      // A newer request replaced the one that was aborted.
      if (!(failure instanceof Error && failure.name === 'AbortError')) logError(failure, log);
      this.#post({ type: 'failed', id, message: reasonOf(failure) });
    }
  }

  #post(reply: Reply): void {
    this.#panel.webview.postMessage(reply).then(undefined, () => undefined);
  }
}

function nameOf({ uri }: Asset): string {
  return posix.basename(vscode.Uri.parse(uri, true).path);
}

/**
 * Converts an ImageError to the error that commands report; returns other errors as they are.
 *
 * @param name name of the file, when the error may be about the file
 */
export function mediaErrorOf(error: unknown, name?: string): unknown {
  if (!(error instanceof ImageError)) return error;
  const { field, message, reason } = error;
  const sentence = field === 'file' && name !== undefined ? vscode.l10n.t('{0} (file): {1}', name, message) : message;
  return new MediaError(reason === 'tooSlow' ? 'timeout' : 'invalidInput', sentence, { field, cause: error });
}
