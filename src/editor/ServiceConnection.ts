import type { Disposable } from 'vscode';
import type { MediaClient, MediaClientOptions } from '../service/MediaClient.ts';

/** Whom requests go to: the remote service, or the sandbox. */
export interface Connection extends Pick<MediaClientOptions, 'configuration' | 'key'> {
  readonly sandbox: boolean;
}

export interface ConnectedClient {
  readonly client: MediaClient;
  readonly sandbox: boolean;
}

/** Makes clients for the service that is set at the moment; the HTTP library loads with the first one. */
export class ServiceConnection implements Disposable {
  readonly #connect: () => Promise<Connection>;
  readonly #log: (line: string) => void;
  #dispatcher: Promise<MediaClientOptions['dispatcher']> | undefined;

  constructor(connect: () => Promise<Connection>, log: (line: string) => void) {
    this.#connect = connect;
    this.#log = log;
  }

  async open(): Promise<ConnectedClient> {
    const { sandbox, configuration, key } = await this.#connect();
    const { MediaClient } = await import('../service/MediaClient.ts');
    this.#dispatcher ??= import('../service/createDispatcher.ts').then(({ createDispatcher }) => createDispatcher());
    const dispatcher = await this.#dispatcher;
    return { sandbox, client: new MediaClient({ configuration, key, dispatcher, log: this.#log }) };
  }

  dispose(): void {
    // Open requests end with the window; nobody is left to tell.
    this.#dispatcher?.then((dispatcher) => dispatcher.destroy()).catch(() => undefined);
  }
}
