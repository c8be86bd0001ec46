import * as vscode from 'vscode';
import type { Preview } from '../../agents/ToolResult.ts';
import { commandIds, toolIds } from '../../contributions.ts';
import type { ModelSuggestions } from '../../editor/ModelSuggestions.ts';
import type { ReferenceWriter } from '../../editor/ReferenceWriter.ts';
import type { ServiceConnection } from '../../editor/ServiceConnection.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import type { JobList } from '../../jobs/JobList.ts';
import type { RunOptions } from '../../jobs/JobRun.ts';
import type { JobInput } from '../../jobs/JobRunner.ts';
import type { Asset } from '../../library/Asset.ts';
import type { Agents } from './Agents.ts';

/** What the tools for agents need from other parts of the extension. */
export interface AgentParts {
  isPrivateAddress(host: string): boolean;
  /** Returns the length of a recording; undefined when it is unknown. */
  secondsOf(path: string): Promise<number | undefined>;
  /** Returns a small picture of an image; undefined when the image cannot be decoded. */
  previewOf(path: string): Promise<Preview | undefined>;
}

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
  /** Loads the writer of references. */
  readonly references: () => Promise<ReferenceWriter>;
  /** Loads what the tools need from other parts of the extension. */
  readonly load: () => Promise<AgentParts>;
}

/** Registers the tools for agents and their commands. Everything else loads on first use. */
export function registerAgents(dependencies: AgentDependencies): vscode.Disposable {
  let loading: Promise<Agents> | undefined;
  const load = () => {
    loading ??= import('./Agents.ts')
      .then(({ openAgents }) => openAgents(dependencies))
      .catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
    return loading;
  };
  const tools = toolIds.map((id) =>
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
      .catch((error: unknown) => dependencies.log.error(`The MCP server did not start: ${String(error)}`));
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
    { dispose: () => void loading?.then((agents) => agents.dispose()).catch(() => undefined) },
  );
}
