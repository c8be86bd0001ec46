import * as l10n from '@vscode/l10n';
import { contributedSettings, section } from '../contributions.ts';
import { MediaError } from '../operations/MediaError.ts';
import { areas, operations } from '../operations/operations.ts';
import { parseJson } from '../operations/parseJson.ts';
import { type Prices, priceProblem, readPrices } from '../operations/prices.ts';
import { isSendable, keyOriginOf } from '../service/ServiceConfiguration.ts';
import { type Connection, normalizeKey } from '../service/ServiceConnection.ts';
import type { KeyOrigin } from '../work/repeatable.ts';

const prefix = 'UNIFIED_MEDIA_';

/** The command line has no settings: it takes the editor's defaults. */
export const { default: timeoutSeconds } = contributedSettings.timeoutSeconds;

/** Returns the service that the environment variables name. The key is sent only to its hosts. */
export function serviceIn(environment: NodeJS.ProcessEnv): Connection {
  const value = (name: string) => environment[prefix + name]?.trim() ?? '';
  const hosts = { image: value('IMAGE_BASE_URL'), audio: value('AUDIO_BASE_URL'), video: value('VIDEO_BASE_URL') };
  const origins = areas.map((area) => (URL.canParse(hosts[area]) ? new URL(hosts[area]).origin : undefined));
  const key = normalizeKey(value('API_KEY'));
  return {
    configuration: {
      hosts,
      insecureHosts: value('INSECURE_HOSTS')
        .split(/[\s,]+/)
        .filter(Boolean),
      paths: { transcribe: value('TRANSCRIPTION_PATH'), translate: value('TRANSLATION_PATH') },
      imageStatusPath: value('IMAGE_STATUS_PATH'),
      videoStatusPath: value('VIDEO_STATUS_PATH'),
      authorizationScheme: value('AUTHORIZATION_SCHEME'),
      headers: headersIn(value('HEADERS')),
      idempotencyHeader: value('IDEMPOTENCY_HEADER'),
      timeoutSeconds,
    },
    key: (origin) => (origins.includes(origin) && key !== '' ? key : undefined),
  };
}

/** Returns which of the services that the environment variables name honour idempotency keys. */
export function keyOriginIn(environment: NodeJS.ProcessEnv): KeyOrigin {
  const { configuration } = serviceIn(environment);
  return (operation) => keyOriginOf(configuration, operations[operation].area);
}

/** Parses further headers. A text that is not JSON is returned, and refused when the headers are checked. */
function headersIn(text: string): unknown {
  return text === '' ? undefined : (parseJson(text) ?? text);
}

/**
 * Returns the person's own prices, in the shape of the setting `prices`.
 *
 * @throws MediaError `invalidInput` when they cannot be read, rather than a plan without them
 */
export function pricesIn(environment: NodeJS.ProcessEnv): Prices | undefined {
  const value = (name: string) => environment[prefix + name]?.trim() ?? '';
  const text = value('PRICES');
  if (text === '') return undefined;
  const given = parseJson(text);
  const problem = priceProblem(given);
  const prices = readPrices(given);
  if (prices && problem === undefined) return prices;
  const shape = l10n.t('{0} must be a JSON object as in the setting “unifiedMedia.prices”.', `${prefix}PRICES`);
  const sentence = problem === undefined ? shape : `${shape} ${problem}`;
  throw new MediaError('invalidInput', sentence, { field: `${prefix}PRICES` });
}

/** Returns an error about the service or its key with the name of the variable to set or correct. */
export function withVariable(error: unknown, environment: NodeJS.ProcessEnv): unknown {
  if (!(error instanceof MediaError)) return error;
  const { kind, field, message, hasAnswer } = error;
  const setting = kind === 'noKey' ? 'apiKey' : kind === 'noService' || kind === 'noMedia' ? field : undefined;
  if (setting === undefined) return error;
  const name = variableOf(setting);
  const id = `${section}.${setting}`;
  const key = normalizeKey(environment[name] ?? '');
  if (kind === 'noKey' && hasAnswer && isSendable(key)) {
    const sentence = l10n.t(
      '{0} Your key is sent only to the base URLs that are set now. To fetch the result, set the earlier one again.',
      message,
    );
    return new MediaError(kind, sentence, { ...error, cause: error });
  }
  const told = message.replaceAll(/\bunifiedMedia\.(\w+)/g, (_, one: string) => variableOf(one));
  const sentence = message.includes(id)
    ? told
    : environment[name]?.trim()
      ? l10n.t('{0} Correct {1}.', told, name)
      : l10n.t('{0} Set {1}, or use --sandbox.', told, name);
  return new MediaError(kind, sentence, { ...error, cause: error });
}

/** Returns the variable that stands for a setting here. */
function variableOf(setting: string): string {
  return prefix + setting.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}
