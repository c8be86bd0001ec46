import * as l10n from '@vscode/l10n';
import { isPrivateAddress } from '../foreign/privateAddress.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import { type Area, areas, type OperationId, operationIds, operations } from '../operations/operations.ts';
import { type PresetId, presetIn } from '../operations/presets.ts';
import { failureCode } from './errors.ts';
import type { ModelSuggestions } from './ModelSuggestions.ts';
import { checkHost, type HostFault, hostFault, needsNoKey, type ServiceConfiguration } from './ServiceConfiguration.ts';
import { type ApiKeys, keyProblem, normalizeKey, type ServiceConnection } from './ServiceConnection.ts';
import type { ListedModel } from './withoutCost.ts';

/** The values that a person enters. */
export interface ServiceDraft {
  /** As typed; empty for areas that the service does not offer. */
  readonly hosts: Readonly<Record<Area, string>>;
  /** The word before the key; empty for the key alone. */
  readonly scheme: string;
  /** As pasted; empty to keep the current key of these hosts. */
  readonly key: string;
}

/** The result of testing a service, which costs nothing. */
export interface Trial {
  /** What prevents the service from being used; undefined when it can be used. */
  readonly problem?: SetupProblem;
  /** The models that the hosts list. Areas whose host has no list are missing. */
  readonly lists: Readonly<Partial<Record<Area, readonly ListedModel[]>>>;
  /** The path that the lists were read from; empty when there are none and no path was configured. */
  readonly modelListPath: string;
  /** The word before the key that the service accepts; undefined when it is that of the draft. */
  readonly scheme?: string;
}

export interface Saved {
  /** The origins that the key was bound to, each once. */
  readonly origins: readonly string[];
  /** Whether the hosts have a key at all. */
  readonly hasKey: boolean;
  /** False when the secret storage failed, so that the key lasts only until the window is closed. */
  readonly keyIsStored: boolean;
  /** The word before the key, where the test found another one than was entered. */
  readonly scheme?: string;
}

/** The hosts of a service, and how it accepts the key. */
export interface ServiceAddress extends Pick<ServiceConfiguration, 'hosts'> {
  readonly authorizationScheme: string;
  readonly modelListPath: string;
}

export interface ServiceSetupOptions {
  readonly settings: {
    readonly service: ServiceConfiguration;
    /** Saves the address of the service and selects it. */
    saveService(address: ServiceAddress): Promise<void>;
    /** Allows plain http to a host in the user settings. */
    saveInsecureHost(host: string): Promise<void>;
    /** Returns the models that the user settings list for an operation, ignoring the workspace. */
    ownModels(id: OperationId): readonly string[];
    saveModels(id: OperationId, names: readonly string[]): Promise<void>;
    /** The declarations of further fields, as they stand in the settings. */
    readonly declaredFields: unknown;
    savePreset(preset: PresetId | 'none'): Promise<void>;
  };
  readonly keys: Pick<ApiKeys, 'keyFor' | 'set'>;
  readonly service: Pick<ServiceConnection, 'listModels' | 'probe'>;
  readonly suggestions: Pick<ModelSuggestions, 'keep' | 'names' | 'guesses' | 'list' | 'isGone' | 'readGone'>;
}

/** The path of the model list of most services. */
const usualListPath = '/v1/models';

/** The steps of connecting a service, without the questions. Never sends anything that is billed. */
export class ServiceSetup {
  readonly #options: ServiceSetupOptions;

  constructor(options: ServiceSetupOptions) {
    this.#options = options;
  }

  /** The values that the questions start with. */
  get draft(): ServiceDraft {
    const { hosts, authorizationScheme = '' } = this.#options.settings.service;
    return { hosts, scheme: authorizationScheme, key: '' };
  }

  /** What to save for a service that was not tested. */
  get untried(): Trial {
    return { lists: {}, modelListPath: this.#options.settings.service.modelListPath ?? '' };
  }

  /** Checks a draft without sending anything. */
  async checkDraft({ hosts, scheme, key }: ServiceDraft): Promise<SetupProblem | undefined> {
    for (const area of areas) {
      const problem = hosts[area].trim() === '' ? undefined : this.#addressProblem(hosts[area]);
      if (problem) return { ...problem, area };
    }
    if (originsOf(hosts).length === 0) {
      return { step: 'address', reason: 'address', sentence: l10n.t('Enter the address of at least one host.') };
    }
    const wrongScheme = schemeProblem(scheme);
    if (wrongScheme !== undefined) return { step: 'scheme', reason: 'key', sentence: wrongScheme };
    const canKeep = key.trim() === '' && (await this.#needsNoKey(hosts));
    const wrongKey = canKeep ? undefined : keyProblem(key);
    return wrongKey === undefined ? undefined : { step: 'key', reason: 'key', sentence: wrongKey };
  }

  /**
   * Checks an address, and whether its host responds. The key is not sent.
   *
   * @throws MediaError `cancelled`
   */
  async checkAddress(address: string, signal?: AbortSignal): Promise<SetupProblem | undefined> {
    const problem = this.#addressProblem(address);
    if (problem) return problem;
    const url = new URL(hostOf(address));
    try {
      await this.#options.service.probe(url, signal);
      return undefined;
    } catch (error) {
      return problemOf(error, url.host);
    }
  }

  /**
   * Checks whether each of the hosts responds. The key is not sent.
   *
   * @throws MediaError `cancelled`
   */
  async checkAddresses(hosts: ServiceDraft['hosts'], signal?: AbortSignal): Promise<SetupProblem | undefined> {
    const asked = new Set(['']);
    for (const area of areas) {
      const host = hostOf(hosts[area]);
      if (asked.has(host)) continue;
      asked.add(host);
      const problem = await this.checkAddress(host, signal);
      if (problem) return { ...problem, area };
    }
    return undefined;
  }

  /** Whether every host has a key already, so that none has to be pasted. */
  async hasKey(hosts: ServiceDraft['hosts']): Promise<boolean> {
    const keys = await Promise.all(originsOf(hosts).map((origin) => this.#knownKey(origin)));
    return keys.length > 0 && keys.every((key) => key !== undefined);
  }

  /** Whether each of the hosts has a key already, or may need none. */
  async #needsNoKey(hosts: ServiceDraft['hosts']): Promise<boolean> {
    const { insecureHosts } = this.#options.settings.service;
    const isReady = originsOf(hosts).map(
      async (origin) => needsNoKey(new URL(origin), insecureHosts) || (await this.#knownKey(origin)) !== undefined,
    );
    return (await Promise.all(isReady)).every(Boolean);
  }

  /** Allows plain http to a host, if that is what a draft lacks. Throws like {@link saveConnection}. */
  async allowInsecureHost(draft: ServiceDraft, host: string): Promise<void> {
    const problem = await this.checkDraft(draft);
    if (problem?.insecureHost !== host) return;
    await writeSettings(() => this.#options.settings.saveInsecureHost(host));
  }

  /** Returns what is wrong with an address as typed; undefined when it can be used. */
  #addressProblem(address: string): SetupProblem | undefined {
    const found = { step: 'address', reason: 'address' } as const;
    const typed = address.trim();
    if (typed === '') return { ...found, sentence: l10n.t('Enter the address, such as https://api.example.com.') };
    const url = URL.parse(typed);
    const fault = hostFault(url, this.#options.settings.service.insecureHosts);
    if (fault === undefined) return undefined;
    const sentence = describeFault(fault, typed, url?.host ?? '');
    const isOwn = fault === 'notEncrypted' && url?.protocol === 'http:' && isInOwnNetwork(url.hostname);
    return isOwn ? { ...found, sentence, insecureHost: url.host } : { ...found, sentence };
  }

  /**
   * Tests the hosts and the key by reading the lists of models. Where a host has no list, this shows only that the host
   * responds.
   *
   * @throws MediaError `cancelled`
   */
  async tryService(draft: ServiceDraft, signal?: AbortSignal): Promise<Trial> {
    const { modelListPath: configured } = this.untried;
    const path = configured || usualListPath;
    const problem = await this.checkDraft(draft);
    if (problem) return { ...this.untried, problem };
    const lists: Partial<Record<Area, readonly ListedModel[]>> = {};
    const known = new Map<string, readonly ListedModel[] | undefined>();
    let { scheme } = draft;
    for (const area of areas) {
      const host = hostOf(draft.hosts[area]);
      if (host === '') continue;
      if (!known.has(host)) {
        // Where a host has accepted one word, all need it.
        const answer = await this.#tryHost({ ...draft, scheme }, area, path, known.size === 0, signal);
        if ('problem' in answer) return { problem: answer.problem, lists, modelListPath: configured };
        known.set(host, answer.models);
        scheme = answer.scheme ?? scheme;
      }
      const models = known.get(host);
      if (models) lists[area] = models;
    }
    const modelListPath = Object.keys(lists).length > 0 ? path : configured;
    return scheme === draft.scheme ? { lists, modelListPath } : { lists, modelListPath, scheme };
  }

  /**
   * Saves the addresses, the word before the key and the path of the model list in the user settings, and the key,
   * bound to the addresses, in the secret storage.
   *
   * @throws MediaError `noService` or `noKey` when a value cannot be used or the settings cannot be written
   */
  async saveConnection(draft: ServiceDraft, { lists, modelListPath, scheme }: Trial): Promise<Saved> {
    const problem = await this.checkDraft(draft);
    if (problem) throw new MediaError(problem.step === 'key' ? 'noKey' : 'noService', problem.sentence);
    const { settings, keys, suggestions } = this.#options;
    const hosts = {
      image: hostOf(draft.hosts.image),
      audio: hostOf(draft.hosts.audio),
      video: hostOf(draft.hosts.video),
    };
    const origins = originsOf(hosts);
    const key = normalizeKey(draft.key);
    const keyIsStored = key === '' || (await keys.set(key, origins));
    const authorizationScheme = (scheme ?? draft.scheme).trim();
    await writeSettings(() => settings.saveService({ hosts, authorizationScheme, modelListPath }));
    for (const area of areas) {
      const models = lists[area];
      if (models) await suggestions.keep(hosts[area], modelListPath, models);
    }
    await suggestions.readGone();
    const hasKey = key !== '' || (await this.hasKey(hosts));
    return { origins, hasKey, keyIsStored, ...(scheme === undefined ? {} : { scheme }) };
  }

  /** The operations whose host is set. */
  get operations(): readonly OperationId[] {
    const { hosts } = this.#options.settings.service;
    return operationIds.filter((id) => hosts[operations[id].area] !== '');
  }

  /** Number of distinct models that the saved service lists. */
  get listedModels(): number {
    const names = areas.flatMap((area) => this.#options.suggestions.list(area) ?? []).map(({ name }) => name);
    return new Set(names).size;
  }

  /**
   * Returns the models to choose from for an operation of the saved service, those of them that the service no longer
   * has, those chosen in the user settings, and those that fit only as far as their names tell.
   */
  models(id: OperationId): Readonly<Record<'names' | 'gone' | 'chosen' | 'guesses', readonly string[]>> {
    const { settings, suggestions } = this.#options;
    const chosen = settings.ownModels(id);
    const names = [...new Set([...chosen, ...suggestions.names(id, false)])];
    const gone = names.filter((name) => suggestions.isGone(id, false, name));
    const guesses = suggestions.guesses(id).filter((name) => !gone.includes(name));
    return { names, gone, chosen, guesses };
  }

  /** The preset of further fields; `none` if none is chosen, or if it is unknown. */
  get preset(): PresetId | 'none' {
    return presetIn(this.#options.settings.declaredFields) ?? 'none';
  }

  /** Throws like {@link saveConnection}. */
  savePreset(preset: PresetId | 'none'): Promise<void> {
    return writeSettings(() => this.#options.settings.savePreset(preset));
  }

  /** Saves the models that an operation offers, the default first. Throws like {@link saveConnection}. */
  saveModels(id: OperationId, names: readonly string[]): Promise<void> {
    return writeSettings(() => this.#options.settings.saveModels(id, names));
  }

  /**
   * Reads a host's list; `models` is undefined when the host has none. If the host refuses the key, tries it with or
   * without the usual word, which is then the `scheme`.
   *
   * @param mayChoose whether another word can be used, since no other host was asked with this one
   */
  async #tryHost(
    draft: ServiceDraft,
    area: Area,
    path: string,
    mayChoose: boolean,
    signal: AbortSignal | undefined,
  ): Promise<TriedHost> {
    const { host } = new URL(hostOf(draft.hosts[area]));
    try {
      return { models: await this.#list(draft, area, path, signal) };
    } catch (error) {
      const found = problemOf(error, host);
      const problem = found && { ...found, area };
      if (!problem) return { models: undefined };
      const isRefused = error instanceof MediaError && error.kind !== 'noKey' && problem.reason === 'key';
      if (!isRefused) return { problem };
      const other = draft.scheme.trim() === '' ? 'Bearer' : '';
      const second = await this.#list({ ...draft, scheme: other }, area, path, signal)
        .then((models) => ({ models }))
        .catch((failure: unknown) => (hasNoList(failure) ? { models: undefined } : undefined));
      if (!second) return { problem };
      if (mayChoose) return { ...second, scheme: other };
      const sentence =
        other === ''
          ? l10n.t('{0} accepts this key only without a word before it.', host)
          : l10n.t('{0} accepts this key only with “{1}” before it.', host, other);
      return { problem: { step: 'scheme', reason: 'key', sentence, suggestion: other } as const };
    }
  }

  #list({ hosts, scheme, key }: ServiceDraft, area: Area, modelListPath: string, signal: AbortSignal | undefined) {
    const { service, settings } = this.#options;
    const configuration: ServiceConfiguration = {
      ...settings.service,
      hosts: { ...settings.service.hosts, [area]: hostOf(hosts[area]) },
      authorizationScheme: scheme.trim(),
      modelListPath,
    };
    const pasted = normalizeKey(key);
    return service.listModels(area, signal, {
      configuration,
      key: (origin) => (pasted === '' ? this.#knownKey(origin) : pasted),
    });
  }

  /** A key that cannot be read counts as missing, so it has to be pasted again. */
  #knownKey(origin: string): Promise<string | undefined> {
    return this.#options.keys.keyFor(origin).catch(() => undefined);
  }
}

/** Paths that people copy along with an address. */
const pastedPaths = [...Object.values(operations).map(({ path }) => path), usualListPath];

/** Returns an address as it is saved: trimmed, without trailing slashes and without the path of an operation. */
export function hostOf(address: string): string {
  const host = address.trim().replace(/\/+$/, '');
  const pasted = pastedPaths.find((path) => host.endsWith(path));
  return pasted === undefined ? host : host.slice(0, -pasted.length);
}

function originsOf(hosts: ServiceDraft['hosts']): readonly string[] {
  const set = areas.map((area) => URL.parse(hostOf(hosts[area]))).filter((url) => url !== null);
  return [...new Set(set.map(({ origin }) => origin))];
}

async function writeSettings(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw new MediaError('noService', l10n.t('The settings could not be written: {0}', reasonOf(error)), {
      cause: error,
    });
  }
}

/** A reason why a service cannot be connected, and the step that fixes it. */
export interface SetupProblem {
  readonly step: 'address' | 'scheme' | 'key';
  /** The area of the host, where there are several hosts. */
  readonly area?: Area;
  readonly reason: 'address' | 'key' | 'proxy' | 'certificate';
  /** What happened and what to do. */
  readonly sentence: string;
  /** The word before the key that the service accepts. */
  readonly suggestion?: string;
  /** The host in the person's own network that plain http would have to be allowed to. */
  readonly insecureHost?: string;
}

/** Whether a host is in a network of the person's own, as far as its name or address tells. */
function isInOwnNetwork(hostname: string): boolean {
  return (
    isPrivateAddress(hostname) || !/[.:]/.test(hostname) || /\.(local|lan|home|internal|home\.arpa)$/.test(hostname)
  );
}

/** What a test of a host shows; `models` is undefined when the host has no list. */
type TriedHost =
  | { readonly problem: SetupProblem }
  | { readonly models: readonly ListedModel[] | undefined; readonly scheme?: string };

/** Whether a host that refused the key before now says only that it has no list there, so it accepts the key. */
function hasNoList(failure: unknown): boolean {
  if (!(failure instanceof MediaError) || failure.kind === 'cancelled') throw failure;
  return failure.kind === 'unreadableAnswer' || [404, 405, 410].includes(failure.status ?? 0);
}

/** @param host of the address, with its port */
function describeFault(fault: HostFault, typed: string, host: string): string {
  switch (fault) {
    case 'notUrl':
      return l10n.t('“{0}” is not a web address. It must look like https://api.example.com.', typed);
    case 'credentials':
      return l10n.t('Remove the user name and password from the address. You enter the key later.');
    case 'query':
      return l10n.t(
        'Remove the “?” or “#” and everything after it. Only the host, and its path if it has one, is needed.',
      );
    case 'notEncrypted':
      return l10n.t(
        'The address must begin with https://, so that what is sent is encrypted. http:// is allowed only for a service on this computer, or in your own network if the setting “unifiedMedia.insecureHosts” lists {0}.',
        host,
      );
  }
}

/** Returns what is wrong with a word before the key, as a sentence. */
function schemeProblem(scheme: string): string | undefined {
  if (/^[\x21-\x7e]*$/.test(scheme.trim())) return undefined;
  return l10n.t('Enter one word of ASCII characters, such as Bearer.');
}

/**
 * Explains a failed test to a person; undefined when the host responded and merely has no list of models.
 *
 * @param host the host that was asked
 * @throws errors other than MediaError, and MediaError `cancelled`
 */
function problemOf(error: unknown, host: string): SetupProblem | undefined {
  if (!(error instanceof MediaError) || error.kind === 'cancelled') throw error;
  const { kind, message } = error;
  switch (kind) {
    case 'unauthorized':
      return {
        step: 'key',
        reason: 'key',
        sentence: withAdvice(host, message, l10n.t('Paste the key again, without anything before or after it.')),
      };
    case 'forbidden':
      return {
        step: 'key',
        reason: 'key',
        sentence: withAdvice(
          host,
          message,
          l10n.t('Use another key, or continue if this one is allowed to generate media but not to list models.'),
        ),
      };
    case 'noKey':
      return { step: 'key', reason: 'key', sentence: message };
    case 'proxy':
      return { step: 'address', reason: 'proxy', sentence: message };
    case 'tls': {
      const isProtocol = /^(EPROTO|ERR_SSL_)/.test(failureCode(error.cause));
      if (!isProtocol) return { step: 'address', reason: 'certificate', sentence: message };
      return { step: 'address', reason: 'address', sentence: `${message} ${adviceOn(error)}` };
    }
    case 'network':
    case 'timeout':
      return { step: 'address', reason: 'address', sentence: `${message} ${adviceOn(error)}` };
    case 'noService':
      return { step: 'address', reason: 'address', sentence: message };
    default:
      return undefined;
  }
}

function withAdvice(host: string, message: string, advice: string): string {
  return `${host}: ${message} ${advice}`;
}

/** Suggests what to do about a host that cannot be reached. */
function adviceOn({ kind, cause }: MediaError): string {
  const code = failureCode(cause);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return l10n.t('Check the address for typos, and check that this computer is online.');
  }
  if (code === 'ECONNREFUSED') return l10n.t('Check the address and its port, and check that the service is running.');
  if (kind === 'timeout' || code === 'UND_ERR_CONNECT_TIMEOUT') {
    return l10n.t('Check the address, and check whether a VPN or a proxy is needed to reach it.');
  }
  return l10n.t('Check the address and its port.');
}

export interface ServiceOrigins {
  /** The origins of the configured hosts, each once. */
  readonly origins: readonly string[];
  /** What is wrong with one of the hosts, as a sentence. */
  readonly problem?: string;
}

export function serviceOrigins({
  hosts,
  insecureHosts,
}: Pick<ServiceConfiguration, 'hosts' | 'insecureHosts'>): ServiceOrigins {
  const set = (['image', 'audio', 'video'] as const).filter((area) => hosts[area] !== '');
  try {
    return { origins: [...new Set(set.map((area) => checkHost(hosts[area], area, insecureHosts).origin))] };
  } catch (error) {
    return { origins: [], problem: reasonOf(error) };
  }
}

/** A service that was connected. */
export interface Connected {
  readonly saved: Saved;
  /** False when the person continued although the test failed or was skipped. */
  readonly isTried: boolean;
}

/** Describes the connected service and what is known about it. */
export function describeConnection(setup: ServiceSetup, { saved, isTried }: Connected): string {
  const chosen = setup.operations.filter((id) => setup.models(id).chosen.length > 0).length;
  return [
    l10n.t('Media are now generated by {0}.', saved.origins.join(', ')),
    describeKey(saved),
    describeTrial(isTried, setup.listedModels),
    chosen > 0 ? l10n.t('Models are chosen for {0} of {1} operations.', chosen, setup.operations.length) : '',
  ]
    .filter(Boolean)
    .join(' ');
}

function describeKey({ hasKey, keyIsStored, scheme }: Saved): string {
  if (!hasKey) return l10n.t('It is used without a key.');
  if (!keyIsStored) {
    return l10n.t('The editor cannot store secrets here, so the key lasts until this window is closed.');
  }
  if (scheme === undefined) return l10n.t('Its key is set.');
  return scheme === ''
    ? l10n.t('Its key is set; the service accepts it only without a word before it.')
    : l10n.t('Its key is set; the service accepts it only with “{0}” before it.', scheme);
}

function describeTrial(isTried: boolean, found: number): string {
  if (!isTried) return l10n.t('The connection was not tested; the first result will show whether it works.');
  return found > 0
    ? l10n.t('Models listed: {0}.', found)
    : l10n.t('The service responds but lists no models; the first result will show whether it accepts the key.');
}
