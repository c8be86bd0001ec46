import * as vscode from 'vscode';
import type { SettingName } from '../contributions.ts';
import { section, settingNames } from '../contributions.ts';
import type { TranscriptFormat } from '../library/formatTranscript.ts';
import type { Area, OperationId } from '../operations/operations.ts';
import type { ReferenceStyle } from '../places/Places.ts';
import type { NetworkSettings } from '../service/proxyFor.ts';
import type { ServiceConfiguration } from '../service/ServiceConfiguration.ts';
import { networkSettings } from './networkSettings.ts';
import { settingChoices, settingDefaults } from './settingDefaults.ts';

export interface Quantities {
  readonly images: number;
  readonly videos: number;
  /** Of text to speak. */
  readonly characters: number;
}

/** Reads the extension's settings, always anew: they may change at any moment. */
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

  /** Whether hovers on references tell how a file was made. */
  get showsHover(): boolean {
    return flagOf(settingNames.hover);
  }

  get maxConcurrentJobs(): number {
    const most = setting(settingNames.maxConcurrentJobs);
    return typeof most === 'number' && most >= 1 ? Math.floor(most) : settingDefaults.maxConcurrentJobs;
  }

  /** The names listed for an operation; the first is the default. */
  models(id: OperationId): readonly string[] {
    return namesIn(setting(settingNames.models), id);
  }

  /** The names that the person's own settings list for an operation, whatever the workspace says. */
  ownModels(id: OperationId): readonly string[] {
    return namesIn(valueInUserSettings(settingNames.models), id);
  }

  get imageCount(): unknown {
    return setting(settingNames.imageCount);
  }

  get imageOutputFormat(): unknown {
    return setting(settingNames.imageOutputFormat);
  }

  get speechVoice(): unknown {
    return setting(settingNames.speechVoice);
  }

  get speechResponseFormat(): unknown {
    return setting(settingNames.speechResponseFormat);
  }

  /** Longer text is spoken in parts; 0 for never. */
  get speechMaxCharacters(): number {
    const most = setting(settingNames.speechMaxCharacters);
    return typeof most === 'number' && most >= 0 ? most : settingDefaults['speech.maxCharacters'];
  }

  outputFolder(scope: vscode.Uri): string {
    return textOf(setting(settingNames.outputFolder, scope));
  }

  /** Whether someone has chosen the folder, also the one that is the default. */
  choosesOutputFolder(scope: vscode.Uri): boolean {
    const values = vscode.workspace.getConfiguration(section, scope).inspect(settingNames.outputFolder);
    const own = [values?.globalValue, values?.workspaceValue, values?.workspaceFolderValue];
    // In a folder that is not trusted its own value does not count.
    return own.some((value) => value !== undefined && value === setting(settingNames.outputFolder, scope));
  }

  fileName(scope: vscode.Uri): string {
    return textOf(setting(settingNames.fileName, scope)) || settingDefaults.fileName;
  }

  transcriptFormat(scope: vscode.Uri): TranscriptFormat {
    return choiceOf(settingNames.transcriptFormat, (name) => setting(name, scope));
  }

  /** Whether only the sound of a video is sent. */
  get transcriptSoundOnly(): boolean {
    return flagOf(settingNames.transcriptSoundOnly);
  }

  /** Longer recordings are sent in parts of at most so many bytes; 0 = only after the service refused the whole. */
  get transcriptMaxBytes(): number {
    const most = setting(settingNames.transcriptMaxMegabytes);
    return typeof most === 'number' && most > 0 ? Math.floor(most * 1_000_000) : 0;
  }

  /** How references to files are written. */
  references(scope: vscode.Uri): ReferenceStyle {
    const style = setting(settingNames.references, scope);
    if (typeof style === 'string') return style === 'relative' ? style : settingDefaults.references;
    const folders = Object.entries(objectOf(style)).filter(([, folder]) => typeof folder === 'string');
    return folders.length > 0
      ? Object.fromEntries(folders.map(([prefix, folder]) => [prefix, String(folder)]))
      : settingDefaults.references;
  }

  /** Whether media that are missing in a document are marked, and how. */
  missingMedia(scope: vscode.Uri): 'off' | 'hint' | 'warning' {
    return choiceOf(settingNames.missingMedia, (name) => setting(name, scope));
  }

  /** The quantities above which a person is asked before anything is sent. */
  get confirmAbove(): Quantities {
    const set = objectOf(setting(settingNames.confirmAbove));
    const of = (name: keyof Quantities) => {
      const limit = set[name];
      return typeof limit === 'number' && limit >= 0 ? limit : settingDefaults.confirmAbove[name];
    };
    return { images: of('images'), videos: of('videos'), characters: of('characters') };
  }

  /** Whether a document that has a narration tells what of it has changed. */
  get narrationCodeLens(): boolean {
    return flagOf(settingNames.narrationCodeLens);
  }

  get keepsLibraryPrivate(): boolean {
    return choiceOf(settingNames.libraryLocation) === 'private';
  }

  get openAfterSave(): boolean {
    return flagOf(settingNames.openAfterSave);
  }

  /** What follows is about agents; no workspace says any of it. */
  get agentsAreEnabled(): boolean {
    return flagOf(settingNames.agentsEnabled, machineSetting);
  }

  get agentServerIsOn(): boolean {
    return flagOf(settingNames.agentsServer, machineSetting);
  }

  get agentsGetPreviews(): boolean {
    return flagOf(settingNames.agentsPreview, machineSetting);
  }

  /** As it is set; more than the person has accepted does not count. */
  get agentBudget(): unknown {
    return machineSetting(settingNames.agentsBudget);
  }

  async turnOnAgentServer(): Promise<void> {
    await updateUserSetting(settingNames.agentsServer, true);
  }

  async useSandbox(on: boolean): Promise<void> {
    await updateUserSetting(settingNames.service, on ? 'sandbox' : 'remote');
  }

  /** Makes a service the one that is used. */
  async saveService({ hosts, authorizationScheme, modelListPath }: ServiceAddress): Promise<void> {
    await updateUserSetting(settingNames.imageBaseUrl, hosts.image);
    await updateUserSetting(settingNames.audioBaseUrl, hosts.audio);
    await updateUserSetting(settingNames.videoBaseUrl, hosts.video);
    await updateUserSetting(settingNames.authorizationScheme, authorizationScheme);
    await updateUserSetting(settingNames.modelListPath, modelListPath);
    await this.useSandbox(false);
  }

  /** Lists an operation's models in the person's own settings; an empty list takes the entry away. */
  async saveModels(id: OperationId, names: readonly string[]): Promise<void> {
    const { [id]: _, ...others } = objectOf(valueInUserSettings(settingNames.models));
    const models = names.length > 0 ? { ...others, [id]: names } : others;
    await updateUserSetting(settingNames.models, Object.keys(models).length > 0 ? models : undefined);
  }
}

/** Where a service is and how it takes the key. */
export interface ServiceAddress extends Pick<ServiceConfiguration, 'hosts'> {
  readonly authorizationScheme: string;
  readonly modelListPath: string;
}

/** Whether the libraries may now be elsewhere. */
export function movesLibrary(event: vscode.ConfigurationChangeEvent): boolean {
  return event.affectsConfiguration(`${section}.${settingNames.libraryLocation}`);
}

/**
 * A setting that decides where a key or a prompt goes: what a workspace says is not even looked at, whatever the editor
 * makes of the setting's scope.
 */
function machineSetting(name: string, group = section): unknown {
  const values = vscode.workspace.getConfiguration(group).inspect<unknown>(name);
  return values?.globalValue ?? values?.defaultValue;
}

function valueInUserSettings(name: SettingName): unknown {
  return vscode.workspace.getConfiguration(section).inspect<unknown>(name)?.globalValue;
}

/** What is empty by default is taken out, not written as empty. */
async function updateUserSetting(name: SettingName, value: unknown): Promise<void> {
  const wanted = value === '' ? undefined : value;
  if (valueInUserSettings(name) === wanted) return;
  await vscode.workspace.getConfiguration(section).update(name, wanted, vscode.ConfigurationTarget.Global);
}

function setting(name: SettingName, scope?: vscode.Uri): unknown {
  return vscode.workspace.getConfiguration(section, scope).get<unknown>(name);
}

type Read = (name: SettingName) => unknown;

/** A setting that is on or off. */
function flagOf(name: Flag, read: Read = setting): boolean {
  const value = read(name);
  return typeof value === 'boolean' ? value : settingDefaults[name];
}

type Flag = {
  [Name in keyof typeof settingDefaults]: (typeof settingDefaults)[Name] extends boolean ? Name : never;
}[keyof typeof settingDefaults];

/** A setting that is one of a few words. */
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

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
