import * as vscode from 'vscode';
import { commandIds, commandOf, settingId } from '../../contributions.ts';
import { lazy } from '../../editor/lazy.ts';
import type { PlacedRuns } from '../../editor/runs.ts';
import type { Asset } from '../../library/LibraryRecord.ts';
import type { MakerOptions } from '../../manifest/finishAsset.ts';
import type { Operation, OperationId } from '../../operations/operations.ts';
import { operationIds, operations, takesFiles } from '../../operations/operations.ts';
import type { RunOptions } from '../../work/JobRun.ts';
import type { JobInput } from '../../work/JobRunner.ts';
import type { OperationCommands } from './OperationCommands.ts';
import type { OperationDependencies } from './OperationDependencies.ts';

/** Interval of the search for jobs whose window closed, in milliseconds. */
const recoverEvery = 20_000;
/**
 * Delay of a second search after start, in milliseconds: a closing window may hold its jobs a little longer than the
 * next one takes to open.
 */
const recoverAgainAfter = 5000;

/** Runs operations for callers that show progress and outcome themselves. Rejects with the original MediaError. */
export interface OperationRuns extends PlacedRuns, vscode.Disposable {
  /**
   * @param onSending called when all questions have been answered
   * @returns undefined when the person did not confirm the request
   */
  run(id: OperationId, request: unknown, onSending: () => void): Promise<readonly Asset[] | undefined>;
  /**
   * Runs one job without questions or notifications.
   *
   * @param id the job's id, when it was assigned before
   * @throws MediaError
   */
  runJob(input: JobInput, options: RunOptions, id?: string): Promise<readonly Asset[]>;
  /** Returns what the jobs of manifests run with. */
  forManifests(): Promise<Pick<MakerOptions, 'runner' | 'limits'>>;
  /** Runs an action of a failed job. Its button has already said what that may cost. */
  resume(action: JobAction, jobId: string): Promise<readonly Asset[] | undefined>;
}

type JobAction = 'runAgain' | 'downloadAgain' | 'saveElsewhere';

/** Registers the commands that run operations: from the palette with questions, or with a request as the argument. */
export function registerOperations(dependencies: OperationDependencies): OperationRuns {
  const load = lazy(async () => new (await import('./OperationCommands.ts')).OperationCommands(dependencies));
  const kept = vscode.Uri.file(dependencies.storeFolder);
  const recover = async () => {
    try {
      // Most windows have no jobs to resume and should load nothing for this.
      if (load.current() === undefined && !(await holdsFolders(kept))) return;
      await (await load()).recover();
    } catch (error) {
      dependencies.log.error(`Interrupted jobs could not be read: ${String(error)}`);
    }
  };
  // After activation, which reads nothing. In an untrusted workspace nothing is downloaded without being asked for.
  const recoverIfTrusted = () => void (vscode.workspace.isTrusted && recover());
  setImmediate(recoverIfTrusted);
  const again = setTimeout(recoverIfTrusted, recoverAgainAfter);
  const repeated = setInterval(recoverIfTrusted, recoverEvery);
  const whenTrusted = vscode.workspace.onDidGrantWorkspaceTrust(recover);
  const register = (id: OperationId): vscode.Disposable => {
    const { fields }: Operation = operations[id];
    const field = fields.find(takesFiles);
    return vscode.commands.registerCommand(commandOf(id), async (argument?: unknown, all?: unknown) => {
      const commands = await load();
      // The Explorer passes the clicked file and all selected ones.
      if (!field || !(argument instanceof vscode.Uri)) return commands.runCommand(id, argument);
      if (field.type === 'image') return commands.run(id, { [field.name]: argument }, 'person');
      const files = Array.isArray(all) && all.length > 0 ? all : [argument];
      return commands.run(id, { [field.type === 'audioFile' ? 'files' : field.name]: files }, 'person');
    });
  };
  const registerLoaded = (command: string, run: (commands: OperationCommands, argument: unknown) => unknown) =>
    vscode.commands.registerCommand(command, async (argument?: unknown) => run(await load(), argument));
  const commands = vscode.Disposable.from(
    whenTrusted,
    new vscode.Disposable(() => {
      clearTimeout(again);
      clearInterval(repeated);
    }),
    ...operationIds.map(register),
    // The editor's context menu passes its document.
    registerLoaded(commandIds.narrateSelection, (commands, argument) =>
      commands.narrate(argument instanceof vscode.Uri ? undefined : argument),
    ),
    registerNarration(dependencies, async (argument) => (await load()).narrateDocument(argument)),
    registerLoaded(commandIds.generateImageFromSelection, (commands) => commands.generateFromSelection()),
    registerLoaded(commandIds.addVideo, (commands, argument) => commands.addVideo(argument)),
    registerLoaded(commandIds.cancelJob, ({ jobs }, argument) => jobs.cancel(argument)),
    registerLoaded(commandIds.runAgain, ({ jobs }, argument) => jobs.runAgain(argument)),
    registerLoaded(commandIds.downloadAgain, ({ jobs }, argument) => jobs.downloadAgain(argument)),
    registerLoaded(commandIds.saveElsewhere, ({ jobs }, argument) => jobs.saveElsewhere(argument)),
    registerLoaded(commandIds.dismissJob, ({ jobs }, argument) => jobs.dismiss(argument)),
    registerLoaded(commandIds.saveRawAnswer, ({ jobs }, argument) => jobs.saveRawAnswer(argument)),
    registerLoaded(commandIds.reusePrompt, (commands, argument) => commands.reusePrompt(argument)),
  );
  return {
    run: async (id, request, onSending) => (await load()).run(id, request, 'view', onSending),
    runPlaced: async (requests, options) => (await load()).runPlaced(requests, options),
    runJob: async (input, options, id) => (await load()).runJob(input, options, id),
    forManifests: async () => (await load()).forManifests(),
    resume: async (action, jobId) =>
      (await load()).jobs[action]({ jobId, byPerson: true, confirmed: true, inView: true }),
    dispose: () => commands.dispose(),
  };
}

/** Whether a folder, which need not exist, has any folder in it. */
async function holdsFolders(folder: vscode.Uri): Promise<boolean> {
  const entries = await vscode.workspace.fs.readDirectory(folder).then(
    (found) => found,
    () => [],
  );
  return entries.some(([, type]) => type === vscode.FileType.Directory);
}

/** Documents that can be read aloud. The languages of the last filter have no id in VS Code. */
const selector: vscode.DocumentSelector = [
  ...['markdown', 'quarto', 'mdx', 'html', 'vue', 'svelte', 'asciidoc', 'restructuredtext', 'plaintext'],
  { pattern: '**/*.{mdx,adoc,asciidoc,rst,qmd,vue,svelte}' },
];

/** Registers *Narrate Document*, and the lenses that show what changed since a narration. */
function registerNarration(
  dependencies: OperationDependencies,
  narrate: (argument: unknown) => Promise<unknown>,
): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const load = lazy(async () => {
    const { NarrationLenses } = await import('./narration/NarrationLenses.ts');
    return new NarrationLenses(dependencies, () => changed.fire());
  });
  return vscode.Disposable.from(
    changed,
    vscode.commands.registerCommand(commandIds.narrateDocument, async (argument?: unknown) => {
      const made = await narrate(argument);
      // Nothing listens to the library before VS Code first asks for lenses.
      changed.fire();
      return made;
    }),
    vscode.languages.registerCodeLensProvider(selector, {
      onDidChangeCodeLenses: changed.event,
      provideCodeLenses: async (document) =>
        dependencies.settings.narrationCodeLens ? (await load()).lensesOf(document) : [],
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(settingId('narration.codeLens'))) changed.fire();
    }),
    load,
  );
}
