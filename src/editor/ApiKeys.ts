import * as l10n from '@vscode/l10n';
import { secretIds } from '../contributions.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import { parseJson } from '../operations/parseJson.ts';

/** The part of VS Code's SecretStorage that is used here. */
export interface SecretStore {
  get(name: string): Thenable<string | undefined>;
  store(name: string, value: string): Thenable<void>;
  delete(name: string): Thenable<void>;
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
  readonly #subscription: { dispose(): void };
  /** Fallback for a failing secret storage: keys that last as long as the window. */
  #session: readonly BoundKey[] | undefined;

  constructor(secrets: SecretStore) {
    this.#secrets = secrets;
    this.#subscription = secrets.onDidChange(({ key }) => (key === secretIds.apiKey ? this.#follow() : undefined));
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
      await this.#secrets.store(secretIds.apiKey, text);
      this.#session = (await this.#secrets.get(secretIds.apiKey)) === text ? undefined : keys;
    } catch {
      this.#session = keys;
    }
    return this.#session === undefined;
  }

  /** @returns `failed` when the secret storage failed and may still hold a key */
  async remove(): Promise<'removed' | 'none' | 'failed'> {
    const stored = await Promise.resolve(this.#secrets.get(secretIds.apiKey)).catch(() => undefined);
    const hadKey = stored !== undefined || this.#session !== undefined;
    this.#session = undefined;
    try {
      await this.#secrets.delete(secretIds.apiKey);
      if ((await this.#secrets.get(secretIds.apiKey)) !== undefined) return 'failed';
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
      return parseKeys(await this.#secrets.get(secretIds.apiKey));
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
  const keys = typeof value === 'object' && value !== null && 'keys' in value ? value.keys : undefined;
  return Array.isArray(keys) ? keys.flatMap(parseKey) : [];
}

function parseKey(value: unknown): readonly BoundKey[] {
  if (typeof value !== 'object' || value === null || !('key' in value) || !('origins' in value)) return [];
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
