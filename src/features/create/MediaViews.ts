import * as vscode from 'vscode';
import { libraryTabType } from '../../contributions.ts';
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
   * Opens or reveals the library's tab.
   *
   * @param argument `{uri}` of the asset to select
   */
  async openLibrary(argument: unknown): Promise<void> {
    const uri = wantedUri(argument);
    if (this.#tab) this.#tab.panel.reveal();
    else {
      const title = vscode.l10n.t('Media Library');
      this.showPanel(vscode.window.createWebviewPanel(libraryTabType, title, vscode.ViewColumn.Active));
    }
    if (uri === undefined) return;
    await this.#session.gallery.read();
    const result = this.#session.gallery.all.find((one) => uriOf(one)?.toString() === uri);
    if (result) this.#tab?.connection.select(result.id);
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
function wantedUri(argument: unknown): string | undefined {
  if (typeof argument !== 'object' || argument === null || !('uri' in argument)) return undefined;
  const { uri } = argument;
  if (uri === undefined) return undefined;
  if (uri instanceof vscode.Uri) return uri.toString();
  if (typeof uri === 'string') return vscode.Uri.parse(uri, true).toString();
  throw new MediaError('invalidInput', vscode.l10n.t('Open Library needs the URI of a file (uri).'), {
    field: 'uri',
  });
}
