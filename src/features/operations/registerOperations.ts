import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import type { ModelSuggestions } from '../../editor/ModelSuggestions.ts';
import type { PlacedRuns } from '../../editor/PlacedRuns.ts';
import type { ServiceConnection } from '../../editor/ServiceConnection.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import type { JobList } from '../../jobs/JobList.ts';
import type { DocumentToken } from '../../jobs/JobRecord.ts';
import type { RunOptions } from '../../jobs/JobRun.ts';
import type { JobInput } from '../../jobs/JobRunner.ts';
import type { Asset } from '../../library/Asset.ts';
import type { ManifestJobs } from '../../manifest/AssetMaker.ts';
import type { OperationId } from '../../operations/operations.ts';
import type { LastUsed } from './LastUsed.ts';
import { registerNarration } from './narration/registerNarration.ts';
import type { OperationCommands } from './OperationCommands.ts';

export interface OperationDependencies {
  readonly settings: Settings;
  readonly service: Pick<ServiceConnection, 'checkReady' | 'open'>;
  readonly lastUsed: LastUsed;
  readonly models: ModelSuggestions;
  readonly places: WorkspacePlaces;
  readonly jobs: JobList;
  /** Absolute path in the extension's global storage. */
  readonly journalFolder: string;
  /** Absolute path in the same storage, for parts of long speech. */
  readonly partsFolder: string;
  /** Absolute path in the same storage, for transcripts of parts of long recordings. */
  readonly recordingsFolder: string;
  /** Inserts a transcript into its document, or says where it was saved. */
  deliver(assets: readonly Asset[], into: DocumentToken): Promise<void>;
  readonly log: vscode.LogOutputChannel;
}

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
  /** Returns what runs the jobs of manifests. */
  manifestJobs(): Promise<ManifestJobs>;
  /** Runs an action of a failed job. Its button has already said what that may cost. */
  resume(action: JobAction, jobId: string): Promise<readonly Asset[] | undefined>;
}

export type JobAction = 'runAgain' | 'downloadAgain' | 'saveElsewhere';

/** Registers the commands that run operations: from the palette with questions, or with a request as the argument. */
export function registerOperations(dependencies: OperationDependencies): OperationRuns {
  let loading: Promise<OperationCommands> | undefined;
  const load = () => {
    loading ??= import('./OperationCommands.ts')
      .then(({ OperationCommands }) => new OperationCommands(dependencies))
      .catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
    return loading;
  };
  const kept = [dependencies.journalFolder, dependencies.partsFolder].map((path) => vscode.Uri.file(path));
  const recover = async () => {
    try {
      // Most windows have no jobs to resume and should load nothing for this.
      if (loading === undefined && !(await holdFiles(kept))) return;
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
  const register = (id: keyof typeof operationCommands): vscode.Disposable => {
    const { command, file } = operationCommands[id];
    return vscode.commands.registerCommand(command, async (argument?: unknown, all?: unknown) => {
      const commands = await load();
      // The Explorer passes the clicked file and all selected ones.
      if (!file || !(argument instanceof vscode.Uri)) return commands.run(id, argument);
      const files = Array.isArray(all) && all.length > 0 ? all : [argument];
      return commands.run(id, { [file]: file === 'image_url' ? argument : files }, 'person');
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
    register('generateImage'),
    register('editImage'),
    register('speak'),
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
    register('transcribe'),
    register('translate'),
    register('generateVideo'),
    register('animateImage'),
    registerLoaded(commandIds.remixVideo, (commands, argument) => commands.remix(argument)),
    registerLoaded(commandIds.reusePrompt, (commands, argument) => commands.reusePrompt(argument)),
  );
  return {
    run: async (id, request, onSending) => (await load()).run(id, request, 'view', onSending),
    runPlaced: async (requests, options) => (await load()).runPlaced(requests, options),
    runJob: async (input, options, id) => (await load()).runJob(input, options, id),
    manifestJobs: async () => (await load()).manifestJobs,
    resume: async (action, jobId) =>
      (await load()).jobs[action]({ jobId, byPerson: true, confirmed: true, inView: true }),
    dispose: () => commands.dispose(),
  };
}

/** Whether any file is in these folders, which need not exist. */
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

/** The command of each operation, and the field for the files that the Explorer passes. */
const operationCommands = {
  generateImage: { command: commandIds.generateImage, file: undefined },
  editImage: { command: commandIds.editImage, file: 'image_urls' },
  speak: { command: commandIds.speak, file: undefined },
  transcribe: { command: commandIds.transcribe, file: 'files' },
  translate: { command: commandIds.translate, file: 'files' },
  generateVideo: { command: commandIds.generateVideo, file: undefined },
  animateImage: { command: commandIds.animateImage, file: 'image_url' },
} as const satisfies Partial<Record<OperationId, { readonly command: string; readonly file: string | undefined }>>;
