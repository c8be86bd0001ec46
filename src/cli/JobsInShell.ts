import { join, posix } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as l10n from '@vscode/l10n';
import { lazy } from '../editor/lazy.ts';
import { networkSettings } from '../editor/networkSettings.ts';
import { ServiceConnection } from '../editor/ServiceConnection.ts';
import { settingDefaults } from '../editor/settingDefaults.ts';
import { isRunning, JobList } from '../jobs/JobList.ts';
import type { JobRecord, PlaceReference } from '../jobs/JobRecord.ts';
import { JobRunner } from '../jobs/JobRunner.ts';
import { Journal } from '../jobs/Journal.ts';
import type { Place } from '../jobs/Place.ts';
import { runJob } from '../jobs/runJob.ts';
import { speakPart } from '../jobs/speech/speechParts.ts';
import { Library } from '../library/Library.ts';
import { LocalFolder } from '../library/LocalFolder.ts';
import type { ManifestJobs } from '../manifest/MakerOptions.ts';
import { MediaError } from '../operations/MediaError.ts';
import type { OperationId } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';
import type { Environment } from './environment.ts';
import { serviceIn, withVariable } from './environment.ts';

/** The command line has no settings: it takes the editor's defaults. */
const { timeoutSeconds, 'speech.maxCharacters': speechMaxCharacters } = settingDefaults;

export interface ShellOptions {
  readonly environment: Environment;
  /** Absolute path of the folder of the journal. */
  readonly state: string;
  readonly sandbox: boolean;
}

/** Runs jobs without an editor, with the same kind of journal and leases. */
export class JobsInShell implements AsyncDisposable {
  readonly #options: ShellOptions;
  readonly #jobs = new JobList();
  readonly #journal: Journal;
  readonly #service: ServiceConnection;
  readonly #runner: JobRunner;
  readonly #sandbox = lazy(async () => {
    const { startSandbox } = await import('../sandbox/startSandbox.ts');
    return startSandbox({ storage: join(this.#options.state, 'sandbox') });
  });

  constructor(options: ShellOptions) {
    this.#options = options;
    const { environment } = options;
    this.#journal = new Journal(this.journal, undefined, true);
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
    this.#runner = new JobRunner({
      journal: this.#journal,
      jobs: this.#jobs,
      openClient: (sandbox) => this.#service.open(sandbox),
      placeAt: placeInShell,
      maxConcurrentJobs: () => 1,
      timeoutSeconds: (area) => timeoutSeconds[area],
    });
  }

  /** Returns the unfinished jobs of earlier runs in a folder, without resuming them. */
  left(root: string): Promise<readonly JobRecord[]> {
    return this.#journal.abandoned([pathToFileURL(root).href], () => false);
  }

  /**
   * Resumes the unfinished jobs of earlier runs in a folder. Also lists those that another process is resuming.
   *
   * @throws MediaError `invalidInput` while another process saves a paid part of a narration
   */
  async recover(root: string, signal: AbortSignal): Promise<void> {
    const roots = [pathToFileURL(root).href];
    await this.#runner.recover(roots, signal);
    const others = await this.#journal.jobsOf(roots, (id) => this.#jobs.get(id) !== undefined);
    for (const job of others) {
      if (job.whole && job.hasAnswer && isRunning(job)) throw inUse();
      this.#jobs.set(job);
    }
  }

  /** @throws MediaError that names the variable to set */
  async checkReady(id: OperationId): Promise<void> {
    await this.#service.checkReady(id).catch((error: unknown) => {
      throw withVariable(error, operations[id].area);
    });
  }

  get journal(): string {
    return join(this.#options.state, 'jobs');
  }

  get partsFolder(): string {
    return join(this.#options.state, 'speech');
  }

  get jobs(): ManifestJobs {
    const runner = this.#runner;
    const jobs = this.#jobs;
    const { partsFolder } = this;
    const recordings = { folder: join(this.#options.state, 'recordings'), soundOnly: true, maxBytes: 0 };
    return {
      get all() {
        return jobs.all;
      },
      run: (input, options) =>
        runJob(input, { runner, jobs, placeAt: placeInShell, partsFolder, speechMaxCharacters, recordings }, options),
      downloadAgain: (id, options) => runner.downloadAgain(id, options),
      dismiss: (id) => runner.dismiss(id),
      partsFolder,
      journal: this.journal,
      speakBlock: (input, whole, options) => speakPart(input, { ...options, runner, jobs, partsFolder, whole }),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#sandbox.current()?.catch(() => undefined))?.stop();
  }
}

function inUse(): MediaError {
  return new MediaError(
    'invalidInput',
    l10n.t('Another program is working on the assets of this manifest. Try again when it has finished.'),
  );
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
