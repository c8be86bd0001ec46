import { reasonOf } from '../operations/MediaError.ts';
import type { Area } from '../operations/operations.ts';
import { checkHost } from '../service/ServiceConfiguration.ts';

export interface ServiceOrigins {
  /** The origins of the configured hosts, each once. */
  readonly origins: readonly string[];
  /** What is wrong with one of the hosts, as a sentence. */
  readonly problem?: string;
}

export function serviceOrigins(hosts: Readonly<Record<Area, string>>): ServiceOrigins {
  const set = (['image', 'audio', 'video'] as const).filter((area) => hosts[area] !== '');
  try {
    return { origins: [...new Set(set.map((area) => checkHost(hosts[area], area).origin))] };
  } catch (error) {
    return { origins: [], problem: reasonOf(error) };
  }
}
