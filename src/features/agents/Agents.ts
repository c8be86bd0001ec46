import { posix } from 'node:path';
import * as vscode from 'vscode';
import { AgentBudget } from '../../agents/AgentBudget.ts';
import { AgentDesk } from '../../agents/AgentDesk.ts';
import type { WorkspaceRoot } from '../../agents/agentPaths.ts';
import type { AgentHost, EarlierWork } from '../../agents/prepareCall.ts';
import { isFailure, previewOf, type ToolResult } from '../../agents/ToolResult.ts';
import { toolNamed } from '../../agents/tools.ts';
import { commandIds, viewIds } from '../../contributions.ts';
import type { DocumentName } from '../../editor/ReferenceWriter.ts';
import { abortSignal } from '../../editor/runCommand.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { Window } from '../../editor/Window.ts';
import { foldersOnDisk } from '../../editor/workspaceFiles.ts';
import { isPrivateAddress, resolvesToPrivate } from '../../foreign/privateAddress.ts';
import { isObject } from '../../foreign/shape.ts';
import { amountNames, describeAmount } from '../../operations/amounts.ts';
import { operations } from '../../operations/operations.ts';
import { Store } from '../../work/Store.ts';
import { AcceptedBudget, AgentQuestions, questionMarkdown, questionTitle } from './AgentQuestions.ts';
import { AgentServerFeature } from './AgentServerFeature.ts';

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

export function openAgents(dependencies: Window): Agents {
  const { settings, jobs, memory, context } = dependencies;
  const budget = new AgentBudget(vscode.Uri.joinPath(context.globalStorageUri, 'agents', 'journal').fsPath);
  const accepted = new AcceptedBudget(memory, () => settings.agentBudget);
  const questions = new AgentQuestions(jobs, settings);
  const host = hostOf(dependencies, { budget, accepted, questions });
  const desk = new AgentDesk(host, previewOf);
  const server = new AgentServerFeature(dependencies, desk);
  const shown = vscode.Disposable.from(questions, server, showAgentStatus({ desk, budget, accepted, questions }));
  return {
    tools: new AgentTools(desk, settings),
    questions,
    server,
    stop: (argument) => {
      const name = isObject(argument) ? jobs.get(String(argument.jobId))?.agent?.name : undefined;
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
  { settings, service, places, jobs, models, log, runs, references, storeFolder }: Window,
  { budget, accepted, questions }: HostParts,
): AgentHost {
  const store = new Store(storeFolder);
  return {
    jobs,
    budget,
    closedBecause: () => {
      if (!vscode.workspace.isTrusted) return 'restricted';
      return settings.get('agents.enabled') ? undefined : 'turnedOff';
    },
    usesSandbox: () => settings.usesSandbox,
    roots: () => localFolders().map(rootOf),
    firstRoot: () => foldersOnDisk().map(rootOf)[0],
    limit: () => accepted.limit,
    confirmBudget: (onAsking) => accepted.confirm(onAsking),
    wantsPreviews: () => settings.get('agents.preview'),
    settingFor: (id, field) => settings.valueFor(id, field),
    declaredFields: () => settings.declaredFields,
    speechMaxCharacters: () => settings.get('speech.maxCharacters'),
    models: (id) =>
      models.names(id, settings.usesSandbox).filter((name) => !models.isGone(id, settings.usesSandbox, name)),
    serviceName: (id) => (settings.usesSandbox ? vscode.l10n.t('sandbox') : settings.hosts[operations[id].area]),
    checkReady: (id) => service.checkReady(id),
    isPrivateAddress: async (host) => isPrivateAddress(host),
    resolvesToPrivate,
    placeFor: async (kind, root, path) => {
      const uri = vscode.Uri.file(root);
      return path === undefined ? places.referenceInFolder(kind, uri) : places.referenceIn(uri, path);
    },
    projectPlaceFor: async (kind, source) => {
      const place = await places.referenceFor(kind, false);
      return place && source !== undefined ? places.referenceForEdit(source, place) : place;
    },
    workOf: (key) => workOf(key, store),
    worksSending: (contentKey) =>
      store.sendingSame(
        contentKey,
        localFolders().map(({ uri }) => uri.toString()),
      ),
    run: (input, options, id) => runs.makeAssets(input, options, id),
    ask: (question, signal) => questions.ask(question, signal),
    entriesIn: (root) => places.libraryOf(vscode.Uri.file(root)).entries(),
    referenceTo: async (path, kind, title) => {
      const uri = vscode.Uri.file(path);
      const asset = { uri, kind, title: title || posix.parse(path).name };
      return (await references()).referenceTo(documentFor(uri), asset);
    },
    speakableText: async (text, path) => {
      const { languageId } = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
      const { DocumentReader } = await import('../../reading/DocumentReader.ts');
      return new DocumentReader().speakableText(text, languageId, path);
    },
    log: (line) => log.info(line),
  };
}

/** Looks a request up in the store, and in the notes beside the window's folders that another computer has left. */
async function workOf(key: string, store: Store): Promise<EarlierWork> {
  const record = await store.read(key);
  const states = await Promise.all(localFolders().map(({ uri }) => store.stateOf(key, { root: uri.toString() })));
  return { state: states.find((state) => state !== 'none') ?? 'none', record };
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

function rootOf({ name, uri }: vscode.WorkspaceFolder): WorkspaceRoot {
  return { name, path: uri.fsPath };
}

/** Returns the local workspace folders, that of the active file first. */
function localFolders(): readonly vscode.WorkspaceFolder[] {
  const folders = foldersOnDisk();
  const active = vscode.window.activeTextEditor?.document.uri;
  const own = active && vscode.workspace.getWorkspaceFolder(active);
  return own ? [...folders].sort((a, b) => Number(b === own) - Number(a === own)) : folders;
}

/** The tools as VS Code's language models call them. */
export class AgentTools {
  readonly #desk: AgentDesk;
  readonly #settings: Pick<Settings, 'prices'>;

  constructor(desk: AgentDesk, settings: Pick<Settings, 'prices'>) {
    this.#desk = desk;
    this.#settings = settings;
  }

  /**
   * Asks in chat for requests within the budget. Requests beyond it are asked about in our own dialog. Changes nothing.
   */
  async prepare(name: string, input: unknown): Promise<vscode.PreparedToolInvocation> {
    const tool = toolNamed(name);
    const invocationMessage = vscode.l10n.t(tool.title);
    // Invalid input is reported when the tool is called.
    const outlook = await this.#desk.outlook(tool, input).catch(() => undefined);
    if (!outlook || outlook.call.sandbox || !outlook.isWithinBudget) return { invocationMessage };
    const asked = { caller: chat(), call: outlook.call, left: outlook.left };
    return {
      invocationMessage,
      confirmationMessages: { title: questionTitle(asked), message: questionMarkdown(asked, this.#settings) },
    };
  }

  /** @throws Error whose message says what to do next; CancellationError when the caller cancelled */
  async invoke(name: string, input: unknown, token: vscode.CancellationToken): Promise<vscode.LanguageModelToolResult> {
    const abort = abortSignal(token);
    try {
      const { result, previews } = await this.#desk.ask(toolNamed(name), input, chat(), {
        signal: abort.signal,
        endsWithCaller: true,
      });
      if (token.isCancellationRequested) throw new vscode.CancellationError();
      if (isFailure(result)) throw new Error(sentenceOf(result));
      return new vscode.LanguageModelToolResult([
        new vscode.LanguageModelTextPart(JSON.stringify(result)),
        ...previews.map(({ bytes, mediaType }) => vscode.LanguageModelDataPart.image(bytes, mediaType)),
      ]);
    } finally {
      abort.dispose();
    }
  }
}

function chat() {
  return { kind: 'chat', name: vscode.l10n.t('Chat') } as const;
}

/** Describes what went wrong and what to do next, with the kind and the job in brackets. */
function sentenceOf({ status, error, next, job_id }: ToolResult): string {
  const kind = status === 'failed' ? (error?.kind ?? status) : status;
  const facts = [
    kind,
    ...(error ? [`charged: ${error.charged}`] : []),
    ...(job_id === undefined ? [] : [`job_id: ${job_id}`]),
  ];
  return [error?.message, next, `[${facts.join(', ')}]`].filter(Boolean).join(' ');
}

/** Shows in the status bar what agents have spent while they work, and whether one waits for an answer. */
export function showAgentStatus({
  desk,
  budget,
  accepted,
  questions,
}: HostParts & { readonly desk: Pick<AgentDesk, 'open' | 'onDidChange'> }): vscode.Disposable {
  const item = vscode.window.createStatusBarItem('unifiedMedia.agents', vscode.StatusBarAlignment.Right);
  item.name = vscode.l10n.t('Agents');
  let shown = '';
  const show = async (): Promise<void> => {
    const working = desk.open.length;
    const waiting = questions.count;
    const state = `${working} ${waiting}`;
    if (state === shown) return;
    shown = state;
    if (working === 0) return item.hide();
    const spent = await budget.spent().catch(() => undefined);
    const { limit } = accepted;
    const { language } = vscode.env;
    if (shown !== state || !spent) return;
    const used = amountNames
      .filter((name) => spent[name] > 0 || limit[name] > 0)
      .map((name) =>
        vscode.l10n.t('{0} of {1}', spent[name].toLocaleString(language), describeAmount(name, limit[name], language)),
      );
    item.text = waiting > 0 ? `$(question) ${waiting}` : `$(hubot) ${spent.images}/${limit.images}`;
    item.tooltip = [
      ...(waiting > 0 ? [vscode.l10n.t('Agent requests waiting for your answer: {0}', waiting)] : []),
      vscode.l10n.t('Agent requests running: {0}', working - waiting),
      vscode.l10n.t('Used by agents today: {0}', used.join(', ')),
    ].join('\n');
    item.accessibilityInformation = { label: item.tooltip, role: 'button' };
    item.backgroundColor = waiting > 0 ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    item.command = waiting > 0 ? commandIds.answerAgents : `${viewIds.activity}.focus`;
    item.show();
  };
  return vscode.Disposable.from(
    item,
    desk.onDidChange(() => void show()),
    questions.onDidChange(() => void show()),
  );
}
