import { join } from 'node:path';
import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { Click } from '../../editor/Caller.ts';
import type { Window } from '../../editor/Window.ts';
import { escapeHover, printableText } from '../../foreign/escape.ts';
import { plainLine, plainText, shortLine } from '../../foreign/plainText.ts';
import { applyTitle } from '../../manifest/applyTitle.ts';
import { describePattern } from '../../manifest/describePattern.ts';
import { type Evaluated, mayBeRenewed } from '../../manifest/Evaluation.ts';
import { type EntryPattern, manifestName } from '../../manifest/Manifest.ts';
import { exitCodeOf, hasWork } from '../../manifest/plan.ts';
import { describeTotal, planText, samplesIn } from '../../manifest/printPlan.ts';
import { reasonOf } from '../../operations/MediaError.ts';
import { extensionOf, operations, outputExtensions } from '../../operations/operations.ts';
import { AssetTree, firstOfEach, titleOf, variantCount } from './AssetTree.ts';
import { completeManifest, namedExtensions } from './completeManifest.ts';
import { ManifestCommands } from './ManifestCommands.ts';
import { ManifestErrors } from './ManifestErrors.ts';
import { ManifestProjects } from './ManifestProjects.ts';
import { operationFixes } from './operationFixes.ts';
import { mayHoldManifest, updateDelay } from './watchManifests.ts';

const types = new Set([
  'jsonc',
  'jsonl',
  ...Object.values(outputExtensions).flat(),
  ...[...namedExtensions.values()].flat(),
]);

const manifestFiles = { pattern: `**/${manifestName}`, scheme: 'file' };

/** Whether a manifest may refer to a file. */
function mayMatter(path: string): boolean {
  return types.has(extensionOf(path)) && !/\/(?:\.git|node_modules)\//.test(path);
}

/** The editor's features for manifests; loaded on first use. */
export class ManifestFeature implements vscode.Disposable {
  readonly commands: ManifestCommands;
  readonly tree: AssetTree;
  readonly #projects: ManifestProjects;
  readonly #dependencies: Window;
  readonly #errors = new ManifestErrors();
  readonly #subscriptions: vscode.Disposable;
  #timer: NodeJS.Timeout | undefined;

  /** @param onChange called when the displayed state may have changed */
  constructor(dependencies: Window, onChange: () => void) {
    this.#dependencies = dependencies;
    this.#projects = new ManifestProjects(dependencies);
    this.commands = new ManifestCommands(this.#projects, dependencies);
    this.tree = new AssetTree(this.#projects);
    const note = () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(onChange, updateDelay);
    };
    const watcher = vscode.workspace.createFileSystemWatcher('**/*');
    const noteFile = ({ path }: vscode.Uri) => (mayMatter(path) ? note() : undefined);
    const notePath = ({ path }: vscode.Uri) => (mayMatter(path) || mayHoldManifest(path) ? note() : undefined);
    this.#subscriptions = vscode.Disposable.from(
      this.#errors,
      // Registered here, because it is of use only where the errors are marked.
      vscode.languages.registerCodeActionsProvider(
        manifestFiles,
        { provideCodeActions: operationFixes },
        { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
      ),
      watcher,
      watcher.onDidChange(noteFile),
      watcher.onDidCreate(notePath),
      watcher.onDidDelete(notePath),
      vscode.workspace.onDidChangeWorkspaceFolders(note),
      vscode.workspace.onDidChangeConfiguration((event) =>
        event.affectsConfiguration('unifiedMedia') ? note() : undefined,
      ),
    );
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#subscriptions.dispose();
  }

  lenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    // VS Code asks for the lines after each change.
    this.#errors.mark(document, this.#dependencies.settings.declaredFields);
    return manifestLenses(document, this.#projects);
  }

  hover(document: vscode.TextDocument, position: vscode.Position): Promise<vscode.Hover | undefined> {
    return hoverManifest(document, position, this.#projects);
  }

  complete(
    document: vscode.TextDocument,
    position: vscode.Position,
    token: vscode.CancellationToken,
  ): Promise<vscode.CompletionItem[]> {
    return completeManifest(document, position, this.#dependencies, token);
  }

  tasks(): Promise<vscode.Task[]> {
    return manifestTasks(this.#projects);
  }

  task(task: vscode.Task): vscode.Task | undefined {
    return manifestTask(task, this.#projects);
  }
}

/** Shows above each entry its state and actions or its error, and at the top what applying all would send. */
async function manifestLenses(
  { uri: manifest }: vscode.TextDocument,
  projects: ManifestProjects,
): Promise<vscode.CodeLens[]> {
  const show = Click.on({ manifest });
  try {
    const { plan, evaluated, problems, patterns } = await projects.planUnasked(manifest);
    const shown = firstOfEach(problems);
    const total = [describeTotal(plan, vscode.env.language), ...samplesIn(evaluated)].join(' · ');
    const top = [lens(1, total, commandIds.planAssets, show)];
    if (shown.length > 0) top.push(lens(1, errorCount(shown.length), commandIds.planAssets, show));
    else if (hasWork(evaluated)) top.push(lens(1, vscode.l10n.t('Apply…'), commandIds.applyAssets, show));
    const errors = shown.map(({ line, sentence }) => lens(line, errorTitle(sentence), commandIds.planAssets, show));
    const ofPatterns = new Set(patterns.flatMap(({ paths }) => paths));
    const single = evaluated.filter(({ entry }) => !ofPatterns.has(entry.path));
    return [
      ...top,
      ...single.flatMap((found) => lensesOf(found, evaluated, manifest)),
      ...patterns.flatMap((pattern) => patternLenses(pattern, evaluated, manifest)),
      ...errors,
    ];
  } catch (error) {
    return [lens(1, errorTitle(reasonOf(error)), commandIds.planAssets, show)];
  }
}

/** How many characters of an error are shown above an entry. */
const maxShown = 120;

function errorTitle(sentence: string): string {
  return vscode.l10n.t('error: {0}', shortLine(sentence, maxShown));
}

function errorCount(count: number): string {
  return count === 1 ? vscode.l10n.t('1 entry has an error') : vscode.l10n.t('{0} entries have errors', count);
}

function lensesOf(found: Evaluated, all: readonly Evaluated[], manifest: vscode.Uri): readonly vscode.CodeLens[] {
  const { entry, state, action, output, problem, absence } = found;
  const { path, line } = entry;
  const argument = Click.on({ manifest, paths: [path] });
  const lenses = [lens(line, titleOf(found), commandIds.planAssets, Click.on({ manifest }))];
  if (action !== 'none') lenses.push(lens(line, applyTitle(found, all), commandIds.applyAssets, argument));
  if (output !== undefined && state !== 'fresh' && !problem) {
    lenses.push(lens(line, vscode.l10n.t('Keep'), commandIds.acceptAssets, argument));
  }
  // Where there is a file, the Assets view offers it, so that not every entry has one more button.
  if (absence && mayBeRenewed(found))
    lenses.push(lens(line, vscode.l10n.t('Make Anew'), commandIds.makeAnew, argument));
  const variants = variantCount(found);
  if (variants > 1) {
    lenses.push(lens(line, vscode.l10n.t('{0} variants · Compare', variants), commandIds.chooseVariant, argument));
  }
  return lenses;
}

/** Shows above a pattern what is to be made of all its documents. */
function patternLenses(
  { line, paths }: EntryPattern,
  all: readonly Evaluated[],
  manifest: vscode.Uri,
): readonly vscode.CodeLens[] {
  const known = new Set(paths);
  const own = all.filter(({ entry }) => known.has(entry.path));
  const state = lens(line, describePattern(own, vscode.env.language), commandIds.planAssets, Click.on({ manifest }));
  const made = own.filter(({ action }) => action !== 'none').map(({ entry }) => entry.path);
  if (made.length === 0) return [state];
  return [state, lens(line, vscode.l10n.t('Apply…'), commandIds.applyAssets, Click.on({ manifest, paths: made }))];
}

/** @param line counted from 1 */
function lens(line: number, title: string, command: string, argument: object): vscode.CodeLens {
  return new vscode.CodeLens(new vscode.Range(line - 1, 0, line - 1, 0), { title, command, arguments: [argument] });
}

/** Shows an entry's image, its state and what the lock records. */
async function hoverManifest(
  document: vscode.TextDocument,
  position: vscode.Position,
  projects: ManifestProjects,
): Promise<vscode.Hover | undefined> {
  const planned = await projects.planUnasked(document.uri).catch(() => undefined);
  const found = planned?.evaluated.find(({ entry }) => entry.line === position.line + 1);
  if (!found) return undefined;
  const { entry, output, line, model } = found;
  const text = new vscode.MarkdownString();
  text.supportHtml = true;
  const file = vscode.Uri.file(join(document.uri.fsPath, '..', entry.path));
  const isPicture = entry.type === 'derived' || operations[entry.operation].result === 'images';
  if (isPicture && output !== undefined) {
    text.appendMarkdown(`<img src="${file.toString()}" height="120">\n\n`);
  }
  text.appendMarkdown(`**${escapeHover(plainLine(entry.path))}**\n\n${escapeHover(plainText(titleOf(found)))}`);
  const facts: readonly (readonly [string, string | undefined])[] = [
    [
      vscode.l10n.t('Operation'),
      entry.type === 'request' ? vscode.l10n.t(operations[entry.operation].title) : undefined,
    ],
    [vscode.l10n.t('Model'), model],
    [vscode.l10n.t('Variant'), line?.variant === undefined ? undefined : String(line.variant)],
    [vscode.l10n.t('Video ID'), line?.videoId],
    [vscode.l10n.t('Service'), line?.sandbox ? vscode.l10n.t('sandbox') : undefined],
    ['SHA-256', output?.slice(0, 16)],
  ];
  for (const [name, value] of facts) {
    if (value) text.appendMarkdown(`\n\n${escapeHover(plainLine(`${name}: ${value}`))}`);
  }
  return new vscode.Hover(text);
}

/** Returns the tasks `media: plan` and `media: check` for each manifest of the workspace. */
async function manifestTasks(projects: ManifestProjects): Promise<vscode.Task[]> {
  const manifests = await projects.all();
  return manifests.flatMap((uri) => {
    const path = vscode.workspace.asRelativePath(uri, false);
    const manifest = manifests.length === 1 && path === 'media.jsonc' ? undefined : path;
    const scope = vscode.workspace.getWorkspaceFolder(uri);
    // VS Code tells tasks apart by their definitions alone, so those of two folders must differ.
    const isOneOfMany = scope !== undefined && (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
    const named = isOneOfMany ? { manifest: `\${workspaceFolder:${scope.name}}/${path}` } : { manifest };
    return (['plan', 'check'] as const).map((verb) => {
      const definition = { type: 'media', verb, ...(manifest === undefined ? {} : named) };
      const name = manifest === undefined ? verb : `${verb} ${manifest}`;
      return taskFor({ definition, scope, name }, verb, projects);
    });
  });
}

/** Resolves a task from tasks.json. */
function manifestTask(task: vscode.Task, projects: ManifestProjects): vscode.Task | undefined {
  const { verb } = task.definition;
  return verb === 'plan' || verb === 'check' ? taskFor(task, verb, projects) : undefined;
}

function taskFor(
  { definition, scope = vscode.TaskScope.Workspace, name }: Pick<vscode.Task, 'definition' | 'scope' | 'name'>,
  verb: 'plan' | 'check',
  projects: ManifestProjects,
): vscode.Task {
  const within = typeof scope === 'object' ? scope : undefined;
  const execution = new vscode.CustomExecution(async ({ manifest = '' }) =>
    terminalFor(verb, () => projects.find({ manifest }, within), projects),
  );
  const task = new vscode.Task(definition, scope, name, 'media', execution);
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always };
  return task;
}

/** Prints the same as the command line, and ends with its exit code. */
function terminalFor(
  verb: 'plan' | 'check',
  find: () => Promise<vscode.Uri | undefined>,
  projects: ManifestProjects,
): vscode.Pseudoterminal {
  const written = new vscode.EventEmitter<string>();
  const closed = new vscode.EventEmitter<number>();
  const print = (text: string) => written.fire(`${printableText(text).replaceAll('\n', '\r\n')}\r\n`);
  const run = async (): Promise<number> => {
    const uri = await find();
    if (!uri) return 1;
    // What only this computer has kept of earlier runs makes nothing fresh for others.
    const planned = await projects.plan(uri, { seesWork: verb === 'plan' });
    const code = exitCodeOf(verb, planned, uri.fsPath);
    print(planText(planned.plan, planned.evaluated));
    return code;
  };
  return {
    onDidWrite: written.event,
    onDidClose: closed.event,
    open: () => {
      void run()
        .catch((error: unknown) => {
          print(reasonOf(error));
          return 1;
        })
        .then((code) => closed.fire(code));
    },
    close: () => {
      written.dispose();
      closed.dispose();
    },
  };
}
