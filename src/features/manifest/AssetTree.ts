import { join } from 'node:path';
import * as vscode from 'vscode';
import { Click } from '../../editor/Caller.ts';
import { plainLine, plainText } from '../../foreign/plainText.ts';
import { type Evaluated, mayBeRenewed } from '../../manifest/Evaluation.ts';
import type { Problem } from '../../manifest/Manifest.ts';
import type { PlanEntry } from '../../manifest/plan.ts';
import { reasonOf } from '../../operations/MediaError.ts';
import type { ManifestProjects } from './ManifestProjects.ts';

/** Also the argument of the commands on assets. */
export interface AssetNode extends Click {
  readonly manifest: vscode.Uri;
  readonly label: string;
  /** The state of a group or of a single entry. */
  readonly state?: PlanEntry['state'];
  /** What is wrong with the manifest or an entry, as a sentence. */
  readonly problem?: string;
  /** The line of the problem, starting at 1. */
  readonly line?: number;
  readonly children?: readonly AssetNode[];
  readonly paths?: readonly string[];
  readonly entry?: PlanEntry;
  readonly found?: Evaluated;
}

/** Order of the groups: those that need attention first. */
const states: readonly PlanEntry['state'][] = ['missing', 'stale', 'changed', 'unlocked', 'orphan', 'fresh'];

const icons: Readonly<Record<PlanEntry['state'], string>> = {
  missing: 'circle-outline',
  stale: 'warning',
  changed: 'edit',
  unlocked: 'unlock',
  orphan: 'trash',
  fresh: 'pass',
};

/** The assets of all manifests, grouped by state. */
export class AssetTree {
  readonly #projects: ManifestProjects;

  constructor(projects: ManifestProjects) {
    this.#projects = projects;
  }

  async getChildren(node?: AssetNode): Promise<AssetNode[]> {
    if (node) return [...(node.children ?? [])];
    const manifests = await Promise.all((await this.#projects.all()).map((uri) => this.#manifestNode(uri)));
    const [only] = manifests;
    return manifests.length === 1 && only?.children ? [...only.children] : manifests;
  }

  async #manifestNode(manifest: vscode.Uri): Promise<AssetNode> {
    const label = vscode.workspace.asRelativePath(manifest);
    try {
      const { plan, evaluated, problems } = await this.#projects.planUnasked(manifest);
      const found = new Map(evaluated.map((one) => [one.entry.path, one]));
      const groups = states.flatMap((state): readonly AssetNode[] => {
        const entries = plan.entries.filter((entry) => entry.state === state);
        if (entries.length === 0) return [];
        const children = entries.map((entry) => {
          return Click.on({
            manifest,
            label: entry.path,
            state,
            entry,
            paths: [entry.path],
            found: found.get(entry.path),
          });
        });
        const paths = entries.map(({ path }) => path);
        return [Click.on({ manifest, label: stateTitle(state), state, children, paths })];
      });
      const errors = firstOfEach(problems).map(({ path = '', line, sentence }) =>
        Click.on({ manifest, label: path, problem: sentence, line }),
      );
      return Click.on({ manifest, label, children: [...errors, ...groups] });
    } catch (error) {
      return Click.on({ manifest, label, problem: reasonOf(error) });
    }
  }

  getTreeItem({ manifest, label, state, problem, line = 1, children, entry, found }: AssetNode): vscode.TreeItem {
    const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    const opened = state === 'fresh' ? Collapsed : Expanded;
    const item = new vscode.TreeItem(plainLine(label), children ? opened : None);
    if (state) item.iconPath = new vscode.ThemeIcon(icons[state]);
    if (children) item.description = entry ? '' : String(children.length);
    if (problem !== undefined) {
      item.tooltip = plainText(problem);
      item.description = plainLine(problem);
      item.iconPath = new vscode.ThemeIcon('error');
      item.command = openLine(manifest, line);
    }
    if (!entry || !state) return item;
    item.description = plainLine(entry.reasons.join(', '));
    item.tooltip = [entry.path, stateTitle(state), ...entry.reasons].map(plainLine).join('\n');
    item.contextValue = contextOf(entry, found);
    item.command = openCommand(manifest, entry, found);
    return item;
  }
}

/** Returns the words that `when` clauses of the menus look for. */
function contextOf({ state }: PlanEntry, found: Evaluated | undefined): string {
  const canMake = found !== undefined && found.action !== 'none';
  const canKeep = found?.output !== undefined && state !== 'fresh' && !found.problem;
  const hasVariants = found !== undefined && variantCount(found) > 1;
  const words = ['asset', canMake && 'makeable', canKeep && 'keepable', hasVariants && 'choosable'];
  const isRenewable = found !== undefined && mayBeRenewed(found);
  return [...words, isRenewable && 'renewable', state === 'orphan' && 'orphan'].filter(Boolean).join(' ');
}

/** Returns how many variants of an asset there are to choose from. */
export function variantCount({ entry, state }: Pick<Evaluated, 'entry' | 'state'>): number {
  return state === 'fresh' && entry.type === 'request' ? (entry.values.n ?? 1) : 1;
}

/** Returns the command that opens the asset's file, or its entry while there is no file. */
function openCommand(manifest: vscode.Uri, { path, state }: PlanEntry, found: Evaluated | undefined): vscode.Command {
  if (found ? found.output !== undefined : state !== 'missing') {
    const file = vscode.Uri.file(join(manifest.fsPath, '..', path));
    return { title: vscode.l10n.t('Open'), command: 'vscode.open', arguments: [file] };
  }
  return openLine(manifest, found?.entry.line ?? 1);
}

/** @param line counted from 1 */
function openLine(manifest: vscode.Uri, line: number): vscode.Command {
  const selection = new vscode.Range(line - 1, 0, line - 1, 0);
  return { title: vscode.l10n.t('Open'), command: 'vscode.open', arguments: [manifest, { selection }] };
}

/** Returns the first problem of each entry. */
export function firstOfEach(problems: readonly Problem[]): readonly Problem[] {
  return [...new Map(problems.map((problem) => [problem.path, problem] as const).reverse()).values()].reverse();
}

function stateTitle(state: PlanEntry['state']): string {
  switch (state) {
    case 'fresh':
      return vscode.l10n.t('fresh');
    case 'missing':
      return vscode.l10n.t('missing');
    case 'stale':
      return vscode.l10n.t('stale');
    case 'changed':
      return vscode.l10n.t('changed by hand');
    case 'unlocked':
      return vscode.l10n.t('unlocked');
    case 'orphan':
      return vscode.l10n.t('orphan');
  }
}

/** Returns an entry's state with its reasons, such as `stale: prompt changed`. */
export function titleOf({ state, reasons }: Pick<Evaluated, 'state' | 'reasons'>): string {
  return reasons.length === 0 ? stateTitle(state) : `${stateTitle(state)}: ${reasons.join(', ')}`;
}
