// What package.json and its texts say about what the code contributes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentTools } from '../../src/agents/tools.ts';
import {
  activationEvents,
  contributedCommands,
  contributedMenus,
  contributedSettings,
  type Setting,
  type SettingName,
  settingId,
  settingPages,
} from '../../src/contributions.ts';
import { declarationsSchema } from '../../src/operations/declarations.ts';
import { operationIds, operations } from '../../src/operations/operations.ts';
import { priceUnits } from '../../src/operations/prices.ts';

interface Manifest {
  readonly capabilities: { readonly untrustedWorkspaces: object };
  readonly contributes: object;
}

type Texts = Readonly<Record<string, string>>;

const root = join(import.meta.dirname, '../..');

/** Returns package.json with everything that follows from the code. What is written by hand stays. */
export function generatedManifest(text = read('package.json')): string {
  const manifest = JSON.parse(text) as Manifest;
  const { capabilities, contributes } = manifest;
  const restrictedConfigurations = rows(contributedSettings)
    .filter(([, { scope, isHarmless }]) => scope !== 'machine' && !isHarmless)
    .map(([name]) => settingId(name));
  return print({
    ...manifest,
    activationEvents: activationEvents(),
    capabilities: {
      ...capabilities,
      untrustedWorkspaces: { ...capabilities.untrustedWorkspaces, restrictedConfigurations },
    },
    contributes: {
      ...contributes,
      commands: contributedCommands(),
      menus: contributedMenus(),
      configuration: Object.entries(settingPages).map(([page, ofPage], order) => ({
        title: `%configuration.${page}%`,
        order,
        properties: Object.fromEntries(
          rows(ofPage).map(([name, setting], place) => [settingId(name), contributedSetting(name, setting, place)]),
        ),
      })),
      languageModelTools: contributedTools(),
    },
  });
}

/**
 * Returns package.nls.json or package.nls.de.json with the title of every operation's command, and with the title and
 * the description of every tool.
 *
 * @param inLanguage returns a text in the file's language
 */
export function generatedTexts(text: string, inLanguage: (text: string) => string): string {
  const ofCommands = operationIds.map((id) => [`command.${id}`, `${inLanguage(operations[id].title)}…`] as const);
  const ofTools = agentTools.flatMap(({ id, title, userDescription }) => [
    [`tool.${id}`, inLanguage(title)] as const,
    [`tool.${id}.description`, inLanguage(userDescription)] as const,
  ]);
  return print({ ...(JSON.parse(text) as Texts), ...Object.fromEntries([...ofCommands, ...ofTools]) });
}

/** Returns a text of an operation or a tool in German. */
export function germanTitle(title: string): string {
  const german = (JSON.parse(read('l10n/bundle.l10n.de.json')) as Texts)[title];
  if (german === undefined) throw new Error(`l10n/bundle.l10n.de.json must contain "${title}".`);
  return german;
}

function rows(table: object): readonly (readonly [SettingName, Setting])[] {
  return Object.entries(table) as [SettingName, Setting][];
}

const texts = JSON.parse(read('package.nls.json')) as Texts;

function contributedSetting(name: SettingName, setting: Setting, order: number): object {
  const { default: preset, choices, suggestions, minimum, scope = 'window', isOnline } = setting;
  const ofObject: Partial<Record<SettingName, object>> = {
    fields: declarationsSchema(),
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    prices: pricesSchema(),
    pronunciations: { type: 'object', additionalProperties: { type: 'string' } },
  };
  const described = choices?.filter((choice) => `setting.${name}.${choice}` in texts) ?? [];
  return {
    ...(ofObject[name] ?? typeOf(setting)),
    ...(described.length > 0 && { enumDescriptions: described.map((choice) => `%setting.${name}.${choice}%`) }),
    examples: suggestions,
    minimum,
    default: preset,
    scope,
    order,
    tags: isOnline && ['usesOnlineServices'],
    markdownDescription: `%setting.${name}%`,
  };
}

function typeOf({ default: preset, choices, isFraction, each, names }: Setting): object {
  const word = { type: 'string', enum: choices };
  if (typeof preset === 'string') {
    return each ? { anyOf: [word, { type: 'object', additionalProperties: each }] } : word;
  }
  if (Array.isArray(preset)) return { type: 'array', items: each };
  if (typeof preset === 'number') return { type: isFraction ? 'number' : 'integer' };
  if (typeof preset === 'boolean') return { type: 'boolean' };
  const presets: Readonly<Record<string, unknown>> = { ...(preset as object) };
  const property = (name: string) => [name, { ...each, ...fractions[name], default: presets[name] }];
  return {
    type: 'object',
    properties: Object.fromEntries((names ?? Object.keys(presets)).map(property)),
    additionalProperties: false,
  };
}

function pricesSchema(): object {
  const price = { type: 'number', minimum: 0 };
  const ofModel = {
    type: 'object',
    properties: Object.fromEntries(priceUnits.map((unit) => [unit, price])),
    additionalProperties: false,
  };
  return {
    type: 'object',
    properties: { currency: { type: 'string' }, models: { type: 'object', additionalProperties: ofModel } },
    additionalProperties: false,
  };
}

/** Recordings last fractions of a minute; other amounts are whole. */
const fractions: Readonly<Record<string, object>> = { minutes: { type: 'number' } };

function contributedTools(): readonly object[] {
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

function print(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function read(name: string): string {
  return readFileSync(join(root, name), 'utf8');
}
