import type * as vscode from 'vscode';
import type { PlacedRuns } from '../../editor/PlacedRuns.ts';
import type { ReferenceWriter } from '../../editor/ReferenceWriter.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';

export interface CursorDependencies {
  readonly settings: Settings;
  readonly places: Pick<WorkspacePlaces, 'referenceForDocument'>;
  readonly log: vscode.LogOutputChannel;
  readonly runs: PlacedRuns;
  /** Loads the writer of references. */
  references(): Promise<ReferenceWriter>;
}
