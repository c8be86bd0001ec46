import * as vscode from 'vscode';
import { contributedSettings, type Setting, type SettingName, section, settingId } from '../contributions.ts';
import { isObject } from '../foreign/shape.ts';
import { ofFolder } from '../operations/Further.ts';
import { type Area, areas, type Field, type FieldOf, type OperationId, operations } from '../operations/operations.ts';
import type { PresetId } from '../operations/presets.ts';
import type { ReferenceStyle } from '../projects/Places.ts';
import type { NetworkSettings } from '../service/createDispatcher.ts';
import type { ServiceConfiguration } from '../service/ServiceConfiguration.ts';
import { networkSettings } from '../service/ServiceConnection.ts';
import type { ServiceAddress } from '../service/ServiceSetup.ts';

/**
 * The user settings that were read since the configuration last changed. VS Code takes so long to inspect one that a view,
 * which needs a hundred, would be late.
 */
const userSettings = new Map<string, unknown>();

/** Reads the extension's settings. The first one is to be made before anything else listens to changes of settings. */
export class Settings {
  readonly #changes = vscode.workspace.onDidChangeConfiguration(() => userSettings.clear());

  dispose(): void {
    this.#changes.dispose();
  }

  /** Returns the value of a setting, or its default if the value is not valid. A setting that needs more has a getter. */
  get<Name extends { [Name in SettingName]: Value<Rows[Name]> extends never ? never : Name }[SettingName]>(
    name: Name,
    ...[scope]: ScopeOf<Name>
  ): Value<Rows[Name]> {
    const { default: preset, choices, minimum = 0 }: Setting = contributedSettings[name];
    const value = rawValue(name, scope);
    const isValid =
      choices?.some((choice) => choice === value) ??
      (typeof value === typeof preset && !(typeof value === 'number' && value < minimum));
    return (isValid ? (typeof value === 'string' ? value.trim() : value) : preset) as Value<Rows[Name]>;
  }

  get usesSandbox(): boolean {
    return this.get('service') === 'sandbox';
  }

  get hosts(): Readonly<Record<Area, string>> {
    return { image: this.get('imageBaseUrl'), audio: this.get('audioBaseUrl'), video: this.get('videoBaseUrl') };
  }

  /** The hosts that plain http is allowed to, as `host:port`. */
  get insecureHosts(): readonly string[] {
    return textsIn(rawValue('insecureHosts'));
  }

  get service(): ServiceConfiguration {
    return {
      hosts: this.hosts,
      insecureHosts: this.insecureHosts,
      paths: { transcribe: this.get('transcriptionPath'), translate: this.get('translationPath') },
      imageStatusPath: this.get('imageStatusPath'),
      videoStatusPath: this.get('videoStatusPath'),
      modelListPath: this.get('modelListPath'),
      authorizationScheme: this.get('authorizationScheme'),
      headers: rawValue('headers'),
      idempotencyHeader: this.get('idempotencyHeader'),
      allowPrivateResultAddresses: this.get('allowPrivateResultAddresses'),
      timeoutSeconds: this.timeoutSeconds,
    };
  }

  get network(): NetworkSettings {
    return networkSettings((name) => valueInUserSettings(name, 'http'), process.env);
  }

  get timeoutSeconds(): Readonly<Record<Area, number>> {
    const set = objectOf(rawValue('timeoutSeconds'));
    const of = (area: Area) => {
      const seconds = set[area];
      return typeof seconds === 'number' && seconds > 0 ? seconds : contributedSettings.timeoutSeconds.default[area];
    };
    return { image: of('image'), audio: of('audio'), video: of('video') };
  }

  get maxConcurrentJobs(): number {
    return Math.floor(this.get('maxConcurrentJobs'));
  }

  /** Returns the models listed for an operation; the first is the default. */
  models(id: OperationId): readonly string[] {
    return namesIn(rawValue('models'), id);
  }

  /** Returns the models that the user settings list for an operation, ignoring the workspace. */
  ownModels(id: OperationId): readonly string[] {
    return namesIn(setByUser('models'), id);
  }

  /** The declarations of further fields, as they stand in the user settings, with those of the folder, which narrow them. */
  get declaredFields(): unknown {
    const own = valueInUserSettings('fields');
    const folder = vscode.workspace.isTrusted ? inspected('fields')?.workspaceValue : undefined;
    return folder === undefined || !isObject(own) ? own : { ...own, [ofFolder]: folder };
  }

  /** A person's own prices, as they stand in the settings. */
  get prices(): unknown {
    return rawValue('prices');
  }

  /** Returns the configured value of a request's field; undefined when no setting covers it, or the field refuses it. */
  valueFor(id: OperationId, field: Field): unknown {
    if (field.name === 'model') return this.models(id)[0];
    const own = ownField(id, field.name);
    const value = own && 'setting' in own ? rawValue(own.setting) : undefined;
    // A setting is for every service; a service that takes other values gets the field's default.
    const isRefused = field.type === 'choice' && !field.open && field !== own;
    return isRefused && !field.options.includes(String(value)) ? undefined : value;
  }

  choosesOutputFolder(scope: vscode.Uri): boolean {
    return isChosen('outputFolder', scope);
  }

  choosesFileName(scope: vscode.Uri): boolean {
    return isChosen('fileName', scope);
  }

  fileName(scope: vscode.Uri): string {
    return this.get('fileName', scope) || contributedSettings.fileName.default;
  }

  /** Words as they are to be spoken in narrations. */
  pronunciations(scope: vscode.Uri): Readonly<Record<string, string>> {
    return objectOf(rawValue('pronunciations', scope)) as Readonly<Record<string, string>>;
  }

  /** Maximum size of the parts of a recording, in bytes; 0 to split only after the service refused the whole. */
  get transcriptMaxBytes(): number {
    return Math.floor(this.get('transcript.maxMegabytes') * 1_000_000);
  }

  /** Returns how references to files are written. */
  references(scope: vscode.Uri): ReferenceStyle {
    const folders = Object.entries(objectOf(rawValue('references', scope))).filter(
      ([, folder]) => typeof folder === 'string',
    );
    return folders.length > 0
      ? Object.fromEntries(folders.map(([prefix, folder]) => [prefix, String(folder)]))
      : this.get('references', scope);
  }

  /** The amounts above which a person is asked before anything is sent, as they stand in the settings. */
  get confirmAbove(): unknown {
    return rawValue('confirmAbove');
  }

  /** A folder may only make its library more private than the person wants it, never less. */
  get keepsLibraryPrivate(): boolean {
    return valueInUserSettings('library.location') === 'private' || this.get('library.location') === 'private';
  }

  /** The configured budget. Raised numbers count only after the person accepted them. */
  get agentBudget(): unknown {
    return rawValue('agents.budget');
  }

  async turnOnAgentServer(): Promise<void> {
    await updateUserSetting('agents.server', true);
  }

  async useSandbox(on: boolean): Promise<void> {
    await updateUserSetting('service', on ? 'sandbox' : 'remote');
  }

  /** Saves the address of the service and selects it. */
  async saveService({ hosts, authorizationScheme, modelListPath }: ServiceAddress): Promise<void> {
    for (const area of areas) await updateUserSetting(`${area}BaseUrl`, hosts[area]);
    await updateUserSetting('authorizationScheme', authorizationScheme);
    await updateUserSetting('modelListPath', modelListPath);
    await this.useSandbox(false);
  }

  /** Allows plain http to a host in the user settings. */
  async saveInsecureHost(host: string): Promise<void> {
    await updateUserSetting('insecureHosts', [...this.insecureHosts, host]);
  }

  /** Selects the fields of a known service in the user settings; what is declared beside them stays. */
  async savePreset(preset: PresetId | 'none'): Promise<void> {
    const { preset: _, ...declared } = objectOf(setByUser('fields'));
    await updateUserSetting('fields', preset === 'none' ? declared : { preset, ...declared });
  }

  /** Saves an operation's models in the user settings; an empty list removes the entry. */
  async saveModels(id: OperationId, names: readonly string[]): Promise<void> {
    const { [id]: _, ...others } = objectOf(setByUser('models'));
    await updateUserSetting('models', names.length > 0 ? { ...others, [id]: names } : others);
  }
}

/** Whether a change of settings may move the libraries. */
export function movesLibrary(event: vscode.ConfigurationChangeEvent): boolean {
  return event.affectsConfiguration(settingId('library.location'));
}

type Rows = typeof contributedSettings;

/** What a setting holds: one of its choices, or a value of its default's type; never for an object. */
type Value<Row extends Setting> = Row extends { readonly choices: readonly (infer Choice)[] }
  ? Choice
  : Row['default'] extends string
    ? string
    : Row['default'] extends number
      ? number
      : Row['default'] extends boolean
        ? boolean
        : never;

/** Only a setting of scope `resource` takes a scope, and it needs one. */
type ScopeOf<Name extends SettingName> = Rows[Name] extends { readonly scope: 'resource' }
  ? [scope: vscode.Uri]
  : [scope?: undefined];

/** Whether a setting is set explicitly, even to its default. */
function isChosen(name: SettingName, scope: vscode.Uri): boolean {
  const values = inspected(name, section, scope);
  const own = [values?.globalValue, values?.workspaceValue, values?.workspaceFolderValue];
  // In an untrusted workspace its own value does not count.
  return own.some((value) => value !== undefined && value === rawValue(name, scope));
}

/**
 * Returns a setting as it stands in the files. Of settings that decide where a key or a prompt goes, workspace values are
 * never read, whatever package.json says.
 */
function rawValue(name: SettingName, scope?: vscode.Uri): unknown {
  const { scope: ofSetting }: Setting = contributedSettings[name];
  return ofSetting === 'machine' || ofSetting === 'application'
    ? valueInUserSettings(name)
    : vscode.workspace.getConfiguration(section, scope).get<unknown>(name);
}

function valueInUserSettings(name: string, group = section): unknown {
  const id = `${group}.${name}`;
  if (!userSettings.has(id)) {
    const values = inspected(name, group);
    userSettings.set(id, values?.globalValue ?? values?.defaultValue);
  }
  return userSettings.get(id);
}

function setByUser(name: SettingName): unknown {
  return inspected(name)?.globalValue;
}

function inspected(name: string, group = section, scope?: vscode.Uri) {
  return vscode.workspace.getConfiguration(group, scope).inspect<unknown>(name);
}

/** Removes the setting when the value is empty, instead of writing an empty one. */
async function updateUserSetting(name: SettingName, value: unknown): Promise<void> {
  const isEmpty = value === '' || (isObject(value) && Object.keys(value).length === 0);
  const newValue = isEmpty ? undefined : value;
  if (setByUser(name) === newValue) return;
  await vscode.workspace.getConfiguration(section).update(name, newValue, vscode.ConfigurationTarget.Global);
}

function ownField(id: OperationId, name: string): FieldOf<OperationId> | undefined {
  const fields: readonly FieldOf<OperationId>[] = operations[id].fields;
  return fields.find((field) => field.name === name);
}

function namesIn(models: unknown, id: OperationId): readonly string[] {
  return textsIn(objectOf(models)[id]);
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string' && one !== '') : [];
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}
