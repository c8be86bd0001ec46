import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyOf, startHttpServer } from '../support/httpServer.ts';
import { mp4Bytes, pngBytes } from '../support/mediaBytes.ts';
import { mp3Frame } from '../support/mp3Bytes.ts';
import { isTalk, ownerOf } from './works.ts';

/** Where a request is when something happens to its program. */
export const stages = ['arrived', 'half', 'answered', 'polling', 'downloading', 'halfDownloaded'] as const;
export type Stage = (typeof stages)[number];

/** What the service does to a request. It has accepted and counted all but those that it refuses with 429. */
export const requestFaults = ['429', '500', '502', '503', 'drop', 'half'] as const;
export type RequestFault = (typeof requestFaults)[number];
export const downloadFaults = ['404', '410', '500', 'cut'] as const;
export type DownloadFault = (typeof downloadFaults)[number];

/** A request that the service has accepted, and so billed. */
export interface Accepted {
  /** Operation and content: two requests with the same are paid twice. */
  readonly content: string;
  readonly owner: string;
  /** The key of the program that sent it. */
  readonly program: string;
  /** Bytes of each of its results, by which they are found in files. */
  readonly marks: readonly string[];
  /** What the service answered. */
  answer: 'none' | 'whole' | RequestFault;
  /** Whether the program showed that it has the answer: it then also has to have it on disk. */
  isKept: boolean;
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
  /** Whether programs cannot keep what they get, because the disk is full. */
  isDiskFull = false;
  readonly #triggers = new Set<Trigger>();
  readonly #byUrl: boolean;
  /** Polls so far, by job. */
  readonly #polls = new Map<number, number>();
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

  /** Notes that a program has the whole answers that it got: the next one must find them on disk. */
  keepWhole(program: string): void {
    for (const accepted of this.accepted) {
      if (accepted.program === program && accepted.answer === 'whole') this.#keep(accepted);
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
    const content = contentOf(request.url ?? '', await bodyOf(request));
    const fault = this.faults.get(++this.#requests);
    if (fault === '429')
      return void response.writeHead(429, { 'retry-after': '1' }).end('{"error":{"message":"slow"}}');
    // The command line sends one request after the other, so it has the answers to the earlier ones.
    if (program.startsWith('apply')) this.keepWhole(program);
    const number = this.accepted.length;
    const count = content.results;
    const marks = Array.from({ length: count }, (_, index) => hash(`${content.text} ${number} ${index}`));
    const accepted: Accepted = {
      content: content.text,
      owner: ownerOf(content.text),
      program,
      marks,
      answer: 'none',
      isKept: false,
    };
    this.accepted.push(accepted);
    await this.#reach('arrived', program);
    if (fault !== undefined && fault !== 'drop' && fault !== 'half') {
      accepted.answer = fault;
      return void response.writeHead(Number(fault)).end('{"error":{"message":"broken"}}');
    }
    if (fault === 'drop') {
      accepted.answer = fault;
      return void response.destroy();
    }
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

/** Tells contents apart by operation and by what determines the result. */
function contentOf(path: string, body: Buffer): { readonly text: string; readonly results: number } {
  if (!path.includes('transcriptions')) {
    const {
      prompt,
      input,
      n = 1,
    } = JSON.parse(String(body)) as Readonly<{ prompt?: string; input?: string; n?: number }>;
    return { text: `${path} ${prompt ?? input}`, results: n };
  }
  const text = body.toString('latin1');
  const file = /filename="[^"]*".*?\r\n\r\n(.*?)\r\n--/s.exec(text)?.[1] ?? '';
  return { text: `${path} ${isTalk(Buffer.from(file, 'latin1')) ? 'talk.md' : 'call'} ${hash(file)}`, results: 1 };
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

function json(response: ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** Writes bytes so that they arrive before the rest. */
function written(response: ServerResponse, bytes: Uint8Array): Promise<unknown> {
  return new Promise((resolve) => response.write(bytes, () => setImmediate(resolve)));
}
