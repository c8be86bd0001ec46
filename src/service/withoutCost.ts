import * as l10n from '@vscode/l10n';
import type { Dispatcher } from 'undici';
import { errors, request as httpRequest } from 'undici';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import { parseJson } from '../operations/parseJson.ts';
import type { Json, JsonObject } from './Answer.ts';
import { answerFacts, isObject, objectOf, textOf } from './Answer.ts';
import { decoded, drop, TimeLimit, untilAborted } from './AnswerBody.ts';
import { errorFromAnswer, errorFromFailure, redact } from './errors.ts';

const maxSeconds = 30;

/**
 * Runs an exchange that no service bills, for at most 30 s.
 *
 * @throws MediaError, never `mayBeBilled`
 */
async function withoutCost<T>(
  url: URL,
  signal: AbortSignal | undefined,
  exchange: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  using limit = new TimeLimit(signal);
  limit.start(maxSeconds, l10n.t('{0} did not answer within {1} s.', url.host, maxSeconds));
  try {
    return await untilAborted(limit.signal, exchange(limit.signal));
  } catch (failure) {
    if (limit.isCancelled) throw new MediaError('cancelled', l10n.t('Cancelled.'), { cause: failure });
    const error = limit.error ?? errorFromFailure(failure, url.host);
    if (!error.mayBeBilled) throw error;
    const { kind, status, requestId } = error;
    throw new MediaError(kind, describeFailure(error, failure, url.host), { status, requestId, cause: failure });
  }
}

/** Describes a failure without the billing warning of paid requests. */
function describeFailure({ kind, status, message }: MediaError, failure: unknown, host: string): string {
  if (kind === 'timeout') return message;
  if (status !== undefined) {
    return kind === 'gatewayTimeout' ? l10n.t('The service reported an error ({0}).', status) : message;
  }
  // Replaces OpenSSL's message, which does not help.
  if (kind === 'tls') return l10n.t('{0} does not use https on this port.', host);
  const isNoHttp = failure instanceof errors.HTTPParserError;
  const reason = isNoHttp ? l10n.t('its answer is not HTTP') : redact(reasonOf(failure));
  return l10n.t('No web service answers at {0}: {1}.', host, reason);
}

/**
 * Checks whether a host answers at all. Sends no key, and nothing is billed.
 *
 * @returns the HTTP status of the answer, whatever it is
 * @throws MediaError `network`, `tls`, `proxy`, `timeout` or `cancelled`
 */
export function probeHost(url: URL, dispatcher: Dispatcher, signal?: AbortSignal): Promise<number> {
  return withoutCost(url, signal, async (deadline) => {
    const response = await httpRequest(url, { headers: { accept: '*/*' }, dispatcher, signal: deadline });
    drop(response);
    return response.statusCode;
  });
}

const maxBytes = 8 * 1024 * 1024;

export interface ListOptions {
  readonly dispatcher: Dispatcher;
  /** The whole `Authorization` header. */
  readonly authorization: string;
  /** Redacted from the service's messages. */
  readonly key: string;
  readonly signal?: AbortSignal | undefined;
  readonly log?: ((line: string) => void) | undefined;
}

/**
 * Reads a host's list of models, which is not billed. Takes at most 30 s and 8 MiB.
 *
 * @throws MediaError for the status (`unauthorized`, `forbidden`, `notFound`…), `unreadableAnswer` when the answer is
 *   not a list, or `network`, `tls`, `proxy`, `timeout`, `cancelled`
 */
export function listModels(url: URL, options: ListOptions): Promise<readonly ListedModel[]> {
  const { dispatcher, authorization, key, log } = options;
  return withoutCost(url, options.signal, async (signal) => {
    const headers = { authorization, accept: 'application/json', 'accept-encoding': 'identity' };
    const response = await httpRequest(url, { headers, dispatcher, signal, headersTimeout: 0, bodyTimeout: 0 });
    const body = await receive(decoded(response, response.body));
    const answer = { ...answerFacts(response, { base: url.origin }), body };
    log?.(`models: GET ${url.origin}${url.pathname}: ${answer.status}, ${body.length} bytes`);
    if (answer.status < 200 || answer.status > 299) throw errorFromAnswer(answer, [key]);
    const models = readModelList(parseJson<Json>(new TextDecoder().decode(body)));
    if (!models) throw unreadable(l10n.t('{0} did not answer with a list of models.', url.host));
    return models;
  });
}

async function receive(data: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of data) {
    length += chunk.length;
    if (length > maxBytes) throw unreadable(l10n.t("The service's list of models is larger than 8 MiB."));
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function unreadable(sentence: string): MediaError {
  return new MediaError('unreadableAnswer', sentence);
}

export type ModelKind = 'image' | 'speech' | 'transcription' | 'video';

export interface ListedModel {
  /** Name to send in a request. */
  readonly name: string;
  /** What the model makes, according to the list; empty when it does not say. */
  readonly kinds: readonly ModelKind[];
}

/** More than any picker can show; services list hundreds. */
const maxModels = 10_000;
const maxNameLength = 200;

/**
 * Reads a model list in one of the usual shapes: an array of names or objects, alone or as `data`, `models`, `result`,
 * `results` or `items`. Returns it sorted, without duplicates; undefined when the value is not a list of models.
 */
export function readModelList(value: Json | undefined): readonly ListedModel[] | undefined {
  const list = findList(value);
  if (!list) return undefined;
  const kindsByName = new Map<string, Set<ModelKind>>();
  for (const item of list) {
    const name = nameOf(item);
    if (name === undefined) continue;
    kindsByName.set(name, new Set([...(kindsByName.get(name) ?? []), ...(isObject(item) ? kindsOf(item) : [])]));
  }
  // Without any name, it is a list of something else.
  if (kindsByName.size === 0 && list.length > 0) return undefined;
  const { compare } = new Intl.Collator('en', { numeric: true });
  return [...kindsByName]
    .map(([name, kinds]) => ({ name, kinds: [...kinds].sort() }))
    .sort((a, b) => compare(a.name, b.name))
    .slice(0, maxModels);
}

function findList(value: Json | undefined): readonly Json[] | undefined {
  if (Array.isArray(value)) return value as readonly Json[];
  if (!isObject(value)) return undefined;
  for (const name of ['data', 'models', 'result', 'results', 'items']) {
    const list = value[name];
    if (Array.isArray(list)) return list as readonly Json[];
  }
  return isObject(value.data) ? findList(value.data) : undefined;
}

function nameOf(item: Json): string | undefined {
  // When there is an id, `name` is a display name.
  const name = typeof item === 'string' ? item.trim() : isObject(item) ? textOf(item, 'id', 'model', 'name') : '';
  return name && name.length <= maxNameLength && !/\p{Cc}/u.test(name) ? name : undefined;
}

/** Members that say what a model is for, such as `text-to-image` or `/v1/audio/speech`. */
const useMembers = [
  'type',
  'sub_type',
  'mode',
  'kind',
  'category',
  'task',
  'tasks',
  'pipeline_tag',
  'modality',
  'capabilities',
  'endpoints',
  'supported_endpoints',
  'supported_endpoint_types',
];
/** Members that name the kinds of output. */
const outputMembers = ['output_modalities', 'outputModalities'];

function kindsOf(item: JsonObject): readonly ModelKind[] {
  const parts = [item, objectOf(item, 'architecture'), objectOf(item, 'model_info')];
  const words = (names: readonly string[]) => parts.flatMap((part) => names.flatMap((name) => wordsOf(part[name])));
  return [
    ...words(useMembers).flatMap(kindsOfWord),
    ...words(outputMembers).flatMap((word) => (word === 'audio' ? ['speech' as const] : kindsOfWord(word))),
  ];
}

/**
 * Returns the words of a text, of a list, or of the members that are true. In `text->image`, only the output counts.
 */
function wordsOf(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') {
    return value
      .replace(/^.*->/, '')
      .split(/[+,]/)
      .map((word) =>
        word
          .toLowerCase()
          .replace(/[^a-z0-9]+/g, '-')
          .replace(/^-|-$/g, ''),
      );
  }
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap((word) => wordsOf(String(word)));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([word, isSet]) => (isSet === true ? wordsOf(word) : []));
}

const kindPatterns: readonly (readonly [RegExp, readonly ModelKind[]])[] = [
  [/^(v1-)?((text|image)-to-)?images?(-(generations?|generator|edits?|editing))?$|^(txt|img)2img$/, ['image']],
  [
    /^(v1-)?((text|image|video)-to-)?videos?(-(generations?|generator|edits?|editing))?$|^(txt|img)2vid(eo)?$/,
    ['video'],
  ],
  [/^(v1-)?(audio-)?(speech|text-to-speech|tts|speech-(synthesis|generation)|text-to-audio)$/, ['speech']],
  [
    /^(v1-)?(audio-)?(transcribe|transcriptions?|translations?|speech-to-text|stt|asr|(automatic-)?speech-recognition)$/,
    ['transcription'],
  ],
  [/^audio$/, ['speech', 'transcription']],
];

function kindsOfWord(word: string): readonly ModelKind[] {
  return kindPatterns.find(([pattern]) => pattern.test(word))?.[1] ?? [];
}
