import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AgentBudget } from '../../src/agents/AgentBudget.ts';
import { AgentDesk } from '../../src/agents/AgentDesk.ts';
import type { WorkspaceRoot } from '../../src/agents/agentPaths.ts';
import type { AgentAnswer, AgentHost, AgentQuestion } from '../../src/agents/prepareCall.ts';
import type { Preview, ToolAnswer, ToolResult } from '../../src/agents/ToolResult.ts';
import { type AgentTool, toolByReferenceName } from '../../src/agents/tools.ts';
import { contributedSettings } from '../../src/contributions.ts';
import { LocalFolder } from '../../src/files/LocalFolder.ts';
import { Library } from '../../src/library/Library.ts';
import { relativeFolder } from '../../src/library/relativeFolder.ts';
import type { Amounts } from '../../src/operations/amounts.ts';
import { makeAssets } from '../../src/wholes/makeAssets.ts';
import type { PlaceReference } from '../../src/work/Job.ts';
import { jobRunnerAt } from './jobRunner.ts';

export interface DeskOptions {
  /** Folder for the workspace and the extension's storage; a new one by default. */
  readonly folder?: string;
  readonly limit?: Partial<Amounts>;
  readonly sandbox?: boolean;
  /** The setting `outputFolder`. */
  readonly outputFolder?: string;
  /** The setting `fields`. */
  readonly declared?: unknown;
  readonly closed?: 'restricted' | 'turnedOff';
  /** Name of the folder of the budget; another editor has one of its own. */
  readonly agents?: string;
  /** Folder of the store of paid work; another computer has one of its own. */
  readonly store?: string;
  /** The key for the service. */
  readonly key?: string;
  now?(): Date;
  readonly moreRoots?: readonly WorkspaceRoot[];
  /** Returns the folder that the project of the active document has for media; by default none. */
  projectFolder?(): string | undefined;
  answer?(question: AgentQuestion, signal: AbortSignal): Promise<AgentAnswer>;
  preview?(path: string): Promise<Preview | undefined>;
}

function placeAt(root: string, path: string): PlaceReference {
  return { root: pathToFileURL(root).href, path, fileName: '${prompt}', transcriptFormat: 'markdown' };
}

/** Long texts are spoken in parts. */
const limits = { speechMaxCharacters: 100, soundOnly: false, maxBytes: 0 };

/** Creates an agent desk as the extension does, with a service on this machine and scripted answers of the user. */
export function openDesk(origin: string, options: DeskOptions = {}) {
  const folder = options.folder ?? mkdtempSync(join(realpathSync(tmpdir()), 'unified-media-agents-'));
  const root = join(folder, 'workspace');
  mkdirSync(root, { recursive: true });
  const {
    runner,
    jobs,
    [Symbol.asyncDispose]: dispose,
  } = jobRunnerAt(origin, { root, journal: options.store ?? join(folder, 'jobs') }, 3, options.key);
  const asked: AgentQuestion[] = [];
  const lines: string[] = [];
  const lookedUp: string[] = [];
  const host: AgentHost = {
    jobs,
    budget: new AgentBudget(join(folder, options.agents ?? 'agents'), options.now),
    closedBecause: () => options.closed,
    usesSandbox: () => options.sandbox ?? false,
    roots: () => [{ name: 'workspace', path: root }, ...(options.moreRoots ?? [])],
    firstRoot: () => ({ name: 'workspace', path: root }),
    limit: () => ({ ...contributedSettings['agents.budget'].default, ...options.limit }),
    confirmBudget: async () => undefined,
    wantsPreviews: () => true,
    settingFor: () => undefined,
    declaredFields: () => options.declared,
    speechMaxCharacters: () => limits.speechMaxCharacters,
    models: () => ['painter'],
    serviceName: () => origin,
    checkReady: async () => undefined,
    isPrivateAddress: async (name) => name.startsWith('10.'),
    resolvesToPrivate: async ({ hostname }) => {
      lookedUp.push(hostname);
      return hostname === 'intranet.example';
    },
    placeFor: async (kind, top, path) =>
      placeAt(top, path ?? relativeFolder(options.outputFolder ?? 'media/${kind}', kind)),
    projectPlaceFor: async () => {
      const path = options.projectFolder?.();
      return path === undefined ? undefined : placeAt(root, path);
    },
    workOf: async (key) => ({
      record: await runner.store.read(key),
      state: await runner.store.stateOf(key, { root: pathToFileURL(root).href }),
    }),
    worksSending: (contentKey) => runner.store.sendingSame(contentKey, [pathToFileURL(root).href]),
    run: (input, run, id) => makeAssets(input, runner, limits, run, id),
    ask: async (question, signal) => {
      asked.push(question);
      return (await options.answer?.(question, signal)) ?? 'unasked';
    },
    entriesIn: (path) => new Library(new LocalFolder(posix.join(path, '.unified-media'), path)).entries(),
    referenceTo: async (path, _kind, title) => `![${title}](${path})`,
    speakableText: async (text) => text,
    log: (line) => lines.push(line),
  };
  const desk = new AgentDesk(host, options.preview ?? (async () => undefined));
  const ask = async (name: string, input: unknown, signal = new AbortController().signal): Promise<ToolResult> =>
    (await answer(name, input, signal)).result;
  const answer = (name: string, input: unknown, signal = new AbortController().signal): Promise<ToolAnswer> => {
    const tool = toolByReferenceName(name);
    if (!tool) throw new Error(`there is no tool ${name}`);
    return desk.ask(tool, input, { kind: 'mcp', name: 'Tester' }, { signal, endsWithCaller: false });
  };
  const chat = async (tool: AgentTool, input: unknown): Promise<ToolResult> => {
    const options = { signal: new AbortController().signal, endsWithCaller: true };
    return (await desk.ask(tool, input, { kind: 'chat', name: 'Chat' }, options)).result;
  };
  return {
    desk,
    host,
    jobs,
    runner,
    folder,
    root,
    asked,
    lines,
    lookedUp,
    ask,
    answer,
    /** Calls a tool as chat does. */
    chat,
    [Symbol.asyncDispose]: dispose,
  };
}
