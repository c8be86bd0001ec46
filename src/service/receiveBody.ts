import * as l10n from '@vscode/l10n';
import { MediaError } from '../operations/MediaError.ts';
import type { AnswerBody, AnswerSink } from './AnswerBody.ts';
import { maxBytesInMemory } from './AnswerBody.ts';

/** Larger than any JSON text that JavaScript could hold. */
const maximumBytes = 512 * 1024 * 1024;

export interface ReceivedBody {
  /** All that arrived. */
  readonly body: AnswerBody;
  /** What ended the body before its end; undefined when it is whole. */
  readonly failure: unknown;
}

/**
 * Takes an answer in. A large one goes to a file, so that it is never in memory as a whole; what cannot be written stays
 * in memory, since it may be paid for. What arrived is kept when the rest does not come.
 *
 * @param openFile undefined to keep all of it in memory
 * @returns `failure` is a MediaError `unreadableAnswer` for more than 512 MiB, else an error of `data`
 */
export async function receiveBody(
  data: AsyncIterable<Uint8Array>,
  openFile: (() => Promise<AnswerSink>) | undefined,
): Promise<ReceivedBody> {
  await using body = new GrowingBody(openFile);
  let failure: unknown;
  try {
    for await (const chunk of data) {
      if (body.length + chunk.length > maximumBytes) throw tooLarge();
      await body.add(chunk);
    }
  } catch (error) {
    failure = error;
  }
  return { body: await body.finish(), failure };
}

function tooLarge(): MediaError {
  const sentence = l10n.t("The service's answer is larger than 512 MiB.");
  return new MediaError('unreadableAnswer', sentence, { mayBeBilled: true });
}

class GrowingBody {
  #openFile: (() => Promise<AnswerSink>) | undefined;
  #file: AnswerSink | undefined;
  /** What no file has taken yet. */
  #held: Uint8Array[] = [];
  #length = 0;

  constructor(openFile: (() => Promise<AnswerSink>) | undefined) {
    this.#openFile = openFile;
  }

  get length(): number {
    return this.#length;
  }

  async add(chunk: Uint8Array): Promise<void> {
    this.#held.push(chunk);
    this.#length += chunk.length;
    if (this.#length > maxBytesInMemory) await this.#toFile((file) => this.#writeHeld(file));
  }

  async finish(): Promise<AnswerBody> {
    if (this.#file) await this.#toFile((file) => file.finish());
    return this.#file ? { path: this.#file.path, length: this.#length } : Buffer.concat(this.#held);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.[Symbol.asyncDispose]();
  }

  async #writeHeld(file: AnswerSink): Promise<void> {
    for (let chunk = this.#held.shift(); chunk; chunk = this.#held.shift()) await file.write(chunk);
  }

  /** Goes on in memory from the first failure on, with all that is there. */
  async #toFile(work: (file: AnswerSink) => Promise<void>): Promise<void> {
    if (!this.#openFile) return;
    try {
      this.#file ??= await this.#openFile();
      await work(this.#file);
    } catch {
      const file = this.#file;
      this.#openFile = undefined;
      this.#file = undefined;
      this.#held.unshift(...((await file?.takeBack()) ?? []));
      await file?.[Symbol.asyncDispose]();
    }
  }
}
