import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import type { Caller } from '../../editor/attempted.ts';
import type { DocumentPlaces } from '../../editor/DocumentPlaces.ts';
import { lazy } from '../../editor/lazy.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import type { DocumentToken, PlaceReference } from '../../jobs/JobRecord.ts';
import type { Asset } from '../../library/Asset.ts';
import { editKinds } from './editKinds.ts';
import type { Dropped } from './offerEdits.ts';

export type RecordingOperation = 'transcribe' | 'translate';

export interface RecordingDependencies {
  readonly settings: Settings;
  readonly places: Pick<WorkspacePlaces, 'referenceFor'>;
  readonly log: vscode.LogOutputChannel;
  readonly runs: {
    runPlaced(
      wanted: readonly {
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
  /** Loads what knows where media belong. */
  projects(): Promise<DocumentPlaces>;
  /** Loads what writes references. */
  references(): Promise<ReferenceWriter>;
}

interface ReferenceWriter {
  textFor(
    document: vscode.TextDocument,
    at: vscode.Position,
    assets: { readonly uris: readonly vscode.Uri[]; readonly title?: string | undefined },
  ): Promise<string>;
}

/** Puts transcripts of recordings that are dropped, pasted or chosen into documents. */
export function registerRecordings(dependencies: RecordingDependencies): vscode.Disposable {
  const load = lazy(async () => new (await import('./RecordingRuns.ts')).RecordingRuns(dependencies));
  // Named as VS Code's own provider for Markdown names it: that one yields to others that fit a document as well.
  const selector = [{ language: 'markdown' }, '*'];
  const mimeTypes = ['text/uri-list', 'files', 'audio/*', 'video/*'];
  const kinds = Object.values(editKinds);
  const edits = async (what: Dropped) => (await import('./offerEdits.ts')).offerEdits(what, load, dependencies);
  return vscode.Disposable.from(
    vscode.languages.registerDocumentDropEditProvider(
      selector,
      {
        provideDocumentDropEdits: (document, at, data) => edits({ document, at, data }),
      },
      { dropMimeTypes: mimeTypes, providedDropEditKinds: kinds },
    ),
    vscode.languages.registerDocumentPasteEditProvider(
      selector,
      {
        provideDocumentPasteEdits: (document, ranges, data) => edits({ document, at: ranges[0]?.start, data }),
      },
      { pasteMimeTypes: mimeTypes, providedPasteEditKinds: kinds },
    ),
    vscode.commands.registerCommand(commandIds.transcribeIntoDocument, async (argument?: unknown) => {
      const { transcribeIntoDocument } = await import('./transcribeIntoDocument.ts');
      return transcribeIntoDocument(argument, await load(), dependencies);
    }),
    vscode.commands.registerCommand(commandIds.renameSpeakers, async (argument?: unknown) => {
      const { renameSpeakers } = await import('./renameSpeakers.ts');
      return renameSpeakers(argument, dependencies);
    }),
    load,
  );
}
