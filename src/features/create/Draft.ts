import type { Memento } from 'vscode';
import type { OperationId } from '../../operations/operations.ts';
import { operationIds } from '../../operations/operations.ts';
import type { FieldTexts, Form } from '../../webview/messages.ts';

type Files = Readonly<Record<string, readonly string[]>>;

interface Kept {
  readonly tab: OperationId;
  readonly texts: Readonly<Partial<Record<OperationId, FieldTexts>>>;
  /** URIs and URLs, by operation and field. */
  readonly files: Readonly<Partial<Record<OperationId, Files>>>;
}

const name = 'create.draft';

/** What is typed and chosen in the form, kept with the workspace at every change. */
export class Draft {
  readonly #memento: Memento;
  #kept: Kept;

  constructor(memento: Memento) {
    this.#memento = memento;
    const { tab, texts = {}, files = {} } = memento.get<Partial<Kept>>(name) ?? {};
    this.#kept = { tab: operationIds.find((id) => id === tab) ?? 'generateImage', texts, files };
  }

  get form(): Form {
    const { tab, texts } = this.#kept;
    return { tab, texts };
  }

  /** Of each operation that has any. */
  get files(): readonly (readonly [OperationId, Files])[] {
    return operationIds.flatMap((id) => {
      const files = this.#kept.files[id];
      return files ? [[id, files] as const] : [];
    });
  }

  filesOf(id: OperationId, field: string): readonly string[] {
    return this.#kept.files[id]?.[field] ?? [];
  }

  setTab(tab: OperationId): void {
    this.#keep({ tab });
  }

  setTexts(id: OperationId, texts: FieldTexts): void {
    this.#keep({ texts: { ...this.#kept.texts, [id]: { ...this.#kept.texts[id], ...texts } } });
  }

  setFiles(id: OperationId, field: string, files: readonly string[]): void {
    this.#keep({ files: { ...this.#kept.files, [id]: { ...this.#kept.files[id], [field]: files } } });
  }

  #keep(changes: Partial<Kept>): void {
    this.#kept = { ...this.#kept, ...changes };
    // Written in the order of the changes; what cannot be kept is still there in memory.
    this.#memento.update(name, this.#kept).then(undefined, () => undefined);
  }
}
