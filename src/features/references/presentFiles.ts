import * as vscode from 'vscode';
import { libraryRoots } from '../../editor/libraryRoots.ts';
import { urisArgument } from '../../editor/MediaInputs.ts';
import { notify } from '../../editor/notify.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import { exists, uriOf } from '../../editor/workspaceFiles.ts';
import { checked, objectWith, text } from '../../foreign/shape.ts';
import type { JobList } from '../../work/Job.ts';

/** What knows the libraries of all results. */
export interface Libraries {
  readonly places: Pick<WorkspacePlaces, 'libraryOf' | 'chosen'>;
  readonly jobs: Pick<JobList, 'all'>;
}

/**
 * Returns the files of an argument under their present names: a list of jobs, or a notification that stays open, knows
 * those that they were saved under.
 *
 * @returns none after telling the person that one is gone
 */
export async function presentFiles(argument: unknown, libraries: Libraries): Promise<readonly vscode.Uri[]> {
  const uris = urisArgument(argument);
  const jobId = checked(objectWith({ jobId: text() }), argument)?.jobId;
  const present = await Promise.all(
    uris.map(async (uri) => ((await exists(uri)) ? uri : movedFrom(uri, jobId, libraries))),
  );
  const gone = uris.filter((_, index) => present[index] === undefined);
  if (gone.length === 0) return present.filter((uri) => uri !== undefined);
  const names = gone.map((uri) => vscode.workspace.asRelativePath(uri)).join(', ');
  void notify.warning(vscode.l10n.t('{0} is gone or was renamed.', names));
  return [];
}

/**
 * Returns where a result is now that was saved under a name.
 *
 * @param jobId tells results apart that were saved under the same name one after the other
 * @returns undefined when no library knows, or when it is unclear which result is meant
 */
async function movedFrom(
  uri: vscode.Uri,
  jobId: string | undefined,
  { places, jobs }: Libraries,
): Promise<vscode.Uri | undefined> {
  for (const root of libraryRoots(places.chosen, jobs)) {
    const entries = await places
      .libraryOf(root)
      .entries()
      .catch(() => []);
    // A record's id contains its original file name.
    const saved = entries.filter(({ id }) => {
      return vscode.Uri.joinPath(root, id.slice(id.indexOf('/') + 1)).toString() === uri.toString();
    });
    const ofJob = saved.filter((entry) => entry.jobId === jobId);
    const [entry, ...others] = ofJob.length > 0 ? ofJob : saved;
    const present = entry && others.length === 0 ? uriOf({ root, entry }) : undefined;
    if (present && (await exists(present))) return present;
  }
  return undefined;
}
