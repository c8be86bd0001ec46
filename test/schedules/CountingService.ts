import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyOf, startHttpServer } from '../support/httpServer.ts';
import { mp4Bytes, pngBytes } from '../support/mediaBytes.ts';
import { mp3Frame } from '../support/mp3Bytes.ts';
import { isOther, isTalk, otherMark, ownerOf } from './works.ts';

/** Where a request is when something happens to its program. */
export const stages = ['arrived', 'half', 'answered', 'polling', 'downloading', 'halfDownloaded'] as const;
export type Stage = (typeof stages)[number];

/** What the service does to a request. It has accepted and counted all but those that it refuses with 429 or 400. */
export const requestFaults = ['429', '500', '502', '503', 'drop', 'half'] as const;
export type RequestFault = (typeof requestFaults)[number] | '400';
/** How the key of a program begins that the service does not know. */
export const wrongKey = 'wrong-';
/** The header by which a repeated request is known, where a service honours it. */
export const keyHeader = 'Idempotency-Key';
export const downloadFaults = ['404', '410', '500', 'cut'] as const;
export type DownloadFault = (typeof downloadFaults)[number];

/** A request that the service has accepted, and so billed. */
export interface Accepted {
  /** Operation and content: two requests with the same are paid twice. */
  readonly content: string;
  readonly owner: string;
  /** The key of the program that sent it. */
  readonly program: string;
  /** The key of the program that was answered last; another one if the request was repeated with its key. */
  answered: string;
  /** Bytes of each of its results, by which they are found in files. */
  readonly marks: readonly string[];
  /** What the service answered. */
  answer: 'none' | 'whole' | RequestFault;
  /** Whether the program showed that it has the answer: it then also has to have it on disk. */
  isKept: boolean;
}

/** A request that the service knows by its key. */
interface Keyed {
  readonly body: string;
  /** Undefined while it is out. */
  number: number | undefined;
}

interface Trigger {
  readonly stage: Stage;
  readonly program: string;
  left: number;
  /** Resolves when the request may go on. */
  happen(): Promise<unknown>;
}

/** A service that counts what it accepted, and in which programs can be stopped at any stage of their requests. */
export class CountingService implements AsyncDisposable {
  readonly accepted: Accepted[] = [];
  /** What happens to the n-th request from the start, counted from 1. */
  faults: ReadonlyMap<number, RequestFault> = new Map();
  downloads: DownloadFault | undefined;
  /** Whether a request that is repeated with its key is answered as before, and billed once. */
  honoursKeys = false;
  /** How many requests a program has out at most, while the others are sent only when these are answered and kept. */
  readonly atOnce = new Map<string, number>();
  /** Whether programs cannot keep what they get, because the disk is full. */
  isDiskFull = false;
  readonly #triggers = new Set<Trigger>();
  readonly #byUrl: boolean;
  /** Polls so far, by job. */
  readonly #polls = new Map<number, number>();
  readonly #keyed = new Map<string, Keyed>();
  /** What happens to the n-th request of a program. */
  readonly #faultsOf = new Map<string, { readonly fault: RequestFault; left: number }>();
  #server: Awaited<ReturnType<typeof startHttpServer>> | undefined;
  #requests = 0;

  private constructor(byUrl: boolean) {
    this.#byUrl = byUrl;
  }

  /** @param byUrl whether pictures are downloaded; otherwise they are in the answer */
  static async start(byUrl: boolean): Promise<CountingService> {
    const service = new CountingService(byUrl);
    service.#server = await startHttpServer((request, response) => {
      // Programs are killed at any time.
      response.on('error', () => undefined);
      service.#serve(request, response).catch(() => response.destroy());
    });
    return service;
  }

  get origin(): string {
    return this.#server?.origin ?? '';
  }

  /** Lets something happen when a program is at a stage for the n-th time. @returns a function that takes it back */
  at(stage: Stage, program: string, nth: number, happen: () => Promise<unknown>): () => void {
    const trigger: Trigger = { stage, program, left: nth, happen };
    this.#triggers.add(trigger);
    return () => this.#triggers.delete(trigger);
  }

  /** Lets something happen to the n-th request of a program, counted from 1. */
  disturb(program: string, nth: number, fault: RequestFault): void {
    this.#faultsOf.set(program, { fault, left: nth });
  }

  /** Notes that a program has the whole answers that it got: the next one must find them on disk. */
  keepWhole(program: string): void {
    for (const accepted of this.accepted) {
      if (accepted.answered === program && accepted.answer === 'whole') this.#keep(accepted);
    }
  }

  #keep(accepted: Accepted): void {
    if (!this.isDiskFull) accepted.isKept = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const program = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
    if (request.method === 'POST') return this.#post(request, response, program);
    const [, kind = '', number = '', result = '0'] =
      /^\/(?:v1\/)?(videos|results)\/(\d+)(?:-(\d+))?/.exec(request.url ?? '') ?? [];
    const accepted = this.accepted[Number(number)];
    if (!accepted) return void response.writeHead(404).end();
    this.#keep(accepted);
    if (kind === 'videos') return this.#report(Number(number), response, program);
    await this.#reach('downloading', program);
    const fault = this.downloads;
    if (fault !== undefined && fault !== 'cut') return void response.writeHead(Number(fault)).end();
    const bytes = resultOf(accepted, Number(result));
    response.writeHead(200, { 'content-length': bytes.length });
    await written(response, bytes.subarray(0, 20));
    if (fault === 'cut') return void response.destroy();
    await this.#reach('halfDownloaded', program);
    response.end(bytes.subarray(20));
  }

  async #report(job: number, response: ServerResponse, program: string): Promise<void> {
    await this.#reach('polling', program);
    const polls = (this.#polls.get(job) ?? 0) + 1;
    this.#polls.set(job, polls);
    const isDone = polls > 1;
    json(
      response,
      isDone
        ? { id: `${job}`, status: 'completed', video: { url: this.#urlOf(job, 0) } }
        : { id: `${job}`, status: 'queued' },
    );
  }

  async #post(request: IncomingMessage, response: ServerResponse, program: string): Promise<void> {
    const body = await bodyOf(request);
    if (program.startsWith(wrongKey)) return refuse(response, 401, 'no such key');
    const content = contentOf(request.url ?? '', body);
    const key = this.honoursKeys ? request.headers[keyHeader.toLowerCase()] : undefined;
    const known = this.#keyed.get(String(key));
    if (known) return this.#repeat(known, content.body, response, program);
    const fault = this.#faultOf(program);
    if (fault === '429') return refuse(response, 429, 'slow', { 'retry-after': '1' });
    if (fault === '400') return refuse(response, 400, 'not allowed');
    // With this one, as many requests are out as may be: it has the answers to all others.
    const out = this.accepted.filter((one) => one.answered === program && one.answer === 'none').length;
    if (out + 1 >= (this.atOnce.get(program) ?? Number.POSITIVE_INFINITY)) this.keepWhole(program);
    const number = this.accepted.length;
    const count = content.results;
    const marks = Array.from({ length: count }, (_, index) => hash(`${content.text} ${number} ${index}`));
    const accepted: Accepted = {
      content: content.text,
      owner: ownerOf(content.text),
      program,
      answered: program,
      marks,
      answer: 'none',
      isKept: false,
    };
    this.accepted.push(accepted);
    const keyed = { body: content.body, number: undefined };
    if (key !== undefined) this.#keyed.set(String(key), keyed);
    await this.#reach('arrived', program);
    Object.assign(keyed, { number });
    if (fault !== undefined && fault !== 'drop' && fault !== 'half') {
      accepted.answer = fault;
      return refuse(response, Number(fault), 'broken');
    }
    if (fault === 'drop') {
      accepted.answer = fault;
      return void response.destroy();
    }
    await this.#answer(accepted, number, fault, response, program);
  }

  /** What happens to the next request of a program. */
  #faultOf(program: string): RequestFault | undefined {
    const own = this.#faultsOf.get(program);
    const fault = this.faults.get(++this.#requests);
    return own && --own.left === 0 ? own.fault : fault;
  }

  /** Answers a request again, as it was answered before. */
  async #repeat({ body, number }: Keyed, again: string, response: ServerResponse, program: string): Promise<void> {
    if (again !== body) return refuse(response, 422, 'this key was used for another request');
    const accepted = number === undefined ? undefined : this.accepted[number];
    if (number === undefined || !accepted) return refuse(response, 409, 'a request with this key is out');
    accepted.answered = program;
    await this.#answer(accepted, number, undefined, response, program);
  }

  async #answer(
    accepted: Accepted,
    number: number,
    fault: RequestFault | undefined,
    response: ServerResponse,
    program: string,
  ): Promise<void> {
    const { type, bytes } = this.#answerTo(accepted, number);
    response.writeHead(200, { 'content-type': type, 'content-length': bytes.length });
    const half = Math.floor(bytes.length / 2);
    await written(response, bytes.subarray(0, half));
    if (fault === 'half') {
      accepted.answer = fault;
      return void response.destroy();
    }
    await this.#reach('half', program);
    const finished = new Promise((resolve) => response.once('finish', resolve).once('close', resolve));
    response.end(bytes.subarray(half));
    await finished;
    accepted.answer = 'whole';
    await this.#reach('answered', program);
  }

  #answerTo(accepted: Accepted, number: number): { readonly type: string; readonly bytes: Buffer } {
    const { content, marks } = accepted;
    const type = 'application/json';
    if (content.includes('/audio/speech')) return { type: 'audio/mpeg', bytes: resultOf(accepted, 0) };
    if (content.includes('/audio/'))
      return { type, bytes: Buffer.from(JSON.stringify({ text: `Said: ${marks[0]}.` })) };
    if (content.includes('/videos'))
      return { type, bytes: Buffer.from(JSON.stringify({ id: `${number}`, status: 'queued' })) };
    const data = marks.map((_, index) =>
      this.#byUrl ? { url: this.#urlOf(number, index) } : { b64_json: resultOf(accepted, index).toString('base64') },
    );
    return { type, bytes: Buffer.from(JSON.stringify({ data })) };
  }

  #urlOf(number: number, index: number): string {
    return `${this.origin}/results/${number}-${index}`;
  }

  async #reach(stage: Stage, program: string): Promise<void> {
    for (const trigger of this.#triggers) {
      if (trigger.stage !== stage || (program !== '' && trigger.program !== program)) continue;
      if (--trigger.left > 0) continue;
      this.#triggers.delete(trigger);
      await trigger.happen();
    }
  }
}

interface Content {
  /** Operation and what determines the result. */
  readonly text: string;
  readonly results: number;
  /** What a repeated request has in common with the first; the borders in forms differ. */
  readonly body: string;
}

/** Tells contents apart. */
function contentOf(path: string, body: Buffer): Content {
  if (!path.includes('transcriptions') && !path.includes('edits')) {
    const {
      prompt,
      input,
      n = 1,
    } = JSON.parse(String(body)) as Readonly<{ prompt?: string; input?: string; n?: number }>;
    return { text: `${path} ${prompt ?? input}`, results: n, body: String(body) };
  }
  const text = body.toString('latin1');
  const mark = isOther(body) ? ` ${otherMark}` : '';
  const file = /filename="[^"]*".*?\r\n\r\n(.*?)\r\n--/s.exec(text)?.[1] ?? '';
  const owner = isTalk(Buffer.from(file, 'latin1')) ? 'talk.md' : 'call';
  const own = path.includes('edits') ? `edit.png${mark}` : `${owner} ${hash(file)}${mark}`;
  return { text: `${path} ${own}`, results: 1, body: own };
}

function resultOf({ content, marks }: Accepted, index: number): Buffer {
  const mark = Buffer.from(marks[index] ?? '');
  if (content.includes('/audio/')) {
    const frame = mp3Frame({ sampleRate: 44_100, isMono: true });
    mark.copy(frame, 100);
    return Buffer.concat([frame, frame, frame]);
  }
  if (content.includes('/videos')) {
    const head = mp4Bytes.subarray(0, -8);
    const box = Buffer.concat([Buffer.from([0, 0, 0, 8 + mark.length]), Buffer.from('mdat'), mark]);
    return Buffer.concat([head, box]);
  }
  return Buffer.concat([pngBytes, mark]);
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}

function refuse(response: ServerResponse, status: number, message: string, headers = {}): void {
  response.writeHead(status, headers).end(JSON.stringify({ error: { message } }));
}

function json(response: ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** Writes bytes so that they arrive before the rest. */
function written(response: ServerResponse, bytes: Uint8Array): Promise<unknown> {
  return new Promise((resolve) => response.write(bytes, () => setImmediate(resolve)));
}
