import * as vscode from 'vscode';
import { AgentDesk } from '../../agents/AgentDesk.ts';
import type { AgentHost } from '../../agents/AgentHost.ts';
import { AgentJournal } from '../../agents/AgentJournal.ts';
import type { DocumentPlaces } from '../../editor/DocumentPlaces.ts';
import { settingFor } from '../../editor/startingValues.ts';
import { operations } from '../../operations/operations.ts';
import { AcceptedBudget } from './AcceptedBudget.ts';
import type { AgentDependencies } from './AgentDependencies.ts';
import type { AgentParts } from './AgentParts.ts';
import { AgentQuestions } from './AgentQuestions.ts';
import { AgentServerFeature } from './AgentServerFeature.ts';
import { showAgentStatus } from './AgentStatus.ts';
import { AgentTools } from './AgentTools.ts';
import { agentReference } from './agentReference.ts';

/** What works for agents in this window; opened with the first use. */
export interface Agents extends vscode.Disposable {
  readonly tools: AgentTools;
  readonly questions: AgentQuestions;
  readonly server: AgentServerFeature;
  /** Stops all that the agent of a job has asked for. @param argument the job, as an item of the tree */
  stop(argument: unknown): number;
}

export async function openAgents(dependencies: AgentDependencies): Promise<Agents> {
  const { settings, jobs, context } = dependencies;
  const [parts, documents] = await Promise.all([dependencies.load(), dependencies.projects()]);
  const journal = new AgentJournal(vscode.Uri.joinPath(context.globalStorageUri, 'agents', 'journal').fsPath);
  const budget = new AcceptedBudget(context.globalState, () => settings.agentBudget);
  const questions = new AgentQuestions(jobs);
  const host = hostOf(dependencies, { parts, journal, budget, questions, documents });
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
  readonly documents: DocumentPlaces;
}

function hostOf(
  { settings, service, places, jobs, models, log, runs }: AgentDependencies,
  { parts, journal, budget, questions, documents }: HostParts,
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
    referenceTo: (path, kind, title) => agentReference(path, kind, title, documents, parts),
    speakableText: async (text, path) => {
      const { languageId } = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
      const { speakableText } = await import('../../documents/speech/speakableText.ts');
      return speakableText(text, languageId);
    },
    secondsOf: (path) => parts.secondsOf(path),
    log: (line) => log.info(line),
  };
}

/** The one of the active file first. */
function localFolders(): readonly vscode.WorkspaceFolder[] {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  const active = vscode.window.activeTextEditor?.document.uri;
  const own = active && vscode.workspace.getWorkspaceFolder(active);
  return own ? [...folders].sort((a, b) => Number(b === own) - Number(a === own)) : folders;
}
