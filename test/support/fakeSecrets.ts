import type { SecretStore } from '../../src/service/ServiceConnection.ts';

/** The contents of a keyring, and the windows that use it. */
export class FakeSecrets implements SecretStore {
  readonly #values = new Map<string, string>();
  readonly #listeners = new Set<(event: { readonly key: string }) => unknown>();
  /** `throws`: the keyring is locked. `forgets`: there is no keyring, and stored secrets are lost. */
  state: 'works' | 'throws' | 'forgets' = 'works';

  async get(name: string): Promise<string | undefined> {
    this.#check();
    return this.#values.get(name);
  }

  async store(name: string, value: string): Promise<void> {
    this.#check();
    if (this.state === 'works') this.#values.set(name, value);
    await this.#tell(name);
  }

  async delete(name: string): Promise<void> {
    this.#check();
    this.#values.delete(name);
    await this.#tell(name);
  }

  onDidChange(listener: (event: { readonly key: string }) => unknown): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  #check(): void {
    if (this.state === 'throws') throw new Error('The keyring is locked');
  }

  async #tell(key: string): Promise<void> {
    for (const listener of this.#listeners) await listener({ key });
  }
}
