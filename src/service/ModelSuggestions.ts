import { type Area, type AssetKind, type OperationId, operations, sandboxModel } from '../operations/operations.ts';
import type { RetiredModels } from './RetiredModels.ts';
import type { ServiceConfiguration } from './ServiceConfiguration.ts';
import type { ServiceConnection } from './ServiceConnection.ts';
import type { ListedModel, ModelKind } from './withoutCost.ts';

/** A model, and the operations that it is for as far as its name tells. */
type GuessedModel = ListedModel & { readonly guessed: readonly OperationId[] | undefined };

/** Returns the models of the settings, then the one used last. */
function modelNames(listed: readonly string[], last: unknown, sandbox: boolean): readonly string[] {
  const names = [...listed, ...(typeof last === 'string' ? [last] : [])];
  return [...new Set(sandbox ? [...names, sandboxModel] : names)];
}

export interface ModelSuggestionsOptions {
  readonly settings: {
    readonly service: ServiceConfiguration;
    /** Returns the models listed for an operation. */
    models(id: OperationId): readonly string[];
  };
  readonly service: Pick<ServiceConnection, 'listModels'>;
  /** Loads what is known of models that are gone; none by default. */
  readonly retired?: () => Promise<Pick<RetiredModels, 'read' | 'has' | 'listed'>>;
  /** Returns the model of an operation's last run. */
  lastModel(id: OperationId, sandbox: boolean): unknown;
  /** Returns the names that a person has removed from the suggestions. */
  forgotten(id: OperationId, sandbox: boolean): readonly string[];
}

/** What model lists call the models for each kind of result. */
const kindOfResult: Readonly<Record<AssetKind, ModelKind>> = {
  images: 'image',
  speech: 'speech',
  transcripts: 'transcription',
  videos: 'video',
};

/**
 * Suggests model names. Names that are not listed work just as well; the lists only save typing. A host's own list is
 * read on request and kept as long as the window.
 */
export class ModelSuggestions {
  readonly #options: ModelSuggestionsOptions;
  #retired: Pick<RetiredModels, 'has'> | undefined;
  /** By host and path. */
  readonly #lists = new Map<string, readonly GuessedModel[]>();

  constructor(options: ModelSuggestionsOptions) {
    this.#options = options;
  }

  /**
   * Returns the models of the settings, then those used before, then those that the service lists for the operation or
   * without naming a kind; each once.
   *
   * @param used more models that were used before, newest first
   */
  names(id: OperationId, sandbox: boolean, used: readonly string[] = []): readonly string[] {
    return [...new Set([...this.known(id, sandbox, used), ...(sandbox ? [] : this.#listed(id))])];
  }

  /** Like {@link names}, without the service's list. A person chose each of these, so the first can be the default. */
  known(id: OperationId, sandbox: boolean, used: readonly string[] = []): readonly string[] {
    const { settings, lastModel, forgotten } = this.#options;
    const kept = used.filter((name) => !forgotten(id, sandbox).includes(name));
    return [...new Set([...modelNames(settings.models(id), lastModel(id, sandbox), sandbox), ...kept])];
  }

  /** Whether a name is suggested only because it was used before. */
  isForgettable(id: OperationId, sandbox: boolean, name: string): boolean {
    const isOffered = sandbox ? name === sandboxModel : this.#listed(id).includes(name);
    return !isOffered && !this.#options.settings.models(id).includes(name);
  }

  /** Reads which models are gone. */
  async readGone(): Promise<void> {
    const retired = await this.#options.retired?.();
    await retired?.read();
    this.#retired = retired;
  }

  /** Whether the service no longer has a model, as of the last {@link readGone}. */
  isGone(id: OperationId, sandbox: boolean, name: string): boolean {
    const host = this.#options.settings.service.hosts[operations[id].area];
    return !sandbox && (this.#retired?.has(host, id, name) ?? false);
  }

  /** Whether the service has a list of models that has not been read yet. */
  canLoad(id: OperationId, sandbox: boolean): boolean {
    const { hosts, modelListPath } = this.#options.settings.service;
    const { area } = operations[id];
    return !sandbox && Boolean(modelListPath) && hosts[area] !== '' && this.list(area) === undefined;
  }

  /** Reads the list of the operation's host. Throws like {@link ServiceConnection.listModels}. */
  async load(id: OperationId, signal?: AbortSignal): Promise<void> {
    const { area } = operations[id];
    const { hosts, modelListPath = '' } = this.#options.settings.service;
    await this.keep(hosts[area], modelListPath, await this.#options.service.listModels(area, signal));
  }

  /** Keeps a list that was read elsewhere. */
  async keep(host: string, path: string, models: readonly ListedModel[]): Promise<void> {
    const { operationsByName } = await import('../operations/operationsByName.ts');
    const guessed = models.map((model) => ({ ...model, guessed: operationsByName(model.name) }));
    this.#lists.set(keyOf(host, path), guessed);
    const retired = await this.#options.retired?.();
    await retired?.listed(host, path, namesIn(models));
  }

  /** Returns the models that an area's host lists; undefined before the list was read. */
  list(area: Area) {
    const { hosts, modelListPath = '' } = this.#options.settings.service;
    return this.#lists.get(keyOf(hosts[area], modelListPath));
  }

  /** Returns the listed models that fit an operation only as far as their names tell, since the list does not. */
  guesses(id: OperationId): readonly string[] {
    return namesIn(this.#unknown(id).filter(({ guessed }) => guessed?.includes(id)));
  }

  /** Those that fit stand first, those that are for something else by their names last. */
  #listed(id: OperationId): readonly string[] {
    const { area, result } = operations[id];
    const fitting = (this.list(area) ?? []).filter(({ kinds }) => kinds.includes(kindOfResult[result]));
    const rank = ({ guessed }: GuessedModel) => (!guessed ? 1 : guessed.includes(id) ? 0 : 2);
    const others = this.#unknown(id).toSorted((one, other) => rank(one) - rank(other));
    return [...new Set(namesIn([...fitting, ...others]))];
  }

  /** Returns the listed models of which the list does not say what they are for. */
  #unknown(id: OperationId) {
    return (this.list(operations[id].area) ?? []).filter(({ kinds }) => kinds.length === 0);
  }
}

function namesIn(models: readonly ListedModel[] = []): readonly string[] {
  return models.map(({ name }) => name);
}

function keyOf(host: string, path: string): string {
  return JSON.stringify([host, path]);
}
