import type { Memento } from 'vscode';

type Fields = Readonly<Record<string, unknown>>;

/** The values of the last run of each operation, as the next one's starting point. */
export class LastUsed {
  readonly #memento: Memento;

  constructor(memento: Memento) {
    this.#memento = memento;
  }

  /** The sandbox has models of its own, so its values are kept apart. */
  get(operation: string, sandbox: boolean): Fields {
    return this.#memento.get<Fields>(keyOf(operation, sandbox)) ?? {};
  }

  async set(operation: string, sandbox: boolean, fields: Fields): Promise<void> {
    await this.#memento.update(keyOf(operation, sandbox), fields);
  }
}

function keyOf(operation: string, sandbox: boolean): string {
  return `lastUsed.${sandbox ? 'sandbox' : 'remote'}.${operation}`;
}
