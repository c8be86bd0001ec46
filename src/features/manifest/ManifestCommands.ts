import * as vscode from 'vscode';
import { commandIds, viewIds } from '../../contributions.ts';
import { askAbout, billedAgain, serviceFact, spendingNote } from '../../editor/askAbout.ts';
import { askInDialog } from '../../editor/askInDialog.ts';
import { Click, callerOf } from '../../editor/Caller.ts';
import { run } from '../../editor/commands.ts';
import { describeProgress } from '../../editor/describeJob.ts';
import { urisArgument } from '../../editor/MediaInputs.ts';
import { notify } from '../../editor/notify.ts';
import { runCommand } from '../../editor/runCommand.ts';
import type { Window } from '../../editor/Window.ts';
import { plainLine } from '../../foreign/plainText.ts';
import { isObject } from '../../foreign/shape.ts';
import type { Fact } from '../../library/requestFacts.ts';
import {
  acceptAssets,
  chooseVariant,
  entryPaths,
  listVariants,
  type VariantFile,
} from '../../manifest/acceptAssets.ts';
import { type AskedEntry, applyAssets, type EntryReport, type Total } from '../../manifest/applyAssets.ts';
import { askedTable } from '../../manifest/askedTable.ts';
import { checkProblems, hasWork, type Plan } from '../../manifest/plan.ts';
import { describeTotal } from '../../manifest/printPlan.ts';
import { type Pruned, pruneAssets } from '../../manifest/pruneAssets.ts';
import { MediaError, messageForPerson } from '../../operations/MediaError.ts';
import { describeCost } from '../../operations/prices.ts';
import { ApplyProgress } from './ApplyProgress.ts';
import { type Added, addToManifest, createManifest } from './addToManifest.ts';
import { addWorkflow } from './addWorkflow.ts';
import type { ManifestProjects } from './ManifestProjects.ts';

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
    return this.#attempt(argument, (manifest, byPerson) => this.#applyTo(manifest, byPerson, pathsIn(argument)));
  }

  /**
   * Makes assets although they are fresh, or although git has their files, which were deleted.
   *
   * @param argument `{manifest, paths}`
   * @returns the plan afterwards
   */
  makeAnew(argument: unknown): Promise<Plan | undefined> {
    return this.#attempt(argument, async (manifest, byPerson) => {
      const paths = pathsIn(argument) ?? [];
      if (paths.length > 0) return this.#applyTo(manifest, byPerson, paths, true);
      const sentence = vscode.l10n.t('Paths (paths) must name the assets to make anew.');
      throw new MediaError('invalidInput', sentence, { field: 'paths' });
    });
  }

  async #applyTo(
    manifest: vscode.Uri,
    byPerson: boolean,
    only: readonly string[] | undefined,
    isAnew = false,
  ): Promise<Plan | undefined> {
    checkTrust(true);
    await vscode.workspace.save(manifest);
    const notices: string[] = [];
    let reports = await this.#apply(manifest, byPerson, notices, { only, isAnew, again: false });
    const unknown = reports?.filter(({ isUnknown }) => isUnknown).map(({ path }) => path) ?? [];
    let failure: { readonly error: unknown } | undefined;
    if (byPerson && unknown.length > 0) {
      const again =
        (await this.#apply(manifest, byPerson, notices, { only: unknown, isAnew, again: true }).catch(
          (error: unknown) => {
            failure = { error };
          },
        )) ?? [];
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
    return (await this.#projects.plan(manifest, {}, only && [])).plan;
  }

  async #apply(
    manifest: vscode.Uri,
    byPerson: boolean,
    notices: string[],
    { only, isAnew, again }: { readonly only?: readonly string[]; readonly isAnew: boolean; readonly again: boolean },
  ): Promise<readonly EntryReport[] | undefined> {
    const project = await this.#projects.open(manifest, only);
    const { runs, service, settings } = this.#dependencies;
    const said = new Map<string, readonly string[]>();
    const options = { ...(await this.#projects.options()), ...(await runs.forManifests()) };
    const title = vscode.l10n.t('Making the assets of {0}', vscode.workspace.asRelativePath(manifest));
    const progress = new ApplyProgress(title);
    try {
      return await applyAssets(project, {
        ...options,
        inEditor: true,
        only,
        anew: isAnew ? entryPaths(project, only ?? [], 'paths') : [],
        again,
        isPrivate: settings.keepsLibraryPrivate,
        marksGenerated: settings.get('markGenerated'),
        signal: progress.signal,
        checkReady: (id) => service.checkReady(id),
        confirm: async (total, sends) => {
          if (!byPerson) return true;
          const asked = (await sends()).map((one) => {
            return { ...one, service: serviceFact(one.operation, options.sandbox, settings) };
          });
          return isConfirmed(total, options.sandbox, asked, again ? only : undefined);
        },
        onStart: () => progress.show(),
        onProgress: (path, step) => progress.report(`${path}: ${describeProgress(step)}`),
        onNotice: (path, sentence) => void said.set(path, [...(said.get(path) ?? []), `${path}: ${sentence}`]),
        // In the order of the manifest, whichever was made first.
        onReport: ({ path }) => {
          notices.push(...(said.get(path) ?? []));
          progress.report(path);
        },
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
      const paths = pathsIn(argument) ?? [];
      await acceptAssets(await this.#projects.open(manifest, paths), paths, await this.#projects.options());
      return (await this.#projects.plan(manifest, {}, [])).plan;
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
      const project = await this.#projects.open(manifest, [path]);
      const options = await this.#projects.options();
      const given = numberIn(argument);
      const number = given ?? (await compareVariants(path, await listVariants(project, path, options)));
      if (number === undefined) return undefined;
      const marksGenerated = this.#dependencies.settings.get('markGenerated');
      const { signal } = new AbortController();
      await chooseVariant(project, path, number, { ...options, signal, marksGenerated });
      return (await this.#projects.plan(manifest, {}, [])).plan;
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
        await pruneAssets(await this.#projects.open(manifest), { ...options, removes: true }, orphans);
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
    return runCommand('person', this.#dependencies, () => {
      // A file of the project never names the sandbox's model.
      const [model = ''] = this.#dependencies.models.known('generateImage', false);
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
  asked: readonly (AskedEntry & { readonly service: Fact })[],
  again: readonly string[] | undefined,
): Promise<boolean> {
  const apply = again ? vscode.l10n.t('Send Again') : vscode.l10n.t('Apply');
  const price = cost && describeCost(cost.amount, cost, vscode.env.language, others.minutesAtMost);
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
  const sections = asked.map(({ path, service, facts }) => ({ title: plainLine(path), facts: [service, ...facts] }));
  const services = new Set(asked.map(({ service: { name, value } }) => `${name}: ${value}`));
  const summary = [askedTable(asked, vscode.env.language).join('\n'), [...services].join('\n')].join('\n\n');
  return (await askAbout({ title: question, sections, summary, note }, apply)) === apply;
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
