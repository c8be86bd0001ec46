import { posix } from 'node:path';
import { parseFile } from 'music-metadata';
import * as vscode from 'vscode';
import { AgentBudget } from '../../agents/AgentBudget.ts';
import { AgentDesk } from '../../agents/AgentDesk.ts';
import type { AgentHost, EarlierWork } from '../../agents/AgentHost.ts';
import { previewOf } from '../../agents/previewOf.ts';
import type { DocumentName } from '../../editor/ReferenceWriter.ts';
import { settingFor } from '../../editor/startingValues.ts';
import { operations } from '../../operations/operations.ts';
import { Store } from '../../work/Store.ts';
import { AcceptedBudget } from './AcceptedBudget.ts';
import type { AgentDependencies } from './AgentDependencies.ts';
import { AgentQuestions } from './AgentQuestions.ts';
import { AgentServerFeature } from './AgentServerFeature.ts';
import { showAgentStatus } from './AgentStatus.ts';
import { AgentTools } from './AgentTools.ts';

/** Everything that serves agents in this window; created on first use. */
export interface Agents extends vscode.Disposable {
  readonly tools: AgentTools;
  readonly questions: AgentQuestions;
  readonly server: AgentServerFeature;
  /**
   * Cancels all calls of the agent that requested a job.
   *
   * @param argument the job, as an item of the tree
   */
  stop(argument: unknown): number;
}

export function openAgents(dependencies: AgentDependencies): Agents {
  const { settings, jobs, context } = dependencies;
  const budget = new AgentBudget(vscode.Uri.joinPath(context.globalStorageUri, 'agents', 'journal').fsPath);
  const accepted = new AcceptedBudget(context.globalState, () => settings.agentBudget);
  const questions = new AgentQuestions(jobs);
  const host = hostOf(dependencies, { budget, accepted, questions });
  const desk = new AgentDesk(host, previewOf);
  const server = new AgentServerFeature(dependencies, desk);
  const shown = vscode.Disposable.from(questions, server, showAgentStatus({ desk, budget, accepted, questions }));
  return {
    tools: new AgentTools(desk),
    questions,
    server,
    stop: (argument) => {
      const isJob = typeof argument === 'object' && argument !== null && 'jobId' in argument;
      const name = isJob ? jobs.get(String(argument.jobId))?.agent?.name : undefined;
      const calls = desk.open.filter(({ caller }) => caller.name === name);
      for (const call of calls) call.cancel();
      return calls.length;
    },
    dispose: () => shown.dispose(),
  };
}

interface HostParts {
  readonly budget: AgentBudget;
  readonly accepted: AcceptedBudget;
  readonly questions: AgentQuestions;
}

function hostOf(
  { settings, service, places, jobs, models, log, runs, references, storeFolder, isPrivateAddress }: AgentDependencies,
  { budget, accepted, questions }: HostParts,
): AgentHost {
  const store = new Store(storeFolder);
  return {
    jobs,
    budget,
    closedBecause: () => {
      if (!vscode.workspace.isTrusted) return 'restricted';
      return settings.agentsAreEnabled ? undefined : 'turnedOff';
    },
    usesSandbox: () => settings.usesSandbox,
    roots: () => localFolders().map(({ name, uri }) => ({ name, path: uri.fsPath })),
    limit: () => accepted.limit,
    confirmBudget: (onAsking) => accepted.confirm(onAsking),
    wantsPreviews: () => settings.agentsGetPreviews,
    settingFor: (id, field) => settingFor(id, field, settings),
    models: (id) => models.names(id, settings.usesSandbox),
    serviceName: (id) => (settings.usesSandbox ? vscode.l10n.t('sandbox') : settings.hosts[operations[id].area]),
    checkReady: (id) => service.checkReady(id),
    isPrivateAddress,
    placeFor: (kind, root) => places.referenceInFolder(kind, vscode.Uri.file(root)),
    workOf: (key) => workOf(key, store),
    run: (input, options, id) => runs.runJob(input, options, id),
    ask: (question, signal) => questions.ask(question, signal),
    entriesIn: (root) => places.libraryOf(vscode.Uri.file(root)).entries(),
    referenceTo: async (path, kind, title) => {
      const uri = vscode.Uri.file(path);
      const asset = { uri, kind, title: title || posix.parse(path).name };
      return (await references()).referenceTo(documentFor(uri), asset);
    },
    speakableText: async (text, path) => {
      const { languageId } = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
      const { speakableText } = await import('../../documents/speech/speakableText.ts');
      return speakableText(text, languageId);
    },
    secondsOf,
    log: (line) => log.info(line),
  };
}

/** Looks a request up in the store, and in the notes beside the window's folders that another computer has left. */
async function workOf(key: string, store: Store): Promise<EarlierWork> {
  const record = await store.read(key);
  const states = await Promise.all(localFolders().map(({ uri }) => store.stateOf(key, uri.toString())));
  return { state: states.find((state) => state !== 'none') ?? 'none', record };
}

/** Returns the length of a recording; undefined when it is unknown. */
async function secondsOf(path: string): Promise<number | undefined> {
  const { format } = await parseFile(path, { duration: true, skipCovers: true }).catch(() => ({ format: undefined }));
  return format?.duration;
}

/**
 * Returns the document that a reference to a file is meant for: the active document, or else a README at the top of the
 * file's folder.
 */
function documentFor(uri: vscode.Uri): DocumentName {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const active = vscode.window.activeTextEditor?.document;
  if (active && folder && vscode.workspace.getWorkspaceFolder(active.uri) === folder) return active;
  const parent = folder?.uri ?? vscode.Uri.joinPath(uri, '..');
  return { uri: vscode.Uri.joinPath(parent, 'README.md'), languageId: 'markdown' };
}

/** Returns the local workspace folders, that of the active file first. */
function localFolders(): readonly vscode.WorkspaceFolder[] {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  const active = vscode.window.activeTextEditor?.document.uri;
  const own = active && vscode.workspace.getWorkspaceFolder(active);
  return own ? [...folders].sort((a, b) => Number(b === own) - Number(a === own)) : folders;
}
