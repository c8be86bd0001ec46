import * as vscode from 'vscode';
import type { AgentDesk } from '../../agents/AgentDesk.ts';
import type { AgentServer } from '../../agents/mcp/AgentServer.ts';
import type { AgentClientForm } from '../../agents/mcp/clientFile.ts';
import type { ServerPort } from '../../agents/mcp/discovery.ts';
import type { Launch } from '../../agents/mcp/launcher.ts';
import { secretIds } from '../../contributions.ts';
import { askInDialog } from '../../editor/askInDialog.ts';
import { notify } from '../../editor/notify.ts';
import type { Window } from '../../editor/Window.ts';
import { foldersOnDisk } from '../../editor/workspaceFiles.ts';

const noPort: ServerPort = { number: 0, salt: '' };
/** The clients that use the discovery file or the terminal's environment. They state their names themselves. */
const local = 'Terminal';
/** The clients that were given the address and a token. */
const byAddress = 'MCP';
const tokenName = 'UNIFIED_MEDIA_MCP_TOKEN';
const urlName = 'UNIFIED_MEDIA_MCP_URL';

/** The MCP server of this window. Off until the person connects an agent. */
export class AgentServerFeature implements vscode.Disposable {
  readonly #dependencies: Window;
  readonly #desk: AgentDesk;
  readonly #subscriptions: vscode.Disposable;
  /** When a client that was given the address has called. */
  #lastCall: Date | undefined;
  /** Secret that the tokens are made from; empty until it is read. */
  #secret = '';
  #port = noPort;
  #server: AgentServer | undefined;
  /** Removes the discovery file synchronously, because the window may be closing. */
  #removeFile: () => void = () => undefined;
  /** Serialises all changes of the server and its clients. */
  #changing: Promise<unknown> = Promise.resolve();

  constructor(dependencies: Window, desk: AgentDesk) {
    this.#dependencies = dependencies;
    this.#desk = desk;
    this.#subscriptions = vscode.Disposable.from(
      dependencies.context.secrets.onDidChange(async ({ key }) => {
        if (key === secretIds.agentTokens) await this.#next(() => this.#followSecret()).catch(() => undefined);
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
      const shouldRun = settings.get('agents.server') && settings.get('agents.enabled') && vscode.workspace.isTrusted;
      return shouldRun ? this.#start() : this.#stop();
    });
  }

  /** Turns the server on, and connects the agent that the person chooses. */
  async connect(): Promise<string | undefined> {
    if (!vscode.workspace.isTrusted) {
      void notify.warning(vscode.l10n.t('Agents work only in a trusted workspace. Trust this workspace first.'));
      return undefined;
    }
    const { agentClientForms, otherClientText } = await import('../../agents/mcp/clientFile.ts');
    const items = [
      ...agentClientForms.map((form) => ({
        label: form.name,
        detail: describeForm(form),
        connect: () => this.#configure(form),
      })),
      {
        label: vscode.l10n.t('Other Agents'),
        detail: vscode.l10n.t('Copies an entry for mcp.json, with which an agent starts the server'),
        connect: async () =>
          copy(otherClientText(await this.#launch()), vscode.l10n.t('The configuration was copied to the clipboard.')),
      },
      {
        label: byAddress,
        description: this.#lastCall
          ? vscode.l10n.t('connected, last call {0}', this.#lastCall.toLocaleTimeString(vscode.env.language))
          : '',
        detail: vscode.l10n.t('Copies the address and a token, for agents that cannot start a program'),
        connect: async () =>
          copy(
            await this.#addressText(),
            vscode.l10n.t(
              'The configuration was copied to the clipboard. It contains an access token for this computer, so keep it out of files that you share.',
            ),
          ),
      },
    ];
    const placeHolder = vscode.l10n.t('Choose the agent to connect to this window');
    const chosen = await vscode.window.showQuickPick(items, { placeHolder, matchOnDetail: true });
    if (!chosen) return undefined;
    await this.#dependencies.settings.turnOnAgentServer();
    await this.follow();
    return chosen.connect();
  }

  /** Adds the server to the configuration file of an agent, after the person has seen the change. */
  async #configure(form: AgentClientForm): Promise<string | undefined> {
    const workspace = form.isPerFolder ? await chooseFolder() : undefined;
    if (form.isPerFolder && workspace === undefined) return undefined;
    const { placesFor, planChange, writeChange, describeChange } = await import('../../agents/mcp/clientFile.ts');
    const places = placesFor(workspace);
    const change = await planChange(form, places, await this.#launch());
    const lines = describeChange(change);
    if (change.after === change.before) {
      const known = vscode.l10n.t('{0} is connected already: {1} has the entry.', form.name, change.path);
      void notify.information(known);
      return lines;
    }
    const write = vscode.l10n.t('Change File');
    const question =
      change.before === undefined
        ? vscode.l10n.t('Create {0}, so that {1} can use Unified Media?', change.path, form.name)
        : vscode.l10n.t('Change {0}, so that {1} can use Unified Media?', change.path, form.name);
    const detail = form.isPerFolder
      ? `${lines}\n\n${vscode.l10n.t('The paths are those of this computer, so do not commit this entry.')}`
      : lines;
    if ((await askInDialog(question, detail, write)) !== write) return undefined;
    await writeChange(change, form, places);
    const open = vscode.l10n.t('Open File');
    const done = vscode.l10n.t('{0} can use Unified Media after you restart it.', form.name);
    void notify.information(done, open).then(async (answer) => {
      if (answer === open) await vscode.window.showTextDocument(vscode.Uri.file(change.path));
    });
    return lines;
  }

  async #addressText(): Promise<string> {
    const [{ tokenFor }, { serverName }] = await Promise.all([
      import('../../agents/mcp/discovery.ts'),
      import('../../agents/mcp/clientFile.ts'),
    ]);
    const headers = { Authorization: `Bearer ${tokenFor(this.#secret, this.#port, byAddress)}` };
    const server = { url: this.#server?.url ?? '', headers, timeout: 60, type: 'http' };
    return `${JSON.stringify({ mcpServers: { [serverName]: server } }, undefined, 2)}\n`;
  }

  /** Replaces the secret, so that all tokens are rejected. */
  async revoke(): Promise<void> {
    await this.#next(async () => {
      const { createSecret } = await import('../../agents/mcp/discovery.ts');
      this.#secret = createSecret();
      await this.#dependencies.context.secrets.store(secretIds.agentTokens, this.#secret);
      this.#lastCall = undefined;
      await this.#announce();
    });
    void notify.information(
      vscode.l10n.t(
        'All tokens of agents were replaced. Agents that were given a token must be connected again; agents that start the server themselves must be restarted.',
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

  /** Another window may have replaced the tokens. */
  async #followSecret(): Promise<void> {
    if (!this.#server) return;
    const secret = await this.#readSecret();
    if (secret === this.#secret) return;
    this.#secret = secret;
    await this.#announce();
  }

  async #start(): Promise<void> {
    if (this.#server) return;
    const { log, memory } = this.#dependencies;
    const [{ AgentServer }, { createSecret, tokenFor }] = await Promise.all([
      import('../../agents/mcp/AgentServer.ts'),
      import('../../agents/mcp/discovery.ts'),
    ]);
    this.#secret = await this.#readSecret();
    this.#port = noPort;
    const last = memory.get('serverPort');
    const server = await AgentServer.start(
      {
        desk: this.#desk,
        version: this.#version,
        clients: () => [
          { name: local, token: tokenFor(this.#secret, this.#port, local), isShared: true },
          { name: byAddress, token: tokenFor(this.#secret, this.#port, byAddress) },
        ],
        onCall: (name) => {
          if (name === byAddress) this.#lastCall = new Date();
        },
      },
      last?.number,
    );
    // Another program has had the old port, and so perhaps the token of a client that called there.
    this.#port = server.port === last?.number ? last : { number: server.port, salt: createSecret() };
    this.#server = server;
    await memory.set('serverPort', this.#port);
    await this.#announce();
    log.info(`The MCP server listens on port ${server.port} of this computer.`);
  }

  async #readSecret(): Promise<string> {
    const { createSecret } = await import('../../agents/mcp/discovery.ts');
    const { secrets } = this.#dependencies.context;
    const known = await secrets.get(secretIds.agentTokens);
    // Earlier versions kept a list of clients there.
    if (known !== undefined && /^[\w-]{43}$/.test(known)) return known;
    const secret = createSecret();
    await secrets.store(secretIds.agentTokens, secret);
    return secret;
  }

  /** Writes the program that agents start. */
  async #launch(): Promise<Launch> {
    const { globalStorageUri, extension } = this.#dependencies.context;
    const { writeLauncher } = await import('../../agents/mcp/launcher.ts');
    return writeLauncher(vscode.Uri.joinPath(globalStorageUri, 'agents').fsPath, {
      node: process.execPath,
      commandLine: vscode.Uri.joinPath(extension.extensionUri, 'dist', 'cli.js').fsPath,
    });
  }

  get #version(): string {
    return (this.#dependencies.context.extension.packageJSON as { readonly version: string }).version;
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
    const { removeDiscovery, tokenFor, writeDiscovery } = await import('../../agents/mcp/discovery.ts');
    const token = tokenFor(this.#secret, this.#port, local);
    // An update has moved the extension.
    await this.#launch();
    const folders = foldersOnDisk();
    const file = await writeDiscovery(vscode.Uri.joinPath(context.globalStorageUri, 'agents').fsPath, {
      url: server.url,
      token,
      pid: process.pid,
      workspaceFolders: folders.map(({ uri }) => uri.fsPath),
      version: this.#version,
    });
    this.#removeFile = () => removeDiscovery(file);
    const variables = context.environmentVariableCollection;
    // They belong to this window and end with it.
    variables.persistent = false;
    variables.replace(urlName, server.url);
    variables.replace(tokenName, token);
  }
}

async function copy(text: string, message: string): Promise<string> {
  await vscode.env.clipboard.writeText(text);
  const open = vscode.l10n.t('Show Configuration');
  void notify.information(message, open).then(async (answer) => {
    if (answer !== open) return;
    const document = await vscode.workspace.openTextDocument({ content: text, language: 'json' });
    await vscode.window.showTextDocument(document);
  });
  return text;
}

/** Returns the folder whose configuration is written; undefined if there is none, or the person chooses none. */
async function chooseFolder(): Promise<string | undefined> {
  const folders = foldersOnDisk();
  const [first] = folders;
  if (!first) {
    void notify.warning(
      vscode.l10n.t('First open a folder on this computer: this agent keeps its configuration in the folder.'),
    );
    return undefined;
  }
  if (folders.length === 1) return first.uri.fsPath;
  return (await vscode.window.showWorkspaceFolderPick())?.uri.fsPath;
}

function describeForm({ name, isPerFolder }: AgentClientForm): string {
  if (name === 'Claude Code') {
    return vscode.l10n.t("Adds the server to this folder's .mcp.json, a file that VS Code 1.140 and later reads too");
  }
  return isPerFolder
    ? vscode.l10n.t('Adds the server to the agent’s configuration in this folder')
    : vscode.l10n.t('Adds the server to the agent’s configuration of your account');
}
