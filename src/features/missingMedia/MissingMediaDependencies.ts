import type * as vscode from 'vscode';
import type { DocumentPlaces } from '../../editor/DocumentPlaces.ts';
import type { PlacedRuns } from '../../editor/PlacedRuns.ts';
import type { ReferenceWriter } from '../../editor/ReferenceWriter.ts';
import type { ServiceConnection } from '../../editor/ServiceConnection.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import type { JobList } from '../../work/Job.ts';

export interface MissingMediaDependencies {
  readonly settings: Settings;
  readonly service: Pick<ServiceConnection, 'checkReady'>;
  readonly places: Pick<WorkspacePlaces, 'referenceIn'>;
  readonly jobs: Pick<JobList, 'all'>;
  readonly log: vscode.LogOutputChannel;
  readonly runs: PlacedRuns;
  /** Loads what knows the projects of documents. */
  projects(): Promise<DocumentPlaces>;
  /** Loads the writer of references. */
  references(): Promise<ReferenceWriter>;
}
