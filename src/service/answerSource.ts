import type { Area } from '../operations/operations.ts';
import type { AnswerSource } from './Answer.ts';
import type { ServiceConfiguration } from './ServiceConfiguration.ts';
import { baseOf } from './ServiceConfiguration.ts';

/** Returns the source of answers from an area's host. Throws like {@link baseOf}. */
export function sourceOf(configuration: ServiceConfiguration, area: Area): AnswerSource {
  const { videoStatusPath, authorizationScheme } = configuration;
  return {
    base: baseOf(configuration, area),
    ...(area === 'video' && videoStatusPath ? { videoStatusPath } : {}),
    ...(authorizationScheme ? { authorizationScheme } : {}),
  };
}

/**
 * Returns the source to poll now. If the settings still name its origin, they win, since they may just have been corrected;
 * otherwise the stored source does. A missing status path is taken from the other one.
 */
export function currentSource(source: AnswerSource, configuration: ServiceConfiguration, area: Area): AnswerSource {
  const { videoStatusPath, authorizationScheme } = configuration;
  const { base } = source;
  if (originOf(source) === currentOrigin(configuration, area)) {
    return { base, videoStatusPath: videoStatusPath || source.videoStatusPath, authorizationScheme };
  }
  return { ...source, videoStatusPath: source.videoStatusPath || videoStatusPath };
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
