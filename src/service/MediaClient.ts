import { createHash, randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import FormData from 'form-data';
import { hashOf } from '../files/sha256.ts';
import { filesIn, mapFiles } from '../operations/fields.ts';
import { MediaError } from '../operations/MediaError.ts';
import {
  extensionOf,
  type Field,
  isMultipart,
  type MediaRequest,
  type MediaRequestInput,
  type Operation,
  type OperationId,
  operations,
  takesFiles,
} from '../operations/operations.ts';
import { recheckRequest, sentValues } from '../operations/toRequest.ts';
import { unusable } from '../operations/validateRequest.ts';
import type { Answer, AnswerSource, Asked, RawAnswer } from './Answer.ts';
import {
  base64Length,
  base64Of,
  checkFurtherFile,
  checkImage,
  checkInputFile,
  checkRecording,
  type ImageFile,
  type InputFile,
  isFileUrl,
  piecesOf,
} from './inputFile.ts';
import { readAnswer, resultUrlIn } from './readAnswer.ts';
import {
  authorizationOf,
  currentSource,
  endpointOf,
  headersFor,
  idempotencyHeaderIn,
  type KeySource,
  keyFor,
  originOf,
  type ServiceConfiguration,
  type ServiceJob,
  sourceOf,
  statusUrlOf,
} from './ServiceConfiguration.ts';
import {
  type Call,
  type Download,
  openDownload,
  type RequestBody,
  type Resumption,
  type SendOptions,
  send,
  type Transport,
} from './send.ts';

// An answer is kept before it is understood: `exchange` returns it raw, the journal writes it to disk, and `read` can
// be repeated at no cost. Answers above 4 MiB stream to the journal's file and are never in memory as a whole.

export interface MediaClientOptions extends Transport {
  readonly configuration: ServiceConfiguration;
  readonly key: KeySource;
}

/** What a request sends, and where. */
export interface Fingerprint {
  /** Origin of the host. */
  readonly origin: string;
  /** Hash of the address and of the body with the content of its files. */
  readonly sha256: string;
}

/** The keys that this process has sent, by origin. An answer may quote one that has been replaced or removed since. */
const sentKeys = new Map<string, readonly string[]>();

/** An answer that only says that the service is busy is smaller. */
const maxBusyBytes = 65_536;

/** Client of the service's HTTP API. */
export class MediaClient {
  readonly #configuration: ServiceConfiguration;
  readonly #key: KeySource;
  readonly #transport: Transport;

  constructor({ configuration, key, ...transport }: MediaClientOptions) {
    this.#configuration = configuration;
    this.#key = key;
    this.#transport = transport;
  }

  /**
   * Sends a request and returns the raw answer, so that a paid result can be stored before it is interpreted.
   *
   * @throws MediaError of any kind except `download` and `save`; `mayBeBilled` is true when the service may have done
   *   the work
   */
  async exchange<Id extends OperationId>(
    id: Id,
    input: MediaRequestInput<Id>,
    options: SendOptions = {},
  ): Promise<RawAnswer> {
    const request = recheckRequest<OperationId>(id, input);
    const url = endpointOf(this.#configuration, id, request);
    const { area } = operations[id];
    const source = sourceOf(this.#configuration, area);
    const { ownHeaders, ...credentials } = await this.#credentials(url, source);
    const { idempotencyKey: key } = options;
    const keyHeader = key === undefined ? undefined : idempotencyHeaderIn(this.#configuration);
    const body = await requestBody(id, request, keyHeader === undefined ? undefined : key);
    const timeoutSeconds = this.#configuration.timeoutSeconds[area];
    return send({
      ...this.#transport,
      ...options,
      ...credentials,
      ownHeaders: key !== undefined && keyHeader !== undefined ? { ...ownHeaders, [keyHeader]: key } : ownHeaders,
      keyHeader,
      kind: 'submit',
      name: id,
      url,
      source,
      body,
      busyIn: (raw) => this.#busyIn(id, raw),
      // All automatic retries of this call send the same key.
      headers: request.further?.idempotencyKey && !keyHeader ? { 'idempotency-key': randomUUID() } : undefined,
      timeoutSeconds,
    });
  }

  /**
   * Identifies what would be sent, by reading all of it.
   *
   * @returns undefined when the service is not set up to honour idempotency keys
   * @throws MediaError as {@link exchange}, for a request that cannot be sent
   */
  async fingerprint<Id extends OperationId>(id: Id, input: MediaRequestInput<Id>): Promise<Fingerprint | undefined> {
    if (idempotencyHeaderIn(this.#configuration) === undefined) return undefined;
    const request = recheckRequest<OperationId>(id, input);
    const { href, origin } = endpointOf(this.#configuration, id, request);
    const hash = createHash('sha256').update(`${href}\n`);
    // The boundary of a form follows from the key, and so from this hash.
    const { body } = (await requestBody(id, request, 'boundary')).open(() => undefined);
    if (typeof body === 'string') hash.update(body);
    else for await (const chunk of body) hash.update(chunk);
    return { origin, sha256: hash.digest('hex') };
  }

  /**
   * Interprets an answer, or the {@link status} of a job. Costs nothing and can be repeated. Throws like {@link
   * readAnswer}.
   *
   * @param asked what was asked for, to compare the answer with
   */
  async read(id: OperationId, raw: RawAnswer, jobId?: string, asked?: Asked): Promise<Answer> {
    const origin = originOf(raw.source);
    const key = await this.#keyIfAny(origin);
    const sent = sentKeys.get(origin) ?? [];
    return readAnswer(id, raw, key === undefined ? sent : [...sent, key], jobId, asked);
  }

  async #busyIn(id: OperationId, raw: RawAnswer): Promise<MediaError | undefined> {
    const { body, retryAfter } = raw;
    if (!(body instanceof Uint8Array) || body.length > maxBusyBytes) return undefined;
    const error: unknown = await this.read(id, raw).then(() => undefined, Object);
    const isBusy = error instanceof MediaError && error.kind === 'rateLimited' && !error.mayBeBilled;
    return isBusy ? new MediaError(error.kind, error.message, { ...error, retryAfter, cause: error }) : undefined;
  }

  /**
   * Opens a result URL from an answer. The key is sent only to the origin that gave the answer; a public URL needs
   * neither a key nor a setting.
   *
   * @param url used verbatim; a path is relative to the source's origin
   * @throws MediaError `download`, `network`, `tls`, `proxy` or `cancelled`; downloading is never billed
   */
  async download(
    id: OperationId,
    url: string,
    source: AnswerSource,
    options: SendOptions & Resumption = {},
  ): Promise<Download> {
    const current = this.#current(id, source);
    const credentials = await this.#credentials(new URL(source.base), current).catch(() => undefined);
    return openDownload(url, options, {
      ...this.#transport,
      ...credentials,
      signal: options.signal,
      onProgress: options.onProgress,
      name: id,
      source: current,
      allowPrivateAddresses: this.#configuration.allowPrivateResultAddresses,
    });
  }

  /**
   * Polls a job of the service, which costs nothing. When the answer only holds the URL of a finished job's result,
   * fetches that URL.
   *
   * @param job its id and status URL from the service's answer
   * @param source source of that answer
   * @throws MediaError `noMedia` when no status URL is known, which may be billed; otherwise like {@link exchange},
   *   never `mayBeBilled`
   */
  async status(
    id: OperationId,
    job: ServiceJob,
    source: AnswerSource,
    { signal, openFile }: SendOptions = {},
  ): Promise<RawAnswer> {
    const current = this.#current(id, source);
    const url = statusUrlOf(id, job, current);
    const credentials = await this.#credentials(url, current);
    const poll = (address: URL) =>
      send({
        ...this.#transport,
        ...credentials,
        signal,
        openFile,
        kind: 'poll',
        name: id,
        url: address,
        source: current,
      });
    const raw = await poll(url);
    const resultUrl = await resultUrlIn(id, raw, job.id);
    return resultUrl === undefined ? raw : poll(new URL(resultUrl));
  }

  /**
   * Returns the URL where services usually serve a finished video that has no URL in the answer. Throws like {@link
   * status}.
   */
  contentUrl(id: OperationId, jobId: string, source: AnswerSource): string {
    const url = statusUrlOf(id, { id: jobId }, this.#current(id, source));
    url.pathname += '/content';
    return url.href;
  }

  #current(id: OperationId, source: AnswerSource): AnswerSource {
    return currentSource(source, this.#configuration, operations[id].area);
  }

  /** Returns undefined when keys cannot be read, so that a paid result is still read. */
  async #keyIfAny(origin: string): Promise<string | undefined> {
    try {
      return await this.#key(origin);
    } catch {
      return undefined;
    }
  }

  /** Throws like {@link keyFor} and {@link authorizationOf}. */
  async #credentials(
    url: URL,
    { authorizationScheme }: AnswerSource,
  ): Promise<Pick<Call, 'authorization' | 'secrets' | 'ownHeaders'>> {
    const key = await keyFor(url, this.#key, this.#configuration.insecureHosts);
    const ownHeaders = headersFor(url, this.#configuration);
    const secrets = [...new Set([...(sentKeys.get(url.origin) ?? []), ...(key === undefined ? [] : [key])])];
    sentKeys.set(url.origin, secrets);
    return { authorization: authorizationOf(authorizationScheme, key), secrets, ownHeaders };
  }
}

/**
 * Builds the body of an operation's request: JSON, or multipart with its files streamed from disk. In JSON, a `file:` URL
 * becomes a `data:` URL, also streamed from disk.
 *
 * @param boundary what the boundary of a form follows from, so that a repeated form has the same bytes; random if absent
 * @throws MediaError `invalidInput`, naming the field, for a file that cannot be read, is too large, or is not a
 *   recording or image
 */
async function requestBody(id: OperationId, request: MediaRequest, boundary?: string): Promise<RequestBody> {
  const parts = request.further?.encoding?.parts;
  return parts || isMultipart(operations[id])
    ? multipartBody(id, request, parts ?? {}, boundary)
    : jsonBody(operations[id].fields, request);
}

/**
 * Bytes per chunk. More than the 64 KiB that undici's sockets buffer, so that a chunk has left the buffer before the
 * next one is requested. Small enough that a slow connection does not look stalled.
 */
const pieceBytes = 256 * 1024;

/** Longer JSON is sent in chunks, so that progress can be reported. */
const maxBytesAtOnce = 64 * 1024;

async function jsonBody(fields: readonly Field[], request: MediaRequest): Promise<RequestBody> {
  const mark = randomUUID();
  const files: ImageFile[] = [];
  const put = (file: ImageFile): string => {
    files.push(file);
    return `data:${file.mime};base64,${mark}`;
  };
  const sent: Record<string, unknown> = { ...sentValues(request) };
  for (const field of fields) {
    sent[field.name] = await mapFiles(field, sent[field.name], async (url) =>
      isFileUrl(url) ? put(await checkImage(field, url)) : url,
    );
  }
  for (const name of request.further?.files ?? []) {
    const url = sent[name];
    if (isFileUrl(url)) sent[name] = put(await checkFurtherFile(name, url));
  }
  const json = JSON.stringify(sent);
  const texts = json.split(mark).map((text) => Buffer.from(text));
  const bytes = sumOf(texts.map(({ length }) => length)) + sumOf(files.map(base64Length));
  const headers = { 'content-type': 'application/json' };
  if (bytes <= maxBytesAtOnce && files.length === 0) {
    return {
      bytes,
      open: () => ({ headers, body: json }),
    };
  }
  return {
    bytes,
    open: (onSent) => ({
      headers: { ...headers, 'content-length': String(bytes) },
      body: reportSent(framed(texts, files, base64Of), onSent),
    }),
  };
}

/** Yields texts with a file between each two of them. */
async function* framed<File extends InputFile>(
  texts: readonly Uint8Array[],
  files: readonly File[],
  piecesOfFile: (file: File) => AsyncGenerator<Uint8Array>,
) {
  // A retry may come minutes later: send nothing if a file is gone by then.
  for (const { field, path } of files) await checkInputFile(field, path, async () => undefined);
  // The first pieces open the files: send nothing if that fails.
  for (const [index, text] of texts.entries()) {
    for (let at = 0; at < text.length; at += pieceBytes) yield text.subarray(at, at + pieceBytes);
    const file = files[index];
    if (file) yield* piecesOfFile(file);
  }
}

/** Media types by extension. Several services refuse other types of the same format. */
const audioTypes: Readonly<Record<string, string>> = {
  flac: 'audio/flac',
  m4a: 'audio/mp4',
  mp3: 'audio/mpeg',
  mp4: 'audio/mp4',
  mpeg: 'audio/mpeg',
  mpga: 'audio/mpeg',
  ogg: 'audio/ogg',
  opus: 'audio/ogg',
  wav: 'audio/wav',
  webm: 'audio/webm',
};

async function multipartBody(
  id: OperationId,
  request: MediaRequest,
  parts: Readonly<Record<string, string>>,
  boundary: string | undefined,
): Promise<RequestBody> {
  const form = new FormData();
  if (boundary !== undefined) form.setBoundary(`${'-'.repeat(26)}${hashOf(boundary).slice(0, 24)}`);
  const mark = Buffer.from(randomUUID());
  const files: InputFile[] = [];
  const put = (name: string, file: InputFile, contentType: string, filename = basename(file.path)): void => {
    form.append(name, mark, { filename, contentType });
    files.push(file);
  };
  const { fields }: Operation = operations[id];
  const further = request.further?.files ?? [];
  for (const [name, value] of Object.entries(sentValues(request))) {
    const field = fields.find((one) => one.name === name);
    if (field?.type === 'audioFile') {
      const recording = await checkRecording(String(value));
      const type = audioTypes[extensionOf(recording.path)] ?? 'application/octet-stream';
      // Services accept this format by its other extension.
      put(name, recording, type, basename(recording.path).replace(/\.opus$/i, '.ogg'));
    } else if (field && takesFiles(field)) {
      for (const url of filesIn(field, value)) await putImage(field, url, parts[name] ?? name, form, put);
    } else if (further.includes(name)) {
      const url = String(value);
      if (isFileUrl(url)) {
        const file = await checkFurtherFile(name, url);
        put(name, file, file.mime);
      } else putData(name, name, url, form);
    } else if (Array.isArray(value)) {
      for (const one of value) form.append(`${name}[]`, String(one));
    } else form.append(name, String(value));
  }
  const texts = split(form.getBuffer(), mark);
  const bytes = sumOf(texts.map(({ length }) => length)) + sumOf(files.map(({ size }) => size));
  return {
    bytes,
    open: (onSent) => ({
      headers: { ...form.getHeaders(), 'content-length': String(bytes) },
      body: reportSent(
        framed(texts, files, (file) => piecesOf(file, pieceBytes)),
        onSent,
      ),
    }),
  };
}

/** Puts an image into a form as a part. The service cannot fetch an address from a part. */
async function putImage(
  field: Field,
  url: string,
  part: string,
  form: FormData,
  put: (name: string, file: InputFile, contentType: string) => void,
): Promise<void> {
  if (isFileUrl(url)) {
    const image = await checkImage(field, url);
    put(part, image, image.mime);
  } else if (/^data:/i.test(url)) putData(part, 'image', url, form);
  else throw unusable(field, l10n.t('This service takes files only. Save {0} and give its path.', url));
}

function putData(part: string, name: string, url: string, form: FormData): void {
  const contentType = /^data:([\w.+/-]+)/i.exec(url)?.[1] ?? 'application/octet-stream';
  const data = Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
  form.append(part, data, { filename: `${name}.${contentType.split('/').at(-1)?.split('+')[0]}`, contentType });
}

function split(bytes: Buffer, mark: Buffer): readonly Buffer[] {
  const texts: Buffer[] = [];
  for (let at = 0; ; ) {
    const found = bytes.indexOf(mark, at);
    texts.push(bytes.subarray(at, found < 0 ? undefined : found));
    if (found < 0) return texts;
    at = found + mark.length;
  }
}

/** Reports the number of sent bytes after each chunk. */
async function* reportSent(
  chunks: AsyncIterable<Uint8Array>,
  onSent: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    yield chunk;
    bytes += chunk.length;
    onSent(bytes);
  }
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
