import * as vscode from 'vscode';
import type { AgentDesk } from '../../agents/AgentDesk.ts';
import type { AgentClient, AgentServer } from '../../agents/mcp/AgentServer.ts';
import { secretIds } from '../../contributions.ts';
import type { ModelSuggestions } from '../../editor/ModelSuggestions.ts';
import type { ReferenceWriter } from '../../editor/ReferenceWriter.ts';
import type { ServiceConnection } from '../../editor/ServiceConnection.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import type { Asset } from '../../library/LibraryRecord.ts';
import type { JobList } from '../../work/Job.ts';
import type { RunOptions } from '../../work/JobRun.ts';
import type { JobInput } from '../../work/JobRunner.ts';

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
  /** Folder of the store of paid work. */
  readonly storeFolder: string;
  readonly isPrivateAddress: (host: string) => Promise<boolean>;
  readonly resolvesToPrivate: (address: URL) => Promise<boolean>;
}

const portKey = 'agents.port';
/** The client that uses the discovery file or the terminal's environment. */
const local = 'Terminal';
const tokenName = 'UNIFIED_MEDIA_MCP_TOKEN';
const urlName = 'UNIFIED_MEDIA_MCP_URL';

/** The MCP server of this window. Off until the person connects an agent. */
export class AgentServerFeature implements vscode.Disposable {
  readonly #dependencies: AgentDependencies;
  readonly #desk: AgentDesk;
  readonly #subscriptions: vscode.Disposable;
  readonly #calls = new Map<string, Date>();
  #clients: readonly AgentClient[] = [];
  /** The token in the terminals' environment and in the discovery file. */
  #announced = '';
  #server: AgentServer | undefined;
  /** Removes the discovery file synchronously, because the window may be closing. */
  #removeFile: () => void = () => undefined;
  /** Serialises all changes of the server and its clients. */
  #changing: Promise<unknown> = Promise.resolve();

  constructor(dependencies: AgentDependencies, desk: AgentDesk) {
    this.#dependencies = dependencies;
    this.#desk = desk;
    this.#subscriptions = vscode.Disposable.from(
      dependencies.context.secrets.onDidChange(async ({ key }) => {
        if (key === secretIds.agentTokens) await this.#next(() => this.#followClients()).catch(() => undefined);
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('unifiedMedia.agents')) void this.follow().catch(() => undefined);
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(
        () => void this.#next(() => this.#announce()).catch(() => undefined),
      ),
    );
  }

  dispose(): void {
    this.#subscriptions.dispose();
    void this.#stop();
  }

  /** Starts or stops the server as the settings say. */
  follow(): Promise<void> {
    return this.#next(() => {
      const { settings } = this.#dependencies;
      const shouldRun = settings.agentServerIsOn && settings.agentsAreEnabled && vscode.workspace.isTrusted;
      return shouldRun ? this.#start() : this.#stop();
    });
  }

  /** Turns the server on, and copies the configuration for the agent that the person chooses. */
  async connect(): Promise<string | undefined> {
    if (!vscode.workspace.isTrusted) {
      void vscode.window.showWarningMessage(
        vscode.l10n.t('Agents work only in a trusted workspace. Trust this workspace first.'),
      );
      return undefined;
    }
    const items = clientForms.map((form) => ({
      label: form.name,
      description: this.#describe(form.name),
      detail: form.describe(),
      form,
    }));
    const placeHolder = vscode.l10n.t('Choose the agent to connect to this window');
    const chosen = await vscode.window.showQuickPick(items, { placeHolder, matchOnDetail: true });
    if (!chosen) return undefined;
    await this.#dependencies.settings.turnOnAgentServer();
    await this.follow();
    const token = await this.#next(() => this.#tokenFor(chosen.form.name));
    const text = chosen.form.text({ url: this.#server?.url ?? '', token });
    await vscode.env.clipboard.writeText(text);
    const open = vscode.l10n.t('Show Configuration');
    const message = vscode.l10n.t(
      'The configuration for {0} was copied to the clipboard. It contains an access token for this computer, so keep it out of files that you share.',
      chosen.form.name,
    );
    void vscode.window.showInformationMessage(message, open).then(async (answer) => {
      if (answer !== open) return;
      const document = await vscode.workspace.openTextDocument({ content: text, language: chosen.form.language });
      await vscode.window.showTextDocument(document);
    });
    return text;
  }

  /** Replaces the tokens, so that the old ones are rejected. */
  async revoke(): Promise<void> {
    await this.#next(async () => {
      await this.#writeClients([]);
      this.#calls.clear();
      if (this.#server) await this.#announce();
    });
    void vscode.window.showInformationMessage(
      vscode.l10n.t(
        'All agents were disconnected; their tokens no longer work. Connect the ones you want to keep again.',
      ),
    );
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#changing.then(work);
    this.#changing = done.catch((error: unknown) => {
      this.#dependencies.log.error(`The MCP server failed: ${String(error)}`);
    });
    return done;
  }

  /** Another window may have revoked the tokens or replaced the terminals' token. */
  async #followClients(): Promise<void> {
    this.#clients = await this.#readClients();
    if (this.#server && !this.#clients.some(({ token }) => token === this.#announced)) await this.#announce();
  }

  #describe(name: string): string {
    const called = this.#calls.get(name);
    if (called) return vscode.l10n.t('connected, last call {0}', called.toLocaleTimeString(vscode.env.language));
    return this.#clients.some((client) => client.name === name) ? vscode.l10n.t('has a token') : '';
  }

  async #start(): Promise<void> {
    if (this.#server) return;
    const { context, log } = this.#dependencies;
    this.#clients = await this.#readClients();
    const { AgentServer } = await import('../../agents/mcp/AgentServer.ts');
    const { version } = context.extension.packageJSON as { readonly version: string };
    this.#server = await AgentServer.start(
      {
        desk: this.#desk,
        version,
        clients: () => this.#clients,
        onCall: (name) => this.#calls.set(name, new Date()),
      },
      context.workspaceState.get<number>(portKey) ?? 0,
    );
    await context.workspaceState.update(portKey, this.#server.port);
    await this.#announce();
    log.info(`The MCP server listens on port ${this.#server.port} of this computer.`);
  }

  async #stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    const { environmentVariableCollection } = this.#dependencies.context;
    this.#removeFile();
    this.#removeFile = () => undefined;
    if (!server) return;
    environmentVariableCollection.delete(urlName);
    environmentVariableCollection.delete(tokenName);
    await server.stop();
  }

  /** Publishes the server's address in the discovery file and in this window's terminals. */
  async #announce(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    const { context } = this.#dependencies;
    const token = await this.#tokenFor(local);
    this.#announced = token;
    const { removeDiscovery, writeDiscovery } = await import('../../agents/mcp/discovery.ts');
    const { version } = context.extension.packageJSON as { readonly version: string };
    const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
    const file = await writeDiscovery(vscode.Uri.joinPath(context.globalStorageUri, 'agents').fsPath, {
      url: server.url,
      token,
      pid: process.pid,
      workspaceFolders: folders.map(({ uri }) => uri.fsPath),
      version,
    });
    this.#removeFile = () => removeDiscovery(file);
    const variables = context.environmentVariableCollection;
    // They belong to this window and end with it.
    variables.persistent = false;
    variables.replace(urlName, server.url);
    variables.replace(tokenName, token);
  }

  async #tokenFor(name: string): Promise<string> {
    const known = this.#clients.find((client) => client.name === name);
    if (known) return known.token;
    const { createToken } = await import('../../agents/mcp/discovery.ts');
    const token = createToken();
    await this.#writeClients([
      ...(await this.#readClients()).filter((client) => client.name !== name),
      { name, token },
    ]);
    return token;
  }

  async #writeClients(clients: readonly AgentClient[]): Promise<void> {
    this.#clients = clients;
    await this.#dependencies.context.secrets.store(secretIds.agentTokens, JSON.stringify(clients));
  }

  async #readClients(): Promise<readonly AgentClient[]> {
    const { clientsIn } = await import('../../agents/mcp/discovery.ts');
    return clientsIn(await this.#dependencies.context.secrets.get(secretIds.agentTokens));
  }
}

interface Target {
  readonly url: string;
  readonly token: string;
}

/** How to configure one agent for the server. */
interface ClientForm {
  /** Also the name that the person sees when the agent asks for something. */
  readonly name: string;
  /** Language id of the text. */
  readonly language: string;
  describe(): string;
  text(target: Target): string;
}

const serverName = 'unified-media';

/** The agents with a configuration format of their own; the last entry serves all others. */
const clientForms: readonly ClientForm[] = [
  {
    name: 'Claude Code',
    language: 'shellscript',
    describe: () => vscode.l10n.t('A command to run in a terminal, in the folder of this window'),
    text: ({ url, token }) =>
      `claude mcp add --transport http ${serverName} ${url} --header "Authorization: Bearer ${token}"`,
  },
  {
    name: 'Codex',
    language: 'toml',
    describe: () => vscode.l10n.t('Lines for ~/.codex/config.toml, and an environment variable for the token'),
    text: ({ url, token }) =>
      [
        `[mcp_servers.${serverName}]`,
        `url = "${url}"`,
        'bearer_token_env_var = "UNIFIED_MEDIA_MCP_TOKEN"',
        'tool_timeout_sec = 60',
        '',
        '# In the shell that starts Codex; terminals of this window have a token already:',
        `# export UNIFIED_MEDIA_MCP_TOKEN=${token}`,
        '',
      ].join('\n'),
  },
  {
    name: 'Cline',
    language: 'json',
    describe: inSettings,
    text: (target) => json({ ...http(target), type: 'streamableHttp' }),
  },
  {
    name: 'Roo Code',
    language: 'json',
    describe: inSettings,
    text: (target) => json({ ...http(target), type: 'streamable-http' }),
  },
  {
    name: 'MCP',
    language: 'json',
    describe: () => vscode.l10n.t('mcp.json for any other agent'),
    text: (target) => json({ ...http(target), type: 'http' }),
  },
];

function inSettings(): string {
  return vscode.l10n.t('An entry for the agent’s own list of MCP servers');
}

function http({ url, token }: Target) {
  return { url, headers: { Authorization: `Bearer ${token}` }, timeout: 60 };
}

function json(server: object): string {
  return `${JSON.stringify({ mcpServers: { [serverName]: server } }, undefined, 2)}\n`;
}
