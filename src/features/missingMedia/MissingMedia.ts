import { posix } from 'node:path';
import * as vscode from 'vscode';
import { section, settingId } from '../../contributions.ts';
import type { MediaKind, MediaReference } from '../../documents/MediaReference.ts';
import { ignoredFiles, missingFiles } from '../../editor/missingFiles.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { Window } from '../../editor/Window.ts';
import { type AddressTarget, findMissing, isSpelledAlike, type MissingFile } from '../../projects/Places.ts';
import { isRunning, type PlaceReference } from '../../work/Job.ts';
import { RenamedFiles } from './RenamedFiles.ts';

/** Finds the media that documents refer to and that do not exist. */
export class MissingMedia {
  readonly references: Window['references'];
  readonly #projects: Window['projects'];
  readonly #jobs: Window['jobs'];
  readonly #renamed: RenamedFiles;

  constructor({ projects, references, jobs, places }: Pick<Window, 'projects' | 'references' | 'jobs' | 'places'>) {
    this.#projects = projects;
    this.#jobs = jobs;
    this.#renamed = new RenamedFiles(places);
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

  /** Returns what `referencesIn` of the projects does. */
  async referencesIn(document: vscode.TextDocument): Promise<readonly MediaReference[]> {
    return (await this.#projects()).referencesIn(document);
  }

  /** Returns where a reference leads; undefined when that is unknown. */
  async targetOf(document: vscode.TextDocument, reference: MediaReference): Promise<AddressTarget | undefined> {
    const { places, document: placed } = (await this.#projects()).placeOf(document);
    return places.resolve(placed, reference);
  }

  /** Returns the folder for new media of a document; undefined when its project does not define one. */
  async folderFor(document: vscode.TextDocument, kind: MediaKind): Promise<string | undefined> {
    const { places, document: placed } = (await this.#projects()).placeOf(document);
    return places.folderFor(placed, kind);
  }

  /**
   * Returns the references of a document to existing files that readers of the site would not get. Leaves out what
   * {@link missingIn} leaves out.
   */
  async unservedIn(
    document: vscode.TextDocument,
    references: readonly MediaReference[],
  ): Promise<readonly UnservedReference[]> {
    const root = vscode.workspace.getWorkspaceFolder(document.uri)?.uri;
    if (!root || references.length === 0) return [];
    const { places, document: placed } = (await this.#projects()).placeOf(document);
    if (await places.isOutput(placed)) return [];
    const found: UnservedReference[] = [];
    for (const reference of references) {
      const target = await places.resolve(placed, reference);
      if (target?.exists && target.fault && !target.isOutput) {
        found.push({ reference, path: target.path, fault: target.fault });
      }
    }
    const isIgnored = found.length > 0 && (await ignoredFiles(root, [document.uri.path])).size > 0;
    return isIgnored ? [] : found;
  }

  /** Whether readers get a missing file once it exists, with a corrected address where it needs one. */
  async canBeServed(
    document: vscode.TextDocument,
    { path, references, unserved, isGuess }: MissingFile,
  ): Promise<boolean> {
    if (isGuess) return false;
    if (unserved.length < references.length) return true;
    const writer = await this.references();
    for (const reference of unserved) if (await writer.correctionOf(document, reference, path)) return true;
    return false;
  }

  /**
   * As {@link missingFiles}.
   *
   * @param candidates when given, also searches for files of the same name, until the token is cancelled
   */
  async missingIn(
    document: vscode.TextDocument,
    references: readonly MediaReference[],
    candidates?: vscode.CancellationToken,
  ): Promise<readonly MissingFile[]> {
    const projects = await this.#projects();
    const missing = await missingFiles(projects, document, references);
    const root = vscode.workspace.getWorkspaceFolder(document.uri)?.uri;
    if (!candidates || !root) return missing;
    const { places, document: placed } = projects.placeOf(document);
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

  /** Returns the paths that a missing file has now, as far as the library or its content tell. */
  async renamedTo(
    document: vscode.TextDocument,
    path: string,
    token: vscode.CancellationToken,
  ): Promise<readonly string[]> {
    const root = vscode.workspace.getWorkspaceFolder(document.uri)?.uri;
    if (!root) return [];
    const { places, document: placed } = (await this.#projects()).placeOf(document);
    const found = await this.#renamed.find(root, path, token);
    const output = await Promise.all(found.map((one) => places.isOutput({ ...placed, path: one })));
    return found.filter((_, index) => !output[index]);
  }

  /** Returns the folders from which the site of a document may be served. */
  async foldersToServe(document: vscode.TextDocument): Promise<readonly string[]> {
    const { places, document: placed } = (await this.#projects()).placeOf(document);
    return places.foldersToServe(placed);
  }

  /** Returns the path relative to the document's project, which is how people know the file. */
  async nameIn(document: vscode.TextDocument, path: string): Promise<string> {
    const { places, document: placed } = (await this.#projects()).placeOf(document);
    return places.nameIn(placed, path);
  }
}

/** A reference to an existing file that readers of the site would not get. */
export interface UnservedReference {
  readonly reference: MediaReference;
  readonly path: string;
  readonly fault: NonNullable<AddressTarget['fault']>;
}

function addressIn({ root, path, exactName }: PlaceReference): string | undefined {
  return exactName === undefined
    ? undefined
    : vscode.Uri.joinPath(vscode.Uri.parse(root, true), path, exactName).toString();
}

const maxFiles = 20;

/**
 * Returns the paths of the files with a name in a workspace folder, in any spelling, leaving out dependencies; see
 * {@link isSpelledAlike}.
 */
export async function filesNamed(
  root: vscode.Uri,
  name: string,
  token: vscode.CancellationToken,
): Promise<readonly string[]> {
  const letters = [...name.normalize('NFC')].map((letter) => {
    const isPlain = letter.normalize('NFD') === letter;
    return isPlain
      ? patternOf(letter)
      : `{${patternOf(letter)},${[...letter.normalize('NFD')].map(patternOf).join('')}}`;
  });
  const pattern = new vscode.RelativePattern(root, `**/${letters.join('')}`);
  const found = await vscode.workspace.findFiles(pattern, '**/{node_modules,.git}/**', maxFiles, token);
  return found.map(({ path }) => path).filter((path) => isSpelledAlike(posix.basename(path), name));
}

/** Returns the glob of a letter in either case. */
function patternOf(letter: string): string {
  const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()];
  if (lower !== upper && lower.length === 1 && upper.length === 1) return `[${lower}${upper}]`;
  return /[*?[\]{}!,\\]/.test(letter) ? '?' : letter;
}

/** The codes of the diagnostics. */
export const missingCode = 'missing-media';
export const unservedCode = 'unserved-media';

/** Delay after the last change, in milliseconds. */
const pause = 500;

/** Marks missing and unserved media in open documents. Reads nothing while the person types. */
export class MissingMarks implements vscode.Disposable {
  readonly #settings: Pick<Settings, 'get'>;
  readonly #media: MissingMedia;
  readonly #marks = vscode.languages.createDiagnosticCollection(settingId('missingMedia'));
  readonly #waiting = new Map<string, NodeJS.Timeout>();
  /** The last run whose marks were set. Runs may overlap, and an older one may end last. */
  readonly #shown = new WeakMap<vscode.TextDocument, number>();
  #runs = 0;
  readonly #subscriptions: vscode.Disposable;

  constructor(settings: Pick<Settings, 'get'>, media: MissingMedia, onDidChangeFiles: vscode.Event<void>) {
    this.#settings = settings;
    this.#media = media;
    const all = () => {
      for (const document of vscode.workspace.textDocuments) {
        // Starting the pause again would put the marks off as long as files keep changing.
        if (!this.#waiting.has(document.uri.toString())) this.#schedule(document);
      }
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
    const run = ++this.#runs;
    const kind = vscode.workspace.getWorkspaceFolder(uri) ? this.#settings.get('missingMedia', uri) : 'off';
    const severity = kind === 'hint' ? vscode.DiagnosticSeverity.Hint : vscode.DiagnosticSeverity.Warning;
    const all = kind === 'off' ? [] : await this.#media.referencesIn(document);
    const marks: vscode.Diagnostic[] = [];
    const add = ({ range }: MediaReference, sentence: string, code: string) => {
      const where = new vscode.Range(document.positionAt(range.start), document.positionAt(range.end));
      const mark = new vscode.Diagnostic(where, sentence, severity);
      mark.source = 'Unified Media';
      mark.code = code;
      marks.push(mark);
    };
    for (const { path, references, isGuess } of await this.#media.missingIn(document, all)) {
      const name = await this.#media.nameIn(document, path);
      const sentence = isGuess
        ? vscode.l10n.t(
            '{0} does not exist. Nothing shows which folder the site serves, so it cannot be generated before you choose one.',
            name,
          )
        : vscode.l10n.t('{0} does not exist.', name);
      for (const reference of references) add(reference, sentence, missingCode);
    }
    for (const { reference, path, fault } of await this.#media.unservedIn(document, all)) {
      const name = await this.#media.nameIn(document, path);
      const sentence =
        fault === 'otherSpelling'
          ? vscode.l10n.t(
              'The file is named {0}, which differs in case or in the encoding of accents. Web servers need the exact name.',
              name,
            )
          : vscode.l10n.t('{0} exists, but the site does not serve it at this address.', name);
      add(reference, sentence, unservedCode);
    }
    if (document.isClosed || document.version !== version || run < (this.#shown.get(document) ?? 0)) return;
    this.#shown.set(document, run);
    this.#marks.set(uri, marks);
  }
}
