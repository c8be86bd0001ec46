import * as vscode from 'vscode';
import { commandIds } from '../../contributions.ts';
import { register } from '../../editor/commands.ts';
import { lazy } from '../../editor/lazy.ts';
import type { Window } from '../../editor/Window.ts';

/** Registers the tools for agents and their commands. Everything else loads on first use. */
export function registerAgents(dependencies: Window): vscode.Disposable {
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
  const startServer = () => {
    if (!dependencies.settings.get('agents.server') || !vscode.workspace.isTrusted) return;
    load()
      .then(({ server }) => server.follow())
      .catch((error: unknown) => dependencies.log.error(`No MCP server: ${String(error)}`));
  };
  // After activation, which reads nothing.
  setImmediate(startServer);
  return vscode.Disposable.from(
    ...tools,
    register(load, {
      [commandIds.connectAgent]: ({ server }) => server.connect(),
      [commandIds.revokeAgents]: ({ server }) => server.revoke(),
      [commandIds.stopAgent]: (agents, argument) => agents.stop(argument),
      [commandIds.answerAgents]: ({ questions }) => questions.show(),
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(startServer),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('unifiedMedia.agents')) startServer();
    }),
    load,
  );
}
