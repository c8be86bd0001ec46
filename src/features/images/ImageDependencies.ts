import type * as vscode from 'vscode';
import type { Settings } from '../../editor/Settings.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';

export interface ImageDependencies {
  readonly settings: Pick<Settings, 'openAfterSave'>;
  readonly places: WorkspacePlaces;
  readonly log: vscode.LogOutputChannel;
  /** The extension's installation folder. */
  readonly extensionUri: vscode.Uri;
}
