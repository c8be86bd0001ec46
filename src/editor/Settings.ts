import * as vscode from 'vscode';
import type { SettingName } from '../contributions.ts';
import { section, settingNames } from '../contributions.ts';
import type { Area, OperationId } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';
import { settingChoices, settingDefaults } from '../operations/settingDefaults.ts';
import type { ReferenceStyle } from '../projects/Places.ts';
import type { NetworkSettings } from '../service/createDispatcher.ts';
import type { ServiceConfiguration } from '../service/ServiceConfiguration.ts';
import { networkSettings, textOf } from '../service/ServiceConnection.ts';
import type { ServiceAddress } from '../service/ServiceSetup.ts';
import type { TranscriptFormat } from '../transcripts/formatTranscript.ts';

/** Reads the extension's settings. Nothing is cached, because they may change at any time. */
export class Settings {
  get usesSandbox(): boolean {
    return choiceOf(settingNames.service, machineSetting) === 'sandbox';
  }

  get hosts(): Readonly<Record<Area, string>> {
    return {
      image: textOf(machineSetting(settingNames.imageBaseUrl)),
      audio: textOf(machineSetting(settingNames.audioBaseUrl)),
      video: textOf(machineSetting(settingNames.videoBaseUrl)),
    };
  }

  get service(): ServiceConfiguration {
    return {
      hosts: this.hosts,
      paths: {
        transcribe: textOf(machineSetting(settingNames.transcriptionPath)),
        translate: textOf(machineSetting(settingNames.translationPath)),
      },
      videoStatusPath: textOf(machineSetting(settingNames.videoStatusPath)),
      modelListPath: textOf(machineSetting(settingNames.modelListPath)),
      authorizationScheme: textOf(machineSetting(settingNames.authorizationScheme)),
      allowPrivateResultAddresses: flagOf(settingNames.allowPrivateResultAddresses, machineSetting),
      timeoutSeconds: this.timeoutSeconds,
    };
  }

  get network(): NetworkSettings {
    return networkSettings((name) => machineSetting(name, 'http'), process.env);
  }

  get timeoutSeconds(): Readonly<Record<Area, number>> {
    const set = objectOf(setting(settingNames.timeoutSeconds));
    const of = (area: Area) => {
      const seconds = set[area];
      return typeof seconds === 'number' && seconds > 0 ? seconds : settingDefaults.timeoutSeconds[area];
    };
    return { image: of('image'), audio: of('audio'), video: of('video') };
  }

  /** Whether hovers on references show how a file was made. */
  get showsHover(): boolean {
    return flagOf(settingNames.hover);
  }

  get maxConcurrentJobs(): number {
    const most = setting(settingNames.maxConcurrentJobs);
    return typeof most === 'number' && most >= 1 ? Math.floor(most) : settingDefaults.maxConcurrentJobs;
  }

  /** Returns the models listed for an operation; the first is the default. */
  models(id: OperationId): readonly string[] {
    return namesIn(setting(settingNames.models), id);
  }

  /** Returns the models that the user settings list for an operation, ignoring the workspace. */
  ownModels(id: OperationId): readonly string[] {
    return namesIn(valueInUserSettings(settingNames.models), id);
  }

  /** Returns the configured value of a request's field; undefined when no setting covers it. */
  valueFor(id: OperationId, field: string): unknown {
    if (field === 'model') return this.models(id)[0];
    if (field === 'voice') return setting(settingNames.speechVoice);
    if (field === 'response_format') return setting(settingNames.speechResponseFormat);
    if (operations[id].area !== 'image') return undefined;
    if (field === 'n') return setting(settingNames.imageCount);
    return field === 'output_format' ? setting(settingNames.imageOutputFormat) : undefined;
  }

  /** Text longer than this is spoken in parts; 0 for never. */
  get speechMaxCharacters(): number {
    const most = setting(settingNames.speechMaxCharacters);
    return typeof most === 'number' && most >= 0 ? most : settingDefaults['speech.maxCharacters'];
  }

  outputFolder(scope: vscode.Uri): string {
    return textOf(setting(settingNames.outputFolder, scope));
  }

  /** Whether the folder is set explicitly, even to its default. */
  choosesOutputFolder(scope: vscode.Uri): boolean {
    const values = vscode.workspace.getConfiguration(section, scope).inspect(settingNames.outputFolder);
    const own = [values?.globalValue, values?.workspaceValue, values?.workspaceFolderValue];
    // In an untrusted workspace its own value does not count.
    return own.some((value) => value !== undefined && value === setting(settingNames.outputFolder, scope));
  }

  fileName(scope: vscode.Uri): string {
    return textOf(setting(settingNames.fileName, scope)) || settingDefaults.fileName;
  }

  transcriptFormat(scope: vscode.Uri): TranscriptFormat {
    return choiceOf(settingNames.transcriptFormat, (name) => setting(name, scope));
  }

  /** Whether only the audio track of a video is sent. */
  get transcriptSoundOnly(): boolean {
    return flagOf(settingNames.transcriptSoundOnly);
  }

  /** Maximum size of the parts of a recording, in bytes; 0 to split only after the service refused the whole. */
  get transcriptMaxBytes(): number {
    const most = setting(settingNames.transcriptMaxMegabytes);
    return typeof most === 'number' && most > 0 ? Math.floor(most * 1_000_000) : 0;
  }

  /** Returns how references to files are written. */
  references(scope: vscode.Uri): ReferenceStyle {
    const style = setting(settingNames.references, scope);
    if (typeof style === 'string') return style === 'relative' ? style : settingDefaults.references;
    const folders = Object.entries(objectOf(style)).filter(([, folder]) => typeof folder === 'string');
    return folders.length > 0
      ? Object.fromEntries(folders.map(([prefix, folder]) => [prefix, String(folder)]))
      : settingDefaults.references;
  }

  /** Returns whether and how missing media are marked in documents. */
  missingMedia(scope: vscode.Uri): 'off' | 'hint' | 'warning' {
    return choiceOf(settingNames.missingMedia, (name) => setting(name, scope));
  }

  /** The amounts above which a person is asked before anything is sent, as they stand in the settings. */
  get confirmAbove(): unknown {
    return setting(settingNames.confirmAbove);
  }

  /** Whether CodeLenses show what changed since a document was narrated. */
  get narrationCodeLens(): boolean {
    return flagOf(settingNames.narrationCodeLens);
  }

  get keepsLibraryPrivate(): boolean {
    return choiceOf(settingNames.libraryLocation) === 'private';
  }

  get openAfterSave(): boolean {
    return flagOf(settingNames.openAfterSave);
  }

  /** Like all settings for agents, read from the user settings only. */
  get agentsAreEnabled(): boolean {
    return flagOf(settingNames.agentsEnabled, machineSetting);
  }

  get agentServerIsOn(): boolean {
    return flagOf(settingNames.agentsServer, machineSetting);
  }

  get agentsGetPreviews(): boolean {
    return flagOf(settingNames.agentsPreview, machineSetting);
  }

  /** The configured budget. Raised numbers count only after the person accepted them. */
  get agentBudget(): unknown {
    return machineSetting(settingNames.agentsBudget);
  }

  async turnOnAgentServer(): Promise<void> {
    await updateUserSetting(settingNames.agentsServer, true);
  }

  async useSandbox(on: boolean): Promise<void> {
    await updateUserSetting(settingNames.service, on ? 'sandbox' : 'remote');
  }

  /** Saves the address of the service and selects it. */
  async saveService({ hosts, authorizationScheme, modelListPath }: ServiceAddress): Promise<void> {
    await updateUserSetting(settingNames.imageBaseUrl, hosts.image);
    await updateUserSetting(settingNames.audioBaseUrl, hosts.audio);
    await updateUserSetting(settingNames.videoBaseUrl, hosts.video);
    await updateUserSetting(settingNames.authorizationScheme, authorizationScheme);
    await updateUserSetting(settingNames.modelListPath, modelListPath);
    await this.useSandbox(false);
  }

  /** Saves an operation's models in the user settings; an empty list removes the entry. */
  async saveModels(id: OperationId, names: readonly string[]): Promise<void> {
    const { [id]: _, ...others } = objectOf(valueInUserSettings(settingNames.models));
    const models = names.length > 0 ? { ...others, [id]: names } : others;
    await updateUserSetting(settingNames.models, Object.keys(models).length > 0 ? models : undefined);
  }
}

/** Whether a change of settings may move the libraries. */
export function movesLibrary(event: vscode.ConfigurationChangeEvent): boolean {
  return event.affectsConfiguration(`${section}.${settingNames.libraryLocation}`);
}

/**
 * Reads a setting that decides where a key or a prompt goes. Workspace values are never read, regardless of the
 * setting's scope.
 */
function machineSetting(name: string, group = section): unknown {
  const values = vscode.workspace.getConfiguration(group).inspect<unknown>(name);
  return values?.globalValue ?? values?.defaultValue;
}

function valueInUserSettings(name: SettingName): unknown {
  return vscode.workspace.getConfiguration(section).inspect<unknown>(name)?.globalValue;
}

/** Removes the setting when the value is empty, instead of writing an empty one. */
async function updateUserSetting(name: SettingName, value: unknown): Promise<void> {
  const newValue = value === '' ? undefined : value;
  if (valueInUserSettings(name) === newValue) return;
  await vscode.workspace.getConfiguration(section).update(name, newValue, vscode.ConfigurationTarget.Global);
}

function setting(name: SettingName, scope?: vscode.Uri): unknown {
  return vscode.workspace.getConfiguration(section, scope).get<unknown>(name);
}

type Read = (name: SettingName) => unknown;

/** Reads a boolean setting. */
function flagOf(name: Flag, read: Read = setting): boolean {
  const value = read(name);
  return typeof value === 'boolean' ? value : settingDefaults[name];
}

type Flag = {
  [Name in keyof typeof settingDefaults]: (typeof settingDefaults)[Name] extends boolean ? Name : never;
}[keyof typeof settingDefaults];

/** Reads a setting that is one of several words. */
function choiceOf<Name extends keyof typeof settingChoices>(
  name: Name,
  read: Read = setting,
): (typeof settingChoices)[Name][number] {
  const value = read(name);
  const choices: readonly (typeof settingChoices)[Name][number][] = settingChoices[name];
  return choices.find((choice) => choice === value) ?? settingDefaults[name];
}

function namesIn(models: unknown, id: OperationId): readonly string[] {
  const names = objectOf(models)[id];
  return Array.isArray(names) ? names.filter((name): name is string => typeof name === 'string' && name !== '') : [];
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
