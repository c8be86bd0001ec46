import type * as vscode from 'vscode';
import type { ReferenceWriter } from '../../editor/ReferenceWriter.ts';
import type { Caller } from '../../editor/runCommand.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import type { PlaceReference } from '../../jobs/JobRecord.ts';
import type { Asset } from '../../library/Asset.ts';

export interface CursorDependencies {
  readonly settings: Settings;
  readonly places: Pick<WorkspacePlaces, 'referenceForDocument'>;
  readonly log: vscode.LogOutputChannel;
  readonly runs: {
    runPlaced(
      requests: readonly {
        readonly operation: 'generateImage';
        readonly fields: unknown;
        readonly place: PlaceReference;
      }[],
      options: { readonly title: string; readonly caller: Caller; readonly asksModel: boolean },
    ): Promise<readonly PromiseSettledResult<readonly Asset[]>[] | undefined>;
  };
  /** Loads the writer of references. */
  references(): Promise<ReferenceWriter>;
}
