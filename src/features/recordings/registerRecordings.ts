import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import type { DocumentPlaces } from '../../editor/DocumentPlaces.ts';
import { dropSelector, editKinds } from '../../editor/dropEdits.ts';
import type { PlacedRuns } from '../../editor/PlacedRuns.ts';
import type { ReferenceWriter } from '../../editor/ReferenceWriter.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import type { Dropped } from './offerEdits.ts';
import type { RecordingRuns } from './RecordingRuns.ts';

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

/** Inserts transcripts of recordings that are dropped, pasted or chosen. */
export function registerRecordings(dependencies: RecordingDependencies): vscode.Disposable {
  let loading: Promise<RecordingRuns> | undefined;
  const load = () => {
    loading ??= import('./RecordingRuns.ts').then(({ RecordingRuns }) => new RecordingRuns(dependencies));
    return loading;
  };
  const mimeTypes = ['text/uri-list', 'files', 'audio/*', 'video/*'];
  const kinds = [editKinds.transcript, editKinds.translation, editKinds.player];
  const edits = async (what: Dropped) => (await import('./offerEdits.ts')).offerEdits(what, load, dependencies);
  return vscode.Disposable.from(
    vscode.languages.registerDocumentDropEditProvider(
      dropSelector,
      {
        provideDocumentDropEdits: (document, at, data) => edits({ document, at, data }),
      },
      { dropMimeTypes: mimeTypes, providedDropEditKinds: kinds },
    ),
    vscode.languages.registerDocumentPasteEditProvider(
      dropSelector,
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
    { dispose: () => void loading?.then((runs) => runs.dispose()).catch(() => undefined) },
  );
}
