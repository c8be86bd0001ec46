import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as l10n from '@vscode/l10n';
import { contributedSettings, section } from '../contributions.ts';
import { LocalFolder } from '../files/LocalFolder.ts';
import { Library } from '../library/Library.ts';
import { MediaError } from '../operations/MediaError.ts';
import { areas, type OperationId, operations } from '../operations/operations.ts';
import { parseJson } from '../operations/parseJson.ts';
import { type Prices, priceProblem, readPrices } from '../operations/prices.ts';
import type { Sandbox } from '../sandbox/startSandbox.ts';
import { RetiredModels } from '../service/RetiredModels.ts';
import { isSendable, keyOriginOf } from '../service/ServiceConfiguration.ts';
import { type Connection, networkSettings, normalizeKey, ServiceConnection } from '../service/ServiceConnection.ts';
import type { Limits } from '../wholes/makeAssets.ts';
import { JobList, type PlaceReference } from '../work/Job.ts';
import { JobRunner } from '../work/JobRunner.ts';
import type { Place } from '../work/Place.ts';
import type { KeyOrigin } from '../work/repeatable.ts';
import type { Store } from '../work/Store.ts';
import { retiredModelsFile } from '../work/stateFolder.ts';

const prefix = 'UNIFIED_MEDIA_';

// The command line has no settings: it takes the editor's defaults.
const { default: timeoutSeconds } = contributedSettings.timeoutSeconds;
const { default: speechMaxCharacters } = contributedSettings['speech.maxCharacters'];

/** Returns the service that the environment variables name. The key is sent only to its hosts. */
export function serviceIn(environment: NodeJS.ProcessEnv): Connection {
  const value = (name: string) => environment[prefix + name]?.trim() ?? '';
  const hosts = { image: value('IMAGE_BASE_URL'), audio: value('AUDIO_BASE_URL'), video: value('VIDEO_BASE_URL') };
  const origins = areas.map((area) => (URL.canParse(hosts[area]) ? new URL(hosts[area]).origin : undefined));
  const key = normalizeKey(value('API_KEY'));
  return {
    configuration: {
      hosts,
      insecureHosts: value('INSECURE_HOSTS')
        .split(/[\s,]+/)
        .filter(Boolean),
      paths: { transcribe: value('TRANSCRIPTION_PATH'), translate: value('TRANSLATION_PATH') },
      imageStatusPath: value('IMAGE_STATUS_PATH'),
      videoStatusPath: value('VIDEO_STATUS_PATH'),
      authorizationScheme: value('AUTHORIZATION_SCHEME'),
      headers: headersIn(value('HEADERS')),
      idempotencyHeader: value('IDEMPOTENCY_HEADER'),
      timeoutSeconds,
    },
    key: (origin) => (origins.includes(origin) && key !== '' ? key : undefined),
  };
}

/** Returns which of the services that the environment variables name honour idempotency keys. */
export function keyOriginIn(environment: NodeJS.ProcessEnv): KeyOrigin {
  const { configuration } = serviceIn(environment);
  return (operation) => keyOriginOf(configuration, operations[operation].area);
}

/** Parses further headers. A text that is not JSON is returned, and refused when the headers are checked. */
function headersIn(text: string): unknown {
  return text === '' ? undefined : (parseJson(text) ?? text);
}

/**
 * Returns the person's own prices, in the shape of the setting `prices`.
 *
 * @throws MediaError `invalidInput` when they cannot be read, rather than a plan without them
 */
export function pricesIn(environment: NodeJS.ProcessEnv): Prices | undefined {
  const value = (name: string) => environment[prefix + name]?.trim() ?? '';
  const text = value('PRICES');
  if (text === '') return undefined;
  const given = parseJson(text);
  const problem = priceProblem(given);
  const prices = readPrices(given);
  if (prices && problem === undefined) return prices;
  const shape = l10n.t('{0} must be a JSON object as in the setting “unifiedMedia.prices”.', `${prefix}PRICES`);
  const sentence = problem === undefined ? shape : `${shape} ${problem}`;
  throw new MediaError('invalidInput', sentence, { field: `${prefix}PRICES` });
}

/** Returns an error about the service or its key with the name of the variable to set or correct. */
function withVariable(error: unknown, environment: NodeJS.ProcessEnv): unknown {
  if (!(error instanceof MediaError)) return error;
  const { kind, field, message, hasAnswer } = error;
  const setting = kind === 'noKey' ? 'apiKey' : kind === 'noService' || kind === 'noMedia' ? field : undefined;
  if (setting === undefined) return error;
  const name = variableOf(setting);
  const id = `${section}.${setting}`;
  const key = normalizeKey(environment[name] ?? '');
  if (kind === 'noKey' && hasAnswer && isSendable(key)) {
    const sentence = l10n.t(
      '{0} Your key is sent only to the base URLs that are set now. To fetch the result, set the earlier one again.',
      message,
    );
    return new MediaError(kind, sentence, { ...error, cause: error });
  }
  const told = message.replaceAll(/\bunifiedMedia\.(\w+)/g, (_, one: string) => variableOf(one));
  const sentence = message.includes(id)
    ? told
    : environment[name]?.trim()
      ? l10n.t('{0} Correct {1}.', told, name)
      : l10n.t('{0} Set {1}, or use --sandbox.', told, name);
  return new MediaError(kind, sentence, { ...error, cause: error });
}

/** Returns the variable that stands for a setting here. */
function variableOf(setting: string): string {
  return prefix + setting.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

/** Runs jobs without an editor, with the same store of paid work. */
export class JobsInShell implements AsyncDisposable {
  readonly runner: JobRunner;
  readonly limits: Limits = { speechMaxCharacters, soundOnly: true, maxBytes: 0 };
  readonly #environment: NodeJS.ProcessEnv;
  readonly #service: ServiceConnection;
  #sandbox: Promise<Sandbox> | undefined;

  constructor(options: {
    readonly environment: NodeJS.ProcessEnv;
    /** Absolute path of the person's state folder. */
    readonly state: string;
    readonly store: Store;
    readonly sandbox: boolean;
    /** How many requests are out at a time; one if absent. */
    readonly jobs?: number;
  }) {
    const { environment, store } = options;
    this.#environment = environment;
    const retired = new RetiredModels(retiredModelsFile(options.state));
    this.#service = new ServiceConnection({
      usesSandbox: () => options.sandbox,
      remote: () => serviceIn(environment),
      sandbox: async () => {
        this.#sandbox ??= startSandbox(join(options.state, 'sandbox'));
        const { imageBaseUrl: image, audioBaseUrl: audio, videoBaseUrl: video, key } = await this.#sandbox;
        const origins = [image, audio, video].map((host) => new URL(host).origin);
        return {
          configuration: { hosts: { image, audio, video }, timeoutSeconds },
          key: (origin) => (origins.includes(origin) ? key : undefined),
        };
      },
      network: () => networkSettings(() => undefined, environment),
      log: () => undefined,
    });
    this.runner = new JobRunner({
      store,
      jobs: new JobList(),
      openClient: (sandbox) => this.#service.open(sandbox),
      placeAt: placeInShell,
      noteModel: async (operation, model, isGone) => {
        const host = serviceIn(environment).configuration.hosts[operations[operation].area];
        await (isGone ? retired.refused(host, operation, model) : retired.worked(host, operation, model));
      },
      keyOrigin: options.sandbox ? undefined : keyOriginIn(environment),
      maxConcurrentJobs: () => options.jobs ?? 1,
      timeoutSeconds: (area) => timeoutSeconds[area],
      spareFolder: tmpdir(),
    });
  }

  /** @throws MediaError that names the variable to set or correct */
  async checkReady(id: OperationId): Promise<void> {
    await this.#service.checkReady(id).catch((error: unknown) => {
      throw this.explain(error);
    });
  }

  /** Returns an error as it is told in a shell. */
  explain(error: unknown): unknown {
    return withVariable(error, this.#environment);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#sandbox?.catch(() => undefined))?.stop();
  }
}

async function startSandbox(storage: string): Promise<Sandbox> {
  return (await import('../sandbox/startSandbox.ts')).startSandbox({ storage });
}

/** Returns the library of a project. */
export function libraryIn(root: string): Library {
  return new Library(new LocalFolder(join(root, '.unified-media'), root));
}

function placeInShell({ root: uri, path }: PlaceReference): Place {
  const root = fileURLToPath(uri);
  return {
    folder: new LocalFolder(join(root, path), root),
    library: libraryIn(root),
    recordedName: (name) => posix.join(path, name),
  };
}
