import { posix } from 'node:path';
import * as vscode from 'vscode';
import { commandIds, section, settingId } from '../../contributions.ts';
import type { MediaReference } from '../../documents/MediaReference.ts';
import { Click } from '../../editor/Caller.ts';
import type { DocumentPlaces } from '../../editor/DocumentPlaces.ts';
import type { ReferenceWriter } from '../../editor/ReferenceWriter.ts';
import type { Runs } from '../../editor/runs.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import { shortLine } from '../../foreign/plainText.ts';
import { isFileName } from '../../library/fileName.ts';
import { checkFields } from '../../operations/validateRequest.ts';
import type { MissingFile } from '../../projects/Places.ts';
import { findMissing } from '../../projects/Places.ts';
import { DocumentReader, maxUnaskedLength } from '../../reading/DocumentReader.ts';
import type { ServiceConnection } from '../../service/ServiceConnection.ts';
import type { JobList, PlaceReference } from '../../work/Job.ts';
import { isRunning } from '../../work/Job.ts';
import { proposalFor } from './proposalFor.ts';

export interface MissingMediaDependencies {
  readonly settings: Settings;
  readonly service: Pick<ServiceConnection, 'checkReady'>;
  readonly places: Pick<WorkspacePlaces, 'referenceIn'>;
  readonly jobs: Pick<JobList, 'all'>;
  readonly log: vscode.LogOutputChannel;
  readonly runs: Pick<Runs, 'run'>;
  /** Loads what knows the projects of documents. */
  projects(): Promise<DocumentPlaces>;
  /** Loads the writer of references. */
  references(): Promise<ReferenceWriter>;
}

/** Finds the media that documents refer to and that do not exist. */
export class MissingMedia {
  readonly references: MissingMediaDependencies['references'];
  readonly #projects: MissingMediaDependencies['projects'];
  readonly #jobs: MissingMediaDependencies['jobs'];
  readonly #reader = new DocumentReader();
  readonly #found = new WeakMap<
    vscode.TextDocument,
    { readonly version: number; readonly language: string; readonly all: Promise<readonly MediaReference[]> }
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

  /** Returns all references of a document to media, none of a very long one; cached until the document changes. */
  async referencesIn(document: vscode.TextDocument): Promise<readonly MediaReference[]> {
    const { language } = (await this.#projects()).placeOf(document).document;
    const known = this.#found.get(document);
    const { version } = document;
    if (known?.version === version && known.language === language) return known.all;
    const text = document.getText();
    const all = text.length > maxUnaskedLength ? Promise.resolve([]) : this.#reader.findReferences(text, language);
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

const maxFiles = 20;

/** Returns the paths of the files with a name in a workspace folder, ignoring case and leaving out dependencies. */
export async function filesNamed(
  root: vscode.Uri,
  name: string,
  token: vscode.CancellationToken,
): Promise<readonly string[]> {
  const letters = [...name].map((letter) => {
    const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()];
    if (lower !== upper && lower.length === 1 && upper.length === 1) return `[${lower}${upper}]`;
    return /[*?[\]{}!,\\]/.test(letter) ? '?' : letter;
  });
  const pattern = new vscode.RelativePattern(root, `**/${letters.join('')}`);
  const found = await vscode.workspace.findFiles(pattern, '**/{node_modules,.git}/**', maxFiles, token);
  return found.map(({ path }) => path).filter((path) => posix.basename(path).toLowerCase() === name.toLowerCase());
}

/** The part of the built-in git extension's Repository that is used. Older versions lack it. */
interface Repository {
  checkIgnore?(paths: string[]): Promise<Set<string>>;
}

interface GitExtension {
  getAPI(version: 1): { getRepository(uri: vscode.Uri): Repository | null };
}

/** Returns the paths that git ignores; empty without a repository or with git turned off. */
export async function ignoredFiles(root: vscode.Uri, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const git = vscode.extensions.getExtension<GitExtension>('vscode.git');
  if (!git?.isActive || root.scheme !== 'file') return new Set();
  try {
    const api = git.exports.getAPI(1);
    // A workspace folder may contain several repositories.
    const repositories = new Map<Repository, Map<string, string>>();
    for (const path of paths) {
      const uri = root.with({ path });
      const repository = api.getRepository(uri);
      if (repository) repositories.set(repository, (repositories.get(repository) ?? new Map()).set(uri.fsPath, path));
    }
    const ignored = await Promise.all(
      [...repositories].map(async ([repository, files]) => {
        const found = (await repository.checkIgnore?.([...files.keys()])) ?? new Set();
        return [...files].filter(([file]) => found.has(file)).map(([, path]) => path);
      }),
    );
    return new Set(ignored.flat());
  } catch {
    // Git is turned off in the settings.
    return new Set();
  }
}

/** The code of the diagnostics. */
export const missingCode = 'missing-media';

/** Delay after the last change, in milliseconds. */
const pause = 500;

/** Marks missing media in open documents. Reads nothing while the person types. */
export class MissingMarks implements vscode.Disposable {
  readonly #settings: Pick<Settings, 'missingMedia'>;
  readonly #media: MissingMedia;
  readonly #marks = vscode.languages.createDiagnosticCollection(settingId('missingMedia'));
  readonly #waiting = new Map<string, NodeJS.Timeout>();
  readonly #subscriptions: vscode.Disposable;

  constructor(settings: Pick<Settings, 'missingMedia'>, media: MissingMedia, onDidChangeFiles: vscode.Event<void>) {
    this.#settings = settings;
    this.#media = media;
    const all = () => {
      for (const document of vscode.workspace.textDocuments) this.#schedule(document);
    };
    this.#subscriptions = vscode.Disposable.from(
      this.#marks,
      onDidChangeFiles(all),
      vscode.workspace.onDidOpenTextDocument((document) => this.#schedule(document)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.#schedule(document)),
      vscode.workspace.onDidCloseTextDocument((document) => this.#forget(document)),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(section)) all();
      }),
    );
    all();
  }

  dispose(): void {
    for (const timer of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
    this.#subscriptions.dispose();
  }

  #schedule(document: vscode.TextDocument): void {
    const address = document.uri.toString();
    clearTimeout(this.#waiting.get(address));
    const timer = setTimeout(() => {
      this.#waiting.delete(address);
      // A failure is retried with the next change.
      void this.#mark(document).catch(() => undefined);
    }, pause);
    this.#waiting.set(address, timer);
  }

  #forget({ uri }: vscode.TextDocument): void {
    clearTimeout(this.#waiting.get(uri.toString()));
    this.#waiting.delete(uri.toString());
    this.#marks.delete(uri);
  }

  async #mark(document: vscode.TextDocument): Promise<void> {
    const { uri, version } = document;
    const kind = vscode.workspace.getWorkspaceFolder(uri) ? this.#settings.missingMedia(uri) : 'off';
    if (kind === 'off') return this.#marks.delete(uri);
    const severity = kind === 'hint' ? vscode.DiagnosticSeverity.Hint : vscode.DiagnosticSeverity.Warning;
    const missing = await this.#media.missingIn(document, await this.#media.referencesIn(document));
    const marks: vscode.Diagnostic[] = [];
    for (const { path, references } of missing) {
      const name = await this.#media.nameIn(document, path);
      for (const { range } of references) {
        const where = new vscode.Range(document.positionAt(range.start), document.positionAt(range.end));
        const mark = new vscode.Diagnostic(where, vscode.l10n.t('{0} does not exist.', name), severity);
        mark.source = 'Unified Media';
        mark.code = missingCode;
        marks.push(mark);
      }
    }
    if (!document.isClosed && document.version === version) this.#marks.set(uri, marks);
  }
}

/** Maximum number of files of the same name that are offered. */
const maxCandidates = 3;
/** Maximum length of a prompt in a title, in characters. */
const shownCharacters = 60;

/**
 * Returns the quick fixes for missing media in a range, free ones first. Each is a command, so that nothing is sent
 * until someone chooses it.
 */
export async function missingActions(
  document: vscode.TextDocument,
  range: vscode.Range,
  context: vscode.CodeActionContext,
  media: MissingMedia,
  token: vscode.CancellationToken,
): Promise<vscode.CodeAction[]> {
  const { only, triggerKind, diagnostics } = context;
  // On save, VS Code asks for fixes by kind and applies every one it gets.
  if (
    only &&
    (triggerKind === vscode.CodeActionTriggerKind.Automatic || !only.intersects(vscode.CodeActionKind.QuickFix))
  )
    return [];
  const all = await media.referencesIn(document);
  const touched = touchedBy(range, document, all);
  const near = await media.missingIn(document, touched, token);
  if (near.length === 0) return [];
  // A file is generated once, for all references of the document.
  const missing = await media.missingIn(document, all);
  const here = near.flatMap(({ path, candidates }) =>
    missing.filter((file) => file.path === path).map((file) => ({ ...file, candidates })),
  );
  const own = diagnostics.filter(({ code }) => codeOf(code) === missingCode || codeOf(code) === 'link.no-such-file');
  const action = (title: string, command: string, argument: object): vscode.CodeAction => ({
    title,
    kind: vscode.CodeActionKind.QuickFix,
    command: { title, command, arguments: [Click.on({ uri: document.uri.toString(), ...argument })] },
    diagnostics: own,
  });
  const free: vscode.CodeAction[] = [];
  const paid: vscode.CodeAction[] = [];
  for (const file of here) {
    for (const candidate of await usable(document, file, media)) {
      const title = vscode.l10n.t('Point to {0}', await media.nameIn(document, candidate));
      free.push(action(title, commandIds.pointToFile, { path: file.path, file: candidate }));
    }
    const proposal = proposalFor(file);
    if (!proposal || isBeingMade(file.path)) continue;
    const name = await media.nameIn(document, file.path);
    const title = proposal.prompt
      ? vscode.l10n.t('Generate {0} from "{1}"', name, shortLine(proposal.prompt, shownCharacters))
      : vscode.l10n.t('Generate {0}…', name);
    paid.push(action(title, commandIds.generateMissingMedia, { paths: [relative(file.path)] }));
  }
  const makeable = missing.filter((file) => proposalFor(file) && !isBeingMade(file.path));
  if (paid.length > 0 && makeable.length > 1) {
    const title = vscode.l10n.t('Generate All {0} Missing…', makeable.length);
    const paths = makeable.map(({ path }) => relative(path));
    paid.push(action(title, commandIds.generateMissingMedia, { paths }));
  }
  return [...free, ...paid];

  function isBeingMade(path: string): boolean {
    return media.isBeingMade(document.uri.with({ path }));
  }

  function relative(path: string): string {
    return vscode.workspace.asRelativePath(document.uri.with({ path }), false);
  }
}

/** Returns the references that a range touches, or else those on its lines. */
function touchedBy(
  range: vscode.Range,
  document: vscode.TextDocument,
  references: readonly MediaReference[],
): readonly MediaReference[] {
  const [start, end] = [document.offsetAt(range.start), document.offsetAt(range.end)];
  const touching = references.filter(({ range: href, alt = href }) => {
    const [from, to] = [Math.min(href.start, alt.start), Math.max(href.end, alt.end)];
    return from <= end && to >= start;
  });
  if (touching.length > 0) return touching;
  return references.filter(({ line }) => line >= range.start.line && line <= range.end.line);
}

/** Returns the files of the same name that all references to a missing file can point to. */
async function usable(
  document: vscode.TextDocument,
  { references, candidates }: MissingFile,
  media: MissingMedia,
): Promise<readonly string[]> {
  const writer = await media.references();
  const found: string[] = [];
  for (const candidate of candidates) {
    const addresses = await Promise.all(
      references.map((reference) => writer.addressFor(document, reference, candidate)),
    );
    if (addresses.every((address) => address !== undefined)) found.push(candidate);
    if (found.length === maxCandidates) break;
  }
  return found;
}

function codeOf(code: vscode.Diagnostic['code']): unknown {
  return typeof code === 'object' ? code.value : code;
}

/**
 * Makes the references of a document to one file lead to another, as one undo step.
 *
 * @param argument `{uri, path, file}`: the document, and the paths of the two files as in URIs
 * @returns the number of changed references
 */
export async function pointToFile(argument: unknown, media: MissingMedia): Promise<number> {
  const { uri, path, file } = checkFields(vscode.l10n.t('Point to File'), ['uri', 'path', 'file'], argument);
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(String(uri), true));
  const writer = await media.references();
  const edit = new vscode.WorkspaceEdit();
  let changed = 0;
  for (const reference of await media.referencesIn(document)) {
    if ((await media.targetOf(document, reference)) !== path) continue;
    const address = await writer.addressFor(document, reference, String(file));
    if (address === undefined) continue;
    const { start, end } = reference.range;
    edit.replace(document.uri, new vscode.Range(document.positionAt(start), document.positionAt(end)), address);
    changed++;
  }
  return (await vscode.workspace.applyEdit(edit)) ? changed : 0;
}
