import * as l10n from '@vscode/l10n';
import type { Dispatcher } from 'undici';
import type { TimeLimit } from './TimeLimit.ts';

/** Received part of a body, in bytes on the wire. */
export interface Arrival {
  readonly bytes: number;
  /** Announced length of the body, if any. */
  readonly total?: number | undefined;
}

/** Returns the Content-Length of a response. */
export function announcedLength({ headers }: Dispatcher.ResponseData): number | undefined {
  return Number([headers['content-length']].flat()[0]) || undefined;
}

/** Timeout for a body that sends nothing. */
export interface Silence {
  readonly limit: TimeLimit;
  readonly seconds: number;
  /** Message of the timeout error. */
  readonly sentence: string;
}

/** Returns the timeout for a silent host. */
export function silenceOf({ host }: URL, seconds: number, limit: TimeLimit): Silence {
  return { limit, seconds, sentence: l10n.t('{0} sent nothing for {1} s.', host, seconds) };
}

/**
 * Yields a body as it is on the wire. Only waiting for bytes counts towards the timeout, not the time the reader takes.
 */
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

/** Returns “19 of 40 MiB”, or “19 MiB” when the length is unknown. */
export function describeArrival({ bytes, total }: Arrival): string {
  const { unit, size } = units.find((candidate) => (total ?? bytes) >= candidate.size) ?? bytesUnit;
  // Round down, so that a partial body never looks complete.
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

/** Closes the connection, so that the body of a useless response is not read. */
export function drop({ body }: Pick<Dispatcher.ResponseData, 'body'>): void {
  body.on('error', () => undefined).destroy();
}
