import { posix } from 'node:path';
import { findNodeAtLocation, getNodeValue, parseTree } from 'jsonc-parser';
import * as vscode from 'vscode';
import { commandIds, viewIds } from '../../contributions.ts';
import { askAbout, billedAgain, serviceFact, spendingNote } from '../../editor/askAbout.ts';
import { askInDialog } from '../../editor/askInDialog.ts';
import { Click, callerOf } from '../../editor/Caller.ts';
import { run } from '../../editor/commands.ts';
import { describeProgress } from '../../editor/describeJob.ts';
import { urisArgument } from '../../editor/MediaInputs.ts';
import { notify } from '../../editor/notify.ts';
import { abortSignal, runCommand } from '../../editor/runCommand.ts';
import type { Window } from '../../editor/Window.ts';
import { exists, uriOf, writeIfAbsent } from '../../editor/workspaceFiles.ts';
import { pathFrom } from '../../files/pathFrom.ts';
import { withEntry } from '../../files/withEntry.ts';
import { notificationText, plainLine } from '../../foreign/plainText.ts';
import { isObject } from '../../foreign/shape.ts';
import { pictureSize } from '../../images/codecs/pictureFile.ts';
import type { LibraryEntry } from '../../library/LibraryRecord.ts';
import { inputsOf, originsOf } from '../../library/origins.ts';
import type { Section } from '../../library/requestFacts.ts';
import { acceptAssets, chooseVariant, listVariants, type VariantFile } from '../../manifest/acceptAssets.ts';
import { applyAssets, type EntryReport, type Total } from '../../manifest/applyAssets.ts';
import { declareFields, declarePreset } from '../../manifest/declareFields.ts';
import { keyOf, manifestName } from '../../manifest/Manifest.ts';
import { checkProblems, hasWork, type Plan } from '../../manifest/plan.ts';
import { describeTotal } from '../../manifest/printPlan.ts';
import { type Pruned, pruneAssets } from '../../manifest/pruneAssets.ts';
import { readManifest, withoutProblems } from '../../manifest/readManifest.ts';
import { fieldTable, validValues, withAccepts, withoutFiles } from '../../operations/declarations.ts';
import { nameIn } from '../../operations/fields.ts';
import { MediaError, messageForPerson } from '../../operations/MediaError.ts';
import {
  type Field,
  isCount,
  type Operation,
  operations,
  takesFiles,
  takesVideo,
} from '../../operations/operations.ts';
import { describeCost } from '../../operations/prices.ts';
import { addWorkflow, chosenFolder } from './addWorkflow.ts';
import type { ManifestProjects } from './ManifestProjects.ts';

/** A notification that can be cancelled. It is not shown before the question, which has a *Cancel* of its own. */
class ApplyProgress {
  readonly #title: string;
  readonly #cancelled = new AbortController();
  readonly #ended = Promise.withResolvers<void>();
  #shown: vscode.Progress<{ readonly message: string }> | undefined;

  constructor(title: string) {
    this.#title = notificationText(title);
  }

  get signal(): AbortSignal {
    return this.#cancelled.signal;
  }

  show(): void {
    const location = vscode.ProgressLocation.Notification;
    void vscode.window.withProgress({ location, title: this.#title, cancellable: true }, async (shown, token) => {
      this.#shown = shown;
      const abort = abortSignal(token);
      abort.signal.addEventListener('abort', () => this.#cancelled.abort());
      await this.#ended.promise;
      abort.dispose();
    });
  }

  report(message: string): void {
    this.#shown?.report({ message: notificationText(message) });
  }

  end(): void {
    this.#ended.resolve();
  }
}

/** The commands on manifests, for programs with arguments and for persons. */
export class ManifestCommands {
  readonly #projects: ManifestProjects;
  readonly #dependencies: Window;

  constructor(projects: ManifestProjects, dependencies: Window) {
    this.#projects = projects;
    this.#dependencies = dependencies;
  }

  plan(argument: unknown): Promise<Plan | undefined> {
    return this.#attempt(argument, async (manifest, byPerson) => {
      const { plan, evaluated } = await this.#projects.plan(manifest);
      checkProblems(evaluated, manifest.path);
      if (byPerson) void this.#showPlan(manifest, plan, hasWork(evaluated));
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
      checkTrust(true);
      await vscode.workspace.save(manifest);
      const notices: string[] = [];
      let reports = await this.#apply(manifest, byPerson, notices, pathsIn(argument), false);
      const unknown = reports?.filter(({ isUnknown }) => isUnknown).map(({ path }) => path) ?? [];
      let failure: { readonly error: unknown } | undefined;
      if (byPerson && unknown.length > 0) {
        const again =
          (await this.#apply(manifest, byPerson, notices, unknown, true).catch((error: unknown) => {
            failure = { error };
          })) ?? [];
        reports = [...(reports?.filter(({ path }) => !again.some((one) => one.path === path)) ?? []), ...again];
      }
      if (!reports) return undefined;
      const warning = warningOf(notices);
      // What the first run has made is shown, whatever comes of the second.
      if (byPerson) void this.#showReports(reports, warning);
      else {
        if (warning) void notify.warning(warning);
        throwFailure(reports);
      }
      if (failure) throw failure.error;
      return (await this.#projects.plan(manifest)).plan;
    });
  }

  async #apply(
    manifest: vscode.Uri,
    byPerson: boolean,
    notices: string[],
    only: readonly string[] | undefined,
    again: boolean,
  ): Promise<readonly EntryReport[] | undefined> {
    const project = await this.#projects.open(manifest);
    const { runs, service, settings } = this.#dependencies;
    const options = { ...(await this.#projects.options()), ...(await runs.forManifests()) };
    const title = vscode.l10n.t('Making the assets of {0}', vscode.workspace.asRelativePath(manifest));
    const progress = new ApplyProgress(title);
    try {
      return await applyAssets(project, {
        ...options,
        inEditor: true,
        only,
        again,
        isPrivate: settings.keepsLibraryPrivate,
        marksGenerated: settings.get('markGenerated'),
        signal: progress.signal,
        checkReady: (id) => service.checkReady(id),
        confirm: async (total, sends) => {
          if (!byPerson) return true;
          const sections = (await sends()).map(({ path, operation, facts }) => ({
            title: plainLine(path),
            facts: [serviceFact(operation, options.sandbox, settings), ...facts],
          }));
          return isConfirmed(total, options.sandbox, sections, again ? only : undefined);
        },
        onStart: () => progress.show(),
        onProgress: (path, step) => progress.report(`${path}: ${describeProgress(step)}`),
        onNotice: (path, sentence) => void notices.push(`${path}: ${sentence}`),
        onReport: ({ path }) => progress.report(path),
      });
    } finally {
      progress.end();
    }
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
      const number = given ?? (await compareVariants(path, await listVariants(project, path, options)));
      if (number === undefined) return undefined;
      const marksGenerated = this.#dependencies.settings.get('markGenerated');
      const { signal } = new AbortController();
      await chooseVariant(project, path, number, { ...options, signal, marksGenerated });
      return (await this.#projects.plan(manifest)).plan;
    });
  }

  /** Removes assets without an entry from the lock, and deletes the files that nobody has changed or accepted. */
  prune(argument: unknown): Promise<Plan | undefined> {
    return this.#attempt(argument, async (manifest, byPerson) => {
      checkTrust();
      const options = await this.#projects.options();
      const orphans = await pruneAssets(await this.#projects.open(manifest), { ...options, removes: false });
      if (orphans.length === 0) {
        if (byPerson)
          void notify.information(
            vscode.l10n.t('There is nothing to remove: every asset in the lock file has an entry.'),
          );
      } else if (!byPerson || (await mayPrune(orphans))) {
        // The manifest, the lock and the files may have changed while the question was open.
        await pruneAssets(await this.#projects.open(manifest), { ...options, removes: true, agreed: orphans });
      } else return undefined;
      return (await this.#projects.plan(manifest)).plan;
    });
  }

  /**
   * Adds an entry for a file, or for each of several, to the nearest manifest. A summary says which of several were not
   * added.
   *
   * @param argument a Uri, `{uri}` or `{uris}`
   * @returns the manifest, of several files that of the last
   */
  add(argument: unknown): Promise<vscode.Uri | undefined> {
    return runCommand(callerOf(argument), this.#dependencies, async () => {
      checkTrust();
      const [first, ...others] = urisArgument(argument);
      if (others.length > 0 && first) return this.#addAll([first, ...others]);
      const { manifest, path, isWhole } = await addToManifest(first, this.#projects, this.#dependencies);
      if (!isWhole) {
        void notify.information(
          vscode.l10n.t('Enter the files that {0} was made from, then choose “Keep” above its entry.', path),
        );
      }
      return manifest;
    });
  }

  async #addAll(files: readonly vscode.Uri[]): Promise<vscode.Uri | undefined> {
    const added: Added[] = [];
    const failures: MediaError[] = [];
    for (const file of files) {
      try {
        added.push(await addToManifest(file, this.#projects, this.#dependencies));
      } catch (error) {
        if (!(error instanceof MediaError)) throw error;
        failures.push(error);
      }
    }
    const lacking = added.filter(({ isWhole }) => !isWhole).map(({ path }) => path);
    const sentences = [
      vscode.l10n.t('Added to media.jsonc: {0} of {1} files.', added.length, files.length),
      ...failures.slice(0, 1).map(messageForPerson),
      ...(lacking.length > 0
        ? [vscode.l10n.t('Enter what these were made from, then choose “Keep” above each: {0}', lacking.join(', '))]
        : []),
    ].join(' ');
    void (failures.length > 0 ? notify.warning(sentences) : notify.information(sentences));
    return added.at(-1)?.manifest;
  }

  /** @returns the manifest of the workspace folder, which is shown */
  create(): Promise<vscode.Uri | undefined> {
    const { models, settings } = this.#dependencies;
    return runCommand('person', this.#dependencies, () => {
      const [model = ''] = models.known('generateImage', settings.usesSandbox);
      return createManifest(this.#dependencies, model);
    });
  }

  async #offerToCreate(): Promise<void> {
    const create = vscode.l10n.t('Create media.jsonc');
    const sentence = vscode.l10n.t('There is no media.jsonc in the workspace. It lists the media of a project.');
    if ((await notify.information(sentence, create)) === create) await this.create();
  }

  addWorkflow(): Promise<vscode.Uri | undefined> {
    return runCommand('person', this.#dependencies, () => addWorkflow(this.#dependencies.context.extensionUri));
  }

  #attempt<T>(
    argument: unknown,
    work: (manifest: vscode.Uri, byPerson: boolean) => Promise<T>,
  ): Promise<T | undefined> {
    const caller = callerOf(argument);
    return runCommand(caller, this.#dependencies, async () => {
      if (caller === 'person' && (await this.#projects.all()).length === 0) {
        void this.#offerToCreate();
        return undefined;
      }
      const manifest = await this.#projects.find(argument);
      return manifest && work(manifest, caller === 'person');
    });
  }

  async #showPlan(manifest: vscode.Uri, plan: Plan, hasWork: boolean): Promise<void> {
    const open = plan.entries.filter(({ state }) => state !== 'fresh').length;
    const apply = vscode.l10n.t('Apply…');
    const show = vscode.l10n.t('Show');
    const sentence = freshSentence(open, plan.entries.length);
    const total = open === 0 ? '' : ` ${describeTotal(plan, vscode.env.language)}`;
    const [differing, ...more] = plan.entries.filter(({ differs }) => differs);
    const warning =
      differing &&
      (more.length === 0
        ? vscode.l10n.t('{0} is not what was asked for.', differing.path)
        : vscode.l10n.t('{0} assets are not what was asked for.', more.length + 1));
    const buttons = [...(hasWork ? [apply] : []), show];
    const chosen = warning
      ? await notify.warning(`${sentence}${total} ${warning}`, ...buttons)
      : await notify.information(`${sentence}${total}`, ...buttons);
    if (chosen === apply) await this.apply(Click.on({ manifest }));
    if (chosen === show) await vscode.commands.executeCommand(`${viewIds.assets}.focus`);
  }

  async #showReports(reports: readonly EntryReport[], warning: string | undefined): Promise<void> {
    const made = reports.filter(({ outcome }) => outcome === 'made').length;
    const rest = reports.filter(({ outcome }) => outcome !== 'made');
    const [first] = rest;
    const sentence = made === 1 ? vscode.l10n.t('1 asset was made.') : vscode.l10n.t('{0} assets were made.', made);
    if (!first && !warning) {
      await notify.information(made === 0 ? vscode.l10n.t('All assets are fresh.') : sentence);
      return;
    }
    const show = vscode.l10n.t('Show');
    const others = rest.length === 1 ? vscode.l10n.t('1 was not.') : vscode.l10n.t('{0} were not.', rest.length);
    const left = first && `${others} ${first.path}: ${first.sentence}`;
    const chosen = await notify.warning([sentence, left, warning].filter((one) => one).join(' '), show);
    if (chosen === show) await vscode.commands.executeCommand(`${viewIds.assets}.focus`);
  }
}

/**
 * @param sends whether the command sends requests
 * @throws MediaError `invalidInput` in an untrusted workspace, whose manifest must neither spend money nor change files
 */
function checkTrust(sends = false): void {
  if (vscode.workspace.isTrusted) return;
  const sentence = sends
    ? vscode.l10n.t('Nothing was sent, because this workspace is not trusted. Trust it, then apply its manifest.')
    : vscode.l10n.t('Nothing was changed, because this workspace is not trusted. Trust it first.');
  throw new MediaError('invalidInput', sentence);
}

/** @param open how many assets are not fresh */
function freshSentence(open: number, all: number): string {
  if (open === 0) return vscode.l10n.t('All assets are fresh.');
  if (all === 1) return vscode.l10n.t('The asset is not fresh.');
  if (open === 1) return vscode.l10n.t('1 of {0} assets is not fresh.', all);
  return vscode.l10n.t('{0} of {1} assets are not fresh.', open, all);
}

function pathsIn(argument: unknown): readonly string[] | undefined {
  const paths = isObject(argument) ? argument.paths : undefined;
  return Array.isArray(paths) ? paths.filter((path): path is string => typeof path === 'string') : undefined;
}

/** @throws MediaError `invalidInput` */
function numberIn(argument: unknown): number | undefined {
  const number = isObject(argument) ? argument.number : undefined;
  if (number === undefined || (typeof number === 'number' && Number.isInteger(number) && number > 0)) return number;
  const sentence = vscode.l10n.t('Number (number) must be the number of a variant, counted from 1.');
  throw new MediaError('invalidInput', sentence, { field: 'number' });
}

/** Shows the variants of an asset in the library's comparison. @returns the one that the person keeps */
async function compareVariants(path: string, variants: readonly VariantFile[]): Promise<number | undefined> {
  return run(commandIds.compareVariants, { name: plainLine(path), variants });
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
      ? [
          vscode.l10n.t(
            'Files to keep, because this manifest did not make them, or they are still used: {0}',
            others.join(', '),
          ),
        ]
      : []),
  ].join('\n');
  return (await askInDialog(question, detail, remove)) === remove;
}

/** @param again paths of assets whose requests were sent before, with an unknown outcome */
async function isConfirmed(
  { requests, cost, ...others }: Total,
  sandbox: boolean,
  sections: readonly Section[],
  again: readonly string[] | undefined,
): Promise<boolean> {
  const apply = again ? vscode.l10n.t('Send Again') : vscode.l10n.t('Apply');
  const price = cost && describeCost(cost.amount, cost, vscode.env.language);
  const sent = describeTotal({ requests: { generateImage: requests }, ...others }, vscode.env.language);
  const question = again
    ? vscode.l10n.t(
        'The requests for {0} were sent before, and their outcome is unknown. Send {1}?',
        again.join(', '),
        sent,
      )
    : vscode.l10n.t('Send {0}?', sent);
  const billing = again ? billedAgain() : vscode.l10n.t('The service may bill each request.');
  const note = [
    spendingNote({ sandbox, cost: price, billing }),
    vscode.l10n.t('Files that you changed are not overwritten.'),
  ].join(' ');
  return (await askAbout({ title: question, sections, note }, apply)) === apply;
}

/** Returns one message for what is to be known about the results, since each of many would have to be closed. */
function warningOf(notices: readonly string[]): string | undefined {
  const [first, ...others] = notices;
  return first && others.length > 0 ? vscode.l10n.t('{0} Warnings in all: {1}.', first, notices.length) : first;
}

/** @throws MediaError for the first entry that failed */
function throwFailure(reports: readonly EntryReport[]): void {
  const failed = reports.find(({ outcome }) => outcome === 'failed');
  if (failed) throw failed.error ?? new MediaError('save', `${failed.path}: ${failed.sentence}`);
}

/** An entry that was added. */
interface Added {
  readonly manifest: vscode.Uri;
  /** As in the manifest. */
  readonly path: string;
  /** False if a person has to enter what the file was made from. The entry is then not saved. */
  readonly isWhole: boolean;
}

/**
 * Adds an entry for a generated file to the nearest manifest, or to a new one, and locks the file as it is.
 *
 * @throws MediaError `invalidInput`
 */
async function addToManifest(
  file: vscode.Uri | undefined,
  projects: ManifestProjects,
  { places, settings }: Pick<Window, 'places' | 'settings'>,
): Promise<Added> {
  const root = file && vscode.workspace.getWorkspaceFolder(file)?.uri;
  if (!file || root?.scheme !== 'file') {
    throw wrong(vscode.l10n.t('URI (uri) must name a file in a local workspace folder.'));
  }
  const manifest = (await nearest(file, root)) ?? vscode.Uri.joinPath(root, manifestName);
  const path = pathFrom(posix.dirname(manifest.path), file.path);
  const library = places.libraryOf(root);
  const known = (await library.entriesAt([pathFrom(root.path, file.path)])).at(-1);
  if (!known) {
    throw wrong(
      vscode.l10n.t('The library does not record how {0} was made. Write its entry by hand, then accept it.', path),
    );
  }
  if (known.madeFrom && known.kind !== 'images') {
    throw wrong(
      vscode.l10n.t(
        '{0} was made from {1} on this computer. Only for images media.jsonc has entries for that.',
        path,
        known.madeFrom.file,
      ),
    );
  }
  const sources = await sourcesOf(known, await library.entries(), root, manifest);
  await writeIfAbsent(manifest, declarePreset('{\n  "assets": {}\n}\n', settings.declaredFields));
  const document = await vscode.workspace.openTextDocument(manifest);
  const declared = withAccepts(settings.declaredFields, acceptsIn(document));
  const entry: { readonly fields?: object } = known.madeFrom
    ? await derivedEntryFor(file, sources)
    : entryFor(known, sources, declared);
  const { operation, model } = known;
  const names = Object.keys(entry.fields ?? {});
  await insert(document, path, entry, (text) => declareFields(text, { operation, model, names }, declared));
  const read = readManifest(document.getText(), manifest.fsPath, settings.declaredFields);
  if (read.problems.some((problem) => problem.path === path)) return { manifest, path, isWhole: false };
  withoutProblems(read, manifestName);
  await document.save();
  const project = await projects.open(manifest);
  await acceptAssets(project, [path], await projects.options());
  return { manifest, path, isWhole: true };
}

/** What a file was made from. */
interface Source {
  /** Name of the field in the request. */
  readonly field: string;
  /** Path relative to the manifest; empty if the file is not there any more. */
  readonly path: string;
}

async function sourcesOf(
  known: LibraryEntry,
  entries: readonly LibraryEntry[],
  root: vscode.Uri,
  manifest: vscode.Uri,
): Promise<readonly Source[]> {
  const inputs = inputsOf(known);
  const others = entries.filter(({ id }) => id !== known.id).map((entry) => ({ entry }));
  const origins = originsOf({ entry: known }, others);
  // The video that a remix changed comes before the files.
  const fields = [...(origins.length > inputs.length ? ['video_id'] : []), ...inputs.map(({ field }) => field)];
  return Promise.all(
    origins.map(async (origin, index) => {
      const uri = uriOf({ root, entry: 'entry' in origin ? origin.entry : origin });
      const path = uri && (await exists(uri)) ? pathFrom(posix.dirname(manifest.path), uri.path) : '';
      return { field: fields[index] ?? '', path };
    }),
  );
}

/** Returns the entry of an image that was made from another one on this computer. */
async function derivedEntryFor(file: vscode.Uri, [source]: readonly Source[]): Promise<object> {
  const size = pictureSize(await vscode.workspace.fs.readFile(file));
  return { from: source?.path ?? '', ...(size && { size: [size.width, size.height] }) };
}

/** Converts a library entry to a manifest entry. */
function entryFor(
  {
    operation,
    model,
    prompt = '',
    narration,
    values = narration ? { ...narration.fields, voice: narration.voice } : {},
  }: LibraryEntry,
  sources: readonly Source[],
  declared: unknown,
): { readonly [name: string]: unknown; readonly fields?: object } {
  const made: Operation = operations[operation];
  const pathsFor = (name: string) => sources.filter(({ field }) => field === name).map(({ path }) => path);
  const held = (field: Field): readonly [name: string, value: unknown] => {
    const name = nameIn('manifest', field);
    const paths = pathsFor(field.name);
    if (field.type === 'images') return [name, paths];
    if (field.type === 'video' || takesFiles(field)) return [name, paths[0] ?? ''];
    if (narration && field.type === 'text' && field.isSpoken) return ['document', paths[0] ?? ''];
    return [name, prompt];
  };
  const required = made.fields.filter((field) => field.type !== 'model' && !('default' in field));
  const table = fieldTable(operation, declared, model);
  const chosen = table.own.filter((field) => {
    const value = values[field.name];
    return isOfEntry(field) && value !== undefined && 'default' in field && value !== field.default;
  });
  const files = table.further.flatMap(({ type, name }) =>
    type === 'file' ? pathsFor(name).map((path) => [name, path]) : [],
  );
  const further = { ...validValues(table, withoutFiles(table, values)), ...Object.fromEntries(files) };
  return {
    operation,
    ...Object.fromEntries(required.map(held)),
    ...(takesVideo(made) ? {} : { model }),
    ...Object.fromEntries(chosen.map((field) => [nameIn('manifest', field), values[field.name]])),
    ...(Object.keys(further).length > 0 && { fields: further }),
  };
}

/** Whether an entry holds a value: formats follow from its path, the transfer decides nothing, and it is one file. */
function isOfEntry(field: Field): boolean {
  return field.type === 'choice' ? !field.isTransfer && !field.isExtension : !isCount(field);
}

function acceptsIn(document: vscode.TextDocument): unknown {
  const tree = parseTree(document.getText());
  const accepts = tree && findNodeAtLocation(tree, ['accepts']);
  return accepts && getNodeValue(accepts);
}

/**
 * Inserts the entry and shows the manifest; one undo step reverts it.
 *
 * @param complete adds to the text what the entry needs beside it
 */
async function insert(
  document: vscode.TextDocument,
  path: string,
  entry: object,
  complete: (text: string) => string,
): Promise<void> {
  const manifest = document.uri;
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
  const changed = complete(withEntry(text, tree, ['assets', path], entry));
  const edit = new vscode.WorkspaceEdit();
  edit.replace(manifest, new vscode.Range(document.positionAt(0), document.positionAt(text.length)), changed);
  await vscode.workspace.applyEdit(edit);
  const editor = await vscode.window.showTextDocument(document);
  const position = document.positionAt(Math.max(0, changed.indexOf(JSON.stringify(path))));
  editor.selection = new vscode.Selection(position, position);
  editor.revealRange(new vscode.Range(position, position));
}

async function nearest(file: vscode.Uri, root: vscode.Uri): Promise<vscode.Uri | undefined> {
  for (let folder = posix.dirname(file.path); ; folder = posix.dirname(folder)) {
    const manifest = root.with({ path: posix.join(folder, manifestName) });
    if (await exists(manifest)) return manifest;
    if (folder.length <= root.path.length) return undefined;
  }
}

function wrong(sentence: string): MediaError {
  return new MediaError('invalidInput', sentence, { field: 'uri' });
}

/**
 * Creates a manifest with a commented sample in the workspace folder, unless there is one, and shows it.
 *
 * @param extensionUri the extension's installation folder
 * @param model the model of the sample's picture
 * @returns undefined when the person chose no folder
 * @throws MediaError `invalidInput` without a local folder
 */
async function createManifest(
  { context, settings }: Pick<Window, 'context' | 'settings'>,
  model: string,
): Promise<vscode.Uri | undefined> {
  const { workspaceFolders: folders = [] } = vscode.workspace;
  const folder = await chosenFolder();
  if (!folder && folders.length > 0) return undefined;
  if (folder?.uri.scheme !== 'file') {
    const sentence = vscode.l10n.t('First open a folder on this computer: media.jsonc is created in it.');
    throw new MediaError('invalidInput', sentence);
  }
  const manifest = vscode.Uri.joinPath(folder.uri, manifestName);
  const sample = await vscode.workspace.fs.readFile(
    vscode.Uri.joinPath(context.extensionUri, 'media', 'media.sample.jsonc'),
  );
  const quoted = JSON.stringify(model).slice(1, -1);
  const text = new TextDecoder().decode(sample).replace('{model}', () => quoted);
  await writeIfAbsent(manifest, declarePreset(text, settings.declaredFields));
  await vscode.window.showTextDocument(manifest);
  return manifest;
}
