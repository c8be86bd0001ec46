import * as l10n from '@vscode/l10n';
import { isObject } from '../foreign/shape.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import type { Area, OperationId } from '../operations/operations.ts';
import { parseJson } from '../operations/parseJson.ts';
import type { NetworkSettings } from './createDispatcher.ts';
import type { MediaClient, MediaClientOptions } from './MediaClient.ts';
import type { ListedModel } from './withoutCost.ts';

// Network settings are read for each job, so nothing listens for changes. Connections are kept by their settings, so a
// change does not disturb jobs that are under way.

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
    const { endpointOf, keyFor } = await import('./ServiceConfiguration.ts');
    await keyFor(endpointOf(configuration, id), key, configuration.insecureHosts);
  }

  async open(sandbox: boolean): Promise<MediaClient> {
    const { MediaClient } = await import('./MediaClient.ts');
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
    const { authorizationOf, headersFor, keyFor, modelListEndpointOf } = await import('./ServiceConfiguration.ts');
    const url = modelListEndpointOf(configuration, area);
    if (!url) return [];
    const { listModels } = await import('./withoutCost.ts');
    const key = await keyFor(url, keys, configuration.insecureHosts);
    const authorization = authorizationOf(configuration.authorizationScheme, key);
    return listModels(url, {
      authorization,
      secrets: key === undefined ? [] : [key],
      ownHeaders: headersFor(url, configuration),
      dispatcher: await this.#dispatcher(),
      signal,
      log: this.#options.log,
    });
  }

  /** Checks whether a host responds at all. Throws like `probeHost`. */
  async probe(url: URL, signal?: AbortSignal): Promise<number> {
    const { probeHost } = await import('./withoutCost.ts');
    return probeHost(url, await this.#dispatcher(), signal);
  }

  /** Returns the dispatcher for the current network settings. */
  async #dispatcher(): Promise<MediaClientOptions['dispatcher']> {
    const { createDispatcher } = await import('./createDispatcher.ts');
    const network = this.#options.network();
    const known = JSON.stringify(network);
    const dispatcher = this.#dispatchers.get(known) ?? createDispatcher(network);
    this.#dispatchers.set(known, dispatcher);
    return dispatcher;
  }
}

/** Environment variables, in any case. */
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the network settings by the editor's rules: one proxy for all addresses; the editor's own settings take
 * precedence over the environment variables, and its list of exceptions replaces theirs.
 *
 * @param setting reads a setting below `http.`
 */
export function networkSettings(setting: (name: string) => unknown, environment: Environment): NetworkSettings {
  const isOff = setting('proxySupport') === 'off';
  const variable = (name: string) => variableOf(environment, name);
  const proxy = textOf(setting('proxy')) || variable('https_proxy') || variable('http_proxy');
  const noProxy = listOf(setting('noProxy'));
  return {
    proxy: isOff ? undefined : proxy || undefined,
    noProxy:
      noProxy.length > 0
        ? noProxy
        : variable('no_proxy')
            .split(/[\s,]+/)
            .filter(Boolean),
    proxyAuthorization: textOf(setting('proxyAuthorization')) || undefined,
    proxyStrictSSL: setting('proxyStrictSSL') !== false,
    systemCertificates: setting('systemCertificates') !== false,
  };
}

/** Where a variable is set in several cases, lower case wins, as in curl. */
function variableOf(environment: Environment, name: string): string {
  const names = [name, ...Object.keys(environment).filter((other) => other.toLowerCase() === name)];
  return names.map((one) => environment[one]?.trim()).find(Boolean) ?? '';
}

/** Returns a setting that is a string, trimmed; an empty string for anything else. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(textOf).filter(Boolean) : [];
}

/** The editor's secret storage, as far as it is used here. */
export interface SecretStore {
  get(name: string): PromiseLike<string | undefined>;
  store(name: string, value: string): PromiseLike<void>;
  delete(name: string): PromiseLike<void>;
  /** Fires for changes made in any window. */
  onDidChange(listener: (event: { readonly key: string }) => unknown): { dispose(): void };
}

interface BoundKey {
  readonly key: string;
  /** The only origins that the key is sent to, which are those it was entered for. */
  readonly origins: readonly string[];
}

/** Maximum number of stored keys. The oldest are dropped first. */
const maxKeys = 10;

/**
 * The API keys, kept in the editor's secret storage together with the origins that each may be sent to. A key survives
 * a change of the settings, because results already paid for are fetched with the key of the service that made them.
 */
export class ApiKeys {
  readonly #secrets: SecretStore;
  readonly #name: string;
  readonly #subscription: { dispose(): void };
  /** Fallback for a failing secret storage: keys that last as long as the window. */
  #session: readonly BoundKey[] | undefined;

  /** @param name under which the storage keeps them all */
  constructor(secrets: SecretStore, name: string) {
    this.#secrets = secrets;
    this.#name = name;
    this.#subscription = secrets.onDidChange(({ key }) => (key === name ? this.#follow() : undefined));
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  /** @throws MediaError `noKey` when the secret storage fails, which differs from having no key */
  async keyFor(origin: string): Promise<string | undefined> {
    const keys = this.#session ?? (await this.#read());
    return keys.find(({ origins }) => origins.includes(origin))?.key;
  }

  /** @returns false when the secret storage failed, so that the key lasts only for the session */
  async set(key: string, origins: readonly string[]): Promise<boolean> {
    const stored = await this.#read().catch(() => undefined);
    // The first key of an origin counts, so a key of the session comes before the stored one that it replaces.
    const bound = new Set<string>();
    const keys = [{ key, origins }, ...(this.#session ?? []), ...(stored ?? [])]
      .map((one) => ({ ...one, origins: one.origins.filter((origin) => !bound.has(origin) && bound.add(origin)) }))
      .filter((one) => one.origins.length > 0)
      .slice(0, maxKeys);
    const text = JSON.stringify({ keys });
    try {
      // Writing over keys that cannot be read would lose them.
      if (!stored) throw new Error('the secret storage cannot be read');
      await this.#secrets.store(this.#name, text);
      this.#session = (await this.#secrets.get(this.#name)) === text ? undefined : keys;
    } catch {
      this.#session = keys;
    }
    return this.#session === undefined;
  }

  /** @returns `failed` when the secret storage failed and may still hold a key */
  async remove(): Promise<'removed' | 'none' | 'failed'> {
    const stored = await Promise.resolve(this.#secrets.get(this.#name)).catch(() => undefined);
    const hadKey = stored !== undefined || this.#session !== undefined;
    this.#session = undefined;
    try {
      await this.#secrets.delete(this.#name);
      if ((await this.#secrets.get(this.#name)) !== undefined) return 'failed';
      return hadKey ? 'removed' : 'none';
    } catch {
      return 'failed';
    }
  }

  /** Keys that another window was able to store replace the ones that this window could not. */
  async #follow(): Promise<void> {
    if ((await this.#read().catch(() => [])).length > 0) this.#session = undefined;
  }

  async #read(): Promise<readonly BoundKey[]> {
    try {
      return parseKeys(await this.#secrets.get(this.#name));
    } catch (error) {
      const sentence = l10n.t(
        'The API key could not be read from the editor’s secret storage: {0}. Set the key again; it lasts until this window is closed.',
        reasonOf(error),
      );
      throw new MediaError('noKey', sentence, { cause: error });
    }
  }
}

/** Damaged data counts as no keys; setting the key again repairs it. */
function parseKeys(text: string | undefined): readonly BoundKey[] {
  const value = parseJson(text ?? '');
  const keys = isObject(value) ? value.keys : undefined;
  return Array.isArray(keys) ? keys.flatMap(parseKey) : [];
}

function parseKey(value: unknown): readonly BoundKey[] {
  if (!isObject(value)) return [];
  const { key, origins } = value;
  return typeof key === 'string' && Array.isArray(origins) ? [{ key, origins: origins.map(String) }] : [];
}

/** Returns a pasted key as it is sent: trimmed, without a scheme word. */
export function normalizeKey(pasted: string): string {
  return pasted.trim().replace(/^(authorization:\s*)?(bearer(\s+|$))?/i, '');
}

/** Returns what is wrong with a key, as a sentence; undefined when the key can be sent. */
export function keyProblem(pasted: string): string | undefined {
  const key = normalizeKey(pasted);
  if (key === '') return l10n.t('Paste the key from the service’s API page.');
  if (/^[\x21-\x7e]+$/.test(key)) return undefined;
  return l10n.t('The key may contain only ASCII characters, without spaces.');
}
