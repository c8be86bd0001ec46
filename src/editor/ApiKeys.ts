import * as l10n from '@vscode/l10n';
import { secretIds } from '../contributions.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import { parseJson } from '../operations/parseJson.ts';

/** The part of SecretStorage that is needed. */
export interface SecretStore {
  get(name: string): Thenable<string | undefined>;
  store(name: string, value: string): Thenable<void>;
  delete(name: string): Thenable<void>;
  /** Tells of changes in any window. */
  onDidChange(listener: (event: { readonly key: string }) => unknown): { dispose(): void };
}

interface BoundKey {
  readonly key: string;
  /** The origins it was entered for; it is sent to these alone. */
  readonly origins: readonly string[];
}

/** The service's key, kept by the editor together with the origins it may be sent to. */
export class ApiKeys {
  readonly #secrets: SecretStore;
  readonly #subscription: { dispose(): void };
  /** Where the store does not work, the key lasts as long as the window. */
  #session: BoundKey | undefined;

  constructor(secrets: SecretStore) {
    this.#secrets = secrets;
    this.#subscription = secrets.onDidChange(({ key }) => (key === secretIds.apiKey ? this.#follow() : undefined));
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  /** @throws MediaError `noKey` when the editor's store fails, which is not the same as having no key */
  async keyFor(origin: string): Promise<string | undefined> {
    const bound = this.#session ?? (await this.#read());
    return bound?.origins.includes(origin) ? bound.key : undefined;
  }

  /** @returns false when the editor's store failed and the key lasts for the session only */
  async set(key: string, origins: readonly string[]): Promise<boolean> {
    const bound = { key, origins };
    const text = JSON.stringify(bound);
    try {
      await this.#secrets.store(secretIds.apiKey, text);
      this.#session = (await this.#secrets.get(secretIds.apiKey)) === text ? undefined : bound;
    } catch {
      this.#session = bound;
    }
    return this.#session === undefined;
  }

  /** @returns false when the editor's store failed and may still hold the key */
  async remove(): Promise<boolean> {
    this.#session = undefined;
    try {
      await this.#secrets.delete(secretIds.apiKey);
      return (await this.#secrets.get(secretIds.apiKey)) === undefined;
    } catch {
      return false;
    }
  }

  /** A key that another window could store goes before the one that this window could not. */
  async #follow(): Promise<void> {
    if (await this.#read().catch(() => undefined)) this.#session = undefined;
  }

  async #read(): Promise<BoundKey | undefined> {
    try {
      return parseKey(await this.#secrets.get(secretIds.apiKey));
    } catch (error) {
      const sentence = l10n.t(
        'The editor cannot read its secret storage: {0}. Set the API key again: it then lasts until this window is closed.',
        reasonOf(error),
      );
      throw new MediaError('noKey', sentence, { cause: error });
    }
  }
}

function parseKey(text: string | undefined): BoundKey | undefined {
  // What is damaged is no key: setting it again mends it.
  const value = parseJson(text ?? '');
  if (typeof value !== 'object' || value === null || !('key' in value) || !('origins' in value)) return undefined;
  const { key, origins } = value;
  return typeof key === 'string' && Array.isArray(origins) ? { key, origins: origins.map(String) } : undefined;
}

/** A pasted key as it is sent: without blanks around it and without a scheme word. */
export function normalizeKey(pasted: string): string {
  return pasted.trim().replace(/^(authorization:\s*)?(bearer(\s+|$))?/i, '');
}

/** What is wrong with a key, as a sentence; undefined when it can be sent. */
export function keyProblem(pasted: string): string | undefined {
  const key = normalizeKey(pasted);
  if (key === '') return l10n.t('Paste the key from the service’s API page.');
  if (/^[\x21-\x7e]+$/.test(key)) return undefined;
  return l10n.t('The key must not hold spaces or other than ASCII characters.');
}
