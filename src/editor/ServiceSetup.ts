import * as l10n from '@vscode/l10n';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import type { Area, OperationId } from '../operations/operations.ts';
import { areas, operationIds, operations } from '../operations/operations.ts';
import type { ListedModel } from '../service/readModelList.ts';
import type { ServiceConfiguration } from '../service/ServiceConfiguration.ts';
import type { ApiKeys } from './ApiKeys.ts';
import { keyProblem, normalizeKey } from './ApiKeys.ts';
import type { ModelSuggestions } from './ModelSuggestions.ts';
import type { ServiceConnection } from './ServiceConnection.ts';
import type { Settings } from './Settings.ts';
import type { SetupProblem } from './setupProblems.ts';
import { addressProblem, problemOf, schemeProblem } from './setupProblems.ts';

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
}

export interface Saved {
  /** The origins that the key was bound to, each once. */
  readonly origins: readonly string[];
  /** False when the secret storage failed, so that the key lasts only until the window is closed. */
  readonly keyIsStored: boolean;
}

export interface ServiceSetupOptions {
  readonly settings: Pick<Settings, 'service' | 'saveService' | 'ownModels' | 'saveModels'>;
  readonly keys: Pick<ApiKeys, 'keyFor' | 'set'>;
  readonly service: Pick<ServiceConnection, 'listModels' | 'probe'>;
  readonly suggestions: Pick<ModelSuggestions, 'keep' | 'names' | 'list'>;
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
      const sentence = hosts[area].trim() === '' ? undefined : addressProblem(hosts[area]);
      if (sentence !== undefined) return { step: 'address', area, reason: 'address', sentence };
    }
    if (originsOf(hosts).length === 0) {
      return { step: 'address', reason: 'address', sentence: l10n.t('Enter the address of at least one host.') };
    }
    const wrongScheme = schemeProblem(scheme);
    if (wrongScheme !== undefined) return { step: 'scheme', reason: 'key', sentence: wrongScheme };
    const canKeep = key.trim() === '' && (await this.hasKey(hosts));
    const wrongKey = canKeep ? undefined : keyProblem(key);
    return wrongKey === undefined ? undefined : { step: 'key', reason: 'key', sentence: wrongKey };
  }

  /**
   * Checks an address, and whether its host responds. The key is not sent.
   *
   * @throws MediaError `cancelled`
   */
  async checkAddress(address: string, signal?: AbortSignal): Promise<SetupProblem | undefined> {
    const sentence = addressProblem(address);
    if (sentence !== undefined) return { step: 'address', reason: 'address', sentence };
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
    for (const area of areas) {
      const host = hostOf(draft.hosts[area]);
      if (host === '') continue;
      if (!known.has(host)) {
        const answer = await this.#tryHost(draft, area, path, signal);
        if ('problem' in answer) return { problem: answer.problem, lists, modelListPath: configured };
        known.set(host, answer.models);
      }
      const models = known.get(host);
      if (models) lists[area] = models;
    }
    return { lists, modelListPath: Object.keys(lists).length > 0 ? path : configured };
  }

  /**
   * Saves the addresses, the word before the key and the path of the model list in the user settings, and the key,
   * bound to the addresses, in the secret storage.
   *
   * @throws MediaError `noService` or `noKey` when a value cannot be used or the settings cannot be written
   */
  async saveConnection(draft: ServiceDraft, { lists, modelListPath }: Trial): Promise<Saved> {
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
    await writeSettings(() => settings.saveService({ hosts, authorizationScheme: draft.scheme.trim(), modelListPath }));
    for (const area of areas) {
      const models = lists[area];
      if (models) suggestions.keep(hosts[area], modelListPath, models);
    }
    return { origins, keyIsStored };
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

  /** Returns the models to choose from for an operation of the saved service, and those chosen in the user settings. */
  models(id: OperationId): { readonly names: readonly string[]; readonly chosen: readonly string[] } {
    const chosen = this.#options.settings.ownModels(id);
    return { names: [...new Set([...chosen, ...this.#options.suggestions.names(id, false)])], chosen };
  }

  /** Saves the models that an operation offers, the default first. Throws like {@link saveConnection}. */
  saveModels(id: OperationId, names: readonly string[]): Promise<void> {
    return writeSettings(() => this.#options.settings.saveModels(id, names));
  }

  /** Reads a host's list; `models` is undefined when the host has none. */
  async #tryHost(draft: ServiceDraft, area: Area, path: string, signal: AbortSignal | undefined) {
    const { host } = new URL(hostOf(draft.hosts[area]));
    try {
      return { models: await this.#list(draft, area, path, signal) };
    } catch (error) {
      const found = problemOf(error, host);
      const problem = found && { ...found, area };
      if (problem?.reason !== 'key') return problem ? { problem } : { models: undefined };
      const other = draft.scheme.trim() === '' ? 'Bearer' : '';
      const models = await this.#list({ ...draft, scheme: other }, area, path, signal).catch(() => undefined);
      if (!models) return { problem };
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
