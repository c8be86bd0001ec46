// @vscode/l10n also translates modules that do not know VS Code. `activate` configures it, so sentences must be made in
// functions, not when a module loads.

import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { commandIds, secretIds } from './contributions.ts';
import { LastEditors } from './editor/LastEditors.ts';
import { lazy } from './editor/lazy.ts';
import { Memory } from './editor/Memory.ts';
import { Previews } from './editor/Previews.ts';
import { Requests } from './editor/Requests.ts';
import { LastUsed } from './editor/requests/requests.ts';
import { Settings } from './editor/Settings.ts';
import type { Window } from './editor/Window.ts';
import { WorkspacePlaces } from './editor/WorkspacePlaces.ts';
import { registerActivity } from './features/activity/registerActivity.ts';
import { registerAgents } from './features/agents/registerAgents.ts';
import { registerService } from './features/connection/registerService.ts';
import { registerStatus } from './features/connection/registerStatus.ts';
import { SandboxFeature } from './features/connection/SandboxFeature.ts';
import { registerCreate } from './features/create/registerCreate.ts';
import { registerCursor } from './features/cursor/registerCursor.ts';
import { registerFileMoves } from './features/fileMoves/registerFileMoves.ts';
import { registerHover } from './features/hover/registerHover.ts';
import { registerImages } from './features/images/registerImages.ts';
import { registerManifest } from './features/manifest/registerManifest.ts';
import { registerMissingMedia } from './features/missingMedia/registerMissingMedia.ts';
import { registerOperations } from './features/operations/registerOperations.ts';
import { registerPlayer } from './features/player/registerPlayer.ts';
import { registerRecordings } from './features/recordings/registerRecordings.ts';
import { registerReferences } from './features/references/registerReferences.ts';
import { registerVideos } from './features/videos/registerVideos.ts';
import { ModelSuggestions } from './service/ModelSuggestions.ts';
import { ApiKeys, ServiceConnection } from './service/ServiceConnection.ts';
import { type Job, JobList } from './work/Job.ts';
import { retiredModelsFile, stateFolder, workFolder } from './work/stateFolder.ts';

/** The API for other extensions: the jobs, whose ids the job commands take as `{jobId}`. */
export interface UnifiedMedia {
  /** Running, waiting and failed jobs, newest first. */
  readonly jobs: readonly Job[];
  /** Calls the listener with the id of each job that is added, changed or removed. */
  onDidChangeJobs(listener: (jobId: string) => void): { dispose(): void };
}

export function activate(context: vscode.ExtensionContext): UnifiedMedia {
  // The parts without VS Code use the editor's language too.
  l10n.config({ contents: vscode.l10n.bundle ?? {} });
  const log = vscode.window.createOutputChannel('Unified Media', { log: true });
  // Global storage, because a second window on the same folder may have different workspace storage.
  const storage = context.globalStorageUri;
  const settings = new Settings();
  const projects = lazy(async () => new (await import('./editor/DocumentPlaces.ts')).DocumentPlaces(settings));
  const places = new WorkspacePlaces(settings, storage, projects);
  const jobs = new JobList();
  const previews = new Previews(vscode.Uri.joinPath(storage, 'previews'));
  const keys = new ApiKeys(context.secrets, secretIds.apiKey);
  const sandbox = new SandboxFeature(settings, vscode.Uri.joinPath(storage, 'sandbox').fsPath);
  const service = new ServiceConnection({
    usesSandbox: () => settings.usesSandbox,
    remote: () => ({ configuration: settings.service, key: (origin) => keys.keyFor(origin) }),
    sandbox: () => sandbox.connect(),
    network: () => settings.network,
    log: (line) => {
      try {
        log.info(line);
      } catch {
        // The channel closes with the window, before the last exchange ends. A failed log line must not hide the
        // exchange's own result.
      }
    },
  });
  const memory = new Memory(context);
  const lastUsed = new LastUsed(memory, () => settings.hosts);
  const retired = lazy(async () => {
    const { RetiredModels } = await import('./service/RetiredModels.ts');
    return new RetiredModels(retiredModelsFile(stateFolder(process.env)));
  });
  const models = new ModelSuggestions({
    settings,
    service,
    retired,
    lastModel: (id, isSandbox) => lastUsed.get(id, isSandbox).model,
    forgotten: (id, isSandbox) => lastUsed.forgotten(id, isSandbox),
  });
  const lastEditors = new LastEditors();
  const references = lazy(async () => {
    const [{ ReferenceWriter }, found] = await Promise.all([import('./editor/ReferenceWriter.ts'), projects()]);
    return new ReferenceWriter(found);
  });
  const storeFolder = workFolder(process.env);
  const parts = { settings, service, places, jobs, log, lastUsed, models, retired, references, storeFolder };
  const runs = new Requests(parts);
  const window: Window = { ...parts, runs, keys, memory, lastEditors, previews, projects, context };
  context.subscriptions.push(
    log,
    settings,
    keys,
    projects,
    previews,
    sandbox,
    vscode.commands.registerCommand(commandIds.showLog, () => log.show()),
    lastEditors,
    registerReferences(window),
    registerCursor(window),
    registerMissingMedia(window),
    registerImages(window),
    registerHover(window),
    registerRecordings(window),
    registerPlayer(window),
    registerVideos(window),
    registerActivity(window),
    registerStatus(window),
    registerFileMoves(window),
    registerService(window),
    registerManifest(window),
    runs,
    registerOperations(window),
    registerAgents(window),
    registerCreate(window),
  );
  return {
    get jobs() {
      return jobs.all;
    },
    onDidChangeJobs: (listener) => jobs.onDidChange(listener),
  };
}
