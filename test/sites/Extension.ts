import { posix } from 'node:path';
import * as vscode from 'vscode';
import { commandIds } from '../../src/contributions.ts';
import { DocumentPlaces } from '../../src/editor/DocumentPlaces.ts';
import { ReferenceWriter } from '../../src/editor/ReferenceWriter.ts';
import type { Requested } from '../../src/editor/requests/requests.ts';
import { Settings } from '../../src/editor/Settings.ts';
import type { Window } from '../../src/editor/Window.ts';
import { WorkspacePlaces } from '../../src/editor/WorkspacePlaces.ts';
import { generateMissing } from '../../src/features/missingMedia/generateMissing.ts';
import { MissingMedia } from '../../src/features/missingMedia/MissingMedia.ts';
import { missingActions, serveFile } from '../../src/features/missingMedia/quickFixes.ts';
import type { Asset } from '../../src/library/LibraryRecord.ts';
import { type AssetKind, operations } from '../../src/operations/operations.ts';
import { DocumentReader } from '../../src/reading/DocumentReader.ts';
import { JobList } from '../../src/work/Job.ts';
import { writeMedia } from './media.ts';

/** What the extension does in one workspace folder. Paths are relative to the folder. */
export class Extension {
  readonly #folder: string;
  readonly #settings = new Settings();
  readonly #places: DocumentPlaces;
  readonly #workspace: WorkspacePlaces;
  readonly #references: ReferenceWriter;
  readonly #missing: MissingMedia;

  constructor(folder: string) {
    this.#folder = folder;
    // A build beside it may keep both cores busy for longer than people would wait.
    this.#places = new DocumentPlaces(this.#settings, new DocumentReader({ deadlineMs: 120_000 }));
    const projects = async () => this.#places;
    this.#workspace = new WorkspacePlaces(this.#settings, vscode.Uri.file('/nowhere'), projects);
    this.#references = new ReferenceWriter(this.#places);
    const jobs = new JobList();
    this.#missing = new MissingMedia({
      projects,
      references: async () => this.#references,
      jobs,
      places: this.#workspace,
    });
  }

  dispose(): void {
    this.#places.dispose();
  }

  /** Returns the folder in which new media for a document are saved. */
  async folderFor(page: string, kind: AssetKind): Promise<string> {
    const document = await this.#open(page);
    return (await this.#workspace.referenceForDocument(document, kind, false))?.path ?? '';
  }

  /** Returns what *Insert at Cursor* writes for a file where the text says, and the import that it needs. */
  async insert(
    page: string,
    cursor: string,
    file: string,
    title: string,
  ): Promise<{ readonly text: string; readonly head: string | undefined }> {
    const document = await this.#open(page);
    const start = document.getText().indexOf(cursor);
    const at = new vscode.Range(document.positionAt(start), document.positionAt(start + cursor.length));
    const { text, imports } = await this.#references.textFor(document, at, { uris: [this.#uri(file)], title });
    return { text, head: imports[0]?.newText.trim() };
  }

  /** Returns the addresses in a document that lead to a missing file. */
  async missingIn(page: string): Promise<readonly string[]> {
    const document = await this.#open(page);
    const missing = await this.#missing.missingIn(document, await this.#missing.referencesIn(document));
    return missing.flatMap(({ references }) => references.map(({ address }) => address));
  }

  /** Returns the addresses in a document at which the site does not serve an existing file. */
  async unservedIn(page: string): Promise<readonly string[]> {
    const document = await this.#open(page);
    const unserved = await this.#missing.unservedIn(document, await this.#missing.referencesIn(document));
    return unserved.map(({ reference }) => reference.address);
  }

  /**
   * Applies the paid quick fix of the missing file whose address contains a text. The file is made on the spot, instead
   * of by the service.
   *
   * @returns the path of the file; undefined when no fix is offered
   */
  async generate(page: string, text: string): Promise<string | undefined> {
    const actions = await this.#actionsAt(page, text);
    const fix = actions.find(({ command }) => command?.command === commandIds.generateMissingMedia)?.command;
    if (!fix) return undefined;
    const assets = await generateMissing(fix.arguments?.[0], this.#missing, this.#dependencies());
    const [uri] = assets?.map((asset) => vscode.Uri.parse(asset.uri, true).path) ?? [];
    return uri?.slice(this.#folder.length + 1);
  }

  /**
   * Applies the first free quick fix of the reference whose address contains a text: another address, or another place.
   *
   * @returns its title; undefined when none is offered
   */
  async correct(page: string, text: string): Promise<string | undefined> {
    const [fix] = await this.#actionsAt(page, text);
    if (fix?.edit) await vscode.workspace.applyEdit(fix.edit);
    else if (fix?.command?.command !== commandIds.serveFile) return undefined;
    else await serveFile(fix.command.arguments?.[0], this.#missing);
    return fix.title;
  }

  /** Returns the quick fixes of the reference whose address contains a text. */
  async #actionsAt(page: string, text: string): Promise<readonly vscode.CodeAction[]> {
    const document = await this.#open(page);
    const all = await this.#missing.referencesIn(document);
    const range = all.find(({ address }) => address.includes(text))?.range;
    if (!range) return [];
    const where = new vscode.Range(document.positionAt(range.start), document.positionAt(range.end));
    const context = { diagnostics: [], only: undefined, triggerKind: vscode.CodeActionTriggerKind.Invoke };
    const { token } = new vscode.CancellationTokenSource();
    return missingActions(document, where, context, this.#missing, token);
  }

  #dependencies(): Parameters<typeof generateMissing>[2] {
    const dependencies: Partial<Record<keyof Window, unknown>> = {
      settings: this.#settings,
      service: { checkReady: async () => undefined },
      places: this.#workspace,
      jobs: new JobList(),
      log: vscode.window.createOutputChannel('Sites', { log: true }),
      projects: async () => this.#places,
      references: async () => this.#references,
      runs: {
        run: (requests: readonly Requested[]) => Promise.allSettled(requests.map((request) => this.#make(request))),
      },
    };
    return dependencies as Window;
  }

  /** Makes the file that a request is for. */
  async #make({ operation, place }: Requested): Promise<readonly Asset[]> {
    const { path = '', exactName = '' } = place ?? {};
    const uri = this.#uri(posix.join(path, exactName));
    await writeMedia(uri.fsPath);
    const { result: kind } = operations[operation];
    const made = { mediaType: '', bytes: 1, sha256: '', createdAt: '', jobId: '', model: '' };
    return [{ ...made, uri: uri.toString(), kind, operation }];
  }

  #open(page: string): Thenable<vscode.TextDocument> {
    return vscode.workspace.openTextDocument(this.#uri(page));
  }

  #uri(path: string): vscode.Uri {
    return vscode.Uri.file(posix.join(this.#folder, path));
  }
}
