import assert from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { changeSettings, resetSettings } from './changeSettings.ts';

/** The path of the workspace's only folder. */
export function workspaceFolder(): string {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  assert(folder);
  return folder.uri.fsPath;
}

/** Removes everything in a folder but some names. */
export async function emptyFolder(folder: string, kept: readonly string[] = []): Promise<void> {
  for (const name of await readdir(folder)) if (!kept.includes(name)) await remove(join(folder, name));
}

/** Removes a file or a folder, even while VS Code, git or the extension still writes to it. */
export function remove(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 10 });
}

/**
 * Turns the sandbox on for the tests of a suite. After each, closes the editors, resets the other settings and empties
 * the workspace folder.
 *
 * @returns the folder's path
 */
export function useSandboxInWorkspace(): string {
  const folder = workspaceFolder();
  const settings = { service: 'sandbox', openAfterSave: false };
  before(() => changeSettings(settings));
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await resetSettings(settings);
    await emptyFolder(folder);
  });
  after(() => resetSettings());
  return folder;
}
