// Network settings are read for each job, so nothing listens for changes. Connections are kept by their settings, so a
// change does not disturb jobs that are under way.

import type { Area, OperationId } from '../operations/operations.ts';
import type { MediaClient, MediaClientOptions } from '../service/MediaClient.ts';
import type { NetworkSettings } from '../service/proxyFor.ts';
import type { ListedModel } from '../service/readModelList.ts';

/** The service that requests go to, and its key. */
export type Connection = Pick<MediaClientOptions, 'configuration' | 'key'>;

export interface ServiceConnectionOptions {
  usesSandbox(): boolean;
  /** The remote service that is currently configured. */
  remote(): Connection;
  /** Starts the sandbox unless it is running. */
  sandbox(): Promise<Connection>;
  /** The current network settings. */
  network(): NetworkSettings;
  /** Writes one log line per exchange. */
  log(line: string): void;
}

/**
 * Creates clients for the configured service; the first one loads the HTTP library. Connections are closed only when
 * the process ends: closing them earlier would fail jobs whose request was sent, with nobody left to report it to.
 */
export class ServiceConnection {
  readonly #options: ServiceConnectionOptions;
  /** By network settings. A dispatcher for old settings finishes its requests, and then holds no connections. */
  readonly #dispatchers = new Map<string, MediaClientOptions['dispatcher']>();

  constructor(options: ServiceConnectionOptions) {
    this.#options = options;
  }

  /**
   * Checks that an operation can be sent, before a person answers questions in vain. Loads and starts nothing.
   *
   * @throws MediaError `noService` or `noKey`
   */
  async checkReady(id: OperationId): Promise<void> {
    if (this.#options.usesSandbox()) return;
    const { configuration, key } = this.#options.remote();
    const [{ endpointOf }, { keyFor }] = await Promise.all([
      import('../service/ServiceConfiguration.ts'),
      import('../service/keyFor.ts'),
    ]);
    await keyFor(endpointOf(configuration, id), key);
  }

  async open(sandbox: boolean): Promise<MediaClient> {
    const { MediaClient } = await import('../service/MediaClient.ts');
    const dispatcher = await this.#dispatcher();
    const { configuration, key } = sandbox ? await this.#options.sandbox() : this.#options.remote();
    return new MediaClient({ configuration, key, dispatcher, log: this.#options.log });
  }
  /**
   * Reads the models that the remote service lists at `modelListPath`, at no cost. Throws like `listModels`.
   *
   * @param connection the service to ask, by default the configured one
   * @throws MediaError also `noService` and `noKey`
   */
  async listModels(
    area: Area,
    signal?: AbortSignal,
    { configuration, key: keys }: Connection = this.#options.remote(),
  ): Promise<readonly ListedModel[]> {
    const [{ listModels }, { authorizationOf, modelListEndpointOf }, { keyFor }] = await Promise.all([
      import('../service/listModels.ts'),
      import('../service/ServiceConfiguration.ts'),
      import('../service/keyFor.ts'),
    ]);
    const url = modelListEndpointOf(configuration, area);
    if (!url) return [];
    const key = await keyFor(url, keys);
    const authorization = authorizationOf(configuration.authorizationScheme, key);
    return listModels(url, {
      authorization,
      key,
      dispatcher: await this.#dispatcher(),
      signal,
      log: this.#options.log,
    });
  }

  /** Checks whether a host responds at all. Throws like `probeHost`. */
  async probe(url: URL, signal?: AbortSignal): Promise<number> {
    const { probeHost } = await import('../service/probeHost.ts');
    return probeHost(url, await this.#dispatcher(), signal);
  }

  /** Returns the dispatcher for the current network settings. */
  async #dispatcher(): Promise<MediaClientOptions['dispatcher']> {
    const { createDispatcher } = await import('../service/createDispatcher.ts');
    const network = this.#options.network();
    const known = JSON.stringify(network);
    const dispatcher = this.#dispatchers.get(known) ?? createDispatcher(network);
    this.#dispatchers.set(known, dispatcher);
    return dispatcher;
  }
}
