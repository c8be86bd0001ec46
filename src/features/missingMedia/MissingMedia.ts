import * as vscode from 'vscode';
import { findReferences } from '../../documents/findReferences.ts';
import type { MediaReference } from '../../documents/MediaReference.ts';
import { isFileName } from '../../library/fileName.ts';
import type { MissingFile } from '../../places/findMissing.ts';
import { findMissing } from '../../places/findMissing.ts';
import type { PlaceReference } from '../../work/Job.ts';
import { isRunning } from '../../work/Job.ts';
import { filesNamed } from './filesNamed.ts';
import { ignoredFiles } from './ignoredFiles.ts';
import type { MissingMediaDependencies } from './MissingMediaDependencies.ts';

/** Finds the media that documents refer to and that do not exist. */
export class MissingMedia {
  readonly references: MissingMediaDependencies['references'];
  readonly #projects: MissingMediaDependencies['projects'];
  readonly #jobs: MissingMediaDependencies['jobs'];
  readonly #found = new WeakMap<
    vscode.TextDocument,
    { readonly version: number; readonly language: string; readonly all: readonly MediaReference[] }
  >();

  constructor({ projects, references, jobs }: Pick<MissingMediaDependencies, 'projects' | 'references' | 'jobs'>) {
    this.#projects = projects;
    this.#jobs = jobs;
    this.references = references;
  }

  /** Whether a running job makes a file, so that it is not paid for twice. */
  isBeingMade(uri: vscode.Uri): boolean {
    const address = uri.toString();
    return this.#jobs.all.some((job) => isRunning(job) && addressIn((job.whole ?? job).place) === address);
  }

  /** Reports generated files to the projects. */
  async noticeGenerated(uris: readonly vscode.Uri[]): Promise<void> {
    const projects = await this.#projects();
    for (const uri of uris) projects.fileCreated(uri);
  }

  /** Returns all references of a document to media; cached until the document changes. */
  async referencesIn(document: vscode.TextDocument): Promise<readonly MediaReference[]> {
    const { language } = (await this.#projects()).placeOf(document).document;
    const known = this.#found.get(document);
    const { version } = document;
    if (known?.version === version && known.language === language) return known.all;
    const all = findReferences(document.getText(), language);
    this.#found.set(document, { version, language, all });
    return all;
  }

  /** Returns the path that a reference leads to; undefined when it cannot be resolved. */
  async targetOf(document: vscode.TextDocument, reference: MediaReference): Promise<string | undefined> {
    const { places, document: placed } = (await this.#projects()).placeOf(document);
    return (await places.resolve(placed, reference))?.path;
  }

  /**
   * Returns the missing files that references of a document lead to, each once. Leaves out build output, files that git
   * ignores, and names that are not valid on every system.
   *
   * @param candidates when given, also searches for files of the same name, until the token is cancelled
   */
  async missingIn(
    document: vscode.TextDocument,
    references: readonly MediaReference[],
    candidates?: vscode.CancellationToken,
  ): Promise<readonly MissingFile[]> {
    const root = vscode.workspace.getWorkspaceFolder(document.uri)?.uri;
    if (!root || references.length === 0) return [];
    const { places, document: placed } = (await this.#projects()).placeOf(document);
    if (await places.isOutput(placed)) return [];
    const found = await findMissing(references, {
      resolve: (reference) => places.resolve(placed, reference),
      filesNamed: async () => [],
    });
    if (found.length === 0) return [];
    const ignored = await ignoredFiles(root, [document.uri.path, ...found.map(({ path }) => path)]);
    if (ignored.has(document.uri.path)) return [];
    const missing = found.filter(({ path }) => !ignored.has(path) && hasName(places.relativePath(path)));
    if (!candidates) return missing;
    return findMissing(
      missing.flatMap((file) => file.references),
      {
        resolve: (reference) => places.resolve(placed, reference),
        filesNamed: async (name) => {
          const named = await filesNamed(root, name, candidates);
          const output = await Promise.all(named.map((path) => places.isOutput({ ...placed, path })));
          return named.filter((_, index) => !output[index]);
        },
      },
    );
  }

  /** Returns the path relative to the document's project, which is how people know the file. */
  async nameIn(document: vscode.TextDocument, path: string): Promise<string> {
    const { places, document: placed } = (await this.#projects()).placeOf(document);
    return places.nameIn(placed, path);
  }
}

function addressIn({ root, path, exactName }: PlaceReference): string | undefined {
  return exactName === undefined
    ? undefined
    : vscode.Uri.joinPath(vscode.Uri.parse(root, true), path, exactName).toString();
}

/** Whether a path is valid on every system. */
function hasName(path: string): boolean {
  return path.split('/').every(isFileName);
}
