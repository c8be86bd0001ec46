import * as vscode from 'vscode';
import { freeToolIds } from '../../agents/freeToolIds.ts';
import { commandIds } from '../../contributions.ts';
import type { DocumentPlaces } from '../../editor/DocumentPlaces.ts';
import { lazy } from '../../editor/lazy.ts';
import type { ModelSuggestions } from '../../editor/ModelSuggestions.ts';
import type { ServiceConnection } from '../../editor/ServiceConnection.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import type { JobList } from '../../jobs/JobList.ts';
import type { RunOptions } from '../../jobs/JobRun.ts';
import type { JobInput } from '../../jobs/JobRunner.ts';
import type { Asset } from '../../library/Asset.ts';
import { operationIds } from '../../operations/operations.ts';
import type { AgentParts } from './AgentParts.ts';
import type { Agents } from './Agents.ts';

export interface AgentDependencies {
  readonly settings: Settings;
  readonly service: Pick<ServiceConnection, 'checkReady'>;
  readonly places: WorkspacePlaces;
  readonly jobs: JobList;
  readonly models: ModelSuggestions;
  readonly log: vscode.LogOutputChannel;
  readonly runs: { runJob(input: JobInput, options: RunOptions, id?: string): Promise<readonly Asset[]> };
  readonly context: Pick<
    vscode.ExtensionContext,
    'globalState' | 'workspaceState' | 'secrets' | 'globalStorageUri' | 'environmentVariableCollection' | 'extension'
  >;
  /** Loads what knows where media belong. */
  readonly projects: () => Promise<DocumentPlaces>;
  /** Loads what other parts of the extension do for agents. */
  readonly load: () => Promise<AgentParts>;
}

/** The tools for agents, and what the person sees of these; all of it is loaded with the first use. */
export function registerAgents(dependencies: AgentDependencies): vscode.Disposable {
  const load = lazy(async () => (await import('./Agents.ts')).openAgents(dependencies));
  const tools = [...operationIds, ...freeToolIds].map((id) =>
    vscode.lm.registerTool(`unifiedMedia_${id}`, {
      prepareInvocation: async ({ input }) => (await load()).tools.prepare(id, input),
      invoke: async ({ input }, token) => (await load()).tools.invoke(id, input, token),
    }),
  );
  const register = (command: string, run: (agents: Agents, argument: unknown) => unknown) =>
    vscode.commands.registerCommand(command, async (argument?: unknown) => run(await load(), argument));
  const startServer = () => {
    if (!dependencies.settings.agentServerIsOn || !vscode.workspace.isTrusted) return;
    load()
      .then(({ server }) => server.follow())
      .catch((error: unknown) => dependencies.log.error(`The server for agents did not start: ${String(error)}`));
  };
  // After activation, which reads nothing.
  setImmediate(startServer);
  return vscode.Disposable.from(
    ...tools,
    register(commandIds.connectAgent, ({ server }) => server.connect()),
    register(commandIds.revokeAgents, ({ server }) => server.revoke()),
    register(commandIds.stopAgent, (agents, argument) => agents.stop(argument)),
    register(commandIds.answerAgents, ({ questions }) => questions.show()),
    vscode.workspace.onDidGrantWorkspaceTrust(startServer),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('unifiedMedia.agents')) startServer();
    }),
    load,
  );
}
