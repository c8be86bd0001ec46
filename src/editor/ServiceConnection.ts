// Network settings are read for each job, so nothing listens for changes. Connections are kept by their settings, so a
// change does not disturb jobs that are under way.

import type { Area, OperationId } from '../operations/operations.ts';
import type { MediaClient, MediaClientOptions } from '../service/MediaClient.ts';
import type { NetworkSettings } from '../service/NetworkSettings.ts';
import type { ListedModel } from '../service/readModelList.ts';

/** Whom requests go to. */
export type Connection = Pick<MediaClientOptions, 'configuration' | 'key'>;

export interface ServiceConnectionOptions {
  usesSandbox(): boolean;
  /** The remote service, as the settings have it at the moment. */
  remote(): Connection;
  /** Starts the sandbox where it is not running. */
  sandbox(): Promise<Connection>;
  /** How the network is reached at the moment. */
  network(): NetworkSettings;
  /** Takes one line per exchange. */
  log(line: string): void;
}

/**
 * Makes clients for the service that is set at the moment; the HTTP library loads with the first one. Nothing ends its
 * connections but the end of the process: a job whose request is out would be told to have failed, to nobody.
 */
export class ServiceConnection {
  readonly #options: ServiceConnectionOptions;
  /** By the network settings they were made for: one that is left behind ends its requests, and holds nothing then. */
  readonly #dispatchers = new Map<string, MediaClientOptions['dispatcher']>();

  constructor(options: ServiceConnectionOptions) {
    this.#options = options;
  }

  /**
   * Makes sure that an operation can be sent, so that nobody answers questions for nothing; loads and starts nothing.
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
   * Reads the models that the remote service lists at `modelListPath`; costs nothing. Throws like `listModels`.
   *
   * @param connection whom to ask, where that is not what the settings say
   * @throws MediaError also `noService` and `noKey`
   */
  async listModels(
    area: Area,
    signal?: AbortSignal,
    { configuration, key: keys }: Connection = this.#options.remote(),
  ): Promise<readonly ListedModel[]> {
    const [{ listModels }, { modelListEndpointOf }, { keyFor }, { authorizationOf }] = await Promise.all([
      import('../service/listModels.ts'),
      import('../service/ServiceConfiguration.ts'),
      import('../service/keyFor.ts'),
      import('../service/authorizationOf.ts'),
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

  /** Asks whether a host answers at all. Throws like `probeHost`. */
  async probe(url: URL, signal?: AbortSignal): Promise<number> {
    const { probeHost } = await import('../service/probeHost.ts');
    return probeHost(url, await this.#dispatcher(), signal);
  }

  /** For the network as it is set at the moment. */
  async #dispatcher(): Promise<MediaClientOptions['dispatcher']> {
    const { createDispatcher } = await import('../service/createDispatcher.ts');
    const network = this.#options.network();
    const known = JSON.stringify(network);
    const dispatcher = this.#dispatchers.get(known) ?? createDispatcher(network);
    this.#dispatchers.set(known, dispatcher);
    return dispatcher;
  }
}
