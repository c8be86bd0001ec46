import * as vscode from 'vscode';
import { notify } from '../../editor/notify.ts';
import { abortSignal } from '../../editor/runCommand.ts';
import type { Window } from '../../editor/Window.ts';
import { hashOf } from '../../files/sha256.ts';
import { type Following, followMoves, type Rename } from './followMoves.ts';

/** How long a rename waits for its references, in milliseconds. VS Code ends its own wait after a minute by default. */
const maxWait = 30_000;
/** How many files a message names. */
const maxNamed = 5;

/** Lets documents, manifests and locks follow files that the editor moves. */
export class ReferenceFollower implements vscode.Disposable {
  readonly #window: Pick<Window, 'projects' | 'settings' | 'log'>;
  readonly #deadline: () => AbortSignal;
  /** Hashes of the texts of documents that are saved when they have one of them, by address. */
  readonly #saved = new Map<string, Set<string>>();
  /** Documents whose edit is on its way. */
  readonly #awaited = new Set<string>();
  /** Where documents go whose edit is on its way, which are saved only there, with the hashes of their texts. */
  readonly #moving = new Map<string, { readonly uri: vscode.Uri; readonly hash: string }>();
  /** Moves whose references took too long, by their old address. */
  readonly #late = new Map<string, Rename>();
  readonly #changes = vscode.workspace.onDidChangeTextDocument((event) => this.#save(event));

  /** @param deadline ends the wait for the references of one rename */
  constructor(
    window: Pick<Window, 'projects' | 'settings' | 'log'>,
    deadline: () => AbortSignal = () => AbortSignal.timeout(maxWait),
  ) {
    this.#window = window;
    this.#deadline = deadline;
  }

  dispose(): void {
    this.#changes.dispose();
  }

  /**
   * Adds to an edit what follows files that are about to move. What takes too long follows after the move.
   *
   * @param others addresses of documents that the edit changes already
   */
  async follow(
    renames: readonly Rename[],
    edit: vscode.WorkspaceEdit,
    token: vscode.CancellationToken,
    others: ReadonlySet<string>,
  ): Promise<void> {
    const deadline = this.#deadline();
    const cancelled = abortSignal(token);
    try {
      const signal = AbortSignal.any([deadline, cancelled.signal]);
      this.#add(await this.#find(renames, { isDone: false, others, signal }), edit);
    } catch (error) {
      if (deadline.aborted) for (const rename of renames) this.#late.set(rename.oldUri.toString(), rename);
      else if (!token.isCancellationRequested) this.#report(error);
    } finally {
      cancelled.dispose();
    }
  }

  /** Saves documents that have moved with their changes, and does what was too late for moves that have happened now. */
  async moved(renames: readonly Rename[]): Promise<void> {
    for (const { uri, hash } of this.#moving.values()) {
      this.#moving.delete(uri.toString());
      const document = await Promise.resolve(vscode.workspace.openTextDocument(uri)).catch(() => undefined);
      if (document && hashOf(document.getText()) === hash) await document.save();
    }
    const late = renames.filter(({ oldUri, newUri }) => {
      return this.#late.get(oldUri.toString())?.newUri.toString() === newUri.toString();
    });
    for (const { oldUri } of renames) this.#late.delete(oldUri.toString());
    if (late.length === 0) return;
    try {
      const { signal } = new AbortController();
      const edit = new vscode.WorkspaceEdit();
      const following = await this.#find(late, { isDone: true, others: new Set(), signal });
      this.#add(following, edit);
      if (following.changed.length === 0 || !(await vscode.workspace.applyEdit(edit))) return;
      const names = namesOf(late.map(({ newUri }) => newUri));
      const count = following.changed.length;
      void notify.information(
        vscode.l10n.t(
          '{0} moved first, and then {1} files that name it were changed. Undo takes back one after the other.',
          names,
          count,
        ),
      );
    } catch (error) {
      this.#report(error);
    }
  }

  async #find(
    renames: readonly Rename[],
    how: { readonly isDone: boolean; readonly others: ReadonlySet<string>; readonly signal: AbortSignal },
  ): Promise<Following> {
    const { projects, settings } = this.#window;
    return followMoves(renames, { ...how, projects: await projects(), declared: settings.declaredFields });
  }

  #add({ changed, left, searched }: Following, edit: vscode.WorkspaceEdit): void {
    const saves = vscode.workspace.getConfiguration('files').get('refactoring.autoSave') !== false;
    for (const { document, changes, movesTo } of changed) {
      const { uri } = document;
      const before = document.getText();
      for (const { start, end, text } of changes) {
        edit.replace(uri, new vscode.Range(document.positionAt(start), document.positionAt(end)), text);
      }
      if (!saves || document.isDirty) continue;
      const after = changes.reduceRight(
        (all, { start, end, text }) => all.slice(0, start) + text + all.slice(end),
        before,
      );
      if (movesTo) this.#moving.set(movesTo.toString(), { uri: movesTo, hash: hashOf(after) });
      else {
        const known = this.#saved.get(uri.toString()) ?? new Set();
        this.#saved.set(uri.toString(), known.add(hashOf(before)).add(hashOf(after)));
        this.#awaited.add(uri.toString());
      }
    }
    if (searched !== undefined) {
      void notify.warning(
        vscode.l10n.t('Only {0} documents were searched for references to what was moved.', searched),
      );
    }
    if (left.length === 0) return;
    const sentence = vscode.l10n.t(
      'These files may name what was moved and stay as they are, because they are too long, cannot be read, or its new place does not fit them: {0}',
      namesOf(left),
    );
    void notify.warning(sentence);
  }

  /**
   * Saves a document that had no unsaved changes before, once the edit is there, and again when it is undone or redone. VS
   * Code saves what follows a rename only in its own edits, and a lock counts as it is on disk.
   */
  #save({ document, reason }: vscode.TextDocumentChangeEvent): void {
    const address = document.uri.toString();
    const known = this.#saved.get(address);
    if (!known || (reason === undefined && !this.#awaited.delete(address))) return;
    if (known.has(hashOf(document.getText()))) void document.save();
  }

  #report(error: unknown): void {
    this.#window.log.warn(`The references to a moved file were not changed: ${String(error)}`);
    void notify.warning(vscode.l10n.t('References to the moved file were not changed. The log says why.'));
  }
}

function namesOf(uris: readonly vscode.Uri[]): string {
  const names = uris.map((uri) => vscode.workspace.asRelativePath(uri));
  return [...names.slice(0, maxNamed), ...(names.length > maxNamed ? ['…'] : [])].join(', ');
}
