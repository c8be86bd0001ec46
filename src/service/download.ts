import * as l10n from '@vscode/l10n';
import type { Dispatcher } from 'undici';
import { request as httpRequest } from 'undici';
import { MediaError } from '../operations/MediaError.ts';
import { arriving, silenceOf } from './arrival.ts';
import type { ServiceDispatcher } from './createDispatcher.ts';
import { decoded } from './decoded.ts';
import { errorFromFailure } from './errorFromFailure.ts';
import { leadsInside, PrivateAddressError } from './privateAddress.ts';
import type { DownloadOptions, ResultVersion } from './RequestOptions.ts';
import { TimeLimit } from './TimeLimit.ts';
import { proxyRefusal } from './throughProxy.ts';
import { untilAborted } from './untilAborted.ts';

interface OpenOptions extends DownloadOptions {
  /** Used verbatim; a path is taken as one of `origin`. */
  readonly url: string;
  /** The origin that answered the operation: the only one that gets the key. */
  readonly origin: string;
  readonly authorization: string | undefined;
  readonly dispatcher: ServiceDispatcher;
  /** Whether the user lets result URLs lead to private addresses. */
  readonly allowPrivateAddresses: boolean;
  /** Longest time until the response begins, and in which nothing of it arrives. */
  readonly silenceSeconds: number;
  /** Takes one line per answer; no path and no query is in it. */
  log(line: string): void;
}

const maximumRedirects = 5;
/** Far above any video that a model makes; a server that never ends must not fill the disk. */
const maximumResultBytes = 4 * 1024 ** 3;

export interface Download {
  /** Where the data begins: the asked position, or 0 where the server knows no ranges. */
  readonly start: number;
  readonly version?: ResultVersion;
  readonly data: AsyncIterable<Uint8Array>;
}

/**
 * Opens a result URL and gives its bytes as they come. To a private address it goes only where the service itself is on
 * one, or the user allows it: a service must not read what only this machine can reach.
 *
 * @throws MediaError `download` for what is no http(s) URL, a private address, too many redirects, an answer outside
 *   2xx, silence or more than 4 GiB; else as a failed connection
 */
export async function openDownload(options: OpenOptions): Promise<Download> {
  const limit = new TimeLimit(options.signal);
  let url = checkUrl(options.url, options.origin);
  try {
    for (let redirects = 0; redirects <= maximumRedirects; redirects++) {
      const response = await open(url, limit, options);
      options.log(`${url.origin}: ${response.statusCode}`);
      if (response.statusCode >= 200 && response.statusCode < 300) {
        const start = response.statusCode === 206 ? startOf(response) : 0;
        const version = versionOf(response, start);
        return { start, version, data: readBody(response, url, start, limit, options) };
      }
      drop(response);
      const location = [response.headers.location].flat()[0];
      if (response.statusCode >= 400 || !location) throw refused(url, response.statusCode);
      url = checkUrl(location, url.href);
    }
    throw new MediaError('download', l10n.t('{0} redirects the download of the result without end.', url.host));
  } finally {
    limit.stop();
  }
}

/** Closes the connection: nothing of such an answer is needed, however long it is. */
function drop({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => undefined).destroy();
}

function refused({ host }: URL, status: number): MediaError {
  if (status === 407) return proxyRefusal(407);
  return new MediaError('download', l10n.t('{0} answered {1} to the download of the result.', host, status), {
    status,
  });
}

function checkUrl(value: string, base: string): URL {
  const url = URL.parse(value, base);
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
  const found = url?.protocol ?? l10n.t('something else');
  throw new MediaError('download', l10n.t("The result's address is no http(s) URL but {0}.", found));
}

function startOf({ headers }: Dispatcher.ResponseData): number {
  return Number(/^bytes (\d+)-/.exec(String(headers['content-range']))?.[1] ?? 0);
}

/** A weak tag says only that two files mean the same. */
function versionOf(response: Dispatcher.ResponseData, start: number): ResultVersion {
  const etag = [response.headers.etag].flat()[0];
  return { etag: etag?.startsWith('"') ? etag : undefined, total: totalOf(response, start) };
}

/** How long the whole is: a server may send less of it than it was asked for. Of compressed data it tells nothing. */
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
      if (failure instanceof PrivateAddressError && (await leadsInside(new URL(origin)))) {
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
      if (Math.max(bytes, total ?? 0) > maximumResultBytes) {
        const sentence = l10n.t('The result at {0} is larger than 4 GiB. It was not saved.', url.host);
        throw new MediaError('download', sentence);
      }
      onProgress?.({ stage: 'downloading', bytes, total });
      yield chunk;
    }
    if (total !== undefined && bytes < total) throw new Error(`${bytes} of ${total} bytes came`);
  } catch (failure) {
    throw downloadError(failure, url, limit);
  }
}

/** Downloading is free: what goes wrong there is never an unknown bill. */
function downloadError(failure: unknown, url: URL, limit: TimeLimit): MediaError {
  if (limit.isCancelled) return new MediaError('cancelled', l10n.t('Cancelled while downloading the result.'));
  if (limit.error) {
    const sentence = l10n.t('The download of the result broke off: {0}', limit.error.message);
    return new MediaError('download', sentence, { cause: limit.error });
  }
  if (failure instanceof MediaError) return failure;
  if (failure instanceof PrivateAddressError) {
    const sentence = l10n.t(
      'The result\'s address leads into a private network ({0}), where the service is not. "unifiedMedia.allowPrivateResultAddresses" allows it.',
      url.host,
    );
    return new MediaError('download', sentence);
  }
  const { kind, message, mayBeBilled } = errorFromFailure(failure, url.host);
  if (!mayBeBilled) return new MediaError(kind, message, { cause: failure });
  const sentence = l10n.t('The download of the result from {0} broke off.', url.host);
  return new MediaError('download', sentence, { cause: failure });
}
