import type { Area } from '../operations/operations.ts';
import type { AnswerSource } from './Answer.ts';
import type { ServiceConfiguration } from './ServiceConfiguration.ts';
import { baseOf } from './ServiceConfiguration.ts';

/** The source of what an area's host answers. Throws like {@link baseOf}. */
export function sourceOf(configuration: ServiceConfiguration, area: Area): AnswerSource {
  const { videoStatusPath, authorizationScheme } = configuration;
  return {
    base: baseOf(configuration, area),
    ...(area === 'video' && videoStatusPath ? { videoStatusPath } : {}),
    ...(authorizationScheme ? { authorizationScheme } : {}),
  };
}

/**
 * A source as it is asked today. Where the settings still name its origin, they count, since they may just have been
 * corrected. Else the source counts. A path that one of them lacks is taken from the other.
 */
export function currentSource(source: AnswerSource, configuration: ServiceConfiguration, area: Area): AnswerSource {
  const { videoStatusPath, authorizationScheme } = configuration;
  const { base } = source;
  if (originOf(source) === currentOrigin(configuration, area)) {
    return { base, videoStatusPath: videoStatusPath || source.videoStatusPath, authorizationScheme };
  }
  return { ...source, videoStatusPath: source.videoStatusPath || videoStatusPath };
}

/** The origin that gave an answer: the only one that gets its key. */
export function originOf({ base }: AnswerSource): string {
  return new URL(base).origin;
}

/** A URL that an answer names, absolute; undefined when it lies outside of the answer's origin. */
export function urlWithin(source: AnswerSource, url: string | undefined): string | undefined {
  const absolute = url === undefined ? null : URL.parse(url, `${source.base}/`);
  return absolute?.origin === originOf(source) ? absolute.href : undefined;
}

/** The origin that the settings name; undefined when they name none that can be used. */
function currentOrigin(configuration: ServiceConfiguration, area: Area): string | undefined {
  try {
    return new URL(baseOf(configuration, area)).origin;
  } catch {
    return undefined;
  }
}
