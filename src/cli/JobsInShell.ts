import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contributedSettings } from '../contributions.ts';
import { LocalFolder } from '../files/LocalFolder.ts';
import { type OperationId, operations } from '../operations/operations.ts';
import type { Sandbox } from '../sandbox/startSandbox.ts';
import { RetiredModels } from '../service/RetiredModels.ts';
import { networkSettings, ServiceConnection } from '../service/ServiceConnection.ts';
import type { Limits } from '../wholes/makeAssets.ts';
import { JobList, type PlaceReference } from '../work/Job.ts';
import { JobRunner } from '../work/JobRunner.ts';
import type { Place } from '../work/Place.ts';
import type { Store } from '../work/Store.ts';
import { retiredModelsFile } from '../work/stateFolder.ts';
import { keyOriginIn, serviceIn, timeoutSeconds, withVariable } from './environment.ts';
import { libraryIn } from './libraryIn.ts';

const { default: speechMaxCharacters } = contributedSettings['speech.maxCharacters'];

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

function placeInShell({ root: uri, path }: PlaceReference): Place {
  const root = fileURLToPath(uri);
  return {
    folder: new LocalFolder(join(root, path), root),
    library: libraryIn(root),
    recordedName: (name) => posix.join(path, name),
  };
}
