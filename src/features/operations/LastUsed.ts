import type { Memento } from 'vscode';

type Fields = Readonly<Record<string, unknown>>;

/** Remembers the values of each operation's last run, which the next run starts from. */
export class LastUsed {
  readonly #memento: Memento;

  constructor(memento: Memento) {
    this.#memento = memento;
  }

  /** Separate for the sandbox, which has models of its own. */
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
