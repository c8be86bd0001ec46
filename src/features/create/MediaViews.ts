import * as vscode from 'vscode';
import { libraryTabType } from '../../contributions.ts';
import { plainText } from '../../editor/displayText.ts';
import { MediaError } from '../../operations/MediaError.ts';
import type { CreateDependencies } from './CreateDependencies.ts';
import { CreateSession } from './CreateSession.ts';
import { uriOf } from './itemOf.ts';
import { ViewConnection } from './ViewConnection.ts';

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
      void vscode.window.showWarningMessage(plainText(sentence));
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
