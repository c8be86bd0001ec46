import type * as vscode from 'vscode';
import type { DocumentPlaces } from '../../editor/DocumentPlaces.ts';
import type { PlacedRuns } from '../../editor/PlacedRuns.ts';
import type { ReferenceWriter } from '../../editor/ReferenceWriter.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';

export type RecordingOperation = 'transcribe' | 'translate';

export interface RecordingDependencies {
  readonly settings: Settings;
  readonly places: Pick<WorkspacePlaces, 'referenceFor'>;
  readonly log: vscode.LogOutputChannel;
  readonly runs: PlacedRuns;
  /** Loads what knows the projects of documents. */
  projects(): Promise<DocumentPlaces>;
  /** Loads the writer of references. */
  references(): Promise<ReferenceWriter>;
}
