import * as vscode from 'vscode';
import type { Settings } from '../../editor/Settings.ts';
import { buttonOf } from '../../editor/showError.ts';
import { settingFor } from '../../editor/startingValues.ts';
import type { LibraryEntry } from '../../library/LibraryRecord.ts';
import type { MediaErrorAction } from '../../operations/MediaError.ts';
import type { Operation, OperationId } from '../../operations/operations.ts';
import { areas, operationIds, operations } from '../../operations/operations.ts';
import type { Action, Notice, Setup } from '../../webview/protocol/messages.ts';
import { maxModels } from '../../webview/protocol/service.ts';
import type { CreateSession } from './CreateSession.ts';

/** Returns what the composer offers, and the notices to show before sending. */
export function setupOf(session: CreateSession): Setup {
  const { settings, lastUsed, models } = session.dependencies;
  const sandbox = settings.usesSandbox;
  const entries = session.gallery.all.map(({ entry }) => entry);
  const used = usedModels(entries, sandbox);
  const usedWith = (id: OperationId) => [...(used.get(id) ?? [])];
  return {
    ...(isUnconnected(settings) ? { unconnected: { scheme: settings.service.authorizationScheme ?? '' } } : {}),
    notices: noticesOf(session),
    models: forEachOperation((id) => models.names(id, sandbox, usedWith(id)).slice(0, maxModels)),
    unloaded: operationIds.filter((id) => session.canLoadModels(id)),
    defaults: forEachOperation((id) => {
      const setting = (field: string) => settingFor(id, field, settings);
      return startingTexts(id, lastUsed.get(id, sandbox), setting, models.known(id, sandbox, usedWith(id)));
    }),
  };
}

/**
 * Returns the models that were used with each operation, newest first.
 *
 * @param entries newest first
 */
export function usedModels(
  entries: readonly LibraryEntry[],
  isSandbox: boolean,
): ReadonlyMap<OperationId, ReadonlySet<string>> {
  const used = new Map<OperationId, Set<string>>();
  for (const { operation, model, sandbox = false } of entries) {
    if (sandbox !== isSandbox) continue;
    const names = used.get(operation);
    if (names) names.add(model);
    else used.set(operation, new Set([model]));
  }
  return used;
}

/**
 * Returns the initial values of the options.
 *
 * @param last the values of the operation's last run
 * @param setting returns the configured value of a field
 */
export function startingTexts(
  id: OperationId,
  last: Readonly<Record<string, unknown>>,
  setting: (field: string) => unknown,
  models: readonly string[],
): Readonly<Record<string, string>> {
  const { fields }: Operation = operations[id];
  const pairs = fields.flatMap((field) => {
    if (field.type === 'text' || field.type === 'video') return [];
    const value = last[field.name] ?? setting(field.name) ?? ('default' in field ? field.default : undefined);
    const known = value ?? (field.type === 'model' ? models[0] : undefined);
    return typeof known === 'string' || typeof known === 'number' ? [[field.name, String(known)]] : [];
  });
  return Object.fromEntries(pairs);
}

function forEachOperation<T>(of: (id: OperationId) => T): Readonly<Record<OperationId, T>> {
  return Object.fromEntries(operationIds.map((id) => [id, of(id)])) as Record<OperationId, T>;
}

function noticesOf({ readiness, dependencies }: CreateSession): readonly Notice[] {
  const notices: Notice[] = [];
  for (const area of areas) {
    // Without a service, the view asks for one instead.
    const error = isUnconnected(dependencies.settings) ? undefined : readiness[area];
    if (!error) continue;
    const ids = operationIds.filter((id) => operations[id].area === area);
    notices.push({ operations: ids, text: error.message, actions: error.actions.flatMap(noticeAction) });
  }
  if (!vscode.workspace.workspaceFolders?.length) {
    notices.push({
      operations: operationIds,
      text: vscode.l10n.t('No folder is open, so you will be asked where to save results.'),
      actions: [{ id: 'openFolder', title: vscode.l10n.t('Open Folder') }],
    });
  }
  if (!vscode.workspace.isTrusted) {
    notices.push({
      operations: operationIds,
      text: vscode.l10n.t(
        'Restricted Mode: until you trust this workspace, its settings for models, folders and file names are ignored. Nothing is sent unless you ask for it.',
      ),
      actions: [{ id: 'manageTrust', title: vscode.l10n.t('Manage Workspace Trust') }],
    });
  }
  return notices;
}

/** Whether no service has been configured. */
function isUnconnected({ usesSandbox, hosts }: Settings): boolean {
  return !usesSandbox && areas.every((area) => hosts[area] === '');
}

/** Returns the actions that lead to a usable service. */
function noticeAction(action: MediaErrorAction): readonly Action[] {
  switch (action) {
    case 'setUpService':
      return [{ id: 'connectService', title: vscode.l10n.t('Connect a Service…') }];
    case 'setApiKey':
    case 'useSandbox':
      return [{ id: action, title: buttonOf(action).title }];
    default:
      return [];
  }
}
