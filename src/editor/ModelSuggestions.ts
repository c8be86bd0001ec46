import type { Area, AssetKind, OperationId } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';
import type { ListedModel, ModelKind } from '../service/readModelList.ts';
import type { ServiceConnection } from './ServiceConnection.ts';
import type { Settings } from './Settings.ts';
import { modelNames } from './startingValues.ts';

export interface ModelSuggestionsOptions {
  readonly settings: Pick<Settings, 'models' | 'service'>;
  readonly service: Pick<ServiceConnection, 'listModels'>;
  /** The model that an operation ran with the last time. */
  lastModel(id: OperationId, sandbox: boolean): unknown;
}

/** What a list calls the models of each kind of result. */
const kindOfResult: Readonly<Record<AssetKind, ModelKind>> = {
  images: 'image',
  speech: 'speech',
  transcripts: 'transcription',
  videos: 'video',
};

/**
 * Names of models to choose from. A name that is not among them is as good: the lists only save typing.
 * A host's own list is read when somebody asks for it, and kept as long as the window.
 */
export class ModelSuggestions {
  readonly #options: ModelSuggestionsOptions;
  /** By host and path. */
  readonly #lists = new Map<string, readonly ListedModel[]>();

  constructor(options: ModelSuggestionsOptions) {
    this.#options = options;
  }

  /**
   * Those of the settings, those that were used before, then those that the service's list tells to be for the
   * operation or for nothing in particular; each once.
   *
   * @param used more that were used before, newest first
   */
  names(id: OperationId, sandbox: boolean, used: readonly string[] = []): readonly string[] {
    return [...new Set([...this.known(id, sandbox, used), ...(sandbox ? [] : this.#listed(id))])];
  }

  /** The same without the service's list: of these the first can be the default, for somebody has chosen it. */
  known(id: OperationId, sandbox: boolean, used: readonly string[] = []): readonly string[] {
    const { settings, lastModel } = this.#options;
    return [...new Set([...modelNames(settings.models(id), lastModel(id, sandbox), sandbox), ...used])];
  }

  /** Whether the service says where its list is, and nobody has read it yet. */
  canLoad(id: OperationId, sandbox: boolean): boolean {
    const { hosts, modelListPath } = this.#options.settings.service;
    const { area } = operations[id];
    return !sandbox && Boolean(modelListPath) && hosts[area] !== '' && this.list(area) === undefined;
  }

  /** Reads the list of the operation's host. Throws like {@link ServiceConnection.listModels}. */
  async load(id: OperationId, signal?: AbortSignal): Promise<void> {
    const { area } = operations[id];
    const { hosts, modelListPath = '' } = this.#options.settings.service;
    this.keep(hosts[area], modelListPath, await this.#options.service.listModels(area, signal));
  }

  /** Takes over a list that was read elsewhere. */
  keep(host: string, path: string, models: readonly ListedModel[]): void {
    this.#lists.set(keyOf(host, path), models);
  }

  /** What an area's host lists; undefined when nobody has read it. */
  list(area: Area): readonly ListedModel[] | undefined {
    const { hosts, modelListPath = '' } = this.#options.settings.service;
    return this.#lists.get(keyOf(hosts[area], modelListPath));
  }

  #listed(id: OperationId): readonly string[] {
    const { area, result } = operations[id];
    const models = this.list(area) ?? [];
    const fitting = models.filter(({ kinds }) => kinds.includes(kindOfResult[result]));
    return [...fitting, ...models.filter(({ kinds }) => kinds.length === 0)].map(({ name }) => name);
  }
}

function keyOf(host: string, path: string): string {
  return JSON.stringify([host, path]);
}
