import { posix } from 'node:path';
import * as vscode from 'vscode';
import { pathFrom } from '../files/pathFrom.ts';
import { readTimes } from '../transcripts/times.ts';
import { readNarrations } from '../wholes/planNarration.ts';
import { lengthProblem, pairBeside } from './timedPair.ts';
import type { WorkspacePlaces } from './WorkspacePlaces.ts';

/**
 * Returns the subtitles of a recording that another program wrote beside it.
 *
 * @returns undefined also for those that are ours, cannot be read, or have the times of another recording
 */
export async function subtitlesBeside(
  recording: vscode.Uri,
  places: Pick<WorkspacePlaces, 'libraryOf'>,
): Promise<vscode.Uri | undefined> {
  const { times } = await pairBeside(recording);
  if (!times || (await isOurs(times, places))) return undefined;
  try {
    const cues = readTimes(posix.basename(times.path), await vscode.workspace.fs.readFile(times));
    return (await lengthProblem({ recording }, cues)) === undefined ? times : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a transcript or a narration of ours has these times. */
async function isOurs(times: vscode.Uri, places: Pick<WorkspacePlaces, 'libraryOf'>): Promise<boolean> {
  const root = vscode.workspace.getWorkspaceFolder(times)?.uri;
  if (!root) return false;
  const path = pathFrom(root.path, times.path);
  const library = places.libraryOf(root);
  const isOf = (file: string, { name }: { readonly name: string }) => posix.join(posix.dirname(file), name) === path;
  const entries = await library.entries();
  if (entries.some(({ file, times: own }) => file !== undefined && own && isOf(file, own))) return true;
  return (await readNarrations(library)).some(({ file, transcript }) => isOf(file, transcript));
}
