// What package.json and its texts say about operations and agent tools. `npm run generate` writes it there.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JSONPath } from 'jsonc-parser';
import { applyEdits, modify } from 'jsonc-parser';
import { agentTools } from '../../src/agents/tools.ts';
import { commandOf } from '../../src/contributions.ts';
import { operationIds, operations } from '../../src/operations/operations.ts';

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly configuration: readonly { readonly properties: Readonly<Record<string, unknown>> }[];
  };
}

const root = join(import.meta.dirname, '../..');

/** Returns package.json with the command and the models of every operation and with every agent tool. */
export function generatedManifest(manifest = read('package.json')): string {
  const { contributes } = JSON.parse(manifest) as Manifest;
  const missing = operationIds.filter((id) => !contributes.commands.some(({ command }) => command === commandOf(id)));
  const group = contributes.configuration.findIndex(({ properties }) => 'unifiedMedia.models' in properties);
  const models = ['contributes', 'configuration', group, 'properties', 'unifiedMedia.models', 'properties'];
  const names = { type: 'array', items: { type: 'string' } };
  const withCommands = missing.reduce((text, id) => {
    const command = { command: commandOf(id), category: '%category%', title: `%command.${id}%` };
    // Existing commands keep their icons.
    return change(text, ['contributes', 'commands', -1], command);
  }, manifest);
  const withModels = change(withCommands, models, Object.fromEntries(operationIds.map((id) => [id, names])), 'short');
  return change(withModels, ['contributes', 'languageModelTools'], contributedTools());
}

/**
 * Returns package.nls.json or package.nls.de.json with the title of every operation's command, and with the title and
 * the description of every tool.
 *
 * @param inLanguage returns a text in the file's language
 */
export function generatedTexts(texts: string, inLanguage: (text: string) => string): string {
  const ofCommands = operationIds.map((id) => [`command.${id}`, `${inLanguage(operations[id].title)}…`] as const);
  const ofTools = agentTools.flatMap(({ id, title, userDescription }) => [
    [`tool.${id}`, inLanguage(title)] as const,
    [`tool.${id}.description`, inLanguage(userDescription)] as const,
  ]);
  return [...ofCommands, ...ofTools].reduce((all, [name, text]) => change(all, [name], text), texts);
}

/** Returns a text of an operation or a tool in German. */
export function germanTitle(title: string): string {
  const german = (JSON.parse(read('l10n/bundle.l10n.de.json')) as Readonly<Record<string, string>>)[title];
  if (german === undefined) throw new Error(`l10n/bundle.l10n.de.json must contain "${title}".`);
  return german;
}

function contributedTools(): readonly unknown[] {
  return agentTools.map((tool) => ({
    name: tool.name,
    toolReferenceName: tool.referenceName,
    displayName: `%tool.${tool.id}%`,
    userDescription: `%tool.${tool.id}.description%`,
    modelDescription: tool.description,
    icon: '$(device-camera)',
    canBeReferencedInPrompt: true,
    tags: ['unified-media'],
    when: 'config.unifiedMedia.agents.enabled && isWorkspaceTrusted',
    inputSchema: tool.inputSchema,
  }));
}

/**
 * Sets one value; the rest of the file keeps its layout.
 *
 * @param layout whether the formatter may later put an object on one line
 */
function change(text: string, path: JSONPath, value: unknown, layout: 'long' | 'short' = 'long'): string {
  const formattingOptions = layout === 'long' ? { insertSpaces: true, tabSize: 2 } : undefined;
  const options = { isArrayInsertion: path.at(-1) === -1, ...(formattingOptions && { formattingOptions }) };
  return applyEdits(text, modify(text, path, value, options));
}

function read(name: string): string {
  return readFileSync(join(root, name), 'utf8');
}

if (import.meta.main) {
  const written = {
    'package.json': generatedManifest(),
    'package.nls.json': generatedTexts(read('package.nls.json'), (title) => title),
    'package.nls.de.json': generatedTexts(read('package.nls.de.json'), germanTitle),
  };
  for (const [name, text] of Object.entries(written)) writeFileSync(join(root, name), text);
}
