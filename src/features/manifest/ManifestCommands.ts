import { posix } from 'node:path';
import { applyEdits, findNodeAtLocation, modify, parseTree } from 'jsonc-parser';
import * as vscode from 'vscode';
import { viewIds } from '../../contributions.ts';
import { askAbout, mayBillAgain, serviceFact } from '../../editor/askAbout.ts';
import { Click, callerOf } from '../../editor/Caller.ts';
import { describeProgress } from '../../editor/describeJob.ts';
import { askInDialog, notify } from '../../editor/notify.ts';
import { abortSignal, runCommand } from '../../editor/runCommand.ts';
import { exists } from '../../editor/workspaceFiles.ts';
import { notificationText, plainLine } from '../../foreign/plainText.ts';
import type { LibraryEntry } from '../../library/LibraryRecord.ts';
import type { Section } from '../../library/requestFacts.ts';
import type { VariantFile } from '../../manifest/acceptAssets.ts';
import { acceptAssets, chooseVariant, listVariants } from '../../manifest/acceptAssets.ts';
import type { EntryReport } from '../../manifest/applyAssets.ts';
import { applyAssets } from '../../manifest/applyAssets.ts';
import { keyOf, manifestName } from '../../manifest/Manifest.ts';
import type { Plan } from '../../manifest/plan.ts';
import { checkProblems } from '../../manifest/plan.ts';
import { describeTotal } from '../../manifest/printPlan.ts';
import type { Pruned } from '../../manifest/pruneAssets.ts';
import { pruneAssets } from '../../manifest/pruneAssets.ts';
import type { Amounts } from '../../operations/amounts.ts';
import { nameIn } from '../../operations/fields.ts';
import { MediaError } from '../../operations/MediaError.ts';
import type { Field, Operation } from '../../operations/operations.ts';
import { operations, takesFiles, takesVideo } from '../../operations/operations.ts';
import { addWorkflow } from './addWorkflow.ts';
import type { ManifestDependencies, ManifestProjects } from './ManifestProjects.ts';

/** The commands on manifests, for programs with arguments and for persons. */
export class ManifestCommands {
  readonly #projects: ManifestProjects;
  readonly #dependencies: ManifestDependencies;

  constructor(projects: ManifestProjects, dependencies: ManifestDependencies) {
    this.#projects = projects;
    this.#dependencies = dependencies;
  }

  plan(argument: unknown): Promise<Plan | undefined> {
    return this.#attempt(argument, async (manifest, byPerson) => {
      const { plan, evaluated } = await this.#projects.plan(manifest);
      checkProblems(evaluated);
      if (byPerson)
        void this.#showPlan(
          manifest,
          plan,
          evaluated.some(({ action }) => action !== 'none'),
        );
      return plan;
    });
  }

  check(argument: unknown): Promise<Plan | undefined> {
    return this.#attempt(argument, async (manifest, byPerson) => {
      const { plan } = await this.#projects.plan(manifest);
      if (byPerson) void this.#showPlan(manifest, plan, false);
      return plan;
    });
  }

  /**
   * Makes missing and stale assets, or only those that the argument names.
   *
   * @returns the plan afterwards
   */
  apply(argument: unknown): Promise<Plan | undefined> {
    return this.#attempt(argument, async (manifest, byPerson) => {
      checkTrust();
      await vscode.workspace.save(manifest);
      let reports = await this.#apply(manifest, byPerson, pathsIn(argument), false);
      const unknown = reports?.filter(({ isUnknown }) => isUnknown).map(({ path }) => path) ?? [];
      if (byPerson && unknown.length > 0 && (await mayBillAgain(questionFor(unknown)))) {
        const again = (await this.#apply(manifest, byPerson, unknown, true)) ?? [];
        reports = [...(reports?.filter(({ path }) => !again.some((one) => one.path === path)) ?? []), ...again];
      }
      if (!reports) return undefined;
      if (byPerson) void this.#showReports(reports);
      else throwFailure(reports);
      return (await this.#projects.plan(manifest)).plan;
    });
  }

  async #apply(
    manifest: vscode.Uri,
    byPerson: boolean,
    only: readonly string[] | undefined,
    again: boolean,
  ): Promise<readonly EntryReport[] | undefined> {
    const project = await this.#projects.open(manifest);
    const { runs, service, settings } = this.#dependencies;
    const options = { ...(await this.#projects.options()), ...(await runs.forManifests()) };
    const title = vscode.l10n.t('Media of {0}', vscode.workspace.asRelativePath(manifest));
    const location = vscode.ProgressLocation.Notification;
    return vscode.window.withProgress(
      { location, title: notificationText(title), cancellable: true },
      async (shown, token) => {
        const abort = abortSignal(token);
        try {
          return await applyAssets(project, {
            ...options,
            only,
            again,
            isPrivate: settings.keepsLibraryPrivate,
            signal: abort.signal,
            checkReady: (id) => service.checkReady(id),
            confirm: async (total, sends) => {
              if (!byPerson) return true;
              const sections = (await sends()).map(({ path, operation, facts }) => ({
                title: plainLine(path),
                facts: [serviceFact(operation, options.sandbox, settings), ...facts],
              }));
              return isConfirmed(total, sections);
            },
            onProgress: (path, progress) =>
              shown.report({ message: notificationText(`${path}: ${describeProgress(progress)}`) }),
            onNotice: (path, sentence) => void notify.warning(`${path}: ${sentence}`),
            onReport: ({ path }) => shown.report({ message: notificationText(path) }),
          });
        } finally {
          abort.dispose();
        }
      },
    );
  }

  /** Locks files as they are. */
  accept(argument: unknown): Promise<Plan | undefined> {
    return this.#attempt(argument, async (manifest) => {
      checkTrust();
      await vscode.workspace.save(manifest);
      const project = await this.#projects.open(manifest);
      await acceptAssets(project, pathsIn(argument) ?? [], await this.#projects.options());
      return (await this.#projects.plan(manifest)).plan;
    });
  }

  /**
   * Uses another variant of an asset.
   *
   * @param argument `{manifest, paths, number}`: one path, and a number counted from 1; without it the person chooses
   */
  choose(argument: unknown): Promise<Plan | undefined> {
    return this.#attempt(argument, async (manifest) => {
      checkTrust();
      const [path] = pathsIn(argument) ?? [];
      if (path === undefined) {
        const sentence = vscode.l10n.t('Paths (paths) must name the asset to choose a variant for.');
        throw new MediaError('invalidInput', sentence, { field: 'paths' });
      }
      const project = await this.#projects.open(manifest);
      const options = await this.#projects.options();
      const given = numberIn(argument);
      const number = given ?? (await pickVariant(path, await listVariants(project, path, options)));
      if (number === undefined) return undefined;
      await chooseVariant(project, path, number, { ...options, signal: new AbortController().signal });
      return (await this.#projects.plan(manifest)).plan;
    });
  }

  /** Removes assets without an entry from the lock, and deletes the files that nobody has changed or accepted. */
  prune(argument: unknown): Promise<Plan | undefined> {
    return this.#attempt(argument, async (manifest, byPerson) => {
      checkTrust();
      const project = await this.#projects.open(manifest);
      const options = await this.#projects.options();
      const orphans = await pruneAssets(project, { ...options, removes: false });
      if (orphans.length === 0) {
        if (byPerson)
          void notify.information(
            vscode.l10n.t('There is nothing to remove: every asset in the lock file has an entry.'),
          );
      } else if (!byPerson || (await mayPrune(orphans))) {
        await pruneAssets(project, { ...options, removes: true });
      } else return undefined;
      return (await this.#projects.plan(manifest)).plan;
    });
  }

  /**
   * Adds an entry for a file to the nearest manifest.
   *
   * @returns the manifest
   */
  add(argument: unknown): Promise<vscode.Uri | undefined> {
    return runCommand(callerOf(argument), this.#dependencies, async () => {
      checkTrust();
      return addToManifest(argument, this.#projects, this.#dependencies);
    });
  }

  addWorkflow(): Promise<vscode.Uri | undefined> {
    return runCommand('person', this.#dependencies, () => addWorkflow(this.#dependencies.extensionUri));
  }

  #attempt<T>(
    argument: unknown,
    work: (manifest: vscode.Uri, byPerson: boolean) => Promise<T>,
  ): Promise<T | undefined> {
    const caller = callerOf(argument);
    return runCommand(caller, this.#dependencies, async () => {
      const manifest = await this.#projects.find(argument);
      return manifest && work(manifest, caller === 'person');
    });
  }

  async #showPlan(manifest: vscode.Uri, plan: Plan, hasWork: boolean): Promise<void> {
    const open = plan.entries.filter(({ state }) => state !== 'fresh').length;
    const apply = vscode.l10n.t('Apply…');
    const show = vscode.l10n.t('Show');
    const sentence =
      open === 0
        ? vscode.l10n.t('All assets are fresh.')
        : vscode.l10n.t('{0} of {1} assets are not fresh. {2}', open, plan.entries.length, describeTotal(plan));
    const chosen = await notify.information(sentence, ...(hasWork ? [apply] : []), show);
    if (chosen === apply) await this.apply(Click.on({ manifest }));
    if (chosen === show) await vscode.commands.executeCommand(`${viewIds.assets}.focus`);
  }

  async #showReports(reports: readonly EntryReport[]): Promise<void> {
    const made = reports.filter(({ outcome }) => outcome === 'made').length;
    const rest = reports.filter(({ outcome }) => outcome !== 'made');
    const [first] = rest;
    if (!first) {
      const sentence = made === 1 ? vscode.l10n.t('1 asset was made.') : vscode.l10n.t('{0} assets were made.', made);
      await notify.information(made === 0 ? vscode.l10n.t('All assets are fresh.') : sentence);
      return;
    }
    const show = vscode.l10n.t('Show');
    const sentence = vscode.l10n.t(
      '{0} assets were made, {1} were not. {2}: {3}',
      made,
      rest.length,
      first.path,
      first.sentence,
    );
    const chosen = await notify.warning(sentence, show);
    if (chosen === show) await vscode.commands.executeCommand(`${viewIds.assets}.focus`);
  }
}

/** @throws MediaError `invalidInput` in an untrusted workspace, whose manifest must not spend money */
function checkTrust(): void {
  if (vscode.workspace.isTrusted) return;
  const sentence = vscode.l10n.t(
    'Nothing was sent, because this workspace is not trusted. Trust it, then apply its manifest.',
  );
  throw new MediaError('invalidInput', sentence);
}

function pathsIn(argument: unknown): readonly string[] | undefined {
  const paths = typeof argument === 'object' && argument !== null && 'paths' in argument ? argument.paths : undefined;
  return Array.isArray(paths) ? paths.filter((path): path is string => typeof path === 'string') : undefined;
}

/** @throws MediaError `invalidInput` */
function numberIn(argument: unknown): number | undefined {
  const number =
    typeof argument === 'object' && argument !== null && 'number' in argument ? argument.number : undefined;
  if (number === undefined || (typeof number === 'number' && Number.isInteger(number) && number > 0)) return number;
  const sentence = vscode.l10n.t('Number (number) must be the number of a variant, counted from 1.');
  throw new MediaError('invalidInput', sentence, { field: 'number' });
}

async function pickVariant(path: string, variants: readonly VariantFile[]): Promise<number | undefined> {
  const items = variants.map(({ number, file, isChosen }) => ({
    label: vscode.l10n.t('Variant {0}', number),
    description: isChosen ? vscode.l10n.t('in place') : '',
    iconPath: vscode.Uri.file(file),
    number,
  }));
  const placeHolder = vscode.l10n.t('Choose the variant to use for {0}', plainLine(path));
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.number;
}

async function mayPrune(orphans: readonly Pruned[]): Promise<boolean> {
  const remove = vscode.l10n.t('Remove');
  const question = vscode.l10n.t('Remove the assets that the manifest no longer has?');
  const namesOf = (...states: readonly Pruned['state'][]) =>
    orphans.filter(({ state }) => states.includes(state)).map(({ path }) => path);
  const deleted = namesOf('untouched');
  const changed = namesOf('changed', 'accepted');
  const others = namesOf('shared', 'notMade', 'unsafe', 'failed');
  const detail = [
    ...(deleted.length > 0 ? [vscode.l10n.t('Files to delete: {0}', deleted.join(', '))] : []),
    ...(changed.length > 0
      ? [vscode.l10n.t('Files to keep, because they were changed or accepted by a person: {0}', changed.join(', '))]
      : []),
    ...(others.length > 0
      ? [vscode.l10n.t('Files to keep, because this manifest did not make them: {0}', others.join(', '))]
      : []),
  ].join('\n');
  return (await askInDialog(question, detail, remove)) === remove;
}

function questionFor(paths: readonly string[]): string {
  const names = paths.join(', ');
  return vscode.l10n.t('The requests for {0} were sent before, and their outcome is unknown. Send them again?', names);
}

async function isConfirmed({ requests, ...others }: Amounts, sections: readonly Section[]): Promise<boolean> {
  const apply = vscode.l10n.t('Apply');
  const question = vscode.l10n.t('Send {0}?', describeTotal({ requests: { generateImage: requests }, ...others }));
  const note = vscode.l10n.t('The service may bill each request. Files that you changed are not overwritten.');
  return (await askAbout({ title: question, sections, note }, apply)) === apply;
}

/** @throws MediaError for the first entry that failed */
function throwFailure(reports: readonly EntryReport[]): void {
  const failed = reports.find(({ outcome }) => outcome === 'failed');
  if (failed) throw failed.error ?? new MediaError('save', `${failed.path}: ${failed.sentence}`);
}

/**
 * Adds an entry for a generated file to the nearest manifest, or to a new one, and locks the file as it is.
 *
 * @param argument a Uri, or `{uri}`
 * @returns the manifest
 * @throws MediaError `invalidInput`
 */
async function addToManifest(
  argument: unknown,
  projects: ManifestProjects,
  { places }: ManifestDependencies,
): Promise<vscode.Uri> {
  const file = uriIn(argument);
  const root = file && vscode.workspace.getWorkspaceFolder(file)?.uri;
  if (!file || root?.scheme !== 'file') {
    throw wrong(vscode.l10n.t('URI (uri) must name a file in a local workspace folder.'));
  }
  const manifest = (await nearest(file, root)) ?? vscode.Uri.joinPath(root, manifestName);
  const path = posix.relative(posix.dirname(manifest.path), file.path);
  const library = places.libraryOf(root);
  const known = (await library.entriesAt([posix.relative(root.path, file.path)])).at(-1);
  if (!known) {
    throw wrong(
      vscode.l10n.t('The library does not record how {0} was made. Write its entry by hand, then accept it.', path),
    );
  }
  const entries = await library.entries();
  const parent = entries.find(({ videoId }) => videoId !== undefined && videoId === known.parentVideoId);
  const parentPath = parent?.file && posix.relative(posix.dirname(manifest.path), posix.join(root.path, parent.file));
  const entry = entryFor(known, parentPath);
  const document = await insert(manifest, path, entry.fields);
  if (entry.isWhole) {
    await document.save();
    const project = await projects.open(manifest);
    await acceptAssets(project, [path], await projects.options());
  } else {
    void notify.information(
      vscode.l10n.t('Enter the files that {0} was made from, then choose “Keep” above its entry.', path),
    );
  }
  return manifest;
}

/**
 * Converts a library entry to a manifest entry. The library does not record which files were sent, so those stay empty.
 */
function entryFor(
  { operation, model, prompt = '' }: LibraryEntry,
  parent: string | undefined,
): { readonly fields: object; readonly isWhole: boolean } {
  const made: Operation = operations[operation];
  const held = (field: Field): unknown => {
    if (field.type === 'video') return parent ?? '';
    if (takesFiles(field)) return field.type === 'images' ? [] : '';
    return field.name === 'prompt' || (field.type === 'text' && field.isSpoken) ? prompt : '';
  };
  const required = made.fields.filter((field) => field.type !== 'model' && !('default' in field));
  return {
    fields: {
      operation,
      ...Object.fromEntries(required.map((field) => [nameIn('manifest', field), held(field)])),
      ...(takesVideo(made) ? {} : { model }),
    },
    isWhole: !made.fields.some(takesFiles) && (!takesVideo(made) || parent !== undefined),
  };
}

/** Inserts the entry and shows the manifest; one undo step reverts it. */
async function insert(manifest: vscode.Uri, path: string, fields: object): Promise<vscode.TextDocument> {
  await vscode.workspace.fs.stat(manifest).then(undefined, (error: unknown) => {
    // A manifest that exists but cannot be read now must not be replaced by an empty one.
    if (!(error instanceof vscode.FileSystemError) || error.code !== 'FileNotFound') throw error;
    return vscode.workspace.fs.writeFile(manifest, Buffer.from('{\n  "assets": {}\n}\n'));
  });
  const document = await vscode.workspace.openTextDocument(manifest);
  const text = document.getText();
  const name = vscode.workspace.asRelativePath(manifest);
  const tree = parseTree(text);
  if (tree?.type !== 'object') {
    throw wrong(vscode.l10n.t('{0} cannot be read as JSON with comments.', name));
  }
  const known = (findNodeAtLocation(tree, ['assets'])?.children ?? []).map(({ children }) => children?.[0]?.value);
  if (known.some((one) => typeof one === 'string' && keyOf(one) === keyOf(path))) {
    throw wrong(vscode.l10n.t('{0} already has an entry in {1}. Nothing was changed; edit that entry.', path, name));
  }
  const formattingOptions = { insertSpaces: true, tabSize: 2 };
  const changed = applyEdits(text, modify(text, ['assets', path], fields, { formattingOptions }));
  const edit = new vscode.WorkspaceEdit();
  edit.replace(manifest, new vscode.Range(document.positionAt(0), document.positionAt(text.length)), changed);
  await vscode.workspace.applyEdit(edit);
  const editor = await vscode.window.showTextDocument(document);
  const position = document.positionAt(Math.max(0, changed.indexOf(JSON.stringify(path))));
  editor.selection = new vscode.Selection(position, position);
  editor.revealRange(new vscode.Range(position, position));
  return document;
}

async function nearest(file: vscode.Uri, root: vscode.Uri): Promise<vscode.Uri | undefined> {
  for (let folder = posix.dirname(file.path); ; folder = posix.dirname(folder)) {
    const manifest = root.with({ path: posix.join(folder, manifestName) });
    if (await exists(manifest)) return manifest;
    if (folder.length <= root.path.length) return undefined;
  }
}

function uriIn(argument: unknown): vscode.Uri | undefined {
  if (argument instanceof vscode.Uri) return argument;
  const uri = typeof argument === 'object' && argument !== null && 'uri' in argument ? argument.uri : undefined;
  if (uri instanceof vscode.Uri) return uri;
  return typeof uri === 'string' ? vscode.Uri.parse(uri) : undefined;
}

function wrong(sentence: string): MediaError {
  return new MediaError('invalidInput', sentence, { field: 'uri' });
}
