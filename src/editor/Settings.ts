import * as vscode from 'vscode';
import type { SettingName } from '../contributions.ts';
import { section, settingNames } from '../contributions.ts';
import type { TranscriptFormat } from '../library/formatTranscript.ts';
import type { Area, OperationId } from '../operations/operations.ts';
import type { ReferenceStyle } from '../places/Places.ts';
import type { NetworkSettings } from '../service/proxyFor.ts';
import type { ServiceConfiguration } from '../service/ServiceConfiguration.ts';
import { networkSettings } from './networkSettings.ts';

export interface Quantities {
  readonly images: number;
  readonly videos: number;
  /** Of text to speak. */
  readonly characters: number;
}

/** Reads the extension's settings, always anew: they may change at any moment. */
export class Settings {
  get usesSandbox(): boolean {
    return machineSetting(settingNames.service) === 'sandbox';
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
      allowPrivateResultAddresses: machineSetting(settingNames.allowPrivateResultAddresses) === true,
      timeoutSeconds: this.timeoutSeconds,
    };
  }

  get network(): NetworkSettings {
    return networkSettings((name) => machineSetting(name, 'http'), process.env);
  }

  get timeoutSeconds(): Readonly<Record<Area, number>> {
    const standard = { image: 300, audio: 900, video: 1800 } as const;
    const set = objectOf(setting(settingNames.timeoutSeconds));
    const of = (area: Area) => {
      const seconds = set[area];
      return typeof seconds === 'number' && seconds > 0 ? seconds : standard[area];
    };
    return { image: of('image'), audio: of('audio'), video: of('video') };
  }

  /** Whether hovers on references tell how a file was made. */
  get showsHover(): boolean {
    return setting(settingNames.hover) !== false;
  }

  get maxConcurrentJobs(): number {
    const most = setting(settingNames.maxConcurrentJobs);
    return typeof most === 'number' && most >= 1 ? Math.floor(most) : 3;
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
    return typeof most === 'number' && most >= 0 ? most : 4096;
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
    return textOf(setting(settingNames.fileName, scope)) || '${prompt}';
  }

  transcriptFormat(scope: vscode.Uri): TranscriptFormat {
    const format = textOf(setting(settingNames.transcriptFormat, scope));
    return format === 'text' || format === 'srt' || format === 'vtt' ? format : 'markdown';
  }

  /** Whether only the sound of a video is sent. */
  get transcriptSoundOnly(): boolean {
    return setting(settingNames.transcriptSoundOnly) !== false;
  }

  /** Longer recordings are sent in parts of at most so many bytes; 0 = only after the service refused the whole. */
  get transcriptMaxBytes(): number {
    const most = setting(settingNames.transcriptMaxMegabytes);
    return typeof most === 'number' && most > 0 ? Math.floor(most * 1_000_000) : 0;
  }

  /** How references to files are written. */
  references(scope: vscode.Uri): ReferenceStyle {
    const style = setting(settingNames.references, scope);
    if (typeof style === 'string') return style === 'relative' ? style : 'auto';
    const folders = Object.entries(objectOf(style)).filter(([, folder]) => typeof folder === 'string');
    return folders.length > 0
      ? Object.fromEntries(folders.map(([prefix, folder]) => [prefix, String(folder)]))
      : 'auto';
  }

  /** Whether media that are missing in a document are marked, and how. */
  missingMedia(scope: vscode.Uri): 'off' | 'hint' | 'warning' {
    const mark = setting(settingNames.missingMedia, scope);
    return mark === 'hint' || mark === 'warning' ? mark : 'off';
  }

  /** The quantities above which a person is asked before anything is sent. */
  get confirmAbove(): Quantities {
    const set = objectOf(setting(settingNames.confirmAbove));
    const of = (name: keyof Quantities, standard: number) => {
      const most = set[name];
      return typeof most === 'number' && most >= 0 ? most : standard;
    };
    return { images: of('images', 4), videos: of('videos', 1), characters: of('characters', 20_000) };
  }

  /** Whether a document that has a narration tells what of it has changed. */
  get narrationCodeLens(): boolean {
    return setting(settingNames.narrationCodeLens) !== false;
  }

  get keepsLibraryPrivate(): boolean {
    return setting(settingNames.libraryLocation) === 'private';
  }

  get openAfterSave(): boolean {
    return setting(settingNames.openAfterSave) !== false;
  }

  /** What follows is about agents; no workspace says any of it. */
  get agentsAreEnabled(): boolean {
    return machineSetting(settingNames.agentsEnabled) !== false;
  }

  get agentServerIsOn(): boolean {
    return machineSetting(settingNames.agentsServer) === true;
  }

  get agentsGetPreviews(): boolean {
    return machineSetting(settingNames.agentsPreview) !== false;
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
