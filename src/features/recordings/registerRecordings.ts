import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { lazy } from '../../editor/lazy.ts';
import { dropSelector, editKinds } from '../../editor/ReferenceWriter.ts';
import type { Dropped, RecordingDependencies } from './RecordingRuns.ts';

/** Inserts transcripts of recordings that are dropped, pasted or chosen. */
export function registerRecordings(dependencies: RecordingDependencies): vscode.Disposable {
  const load = lazy(async () => new (await import('./RecordingRuns.ts')).RecordingRuns(dependencies));
  const mimeTypes = ['text/uri-list', 'files', 'audio/*', 'video/*'];
  const kinds = [editKinds.transcript, editKinds.translation, editKinds.player];
  const edits = async (what: Dropped) => (await import('./RecordingRuns.ts')).offerEdits(what, load, dependencies);
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
    load,
  );
}
