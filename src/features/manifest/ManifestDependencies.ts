import type * as vscode from 'vscode';
import type { ModelSuggestions } from '../../editor/ModelSuggestions.ts';
import type { ServiceConnection } from '../../editor/ServiceConnection.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import type { MakerOptions } from '../../manifest/MakerOptions.ts';

export interface ManifestDependencies {
  readonly settings: Settings;
  readonly service: Pick<ServiceConnection, 'checkReady'>;
  readonly places: WorkspacePlaces;
  readonly models: ModelSuggestions;
  readonly log: vscode.LogOutputChannel;
  readonly runs: { forManifests(): Promise<Pick<MakerOptions, 'runner' | 'limits'>> };
  readonly extensionUri: vscode.Uri;
}
