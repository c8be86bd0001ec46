import * as vscode from 'vscode';
import { AssetTree } from './AssetTree.ts';
import { completeManifest } from './completeManifest.ts';
import { hoverManifest } from './hoverManifest.ts';
import { ManifestCommands } from './ManifestCommands.ts';
import type { ManifestDependencies } from './ManifestDependencies.ts';
import { ManifestProjects } from './ManifestProjects.ts';
import { manifestLenses } from './manifestLenses.ts';
import { manifestTask, manifestTasks } from './manifestTasks.ts';

/** Minimum time between updates, in milliseconds. Changes come in bursts. */
const updateDelay = 300;

/** Files that a manifest may refer to. */
const mayMatter =
  /^(?!.*\/(?:\.git|node_modules)\/).*\.(?:jsonc|jsonl|png|jpe?g|webp|gif|mp3|wav|opus|ogg|aac|flac|pcm|m4a|mpe?g|mpga|md|mdx|txt|html?|rst|adoc|srt|vtt|mp4|m4v|webm|mov|mkv)$/i;

/** The editor's features for manifests; loaded on first use. */
export class ManifestFeature implements vscode.Disposable {
  readonly commands: ManifestCommands;
  readonly tree: AssetTree;
  readonly #projects: ManifestProjects;
  readonly #dependencies: ManifestDependencies;
  readonly #subscriptions: vscode.Disposable;
  #timer: NodeJS.Timeout | undefined;

  /** @param onChange called when the displayed state may have changed */
  constructor(dependencies: ManifestDependencies, onChange: () => void) {
    this.#dependencies = dependencies;
    this.#projects = new ManifestProjects(dependencies);
    this.commands = new ManifestCommands(this.#projects, dependencies);
    this.tree = new AssetTree(this.#projects);
    const note = () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(onChange, updateDelay);
    };
    const watcher = vscode.workspace.createFileSystemWatcher('**/*');
    const noteFile = ({ path }: vscode.Uri) => (mayMatter.test(path) ? note() : undefined);
    this.#subscriptions = vscode.Disposable.from(
      watcher,
      watcher.onDidChange(noteFile),
      watcher.onDidCreate(noteFile),
      watcher.onDidDelete(noteFile),
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
    return manifestLenses(document, this.#projects);
  }

  hover(document: vscode.TextDocument, position: vscode.Position): Promise<vscode.Hover | undefined> {
    return hoverManifest(document, position, this.#projects);
  }

  complete(document: vscode.TextDocument, position: vscode.Position): Promise<vscode.CompletionItem[]> {
    return completeManifest(document, position, this.#dependencies);
  }

  tasks(): Promise<vscode.Task[]> {
    return manifestTasks(this.#projects);
  }

  task(task: vscode.Task): vscode.Task | undefined {
    return manifestTask(task, this.#projects);
  }
}
