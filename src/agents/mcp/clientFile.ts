import { lstat, mkdir, open } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as l10n from '@vscode/l10n';
import { findNodeAtLocation, getNodeValue, type Node, type ParseError, parseTree } from 'jsonc-parser';
// Small, complete and without dependencies. It only checks the edits, which keep the text of the file.
import { parse as parseToml } from 'smol-toml';
import { openOnce } from '../../files/AgreedFile.ts';
import { hasCode } from '../../files/FileCalls.ts';
import { isOutside } from '../../files/pathFrom.ts';
import { replaceText } from '../../files/readText.ts';
import { lineEndOf, withEntry } from '../../files/withEntry.ts';
import { MediaError } from '../../operations/MediaError.ts';
import { type Launch, windowName } from './launcher.ts';

/** Where the configuration files of agents are. */
export interface ClientPlaces {
  /** Absolute path of the workspace folder; undefined if there is none on this computer. */
  readonly workspace: string | undefined;
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Returns the places of this computer. */
export function placesFor(workspace: string | undefined): ClientPlaces {
  return { workspace, home: homedir(), environment: process.env };
}

/** An agent that starts MCP servers as its configuration file says. */
export interface AgentClientForm {
  readonly name: string;
  /** Whether the file belongs to a workspace folder; otherwise it serves all folders. */
  readonly isPerFolder: boolean;
  /** Returns the paths of its configuration file: the first that exists is used, otherwise the first is created. */
  files(places: ClientPlaces): readonly string[];
  /** Returns the text of the file with the server added. @throws Error if it cannot be read or holds something else */
  edit(text: string, launch: Launch): string;
}

export const serverName = 'unified-media';

/** The agents whose configuration file is known, by their names. */
export const agentClientForms: readonly AgentClientForm[] = [
  {
    // VS Code reads the file too, since 1.140.
    name: 'Claude Code',
    isPerFolder: true,
    files: ({ workspace = '' }) => [join(workspace, '.mcp.json')],
    edit: (text, launch) => withJson(text, ['mcpServers', serverName], { type: 'stdio', ...launch }),
  },
  {
    name: 'Codex',
    isPerFolder: false,
    files: ({ home, environment }) => [join(environment.CODEX_HOME ?? join(home, '.codex'), 'config.toml')],
    edit: (text, launch) => withToml(text, { ...launch, tool_timeout_sec: 60 }),
  },
  {
    name: 'Cline',
    isPerFolder: false,
    files: ({ home, environment }) => {
      const data = environment.CLINE_DATA_DIR ?? join(environment.CLINE_DIR ?? join(home, '.cline'), 'data');
      return [environment.CLINE_MCP_SETTINGS_PATH ?? join(data, 'settings', 'cline_mcp_settings.json')];
    },
    edit: (text, { env, ...launch }) =>
      withJson(text, ['mcpServers', serverName], { ...launch, env: { ...env, [windowName]: 'parent' }, timeout: 60 }),
  },
  {
    name: 'Kilo Code',
    isPerFolder: true,
    files: ({ workspace = '' }) =>
      ['.kilo/kilo.jsonc', '.kilo/kilo.json', 'kilo.jsonc', 'kilo.json'].map((path) => join(workspace, path)),
    edit: (text, { command, args, env }) => {
      const entry = { type: 'local', command: [command, ...args], ...(env ? { environment: env } : {}), enabled: true };
      return withJson(text, ['mcp', serverName], entry);
    },
  },
];

/** A change of a configuration file that has not been written. */
export interface ClientChange {
  readonly path: string;
  /** Undefined if the file is new. */
  readonly before: string | undefined;
  readonly after: string;
}

const maxBytes = 4 * 1024 * 1024;

/**
 * Reads the configuration file of an agent and adds the server to it. Nothing is written.
 *
 * @throws MediaError `save` that names the file, if it is a link, is no file or cannot be understood
 */
export async function planChange(form: AgentClientForm, places: ClientPlaces, launch: Launch): Promise<ClientChange> {
  const paths = form.files(places);
  const root = form.isPerFolder ? places.workspace : places.home;
  let path = paths[0] ?? '';
  let before: string | undefined;
  for (const one of paths) {
    before = await readText(one, root);
    if (before === undefined) continue;
    path = one;
    break;
  }
  try {
    return { path, before, after: form.edit(before ?? '', launch) };
  } catch {
    throw notUnderstood(path);
  }
}

/** Writes a change. @throws MediaError `save` if the file has changed since, or has become a link */
export async function writeChange(
  { path, before, after }: ClientChange,
  form: AgentClientForm,
  places: ClientPlaces,
): Promise<void> {
  const root = form.isPerFolder ? places.workspace : places.home;
  const changed = () => new MediaError('save', l10n.t('{0} has just changed, so it was not written. Try again.', path));
  await checkNoLinks(path, root);
  await mkdir(dirname(path), { recursive: true });
  if (before === undefined) {
    const file = await open(path, 'wx').catch((error: unknown) => {
      throw hasCode(error, 'EEXIST') ? changed() : error;
    });
    return file.writeFile(after).finally(() => file.close());
  }
  const { mode } = await lstat(path);
  await replaceText(path, after, {
    mode,
    check: async () => {
      if ((await readText(path, root)) !== before) throw changed();
    },
  });
}

/** Returns the lines that a change removes and adds, as a person reads them. */
export function describeChange({ before = '', after }: ClientChange): string {
  const old = before === '' ? [] : before.split(/\r?\n/);
  const own = after.split(/\r?\n/);
  let start = 0;
  while (start < old.length && old[start] === own[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, own.length) - start && old.at(-1 - end) === own.at(-1 - end)) end++;
  return [
    ...old.slice(start, old.length - end).map((line) => `- ${line}`),
    ...own.slice(start, own.length - end).map((line) => `+ ${line}`),
  ].join('\n');
}

/** Returns an entry for an agent with a configuration file that is not known here. */
export function otherClientText(launch: Launch): string {
  return withJson('', ['mcpServers', serverName], launch);
}

/** @returns undefined if there is no file */
async function readText(path: string, root: string | undefined): Promise<string | undefined> {
  if (!(await checkNoLinks(path, root))) return undefined;
  // A link or a pipe may have taken its place.
  await using file = await openOnce(path);
  if ((await file.stat()).size > maxBytes) {
    throw notUsed(
      l10n.t('{0} is too large to be changed here. Choose “Other Agents” and add the entry yourself.', path),
    );
  }
  const bytes = await file.readFile();
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw notUnderstood(path);
  }
}

/**
 * Checks that neither a file nor a folder on the way to it is a link, because a repository may bring one that leads to
 * another file.
 *
 * @param root the folder that is trusted; links above it are followed
 * @returns whether there is something at the path
 */
async function checkNoLinks(path: string, root: string | undefined): Promise<boolean> {
  // A place that an environment variable names is the person's own choice.
  const base = root === undefined || isOutside(relative(root, path)) ? dirname(path) : root;
  let current = base;
  for (const name of relative(base, path).split(sep)) {
    current = join(current, name);
    const facts = await lstat(current).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    });
    if (!facts) return false;
    if (facts.isSymbolicLink()) throw notUsed(l10n.t('{0} is a link to another file, so it is not used.', current));
    if (current === path && !facts.isFile()) throw notUsed(l10n.t('{0} is not a file, so it is not used.', path));
  }
  return true;
}

function notUnderstood(path: string): MediaError {
  return notUsed(
    l10n.t(
      '{0} has an error or an unexpected structure, so it was not changed. Correct it, or choose “Other Agents” and add the entry yourself.',
      path,
    ),
  );
}

function notUsed(sentence: string): MediaError {
  return new MediaError('save', sentence);
}

const options = { allowTrailingComma: true, allowEmptyContent: false };

/** Sets a value in a JSON text with comments, and leaves everything else as it is, byte by byte. */
function withJson(whole: string, [list, name]: readonly [string, string], entry: object): string {
  const mark = whole.startsWith('\uFEFF') ? '\uFEFF' : '';
  const text = whole.slice(mark.length);
  if (text.trim() === '') return `${mark}${JSON.stringify({ [list]: { [name]: entry } }, undefined, 2)}\n`;
  const root = jsonTree(text);
  const servers = findNodeAtLocation(root, [list]);
  const known = servers && findNodeAtLocation(servers, [name]);
  if (known && holds(getNodeValue(known), entry)) return whole;
  const changed = withEntry(text, root, [list, name], entry);
  // Keys that occur twice, for example, would make the entry invisible.
  const before = getNodeValue(root) as Readonly<Record<string, object | undefined>>;
  const expected = { ...before, [list]: { ...before[list], [name]: entry } };
  if (!isSame(getNodeValue(jsonTree(changed)), expected)) throw new Error('the entry could not be added');
  return mark + changed;
}

function jsonTree(text: string): Node {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, options);
  if (!root || errors.length > 0) throw new Error('not JSON');
  return root;
}

/** Whether an existing entry has everything that the new one has. It may have more, such as permissions. */
function holds(existing: unknown, entry: object): boolean {
  if (typeof existing !== 'object' || existing === null) return false;
  const has = new Map(Object.entries(existing));
  return Object.entries(entry).every(([key, value]) => isSame(has.get(key), value));
}

/** Compares values; the parsers make objects without a prototype. */
function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(structuredClone(one), structuredClone(other));
}

/** A line that begins a table. */
const tableHeader = /^[ \t]*\[/;
const ownHeader =
  /^[ \t]*\[[ \t]*mcp_servers[ \t]*\.[ \t]*(?:unified-media|"unified-media"|'unified-media')[ \t]*[\].]/;

/** Sets the server's table in a TOML text, and leaves everything else as it is. */
function withToml(text: string, entry: Launch & { readonly tool_timeout_sec: number }): string {
  const before = parseToml(text) as Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;
  if (holds(before.mcp_servers?.[serverName], entry)) return text;
  const end = lineEndOf(text);
  const others = withoutOwnTables(text.split(/(?<=\n)/)).join('');
  const gap = others === '' ? '' : /\n$/.test(others) ? end : end + end;
  const table = [
    `[mcp_servers.${serverName}]`,
    ...Object.entries(entry).map(([key, value]) => `${key} = ${toml(value)}`),
  ];
  const changed = `${others}${gap}${table.join(end)}${end}`;
  const expected = { ...before, mcp_servers: { ...before.mcp_servers, [serverName]: entry } };
  if (!isSame(parseToml(changed), expected)) throw new Error('the entry could not be added');
  return changed;
}

/** Returns the lines without the server's tables. The comments above the next table stay. */
function withoutOwnTables(lines: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let isOwn = false;
  let gap: string[] = [];
  for (const line of lines) {
    if (tableHeader.test(line)) {
      isOwn = ownHeader.test(line);
      kept.push(...gap.splice(0));
    }
    if (!isOwn) kept.push(line);
    else if (/^(#|$)/.test(line.trim())) gap.push(line);
    else gap = [];
  }
  return [...kept, ...gap];
}

/** A value of JSON as TOML writes it. Strings are the same in both, and the others are made here. */
function toml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toml).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, one]) => `${key} = ${toml(one)}`)
    .join(', ')} }`;
}
