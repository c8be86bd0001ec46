import * as vscode from 'vscode';
import { commandIds, commandOf } from '../../contributions.ts';
import { lazy } from '../../editor/lazy.ts';
import type { ModelSuggestions } from '../../editor/ModelSuggestions.ts';
import type { ServiceConnection } from '../../editor/ServiceConnection.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import type { JobList } from '../../jobs/JobList.ts';
import type { DocumentToken } from '../../jobs/JobRecord.ts';
import type { RunOptions } from '../../jobs/JobRun.ts';
import type { JobInput } from '../../jobs/JobRunner.ts';
import type { Asset } from '../../library/Asset.ts';
import type { ManifestJobs } from '../../manifest/AssetMaker.ts';
import { takesFiles } from '../../operations/Field.ts';
import type { Operation, OperationId } from '../../operations/operations.ts';
import { operationIds, operations } from '../../operations/operations.ts';
import type { LastUsed } from './LastUsed.ts';
import { registerNarration } from './narration/registerNarration.ts';
import type { OperationCommands } from './OperationCommands.ts';
import type { PlacedOptions, PlacedRequest, PlacedResult } from './runPlaced.ts';

export interface OperationDependencies {
  readonly settings: Settings;
  readonly service: Pick<ServiceConnection, 'checkReady' | 'open'>;
  readonly lastUsed: LastUsed;
  readonly models: ModelSuggestions;
  readonly places: WorkspacePlaces;
  readonly jobs: JobList;
  /** Absolute path in the extension's global storage. */
  readonly journalFolder: string;
  /** The same; parts of long speech wait there. */
  readonly partsFolder: string;
  /** The same; transcripts of parts of long recordings wait there. */
  readonly recordingsFolder: string;
  /** Puts a transcript into the document that it is for, or says where it is. */
  deliver(assets: readonly Asset[], into: DocumentToken): Promise<void>;
  readonly log: vscode.LogOutputChannel;
}

/** How often jobs are looked for whose window ended, in milliseconds. */
const recoverEvery = 20_000;
/** A window that is just closing may hold its jobs a little longer than the next one needs to open. */
const recoverAgainAfter = 5000;

/** What runs operations for a view that shows their progress and outcome itself; it gets each MediaError as it is. */
export interface OperationRuns extends vscode.Disposable {
  /**
   * @param onSending called when the person has nothing more to answer
   * @returns undefined when the person did not confirm it
   */
  run(id: OperationId, request: unknown, onSending: () => void): Promise<readonly Asset[] | undefined>;
  /**
   * Runs requests side by side, each for a place of its own; what was saved is neither opened nor announced.
   *
   * @returns how each ended; undefined when the person dismissed a question
   */
  runPlaced(wanted: readonly PlacedRequest[], options: PlacedOptions): Promise<readonly PlacedResult[] | undefined>;
  /** Runs one job without a question or a notification. @param id its own, where it is known before @throws MediaError */
  runJob(input: JobInput, options: RunOptions, id?: string): Promise<readonly Asset[]>;
  /** What applies a manifest runs its jobs by. */
  manifestJobs(): Promise<ManifestJobs>;
  /** Does what a job that went wrong offers; its button has said what that may cost. */
  resume(action: JobAction, jobId: string): Promise<readonly Asset[] | undefined>;
}

type JobAction = 'runAgain' | 'downloadAgain' | 'saveElsewhere';

/** The commands that run operations: from the palette with questions, or with the request as argument. */
export function registerOperations(dependencies: OperationDependencies): OperationRuns {
  const load = lazy(async () => new (await import('./OperationCommands.ts')).OperationCommands(dependencies));
  const kept = [dependencies.journalFolder, dependencies.partsFolder].map((path) => vscode.Uri.file(path));
  const recover = async () => {
    try {
      // Most windows have nothing to go on with, and shall load nothing for it.
      if (load.current() === undefined && !(await holdFiles(kept))) return;
      await (await load()).recover();
    } catch (error) {
      dependencies.log.error(`Interrupted jobs could not be read: ${String(error)}`);
    }
  };
  // After activation, which reads nothing. In a folder that is not trusted nothing is fetched unasked.
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
      // From the Explorer: what was clicked, and all that is selected.
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
    // The editor's context menu names its document.
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
    runPlaced: async (wanted, options) => (await load()).runPlaced(wanted, options),
    runJob: async (input, options, id) => (await load()).runJob(input, options, id),
    manifestJobs: async () => (await load()).manifestJobs,
    resume: async (action, jobId) =>
      (await load()).jobs[action]({ jobId, byPerson: true, confirmed: true, inView: true }),
    dispose: () => commands.dispose(),
  };
}

/** Whether any file lies in folders, which need not be there. */
async function holdFiles(folders: readonly vscode.Uri[]): Promise<boolean> {
  for (const folder of folders) {
    const entries = await vscode.workspace.fs.readDirectory(folder).then(
      (found) => found,
      () => [],
    );
    if (entries.some(([, type]) => type !== vscode.FileType.Directory)) return true;
    if (await holdFiles(entries.map(([name]) => vscode.Uri.joinPath(folder, name)))) return true;
  }
  return false;
}
