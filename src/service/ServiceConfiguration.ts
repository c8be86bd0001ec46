import * as l10n from '@vscode/l10n';
import { MediaError } from '../operations/MediaError.ts';
import type { Area, OperationId } from '../operations/operations.ts';
import { operations } from '../operations/operations.ts';
import type { AnswerSource } from './Answer.ts';
import { isLoopback } from './isLoopback.ts';

/** Where the service is and how long to wait for it. */
export interface ServiceConfiguration {
  /** Base URLs; an empty one is not set up. https, or http on loopback. */
  readonly hosts: Readonly<Record<Area, string>>;
  /** Paths that differ from the operations' own. */
  readonly paths?: Partial<Record<OperationId, string>> | undefined;
  /** Where a video that is a job on the service's side is asked for, with `{id}`; empty where the answer holds the video. */
  readonly videoStatusPath?: string | undefined;
  /** Where a host lists its models; empty where it does not. */
  readonly modelListPath?: string | undefined;
  /** Word put before the key; empty for the raw key. */
  readonly authorizationScheme?: string | undefined;
  /** Whether result URLs may lead to private addresses although the service is on a public one. */
  readonly allowPrivateResultAddresses?: boolean | undefined;
  /** Longest time from the end of the upload to the beginning of the response. */
  readonly timeoutSeconds: Readonly<Record<Area, number>>;
}

/**
 * The URL that an operation's requests go to.
 *
 * @throws MediaError `noService` when its host is not set or cannot be used; the sentence names it
 */
export function endpointOf(configuration: ServiceConfiguration, id: OperationId): URL {
  const { area, path } = operations[id];
  const url = urlAt(baseOf(configuration, area), configuration.paths?.[id] || path, (wrong) =>
    l10n.t('The path for "{0}" must begin with one slash, not {1}.', id, wrong),
  );
  checkScheme(configuration.authorizationScheme);
  return url;
}

/** The base URL of an area's host: its origin and what stands before `/v1`. Throws like {@link endpointOf}. */
export function baseOf({ hosts }: ServiceConfiguration, area: Area): string {
  const { origin, pathname } = checkHost(hosts[area], area);
  // Every path begins with /v1, and many services print their base URL with it.
  return origin + pathname.replace(/\/+$/, '').replace(/\/v1$/, '');
}

/**
 * The URL that tells how a video is getting on; undefined when no path for it is set. Throws like {@link endpointOf}.
 */
export function statusEndpointOf({ base, videoStatusPath: path }: AnswerSource, jobId: string): URL | undefined {
  if (!path) return undefined;
  if (!path.includes('{id}')) {
    const sentence = l10n.t('The path in "videoStatusPath" must hold {id}, such as /v1/videos/{id}.');
    throw new MediaError('noService', sentence);
  }
  return urlAt(base, path.replaceAll('{id}', encodeURIComponent(jobId)), (wrong) =>
    l10n.t('The "videoStatusPath" must begin with one slash, not {0}.', wrong),
  );
}

/** Checks the word before the key, which travels in a header. Throws like {@link endpointOf}. */
export function checkScheme(scheme = ''): void {
  if (/^[\x21-\x7e]*$/.test(scheme)) return;
  const sentence = l10n.t('The word before the key ("authorizationScheme") must be one ASCII word.');
  throw new MediaError('noService', sentence);
}

/** The URL that lists a host's models; undefined when none is set. Throws like {@link endpointOf}. */
export function modelListEndpointOf(configuration: ServiceConfiguration, area: Area): URL | undefined {
  const path = configuration.modelListPath;
  if (!path) return undefined;
  return urlAt(baseOf(configuration, area), path, (wrong) =>
    l10n.t('The "modelListPath" must begin with one slash, not {0}.', wrong),
  );
}

/** @param problemOf the sentence that names a path that cannot be used */
function urlAt(base: string, path: string, problemOf: (wrong: string) => string): URL {
  if (!/^\/[^/\\\s]/.test(path)) {
    throw new MediaError('noService', problemOf(JSON.stringify(path)));
  }
  return new URL(base + path);
}

/** Parses a base URL. Throws like {@link endpointOf}. */
export function checkHost(value: string, area: Area): URL {
  const name = `${area}BaseUrl`;
  if (value.trim() === '') {
    const sentence = l10n.t('No {0} host is set: enter the service\'s address in "{1}".', wordFor(area), name);
    throw new MediaError('noService', sentence);
  }
  const url = URL.parse(value.trim());
  const fault = hostFault(url);
  if (!url || fault) throw new MediaError('noService', describeFault(fault ?? 'notUrl', wordFor(area), name));
  return url;
}

export type HostFault = 'notUrl' | 'credentials' | 'query' | 'notEncrypted';

/** What is wrong with a base URL; undefined when it can be used. */
export function hostFault(url: URL | null): HostFault | undefined {
  if (!url) return 'notUrl';
  if (url.username || url.password) return 'credentials';
  if (url.search || url.hash) return 'query';
  const isEncrypted = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
  return isEncrypted ? undefined : 'notEncrypted';
}

function describeFault(fault: HostFault, host: string, name: string): string {
  switch (fault) {
    case 'notUrl':
      return l10n.t('The {0} host ("{1}") is not a URL; it looks like https://images.example.com.', host, name);
    case 'credentials':
      return l10n.t(
        'The {0} host ("{1}") must not hold a user name or password; the key has its own command.',
        host,
        name,
      );
    case 'query':
      return l10n.t('The {0} host ("{1}") must not hold a query or fragment.', host, name);
    case 'notEncrypted':
      return l10n.t(
        'The {0} host ("{1}") must begin with https:// (http:// is for this machine only), so that the key travels encrypted.',
        host,
        name,
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
