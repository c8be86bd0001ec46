import * as vscode from 'vscode';
import { describeProgress } from '../../editor/describeProgress.ts';
import { buttonOf } from '../../editor/showError.ts';
import { modelNames, settingFor } from '../../editor/startingValues.ts';
import { operations } from '../../operations/operations.ts';
import type { Notice, Snapshot } from '../../webview/messages.ts';
import type { CreateSession } from './CreateSession.ts';
import type { Wording } from './makeSnapshot.ts';
import {
  forEachOperation,
  runningJobs,
  shownFailures,
  shownFiles,
  shownResult,
  startingTexts,
} from './makeSnapshot.ts';

/** The session as it stands, for one view. */
export function takeSnapshot(session: CreateSession, webview: vscode.Webview): Snapshot {
  const { dependencies, draft, results, failures, settled } = session;
  const { settings, lastUsed, jobs } = dependencies;
  const sandbox = settings.usesSandbox;
  const load = (uri: string) => webview.asWebviewUri(vscode.Uri.parse(uri)).toString();
  const { videos, models: used } = results.choices(sandbox);
  const models = forEachOperation((id) => [
    ...new Set([...modelNames(settings.models(id), lastUsed.get(id, sandbox).model, sandbox), ...used[id]]),
  ]);
  return {
    type: 'snapshot',
    files: shownFiles(draft.files, (uri) => (/^https?:/i.test(uri) ? undefined : load(uri))),
    defaults: forEachOperation((id) =>
      startingTexts(id, lastUsed.get(id, sandbox), (field) => settingFor(id, field, settings), models[id]),
    ),
    models,
    videos,
    notices: noticesOf(session),
    failures: shownFailures(failures, wording),
    jobs: runningJobs(jobs.all, wording),
    ...(results.latest ? { results: results.latest.map((result) => shownResult(result, load, wording)) } : {}),
    ...(settled === undefined ? {} : { settled }),
  };
}

const wording: Wording = {
  titleOf: (id) => vscode.l10n.t(operations[id].title),
  stageOf: ({ state, progress }) => {
    if (progress) return describeProgress(progress);
    return state === 'queued' ? vscode.l10n.t('waiting for its turn') : vscode.l10n.t('starting');
  },
  buttonOf: (action, error) => buttonOf(action, error).title,
  dismiss: vscode.l10n.t('Dismiss'),
};

function noticesOf({ readiness }: CreateSession): readonly Notice[] {
  const notices: Notice[] = [];
  for (const area of ['image', 'audio', 'video'] as const) {
    const error = readiness[area];
    if (!error) continue;
    const actions = error.actions.flatMap((id) =>
      id === 'setApiKey' || id === 'setUpService' || id === 'useSandbox' ? [{ id, title: buttonOf(id).title }] : [],
    );
    notices.push({ area, text: error.message, actions });
  }
  if (!vscode.workspace.workspaceFolders?.length) {
    notices.push({
      text: vscode.l10n.t('No folder is open: you will be asked where results are saved.'),
      actions: [{ id: 'openFolder', title: vscode.l10n.t('Open Folder') }],
    });
  }
  if (!vscode.workspace.isTrusted) {
    notices.push({
      text: vscode.l10n.t(
        'Restricted Mode: until you trust this workspace, its settings for models, folders and file names are ignored. Nothing is sent unless you ask for it.',
      ),
      actions: [{ id: 'manageTrust', title: vscode.l10n.t('Manage Workspace Trust') }],
    });
  }
  return notices;
}
