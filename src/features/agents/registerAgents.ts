import * as vscode from 'vscode';
import { commandIds, toolIds } from '../../contributions.ts';
import type { AgentDependencies } from './AgentDependencies.ts';
import type { Agents } from './Agents.ts';

/** The tools for agents, and what the person sees of these; all of it is loaded with the first use. */
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
    { dispose: () => void loading?.then((agents) => agents.dispose()).catch(() => undefined) },
  );
}
