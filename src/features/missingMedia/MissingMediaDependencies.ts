import type * as vscode from 'vscode';
import type { MediaReference } from '../../documents/MediaReference.ts';
import type { DocumentPlaces } from '../../editor/DocumentPlaces.ts';
import type { Caller } from '../../editor/runCommand.ts';
import type { ServiceConnection } from '../../editor/ServiceConnection.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import type { JobList } from '../../jobs/JobList.ts';
import type { PlaceReference } from '../../jobs/JobRecord.ts';
import type { Asset } from '../../library/Asset.ts';
import type { OperationId } from '../../operations/operations.ts';

export interface MissingMediaDependencies {
  readonly settings: Settings;
  readonly service: Pick<ServiceConnection, 'checkReady'>;
  readonly places: Pick<WorkspacePlaces, 'referenceIn'>;
  readonly jobs: Pick<JobList, 'all'>;
  readonly log: vscode.LogOutputChannel;
  readonly runs: {
    runPlaced(
      requests: readonly {
        readonly operation: OperationId;
        readonly fields: unknown;
        readonly place: PlaceReference;
      }[],
      options: {
        readonly title: string;
        readonly caller: Caller;
        readonly asksModel: boolean;
        readonly isConfirmed: boolean;
      },
    ): Promise<readonly PromiseSettledResult<readonly Asset[]>[] | undefined>;
  };
  /** Loads what knows the projects of documents. */
  projects(): Promise<DocumentPlaces>;
  /** Loads the writer of references. */
  references(): Promise<{
    addressFor(
      document: vscode.TextDocument,
      reference: Pick<MediaReference, 'form' | 'folders'>,
      path: string,
    ): Promise<string | undefined>;
  }>;
}
