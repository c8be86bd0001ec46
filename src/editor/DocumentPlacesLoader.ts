import type * as vscode from 'vscode';
import type { DocumentPlaces } from './DocumentPlaces.ts';
import type { Settings } from './Settings.ts';

/** Loads {@link DocumentPlaces} on first use. One instance per window, so that each project is read only once. */
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
