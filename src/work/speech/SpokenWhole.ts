import { copyFile, link, mkdtemp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { hasCode } from '../../library/FileCalls.ts';
import type { MediaRequest } from '../../operations/operations.ts';
import type { Whole } from '../Job.ts';
import type { RunOptions } from '../JobRun.ts';
import type { JobInput, JobRunner } from '../JobRunner.ts';
import { cannotKeep, inUseElsewhere } from '../jobErrors.ts';
import type { Work } from '../Work.ts';

/** What one request speaks. */
interface Part {
  readonly key: string;
  readonly request: MediaRequest<'speak'>;
}

/**
 * A long text or a document that is spoken in parts, while this process holds it. Each part stays in its own work until
 * the whole is saved; what the whole needs is linked into its own folder, so that another whole that shares a part may
 * remove it in the meantime.
 */
export class SpokenWhole implements AsyncDisposable {
  readonly #held: Work;
  readonly #whole: Whole;
  readonly #runner: JobRunner;
  readonly #input: Omit<JobInput, 'request' | 'key'>;
  readonly #taken = new Map<string, string>();
  #links: string | undefined;

  private constructor(held: Work, whole: Whole, input: Omit<JobInput, 'request' | 'key'>, runner: JobRunner) {
    this.#held = held;
    this.#whole = whole;
    this.#runner = runner;
    this.#input = { ...input, whole };
  }

  /**
   * Holds a whole.
   *
   * @param input facts of the jobs that speak its parts
   * @throws MediaError `invalidInput` while another process speaks the same
   */
  static async open(
    whole: Whole,
    input: Omit<JobInput, 'request' | 'key' | 'whole'>,
    runner: JobRunner,
  ): Promise<SpokenWhole> {
    const held = await runner.store.openWhole(whole.key);
    if (!held) throw inUseElsewhere('speak');
    return new SpokenWhole(held, whole, input, runner);
  }

  /** Absolute path of a folder for temporary files. */
  get folder(): string {
    return this.#held.folder;
  }

  /** Whether there is a part that was paid for. */
  get hasParts(): boolean {
    return this.#taken.size > 0;
  }

  /**
   * Takes the parts that earlier runs have left, before the others are sent.
   *
   * @throws UnknownOutcome when one was sent before and its outcome is unknown, unless the options say to send it again
   */
  async begin(keys: readonly string[], options: RunOptions): Promise<void> {
    const { store } = this.#runner;
    await this.#runner.checkOutcomes(keys, this.#whole.place.root, options);
    for (const key of keys) {
      const file = await store.partOf(key);
      if (file !== undefined) await this.#take(key, file);
    }
  }

  /** Speaks a part, if no earlier run has left it. @returns the path of its file */
  async speak({ key, request }: Part, options: RunOptions): Promise<string> {
    for (let attempt = 0; ; attempt++) {
      const known = this.#taken.get(key);
      if (known !== undefined) return known;
      if (!(await this.#held.isHeld())) throw inUseElsewhere('speak');
      await this.#take(key, await this.#runner.runPart({ ...this.#input, key, request }, options));
      if (attempt > 2) throw new Error(`the part ${key} was removed again and again`);
    }
  }

  /** Removes a part that cannot be used, so that the next attempt sends it again. */
  async drop(key: string): Promise<void> {
    this.#taken.delete(key);
    await this.#runner.store.removePart(key, this.#whole.place);
  }

  /** Removes the parts, once the whole is saved. */
  async saved(): Promise<void> {
    await this.#runner.store.wholeSaved(this.#held, this.#whole);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#links !== undefined) await rm(this.#links, { recursive: true, force: true }).catch(() => undefined);
    await this.#held.release();
  }

  /** Takes nothing if another whole has just removed the part. */
  async #take(key: string, file: string): Promise<void> {
    this.#links ??= await mkdtemp(join(this.folder, 'parts-')).catch(cannotKeep);
    const own = join(this.#links, `${key}-${basename(file)}`);
    try {
      await link(file, own).catch(() => copyFile(file, own));
      this.#taken.set(key, own);
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
    }
  }
}
