import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { lazy } from '../../editor/lazy.ts';
import type { AgentDependencies } from './AgentServerFeature.ts';
import type { Agents } from './Agents.ts';

/** Registers the tools for agents and their commands. Everything else loads on first use. */
export function registerAgents(dependencies: AgentDependencies): vscode.Disposable {
  const load = lazy(async () => (await import('./Agents.ts')).openAgents(dependencies));
  // package.json lists them, and the table of tools would be large to load now.
  const { contributes } = dependencies.context.extension.packageJSON as {
    readonly contributes: { readonly languageModelTools: readonly { readonly name: string }[] };
  };
  const tools = contributes.languageModelTools.map(({ name }) =>
    vscode.lm.registerTool(name, {
      prepareInvocation: async ({ input }) => (await load()).tools.prepare(name, input),
      invoke: async ({ input }, token) => (await load()).tools.invoke(name, input, token),
    }),
  );
  const register = (command: string, run: (agents: Agents, argument: unknown) => unknown) =>
    vscode.commands.registerCommand(command, async (argument?: unknown) => run(await load(), argument));
  const startServer = () => {
    if (!dependencies.settings.get('agents.server') || !vscode.workspace.isTrusted) return;
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
    load,
  );
}
