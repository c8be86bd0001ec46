import * as vscode from 'vscode';
import { ApiKeys } from './editor/ApiKeys.ts';
import { ServiceConnection } from './editor/ServiceConnection.ts';
import { Settings } from './editor/Settings.ts';
import { WorkspacePlaces } from './editor/WorkspacePlaces.ts';
import { registerActivity } from './features/activity/registerActivity.ts';
import { registerAssets } from './features/assets/registerAssets.ts';
import { registerLibrary } from './features/library/registerLibrary.ts';
import { registerLog } from './features/log/registerLog.ts';
import { LastUsed } from './features/operations/LastUsed.ts';
import { registerOperations } from './features/operations/registerOperations.ts';
import { SandboxFeature } from './features/sandbox/SandboxFeature.ts';
import { registerService } from './features/service/registerService.ts';
import { registerStatus } from './features/status/registerStatus.ts';
import { registerVideos } from './features/videos/registerVideos.ts';
import { JobList } from './jobs/JobList.ts';

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('Unified Media', { log: true });
  const storage = context.storageUri ?? context.globalStorageUri;
  const settings = new Settings();
  const places = new WorkspacePlaces(settings, storage);
  const jobs = new JobList();
  const keys = new ApiKeys(context.secrets);
  const sandbox = new SandboxFeature(settings, vscode.Uri.joinPath(context.globalStorageUri, 'sandbox').fsPath);
  const service = new ServiceConnection({
    usesSandbox: () => settings.usesSandbox,
    remote: () => ({ configuration: settings.service, key: (origin) => keys.keyFor(origin) }),
    sandbox: () => sandbox.connect(),
    log: (line) => log.info(line),
  });
  context.subscriptions.push(
    log,
    sandbox,
    service,
    registerLog(log),
    registerAssets(),
    registerVideos(places, log),
    registerActivity(jobs),
    registerStatus(settings, jobs),
    registerLibrary(places, log),
    registerService(settings, keys),
    registerOperations({
      settings,
      service,
      places,
      jobs,
      log,
      lastUsed: new LastUsed(context.globalState),
      journalFolder: vscode.Uri.joinPath(storage, 'jobs').fsPath,
      partsFolder: vscode.Uri.joinPath(storage, 'speech').fsPath,
    }),
  );
}
