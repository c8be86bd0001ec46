import * as vscode from 'vscode';
import { planText } from '../../manifest/printPlan.ts';
import type { ManifestProjects } from './ManifestProjects.ts';

type Verb = 'plan' | 'check';

/** Returns the tasks `media: plan` and `media: check` for each manifest of the workspace. */
export async function manifestTasks(projects: ManifestProjects): Promise<vscode.Task[]> {
  const manifests = await projects.all();
  return manifests.flatMap((uri) => {
    const path = vscode.workspace.asRelativePath(uri, false);
    const manifest = manifests.length === 1 && path === 'media.jsonc' ? undefined : path;
    return (['plan', 'check'] as const).map((verb) => taskFor(verb, manifest, projects));
  });
}

/** Resolves a task from tasks.json. */
export function manifestTask(task: vscode.Task, projects: ManifestProjects): vscode.Task | undefined {
  const { verb, manifest } = task.definition;
  if (verb !== 'plan' && verb !== 'check') return undefined;
  return taskFor(verb, typeof manifest === 'string' ? manifest : undefined, projects, task);
}

function taskFor(
  verb: Verb,
  manifest: string | undefined,
  projects: ManifestProjects,
  known?: vscode.Task,
): vscode.Task {
  const definition = known?.definition ?? { type: 'media', verb, ...(manifest === undefined ? {} : { manifest }) };
  const name = manifest === undefined ? verb : `${verb} ${manifest}`;
  const execution = new vscode.CustomExecution(async () => terminalFor(verb, manifest, projects));
  const task = new vscode.Task(definition, vscode.TaskScope.Workspace, known?.name ?? name, 'media', execution);
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always };
  return task;
}

/** Prints the same as the command line, and ends with its exit code. */
function terminalFor(verb: Verb, manifest: string | undefined, projects: ManifestProjects): vscode.Pseudoterminal {
  const written = new vscode.EventEmitter<string>();
  const closed = new vscode.EventEmitter<number>();
  const print = (text: string) => written.fire(`${text.replace(/\r?\n/g, '\r\n')}\r\n`);
  const run = async (): Promise<number> => {
    const uri = await projects.find({ manifest: manifest ?? '' });
    if (!uri) return 1;
    const { plan, evaluated } = await projects.plan(uri);
    print(planText(plan, evaluated));
    const isFresh = plan.entries.every(({ state }) => state === 'fresh');
    if (verb === 'check') return isFresh ? 0 : 1;
    return evaluated.some(({ action }) => action !== 'none') ? 2 : 0;
  };
  return {
    onDidWrite: written.event,
    onDidClose: closed.event,
    open: () => {
      void run()
        .catch((error: unknown) => {
          print(error instanceof Error ? error.message : String(error));
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
