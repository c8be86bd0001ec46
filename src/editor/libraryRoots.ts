import * as vscode from 'vscode';
import type { Job, JobList, PlaceReference } from '../work/Job.ts';

/** Returns where the results of a job are saved, or those of the narration or transcript that it is a part of. */
export function targetOf({ place, whole }: Job): PlaceReference {
  return whole?.place ?? place;
}

/**
 * Returns the folders that results are saved in: the open ones, and those that were chosen while none was open.
 *
 * @param chosen the folder that was chosen in this window
 * @param jobs those of earlier windows remember their folders
 * @param isMeant which targets of jobs count. Default: those that were chosen while none was open.
 */
export function libraryRoots(
  chosen: vscode.Uri | undefined,
  jobs: Pick<JobList, 'all'>,
  isMeant = ({ isChosen }: PlaceReference): boolean => isChosen === true,
): readonly vscode.Uri[] {
  const open = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.toString());
  const ofJobs = jobs.all.map(targetOf).filter(isMeant);
  const others = [...(chosen ? [chosen.toString()] : []), ...ofJobs.map(({ root }) => root)];
  return [...new Set([...open, ...others.sort()])].map((uri) => vscode.Uri.parse(uri, true));
}
