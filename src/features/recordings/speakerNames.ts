import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { Click } from '../../editor/Caller.ts';
import { MediaError } from '../../operations/MediaError.ts';
import { frontMatterSource } from '../../transcripts/frontMatter.ts';
import type { RecordingDependencies } from './RecordingRuns.ts';
import { editsFor, extensionOf, problemOf, speakerAt, speakersIn } from './renameSpeakers.ts';

/** Returns the range of the speaker's name at a position. @throws Error where no speaker is named */
export function prepareRename(document: vscode.TextDocument, position: vscode.Position): vscode.Range {
  const found = isTranscript(document) ? speakerAt(document, position) : undefined;
  if (!found) throw new Error(vscode.l10n.t('No speaker is named here.'));
  return found.range;
}

/** Renames the speaker at a position everywhere. */
export async function renameAt(
  document: vscode.TextDocument,
  position: vscode.Position,
  name: string,
  dependencies: RecordingDependencies,
): Promise<vscode.WorkspaceEdit | undefined> {
  const found = speakerAt(document, position);
  const problem = problemOf(name);
  if (problem !== undefined) throw new MediaError('invalidInput', problem);
  return found && (await editsFor(document, new Map([[found.name, name.trim()]]), dependencies)).edit;
}

/** Returns the line above a transcript that names its speakers and renames them. */
export function speakerLenses(document: vscode.TextDocument): vscode.CodeLens[] {
  const speakers = isTranscript(document) ? speakersIn(document) : [];
  if (speakers.length === 0) return [];
  const title = vscode.l10n.t('Speakers: {0} · Rename', speakers.slice(0, 6).join(', '));
  const command = { title, command: commandIds.renameSpeakers, arguments: [Click.on({ uri: document.uri })] };
  return [new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), command)];
}

/** In other Markdown, bold words before a colon are no names. */
function isTranscript(document: vscode.TextDocument): boolean {
  return extensionOf(document.uri) !== 'md' || frontMatterSource(document.getText()) !== undefined;
}
