import * as vscode from 'vscode';
import { codeLanguages, commandIds, documentLanguages } from '../../contributions.ts';
import { register } from '../../editor/commands.ts';
import { dropSelector, editKinds } from '../../editor/editKinds.ts';
import { lazy } from '../../editor/lazy.ts';
import type { Window } from '../../editor/Window.ts';
import type { Dropped } from './TranscriptTokens.ts';

const onFiles = [
  commandIds.renameSpeakers,
  commandIds.addSpeakers,
  commandIds.saveSubtitles,
  commandIds.updateTimes,
  commandIds.addCaptions,
  commandIds.useSubtitles,
] as const;

/** Inserts transcripts of recordings that are dropped, pasted or chosen. */
export function registerRecordings(dependencies: Window): vscode.Disposable {
  const load = lazy(async () => new (await import('./TranscriptTokens.ts')).TranscriptTokens(dependencies));
  const mimeTypes = ['text/uri-list', 'files', 'audio/*', 'video/*'];
  const kinds = [editKinds.transcript, editKinds.translation, editKinds.player];
  const edits = async (what: Dropped) => (await import('./TranscriptTokens.ts')).offerEdits(what, load, dependencies);
  const commands = () => import('./recordingCommands.ts');
  const transcripts = { pattern: '**/*.{md,txt,srt,vtt}' };
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
    register(commands, {
      [commandIds.transcribeIntoDocument]: async ({ transcribeIntoDocument }, argument) =>
        transcribeIntoDocument(argument, await load(), dependencies),
      ...Object.fromEntries(
        onFiles.map((id) => [
          id,
          ({ byId }: Awaited<ReturnType<typeof commands>>, argument: unknown) => byId[id](argument, dependencies),
        ]),
      ),
    }),
    vscode.languages.registerCodeActionsProvider(
      [...documentLanguages, ...codeLanguages],
      {
        // The action is a command, so asking for it writes nothing.
        provideCodeActions: async (document, range) =>
          mayShowVideo(document, range)
            ? (await commands()).captionActions(document, range, (await load()).pairs, dependencies)
            : [],
      },
      { providedCodeActionKinds: [vscode.CodeActionKind.RefactorRewrite] },
    ),
    vscode.languages.registerRenameProvider(transcripts, {
      prepareRename: async (document, at) => (await commands()).prepareRename(document, at, (await load()).pairs),
      provideRenameEdits: async (document, at, name) => (await commands()).renameAt(document, at, name, dependencies),
    }),
    vscode.languages.registerCodeLensProvider(transcripts, {
      onDidChangeCodeLenses: dependencies.places.onDidChange,
      provideCodeLenses: async (document) => (await commands()).speakerLenses(document, (await load()).pairs),
    }),
    load,
  );
}

/** Number of lines around the cursor that are searched for the start of an element. */
const linesAround = 20;

/** Whether a video may be near. Most cursor moves end here, without loading or reading anything. */
function mayShowVideo(document: vscode.TextDocument, { start: { line } }: vscode.Range): boolean {
  const around = new vscode.Range(Math.max(0, line - linesAround), 0, line + linesAround, 0);
  return /<video[\s/>]/i.test(document.getText(around));
}
