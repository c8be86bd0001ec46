import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lazy } from '../editor/lazy.ts';
import { networkSettings } from '../editor/networkSettings.ts';
import { ServiceConnection } from '../editor/ServiceConnection.ts';
import { settingDefaults } from '../editor/settingDefaults.ts';
import { Library } from '../library/Library.ts';
import { LocalFolder } from '../library/LocalFolder.ts';
import type { OperationId } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';
import type { Place } from '../work/deliver.ts';
import type { PlaceReference } from '../work/Job.ts';
import { JobList } from '../work/Job.ts';
import { JobRunner } from '../work/JobRunner.ts';
import type { Limits } from '../work/runJob.ts';
import type { Store } from '../work/Store.ts';
import type { Environment } from './environment.ts';
import { serviceIn, withVariable } from './environment.ts';

/** The command line has no settings: it takes the editor's defaults. */
const { timeoutSeconds, 'speech.maxCharacters': speechMaxCharacters } = settingDefaults;

export interface ShellOptions {
  readonly environment: Environment;
  /** Absolute path of the person's state folder. */
  readonly state: string;
  readonly store: Store;
  readonly sandbox: boolean;
}

/** Runs jobs without an editor, with the same store of paid work. */
export class JobsInShell implements AsyncDisposable {
  readonly runner: JobRunner;
  readonly limits: Limits = { speechMaxCharacters, soundOnly: true, maxBytes: 0 };
  readonly #options: ShellOptions;
  readonly #service: ServiceConnection;
  readonly #sandbox = lazy(async () => {
    const { startSandbox } = await import('../sandbox/startSandbox.ts');
    return startSandbox({ storage: join(this.#options.state, 'sandbox') });
  });

  constructor(options: ShellOptions) {
    this.#options = options;
    const { environment, store } = options;
    this.#service = new ServiceConnection({
      usesSandbox: () => options.sandbox,
      remote: () => serviceIn(environment),
      sandbox: async () => {
        const { imageBaseUrl: image, audioBaseUrl: audio, videoBaseUrl: video, key } = await this.#sandbox();
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
      maxConcurrentJobs: () => 1,
      timeoutSeconds: (area) => timeoutSeconds[area],
      spareFolder: tmpdir(),
    });
  }

  /** @throws MediaError that names the variable to set */
  async checkReady(id: OperationId): Promise<void> {
    await this.#service.checkReady(id).catch((error: unknown) => {
      throw withVariable(error, operations[id].area);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#sandbox.current()?.catch(() => undefined))?.stop();
  }
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
