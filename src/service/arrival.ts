import * as l10n from '@vscode/l10n';
import type { Dispatcher } from 'undici';
import type { TimeLimit } from './TimeLimit.ts';

/** How much of a body arrived, in bytes as they travelled. */
export interface Arrival {
  readonly bytes: number;
  /** How long the whole is, where the service said so. */
  readonly total?: number | undefined;
}

/** The length that a response announces. */
export function announcedLength({ headers }: Dispatcher.ResponseData): number | undefined {
  return Number([headers['content-length']].flat()[0]) || undefined;
}

/** What ends a body in which nothing arrives. */
export interface Silence {
  readonly limit: TimeLimit;
  readonly seconds: number;
  /** What is said then. */
  readonly sentence: string;
}

/** The silence of a host. */
export function silenceOf({ host }: URL, seconds: number, limit: TimeLimit): Silence {
  return { limit, seconds, sentence: l10n.t('{0} sent nothing for {1} s.', host, seconds) };
}

/** The bytes of a body as they travel. Only the time in which nothing arrives counts, not the time that the reader takes. */
export async function* arriving(
  { body }: Dispatcher.ResponseData,
  { limit, seconds, sentence }: Silence,
  onArrived: (bytes: number) => void = () => undefined,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  limit.start(seconds, sentence);
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      limit.stop();
      bytes += chunk.length;
      onArrived(bytes);
      yield chunk;
      limit.start(seconds, sentence);
    }
  } finally {
    limit.stop();
  }
}

/** “19 of 40 MiB”, or “19 MiB” where nobody knows how long the whole is. */
export function describeArrival({ bytes, total }: Arrival): string {
  const { unit, size } = units.find((candidate) => (total ?? bytes) >= candidate.size) ?? bytesUnit;
  // Rounded down, so that a part is never called the whole.
  const arrived = String(Math.floor((bytes / size) * 10) / 10);
  if (total === undefined) return `${arrived} ${unit()}`;
  return l10n.t('{0} of {1} {2}', arrived, String(Math.ceil((total / size) * 10) / 10), unit());
}

const bytesUnit = { size: 1, unit: () => l10n.t('bytes') };
const units = [
  { size: 2 ** 30, unit: () => 'GiB' },
  { size: 2 ** 20, unit: () => 'MiB' },
  { size: 2 ** 10, unit: () => 'KiB' },
  bytesUnit,
];
