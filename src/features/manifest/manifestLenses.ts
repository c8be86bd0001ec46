import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { applyTitle } from '../../manifest/applyTitle.ts';
import type { Evaluated } from '../../manifest/Evaluated.ts';
import { describeTotal } from '../../manifest/printPlan.ts';
import type { ManifestProjects } from './ManifestProjects.ts';
import { titleOf } from './stateTitle.ts';

/** Shows above each entry its state and actions, and at the top what applying all would send. */
export async function manifestLenses(
  { uri: manifest }: vscode.TextDocument,
  projects: ManifestProjects,
): Promise<vscode.CodeLens[]> {
  // Errors in the text are reported by the schema and by the commands.
  const planned = await projects.plan(manifest).catch(() => undefined);
  if (!planned) return [];
  const { plan, evaluated } = planned;
  const top = [lens(1, describeTotal(plan), commandIds.planAssets, { manifest })];
  if (evaluated.some(({ action }) => action !== 'none')) {
    top.push(lens(1, vscode.l10n.t('Apply…'), commandIds.applyAssets, { manifest, byPerson: true }));
  }
  return [...top, ...evaluated.flatMap((found) => lensesOf(found, evaluated, manifest))];
}

function lensesOf(found: Evaluated, all: readonly Evaluated[], manifest: vscode.Uri): readonly vscode.CodeLens[] {
  const { entry, state, action, output, problem } = found;
  const { path, line } = entry;
  const argument = { manifest, paths: [path], byPerson: true };
  const lenses = [lens(line, titleOf(found), commandIds.planAssets, { manifest })];
  if (action !== 'none') lenses.push(lens(line, applyTitle(found, all), commandIds.applyAssets, argument));
  if (output !== undefined && state !== 'fresh' && !problem) {
    lenses.push(lens(line, vscode.l10n.t('Keep'), commandIds.acceptAssets, argument));
  }
  return lenses;
}

/** @param line counted from 1 */
function lens(line: number, title: string, command: string, argument: object): vscode.CodeLens {
  return new vscode.CodeLens(new vscode.Range(line - 1, 0, line - 1, 0), { title, command, arguments: [argument] });
}
