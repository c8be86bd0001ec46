import * as l10n from '@vscode/l10n';
import { record, text } from '../foreign/shape.ts';
import { MediaError } from '../operations/MediaError.ts';
import { type Area, type MediaRequest, type OperationId, operations } from '../operations/operations.ts';
import { isPathSegment, shown } from '../operations/validateRequest.ts';
import type { AnswerSource, JobAnswer } from './Answer.ts';

/** The service's hosts, paths and timeouts. */
export interface ServiceConfiguration {
  /** Base URLs: https, or http on loopback and for `insecureHosts`. Empty when not set up. */
  readonly hosts: Readonly<Record<Area, string>>;
  /** The hosts in the person's own network that may be asked by plain http, as `host:port`. */
  readonly insecureHosts?: readonly string[];
  /** Paths that override those of the operations. */
  readonly paths?: Partial<Record<OperationId, string>>;
  /** Path to poll for the status of a job that makes images, with `{id}`; empty when the first answer holds them. */
  readonly imageStatusPath?: string;
  /** Path to poll for a video's status, with `{id}`; empty when the first answer holds the video. */
  readonly videoStatusPath?: string;
  /** Path of the model list; empty when there is none. */
  readonly modelListPath?: string;
  /** Word before the key in the `Authorization` header; empty for the raw key. */
  readonly authorizationScheme?: string;
  /** Further headers for the service's own origins, as they stand in the settings. */
  readonly headers?: unknown;
  /** Name of the header for the key by which the service knows a repeated request; empty when it honours none. */
  readonly idempotencyHeader?: string;
  /** Whether result URLs may resolve to private addresses although the service has a public one. */
  readonly allowPrivateResultAddresses?: boolean;
  /** Longest time from the end of the upload to the start of the response. */
  readonly timeoutSeconds: Readonly<Record<Area, number>>;
}

/**
 * Returns the URL of an operation.
 *
 * @throws MediaError `noService` when a setting is missing or not valid, whose name is the `field`
 */
export function endpointOf(configuration: ServiceConfiguration, id: OperationId, request?: MediaRequest): URL {
  const { area, path } = operations[id];
  const asked = configuration.paths?.[id] || pathOf(request) || path;
  const setting = id === 'transcribe' ? 'transcriptionPath' : 'translationPath';
  const url = urlAt(baseOf(configuration, area), asked, setting, (wrong) =>
    l10n.t('The path for "{0}" must begin with a single slash, but it is {1}.', id, wrong),
  );
  checkScheme(configuration.authorizationScheme);
  checkHeaders(configuration.headers);
  idempotencyHeaderIn(configuration);
  return url;
}

/** Returns the path of a preset that a request is sent to; undefined if it is that of the operation. */
function pathOf(request: MediaRequest | undefined): string | undefined {
  const path = request?.further?.encoding?.path;
  const id = request && 'video_id' in request ? request.video_id : '';
  return path?.replaceAll('{video_id}', encodeURIComponent(id));
}

/** Headers that only this client may set, or that concern a single connection (RFC 9110, 7.6.1). */
const ownHeaders =
  /^(accept-encoding|authorization|cookie|host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|content-.*|expect|idempotency-key|origin|range|if-range)$/i;

/**
 * Checks further headers, which are not secret.
 *
 * @throws MediaError `noService`, naming the header
 */
function checkHeaders(headers: unknown): asserts headers is Readonly<Record<string, string>> | undefined {
  if (headers === undefined) return;
  if (!isTexts(headers)) {
    const sentence = l10n.t('The setting "headers" must be an object whose values are texts.');
    throw new MediaError('noService', sentence, { field: 'headers' });
  }
  for (const [name, value] of Object.entries(headers)) {
    if (ownHeaders.test(name)) {
      const sentence = l10n.t(
        'The setting “headers” must not contain {0}: the extension sets this header itself, or never sends it.',
        name,
      );
      throw new MediaError('noService', sentence, { field: 'headers' });
    }
    if (!headerName.test(name) || !/^[\x20-\x7e]*$/.test(value)) {
      const sentence = l10n.t('The setting "headers" has an entry that cannot be sent: {0}.', name);
      throw new MediaError('noService', sentence, { field: 'headers' });
    }
  }
}

const isTexts = record(text(8000));

const headerName = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * Returns the name of the header for idempotency keys; undefined when the service honours none.
 *
 * @throws MediaError `noService`, naming the setting
 */
export function idempotencyHeaderIn({ idempotencyHeader, headers }: ServiceConfiguration): string | undefined {
  const name = idempotencyHeader?.trim();
  if (!name) return undefined;
  const isOwn = ownHeaders.test(name) && !/^idempotency-key$/i.test(name);
  if (isOwn || !headerName.test(name)) {
    const sentence = l10n.t(
      'The setting “idempotencyHeader” must be the name of a header that the service reads an idempotency key from, such as Idempotency-Key, not {0}.',
      name,
    );
    throw new MediaError('noService', sentence, { field: 'idempotencyHeader' });
  }
  const isGivenTwice = isTexts(headers) && Object.keys(headers).some((one) => one.toLowerCase() === name.toLowerCase());
  if (!isGivenTwice) return name;
  const sentence = l10n.t('The settings “idempotencyHeader” and “headers” must not both set {0}.', name);
  throw new MediaError('noService', sentence, { field: 'idempotencyHeader' });
}

/**
 * Returns the origin of an area's host, if it honours idempotency keys. What is sent to another origin under a key is not
 * known here.
 */
export function keyOriginOf(configuration: ServiceConfiguration, area: Area): string | undefined {
  try {
    return idempotencyHeaderIn(configuration) && currentOrigin(configuration, area);
  } catch {
    return undefined;
  }
}

/**
 * Returns the further headers for a URL: only the configured hosts get them, not one that was configured earlier.
 *
 * @throws MediaError as {@link checkHeaders}
 */
export function headersFor(
  { origin }: URL,
  { hosts, headers }: ServiceConfiguration,
): Readonly<Record<string, string>> | undefined {
  checkHeaders(headers);
  return Object.values(hosts).some((host) => URL.parse(host.trim())?.origin === origin) ? headers : undefined;
}

/** Returns the base URL of an area's host: its origin and the path before `/v1`. Throws like {@link endpointOf}. */
function baseOf({ hosts, insecureHosts }: ServiceConfiguration, area: Area): string {
  const { origin, pathname } = checkHost(hosts[area], area, insecureHosts);
  // Every path starts with /v1, but many services include it in the base URL that they document.
  return origin + pathname.replace(/\/+$/, '').replace(/\/v1$/, '');
}

/** The settings with the paths of jobs, and examples of their values. */
const statusPaths = { imageStatusPath: '/v1/images/{id}', videoStatusPath: '/v1/videos/{id}' } as const;

type StatusPath = keyof typeof statusPaths;

function statusPathOf(area: Area): StatusPath | undefined {
  return area === 'audio' ? undefined : `${area}StatusPath`;
}

/**
 * Returns the URL to poll for a job's status; undefined when no path is set. Throws like {@link endpointOf}.
 */
function statusEndpointOf(setting: StatusPath, source: AnswerSource, jobId: string): URL | undefined {
  const path = source[setting];
  if (!path) return undefined;
  if (!path.includes('{id}')) {
    const sentence = l10n.t('The "{0}" must contain {id}, for example {1}.', setting, statusPaths[setting]);
    throw new MediaError('noService', sentence, { field: setting });
  }
  if (!isPathSegment(jobId)) {
    const sentence = l10n.t(
      'The service accepted the request as job {0}, whose status no address can name.',
      shown(jobId),
    );
    throw new MediaError('noMedia', sentence, { mayBeBilled: true });
  }
  return urlAt(source.base, path.replaceAll('{id}', encodeURIComponent(jobId)), setting, (wrong) =>
    l10n.t('The "{0}" must begin with a single slash, but it is {1}.', setting, wrong),
  );
}

/**
 * Returns the `Authorization` header: the key, after the scheme if there is one; undefined without a key. Throws like
 * {@link checkScheme}.
 */
export function authorizationOf(scheme: string | undefined, key: string | undefined): string | undefined {
  const word = scheme?.trim();
  checkScheme(word);
  if (key === undefined) return undefined;
  return word ? `${word} ${key}` : key;
}

/** Checks that the authorization scheme can be sent in a header. Throws like {@link endpointOf}. */
function checkScheme(scheme = ''): void {
  if (/^[\x21-\x7e]*$/.test(scheme)) return;
  const sentence = l10n.t('The authorization scheme ("authorizationScheme") must be a single ASCII word.');
  throw new MediaError('noService', sentence, { field: 'authorizationScheme' });
}

/** Returns the URL of a host's model list; undefined when no path is set. Throws like {@link endpointOf}. */
export function modelListEndpointOf(configuration: ServiceConfiguration, area: Area): URL | undefined {
  const path = configuration.modelListPath;
  if (!path) return undefined;
  return urlAt(baseOf(configuration, area), path, 'modelListPath', (wrong) =>
    l10n.t('The "modelListPath" must begin with a single slash, but it is {0}.', wrong),
  );
}

/**
 * @param setting its name
 * @param problemOf returns the error message for an invalid path
 */
function urlAt(base: string, path: string, setting: string, problemOf: (wrong: string) => string): URL {
  if (!/^\/[^/\\\s]/.test(path)) {
    throw new MediaError('noService', problemOf(JSON.stringify(path)), { field: setting });
  }
  return new URL(base + path);
}

/** Parses a base URL. Throws like {@link endpointOf}. */
export function checkHost(value: string, area: Area, insecureHosts?: readonly string[]): URL {
  const name = `${area}BaseUrl`;
  if (value.trim() === '') {
    const sentence = l10n.t('No {0} service is connected yet: "{1}" is empty.', wordFor(area), name);
    throw new MediaError('noService', sentence, { field: name });
  }
  const url = URL.parse(value.trim());
  const fault = hostFault(url, insecureHosts);
  if (!url || fault) {
    const sentence = describeFault(fault ?? 'notUrl', wordFor(area), name, url?.host ?? '');
    throw new MediaError('noService', sentence, { field: name });
  }
  return url;
}

export type HostFault = 'notUrl' | 'credentials' | 'query' | 'notEncrypted';

/** Whether a URL's host name is this machine, by name or address. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

/** Whether a person allows plain http to the host of a URL. */
function isAllowed({ host }: URL, hosts: readonly string[] = []): boolean {
  // The port of http is left out in a URL.
  return hosts.some((one) => URL.parse(`http://${one.trim()}`)?.href === `http://${host}/`);
}

/** Whether a host needs no key: one on this computer, or one of the person's own that is asked by plain http. */
export function needsNoKey(url: URL, insecureHosts?: readonly string[]): boolean {
  return isLoopback(url.hostname) || (url.protocol === 'http:' && isAllowed(url, insecureHosts));
}

/** Returns what is wrong with a base URL; undefined when it is valid. */
export function hostFault(url: URL | null, insecureHosts?: readonly string[]): HostFault | undefined {
  if (!url) return 'notUrl';
  if (url.username || url.password) return 'credentials';
  if (url.search || url.hash) return 'query';
  const mayBePlain = isLoopback(url.hostname) || isAllowed(url, insecureHosts);
  return url.protocol === 'https:' || (url.protocol === 'http:' && mayBePlain) ? undefined : 'notEncrypted';
}

function describeFault(fault: HostFault, host: string, name: string, address: string): string {
  switch (fault) {
    case 'notUrl':
      return l10n.t(
        'The {0} host ("{1}") is not a URL. Enter an address such as https://images.example.com.',
        host,
        name,
      );
    case 'credentials':
      return l10n.t(
        'The {0} host ("{1}") must not contain a user name or password. Enter the key with the command "Set API Key…".',
        host,
        name,
      );
    case 'query':
      return l10n.t('The {0} host ("{1}") must not contain a query or fragment.', host, name);
    case 'notEncrypted':
      return l10n.t(
        'The {0} host ("{1}") must begin with https://, so that what is sent is encrypted. http:// is allowed only for a service on this computer, or in your own network if the setting “unifiedMedia.insecureHosts” lists {2}.',
        host,
        name,
        address,
      );
  }
}

function wordFor(area: Area): string {
  switch (area) {
    case 'image':
      return l10n.t('image');
    case 'audio':
      return l10n.t('audio');
    case 'video':
      return l10n.t('video');
  }
}

/**
 * Returns the key for an origin, which is sent only there; undefined when there is none. Rejects when keys cannot be
 * read.
 */
export type KeySource = (origin: string) => string | undefined | Promise<string | undefined>;

/**
 * Returns the key to send to a URL; undefined when there is none and the host may need none.
 *
 * @throws MediaError `noKey` when any other origin has none, or when it cannot be sent in a header
 */
export async function keyFor(
  url: URL,
  source: KeySource,
  insecureHosts?: readonly string[],
): Promise<string | undefined> {
  const { origin } = url;
  const key = await source(origin);
  if (!key && needsNoKey(url, insecureHosts)) return undefined;
  if (!key) throw new MediaError('noKey', l10n.t('There is no API key for {0}.', origin));
  if (!isSendable(key)) {
    const sentence = l10n.t('The API key contains spaces or characters that cannot be sent. Set it again.');
    throw new MediaError('noKey', sentence);
  }
  return key;
}

/** Whether a header can hold a key: visible ASCII only. */
export function isSendable(key: string): boolean {
  return /^[\x21-\x7e]+$/.test(key);
}

/** Returns the source of answers from an area's host. Throws like {@link baseOf}. */
export function sourceOf(configuration: ServiceConfiguration, area: Area): AnswerSource {
  const { authorizationScheme } = configuration;
  const setting = statusPathOf(area);
  const path = setting && configuration[setting];
  return {
    base: baseOf(configuration, area),
    ...(setting && path ? { [setting]: path } : {}),
    ...(authorizationScheme ? { authorizationScheme } : {}),
  };
}

/**
 * Returns the source to poll now. If the settings still name its origin, they win, since they may just have been
 * corrected; otherwise the stored source does. A missing status path is taken from the other one.
 */
export function currentSource(source: AnswerSource, configuration: ServiceConfiguration, area: Area): AnswerSource {
  const isCurrent = originOf(source) === currentOrigin(configuration, area);
  const current = isCurrent ? { ...source, authorizationScheme: configuration.authorizationScheme } : source;
  const setting = statusPathOf(area);
  if (!setting) return current;
  const [first, second] = isCurrent ? [configuration, source] : [source, configuration];
  return { ...current, [setting]: first[setting] || second[setting] };
}

/** Returns the origin that gave an answer, the only one that its key is sent to. */
export function originOf({ base }: AnswerSource): string {
  return new URL(base).origin;
}

/** Returns a URL from an answer as an absolute URL; undefined when it is outside the answer's origin. */
export function urlWithin(source: AnswerSource, url: string | undefined): string | undefined {
  const absolute = url === undefined ? null : URL.parse(url, `${source.base}/`);
  return absolute?.origin === originOf(source) ? absolute.href : undefined;
}

/** Returns the origin in the settings; undefined when it is missing or invalid. */
function currentOrigin(configuration: ServiceConfiguration, area: Area): string | undefined {
  try {
    return new URL(baseOf(configuration, area)).origin;
  } catch {
    return undefined;
  }
}

/** A job of the service, from a {@link JobAnswer}. */
export type ServiceJob = Pick<JobAnswer, 'id'> & { readonly statusUrl?: string };

/**
 * Returns the URL to poll for a job's status. A configured path wins, since a person chose it.
 *
 * @throws MediaError `noMedia` when no URL is known; `noService` for an invalid path
 */
export function statusUrlOf(id: OperationId, job: ServiceJob, source: AnswerSource): URL {
  const setting = statusPathOf(operations[id].area);
  const configured = setting && statusEndpointOf(setting, source, job.id);
  if (configured) return configured;
  const named = urlWithin(source, job.statusUrl);
  if (named !== undefined) return new URL(named);
  throw new MediaError('noMedia', describeUnknownStatus(job.id, setting), { field: setting, mayBeBilled: true });
}

function describeUnknownStatus(jobId: string, setting: StatusPath | undefined): string {
  if (!setting) {
    return l10n.t(
      "The service accepted the request as job {0}, but sent no address on its own host to get the result from. Ask the service's operator, and name the job.",
      jobId,
    );
  }
  if (setting === 'imageStatusPath') {
    return l10n.t(
      'The service accepted the request as job {0}, but has not sent the images yet. To get them, set "unifiedMedia.imageStatusPath" to the path of its status (such as /v1/images/{id}), then download them again.',
      jobId,
    );
  }
  return l10n.t(
    'The service accepted the request as job {0}, but has not sent the video yet. To get it, set "unifiedMedia.videoStatusPath" to the path of its status (such as /v1/videos/{id}), then download it again.',
    jobId,
  );
}
