import { posix } from 'node:path';
import * as vscode from 'vscode';
import { AgentDesk } from '../../agents/AgentDesk.ts';
import type { AgentHost } from '../../agents/AgentHost.ts';
import { AgentJournal } from '../../agents/AgentJournal.ts';
import { settingFor } from '../../editor/startingValues.ts';
import { operations } from '../../operations/operations.ts';
import { AcceptedBudget } from './AcceptedBudget.ts';
import type { AgentDependencies, AgentParts } from './AgentDependencies.ts';
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

export async function openAgents(dependencies: AgentDependencies): Promise<Agents> {
  const { settings, jobs, context } = dependencies;
  const parts = await dependencies.load();
  const journal = new AgentJournal(vscode.Uri.joinPath(context.globalStorageUri, 'agents', 'journal').fsPath);
  const budget = new AcceptedBudget(context.globalState, () => settings.agentBudget);
  const questions = new AgentQuestions(jobs);
  const host = hostOf(dependencies, { parts, journal, budget, questions });
  const desk = new AgentDesk(host, (path) => parts.previewOf(path));
  const server = new AgentServerFeature(dependencies, desk);
  const shown = vscode.Disposable.from(questions, server, showAgentStatus({ desk, journal, budget, questions }));
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
  readonly parts: AgentParts;
  readonly journal: AgentJournal;
  readonly budget: AcceptedBudget;
  readonly questions: AgentQuestions;
}

function hostOf(
  { settings, service, places, jobs, models, log, runs, references }: AgentDependencies,
  { parts, journal, budget, questions }: HostParts,
): AgentHost {
  return {
    jobs,
    journal,
    closedBecause: () => {
      if (!vscode.workspace.isTrusted) return 'restricted';
      return settings.agentsAreEnabled ? undefined : 'turnedOff';
    },
    usesSandbox: () => settings.usesSandbox,
    roots: () => localFolders().map(({ name, uri }) => ({ name, path: uri.fsPath })),
    limit: () => budget.limit,
    confirmBudget: (onAsking) => budget.confirm(onAsking),
    wantsPreviews: () => settings.agentsGetPreviews,
    settingFor: (id, field) => settingFor(id, field, settings),
    models: (id) => models.names(id, settings.usesSandbox),
    serviceName: (id) => (settings.usesSandbox ? vscode.l10n.t('sandbox') : settings.hosts[operations[id].area]),
    checkReady: (id) => service.checkReady(id),
    isPrivateAddress: (name) => parts.isPrivateAddress(name),
    placeFor: (kind, root) => places.referenceInFolder(kind, vscode.Uri.file(root)),
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
    secondsOf: (path) => parts.secondsOf(path),
    log: (line) => log.info(line),
  };
}

/**
 * Returns the document that a reference to a file is meant for: the active document, or else a README at the top of the
 * file's folder.
 */
function documentFor(uri: vscode.Uri): Pick<vscode.TextDocument, 'uri' | 'languageId'> {
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
