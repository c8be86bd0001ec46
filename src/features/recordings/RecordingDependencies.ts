import type * as vscode from 'vscode';
import type { DocumentPlaces } from '../../editor/DocumentPlaces.ts';
import type { ReferenceWriter } from '../../editor/ReferenceWriter.ts';
import type { Caller } from '../../editor/runCommand.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import type { DocumentToken, PlaceReference } from '../../jobs/JobRecord.ts';
import type { Asset } from '../../library/Asset.ts';

export type RecordingOperation = 'transcribe' | 'translate';

export interface RecordingDependencies {
  readonly settings: Settings;
  readonly places: Pick<WorkspacePlaces, 'referenceFor'>;
  readonly log: vscode.LogOutputChannel;
  readonly runs: {
    runPlaced(
      requests: readonly {
        readonly operation: RecordingOperation;
        readonly fields: unknown;
        readonly place: PlaceReference;
        readonly into: DocumentToken;
      }[],
      options: {
        readonly title: string;
        readonly caller: Caller;
        readonly asksModel: boolean;
        readonly signal: AbortSignal;
        beforeSending(): void;
      },
    ): Promise<readonly PromiseSettledResult<readonly Asset[]>[] | undefined>;
  };
  /** Loads what knows the projects of documents. */
  projects(): Promise<DocumentPlaces>;
  /** Loads the writer of references. */
  references(): Promise<ReferenceWriter>;
}
