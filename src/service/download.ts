import { Readable } from 'node:stream';
import * as l10n from '@vscode/l10n';
import type { Dispatcher } from 'undici';
import { request as httpRequest } from 'undici';
import { MediaError } from '../operations/MediaError.ts';
import { arriving, decoded, drop, silenceOf, TimeLimit, untilAborted } from './arrival.ts';
import type { ServiceDispatcher } from './createDispatcher.ts';
import { proxyRefusal } from './createDispatcher.ts';
import { errorFromFailure } from './errors.ts';
import { PrivateAddressError, resolvesToPrivate } from './privateAddress.ts';
import type { DownloadOptions, ResultVersion } from './send.ts';

interface OpenOptions extends DownloadOptions {
  /** Used verbatim; a path is relative to `origin`. */
  readonly url: string;
  /** The origin that answered the operation, the only one that gets the key. */
  readonly origin: string;
  readonly authorization: string | undefined;
  readonly dispatcher: ServiceDispatcher;
  /** Whether the user allows result URLs at private addresses. */
  readonly allowPrivateAddresses: boolean;
  /** Longest time until the response starts, and between two of its chunks. */
  readonly silenceSeconds: number;
  /** Called with one line per response, without path and query. */
  log(line: string): void;
}

const maxRedirects = 5;
/** Far larger than any video that a model makes: an endless response must not fill the disk. */
const maxResultBytes = 4 * 1024 ** 3;

export interface Download {
  /** Offset of the first byte: the requested one, or 0 when the server does not support ranges. */
  readonly start: number;
  readonly version?: ResultVersion;
  readonly data: AsyncIterable<Uint8Array>;
}

/**
 * Opens a result URL and streams its bytes. A private address is refused unless the service itself has one or the user
 * allows it: a service must not read what only this machine can reach.
 *
 * @throws MediaError `download` for a URL that is not http(s), a private address, too many redirects, a status outside
 *   2xx, a timeout or more than 4 GiB; otherwise as for a failed connection
 */
export async function openDownload(options: OpenOptions): Promise<Download> {
  const limit = new TimeLimit(options.signal);
  let url = checkUrl(options.url, options.origin);
  try {
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      const response = await open(url, limit, options);
      options.log(`${url.origin}: ${response.statusCode}`);
      if (response.statusCode >= 200 && response.statusCode < 300) {
        const start = response.statusCode === 206 ? startOf(response) : 0;
        const version = versionOf(response, start);
        return { start, version, data: readBody(response, url, start, limit, options) };
      }
      drop(response);
      if (options.from && isAll(response, options.from)) {
        return { start: options.from, version: versionOf(response, options.from), data: Readable.from([]) };
      }
      const location = [response.headers.location].flat()[0];
      if (response.statusCode >= 400 || !location) throw refused(url, response.statusCode);
      url = checkUrl(location, url.href);
    }
    throw new MediaError('download', l10n.t('{0} redirected the download of the result too many times.', url.host));
  } finally {
    limit.stop();
  }
}

function refused({ host }: URL, status: number): MediaError {
  if (status === 407) return proxyRefusal(407);
  const sentence = l10n.t('The result could not be downloaded: {0} answered {1}.', host, status);
  return new MediaError('download', sentence, { status });
}

function checkUrl(value: string, base: string): URL {
  const url = URL.parse(value, base);
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
  const found = url?.protocol ?? l10n.t('something else');
  throw new MediaError('download', l10n.t("The result's address must be an http or https URL, not {0}.", found));
}

/** Whether a refused range begins exactly at the end of the result: the connection was cut after the last byte. */
function isAll({ statusCode, headers }: Dispatcher.ResponseData, from: number): boolean {
  return statusCode === 416 && String(headers['content-range']).trim() === `bytes */${from}`;
}

function startOf({ headers }: Dispatcher.ResponseData): number {
  return Number(/^bytes (\d+)-/.exec(String(headers['content-range']))?.[1] ?? 0);
}

/** Ignores weak etags, which do not promise that the bytes are equal. */
function versionOf(response: Dispatcher.ResponseData, start: number): ResultVersion {
  const etag = [response.headers.etag].flat()[0];
  return { etag: etag?.startsWith('"') ? etag : undefined, total: totalOf(response, start) };
}

/** Returns the size of the whole result; undefined when it is unknown or the body is compressed. */
function totalOf({ statusCode, headers }: Dispatcher.ResponseData, start: number): number | undefined {
  if (!/^(identity)?$/i.test(String(headers['content-encoding'] ?? ''))) return undefined;
  const whole = statusCode === 206 ? /\/(\d+)$/.exec(String(headers['content-range']))?.[1] : undefined;
  const rest = Number(headers['content-length']) || undefined;
  return whole === undefined ? rest && start + rest : Number(whole);
}

async function open(url: URL, limit: TimeLimit, options: OpenOptions): Promise<Dispatcher.ResponseData> {
  const { origin, dispatcher, allowPrivateAddresses } = options;
  try {
    if (allowPrivateAddresses || url.origin === origin) return await get(url, dispatcher, limit, options);
    return await get(url, dispatcher.results, limit, options).catch(async (failure: unknown) => {
      if (failure instanceof PrivateAddressError && (await resolvesToPrivate(new URL(origin)))) {
        return get(url, dispatcher, limit, options);
      }
      throw failure;
    });
  } catch (failure) {
    throw downloadError(failure, url, limit);
  }
}

function get(
  url: URL,
  dispatcher: Dispatcher,
  limit: TimeLimit,
  { origin, authorization, from, version, silenceSeconds }: OpenOptions,
): Promise<Dispatcher.ResponseData> {
  limit.start(silenceSeconds, silenceOf(url, silenceSeconds, limit).sentence);
  const response = httpRequest(url, {
    headers: {
      accept: '*/*',
      'accept-encoding': 'identity',
      ...(from ? { range: `bytes=${from}-` } : {}),
      ...(from && version?.etag !== undefined ? { 'if-range': version.etag } : {}),
      ...(authorization !== undefined && url.origin === origin ? { authorization } : {}),
    },
    dispatcher,
    signal: limit.signal,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return untilAborted(limit.signal, response);
}

async function* readBody(
  response: Dispatcher.ResponseData,
  url: URL,
  start: number,
  limit: TimeLimit,
  { onProgress, silenceSeconds }: OpenOptions,
) {
  const total = totalOf(response, start);
  let bytes = start;
  try {
    for await (const chunk of decoded(response, arriving(response, silenceOf(url, silenceSeconds, limit)))) {
      bytes += chunk.length;
      if (Math.max(bytes, total ?? 0) > maxResultBytes) {
        const sentence = l10n.t('The result at {0} is larger than 4 GiB. It was not saved.', url.host);
        throw new MediaError('download', sentence);
      }
      onProgress?.({ stage: 'downloading', bytes, total });
      yield chunk;
    }
    if (total !== undefined && bytes < total) throw new Error(`${bytes} of ${total} bytes arrived`);
  } catch (failure) {
    throw downloadError(failure, url, limit);
  }
}

/** Maps a failed download to an error that is never `mayBeBilled`, because downloading is free. */
function downloadError(failure: unknown, url: URL, limit: TimeLimit): MediaError {
  if (limit.isCancelled) return new MediaError('cancelled', l10n.t('Cancelled while downloading the result.'));
  if (limit.error) {
    const sentence = l10n.t('The download of the result was interrupted: {0}', limit.error.message);
    return new MediaError('download', sentence, { cause: limit.error });
  }
  if (failure instanceof MediaError) return failure;
  if (failure instanceof PrivateAddressError) {
    const sentence = l10n.t(
      'The result\'s address ({0}) is in a private network, but the service is not. To download it anyway, turn on "unifiedMedia.allowPrivateResultAddresses".',
      url.host,
    );
    return new MediaError('download', sentence);
  }
  const { kind, message, mayBeBilled } = errorFromFailure(failure, url.host, false);
  if (!mayBeBilled) return new MediaError(kind, message, { cause: failure });
  const sentence = l10n.t('The download of the result from {0} was interrupted.', url.host);
  return new MediaError('download', sentence, { cause: failure });
}
