import type * as vscode from 'vscode';
import type { DocumentPlaces } from './DocumentPlaces.ts';
import type { Settings } from './Settings.ts';

/** The window's one {@link DocumentPlaces}, so that each project is read once; loaded when it is first asked for. */
export class DocumentPlacesLoader implements vscode.Disposable {
  readonly #settings: Pick<Settings, 'references'>;
  #loading: Promise<DocumentPlaces> | undefined;

  constructor(settings: Pick<Settings, 'references'>) {
    this.#settings = settings;
  }

  readonly load = (): Promise<DocumentPlaces> => {
    this.#loading ??= import('./DocumentPlaces.ts').then(({ DocumentPlaces }) => new DocumentPlaces(this.#settings));
    return this.#loading;
  };

  dispose(): void {
    void this.#loading?.then((places) => places.dispose()).catch(() => undefined);
  }
}
