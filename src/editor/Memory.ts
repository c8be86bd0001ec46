import type { ExtensionContext } from 'vscode';
import { anything, list, number, objectWith, record, type Shape, type Shaped, text } from '../foreign/shape.ts';

interface MemoryRow {
  /** The key in VS Code's storage. Several values of a row have a name of their own after it. */
  readonly id: string;
  /** `globalState` holds in all workspaces. */
  readonly keptIn: 'globalState' | 'workspaceState';
  /** Whether it holds what a person typed, or where their files are. */
  readonly isPrivate: boolean;
  /** Who reads an object of `anything` checks the rest: those shapes would be loaded at every start. */
  readonly shape: Shape<unknown>;
}

/** Everything that the extension keeps in VS Code's storage. API keys are in its secret storage instead. */
export const rows = {
  /** The amounts that the person lets agents spend per day. */
  acceptedBudget: { id: 'agents.acceptedBudget', keptIn: 'globalState', isPrivate: false, shape: record(anything) },
  draft: { id: 'composer.draft.view', keptIn: 'workspaceState', isPrivate: true, shape: record(anything) },
  favouriteVoices: { id: 'favouriteVoices', keptIn: 'globalState', isPrivate: true, shape: list(text()) },
  /** The counts of each operation's last run on each service. */
  lastCounts: { id: 'lastUsed', keptIn: 'workspaceState', isPrivate: false, shape: record(anything) },
  /** The other values of these runs, prompts among them. */
  lastUsed: { id: 'lastUsed', keptIn: 'globalState', isPrivate: true, shape: record(anything) },
  /** The last port of the MCP server, and the salt of its tokens. */
  serverPort: {
    id: 'agents.port',
    keptIn: 'workspaceState',
    isPrivate: false,
    shape: objectWith({ number, salt: text() }),
  },
  /** What is still to be done with the results of a request, by what is sent. */
  unfinished: { id: 'composer.unfinished.view', keptIn: 'workspaceState', isPrivate: true, shape: record(anything) },
} as const satisfies Readonly<Record<string, MemoryRow>>;

type Name = keyof typeof rows;
type Kept<Of extends Name> = Shaped<(typeof rows)[Of]['shape']>;

/** The only reader and writer of VS Code's storage. */
export class Memory {
  readonly #storage: Pick<ExtensionContext, MemoryRow['keptIn']>;

  constructor(storage: Pick<ExtensionContext, MemoryRow['keptIn']>) {
    this.#storage = storage;
  }

  /** @returns undefined also where something else is stored than the row says */
  get<Of extends Name>(name: Of, part?: string): Kept<Of> | undefined {
    const { keptIn, shape }: MemoryRow = rows[name];
    const value = this.#storage[keptIn].get(keyOf(name, part));
    return shape(value) ? (value as Kept<Of>) : undefined;
  }

  async set<Of extends Name>(name: Of, value: Kept<Of>, part?: string): Promise<void> {
    await this.#storage[rows[name].keptIn].update(keyOf(name, part), value);
  }
}

function keyOf(name: Name, part: string | undefined): string {
  return part === undefined ? rows[name].id : `${rows[name].id}.${part}`;
}
