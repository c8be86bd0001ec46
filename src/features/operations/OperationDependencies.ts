import type * as vscode from 'vscode';
import type { Memento } from 'vscode';
import type { ReferenceWriter } from '../../editor/ReferenceWriter.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import type { ModelSuggestions } from '../../service/ModelSuggestions.ts';
import type { ServiceConnection } from '../../service/ServiceConnection.ts';
import type { JobList } from '../../work/Job.ts';

export interface OperationDependencies {
  readonly settings: Settings;
  readonly service: Pick<ServiceConnection, 'checkReady' | 'open'>;
  readonly lastUsed: LastUsed;
  readonly models: ModelSuggestions;
  readonly places: WorkspacePlaces;
  readonly jobs: JobList;
  /** Absolute path of the store of paid work. */
  readonly storeFolder: string;
  /** Loads the writer of references. */
  references(): Promise<ReferenceWriter>;
  readonly log: vscode.LogOutputChannel;
}

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
