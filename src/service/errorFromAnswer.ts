import * as l10n from '@vscode/l10n';
import type { MediaErrorKind } from '../operations/MediaError.ts';
import { MediaError } from '../operations/MediaError.ts';
import { parseJson } from '../operations/parseJson.ts';
import type { Json, JsonObject, RawAnswer } from './Answer.ts';
import { firstOf, isObject, numberOf, objectOf, partsOf, textOf } from './json.ts';
import { redact } from './redact.ts';
import { stateOf, stateOfWord, stateWordIn, stateWordOf } from './workState.ts';

/** Returns the error for an answer outside 2xx, including the service's own message. */
export function errorFromAnswer(raw: RawAnswer, secrets: readonly string[] = []): MediaError {
  // Only 2xx answers are stored in files.
  const text = raw.body instanceof Uint8Array ? new TextDecoder().decode(raw.body) : '';
  const value = parseJson<Json>(text) ?? text;
  return toError(kindOfStatus(raw.status), value, raw, secrets);
}

/**
 * Returns the error inside a 2xx answer without media: `error`, `success: false`, an error `code` or status, a
 * moderation flag, a chat model's refusal, or plain text. Returns undefined when there is none.
 */
export function errorInside(value: Json, raw: RawAnswer, secrets: readonly string[] = []): MediaError | undefined {
  if (!isObject(value)) {
    if (typeof value !== 'string' || /^\s*[[{]/.test(value)) return undefined;
    return toError('unreadableAnswer', value, raw, secrets);
  }
  const refusal = textOf(objectOf(firstOf(value, 'choices'), 'message'), 'refusal');
  if (refusal) return toError('contentRefused', refusal, raw, secrets);
  const state = stateOf(value);
  const part =
    partsOf(value).find((inner) => reportsFailure(inner) || (state !== 'running' && holdsErrorCode(inner))) ??
    (state === 'failed' ? value : undefined);
  if (!part) return undefined;
  const status = statusInside(part);
  return toError(status === undefined ? 'server' : kindOfStatus(status), part, raw, secrets);
}

function reportsFailure(value: JsonObject): boolean {
  const { error, success } = value;
  const isEmptyError = isObject(error) && !textOf(error, 'message', 'msg', 'type') && !error.code;
  if (error !== undefined && error !== null && error !== '' && error !== false && !isEmptyError) return true;
  if (success === false || stateOfWord(stateWordIn(value) ?? '') === 'failed') return true;
  return Boolean(numberOf(objectOf(value, 'base_resp'), 'status_code')) || isFiltered(value);
}

/** Whether `code` is an error: some services use codes of their own, others HTTP status codes. */
function holdsErrorCode({ code }: JsonObject): boolean {
  return code !== undefined && code !== null && !/^(|0|2\d\d|ok|success)$/i.test(String(code));
}

/** Returns the HTTP error status that some services put into the body of a 200 answer. */
function statusInside(value: JsonObject): number | undefined {
  const error = objectOf(value, 'error');
  const candidates = [value.status_code, error.status, error.code, error.type, value.code];
  return candidates.map(Number).find((status) => Number.isInteger(status) && status >= 400 && status < 600);
}

function kindOfStatus(status: number): MediaErrorKind {
  switch (status) {
    case 401:
      return 'unauthorized';
    case 402:
      return 'quota';
    case 403:
      return 'forbidden';
    case 404:
    case 410:
      return 'notFound';
    case 407:
      return 'proxy';
    case 413:
      return 'tooLarge';
    case 429:
      return 'rateLimited';
    // The gateway timed out, but the service may have done the work.
    case 408:
    case 504:
    case 522:
    case 524:
      return 'gatewayTimeout';
    default:
      return status >= 400 && status < 500 ? 'badRequest' : 'server';
  }
}

const refusal =
  /content.?policy|moderation|moderated|content.?filter|safety (system|filter|polic)|nsfw|prohibited content|sensitive content|filtered_count|respect_moderation/i;
const outOfFunds =
  /insufficient.?(quota|credit|balance|funds)|exceeded your current quota|billing|payment required|out of credit/i;

/** Derives a more exact kind from the service's message and codes. */
function refineKind(kind: MediaErrorKind, words: string): MediaErrorKind {
  if (kind === 'unauthorized' || kind === 'gatewayTimeout' || kind === 'notFound') return kind;
  if (refusal.test(words)) return 'contentRefused';
  if (kind !== 'server' && outOfFunds.test(words)) return 'quota';
  return kind;
}

function describeKind(kind: MediaErrorKind, status: number): string {
  switch (kind) {
    case 'unauthorized':
      return l10n.t('The service did not accept the API key.');
    case 'forbidden':
      return l10n.t('The service does not allow this API key to do that.');
    case 'badRequest':
      return l10n.t('The service refused the request.');
    case 'contentRefused':
      return l10n.t('The service refused the content.');
    case 'notFound':
      return l10n.t('The service does not know this model, video or address.');
    case 'tooLarge':
      return l10n.t('The request is too large for the service.');
    case 'rateLimited':
      return l10n.t('The service is busy, or its rate limit is reached.');
    case 'quota':
      return l10n.t('The account has no credit or quota left.');
    case 'gatewayTimeout':
      return l10n.t(
        'A gateway timed out while waiting for the service. The service may have done the work and may bill it.',
      );
    case 'proxy':
      return l10n.t('The proxy requires a user name and password.');
    case 'unreadableAnswer':
      return l10n.t('The service accepted the request but sent only a message. It may still bill it.');
    default:
      return status < 300
        ? l10n.t('The service reported that the work failed.')
        : l10n.t('The service reported an error ({0}).', status);
  }
}

function toError(kind: MediaErrorKind, value: Json, raw: RawAnswer, secrets: readonly string[]): MediaError {
  const said = wordsOf(value);
  const codes = isObject(value) ? codesOf(value) : '';
  const filtered = isObject(value) && isFiltered(value) ? 'content filter' : '';
  const refined = refineKind(kind, `${said ?? ''} ${codes} ${filtered}`);
  const field = refined === 'badRequest' || refined === 'tooLarge' ? fieldOf(value) : undefined;
  const shown = said && redact(said, secrets).slice(0, 600);
  const word = isObject(value) ? stateWordOf(value)?.slice(0, 60) : undefined;
  const isBilled = refined === 'gatewayTimeout' || (isObject(value) && isObject(value.usage));
  const sentence = [
    describeKind(refined, raw.status),
    field && !shown?.includes(field) ? l10n.t('The problem is in the field "{0}".', field) : '',
    shown ? l10n.t('It says: “{0}”', shown) : l10n.t('It gives no reason (status {0}).', word ?? raw.status),
    raw.retryAfter ? l10n.t('It asks you to wait {0} before trying again.', describeWait(raw.retryAfter)) : '',
  ];
  return new MediaError(refined, sentence.filter(Boolean).join(' '), {
    status: raw.status,
    requestId: raw.requestId,
    retryAfter: raw.retryAfter,
    field,
    mayBeBilled: isBilled || raw.status < 300 || raw.status >= 500,
  });
}

/** Returns error codes and types, which are more exact than the status. */
function codesOf(value: JsonObject): string {
  const error = objectOf(value, 'error');
  const codes = [textOf(error, 'code'), textOf(error, 'type'), textOf(value, 'error'), textOf(value, 'code')];
  return [...codes, stateWordIn(value)].filter(Boolean).join(' ').slice(0, 600);
}

function describeWait(seconds: number): string {
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}

function isFiltered(value: JsonObject): boolean {
  return value.respect_moderation === false || (numberOf(objectOf(value, 'content_filter'), 'filtered_count') ?? 0) > 0;
}

/** Returns the service's own message, wherever it is in the answer. */
function wordsOf(value: Json): string | undefined {
  if (typeof value === 'string') return wordsOfText(value);
  if (!isObject(value)) return undefined;
  const { error, detail, errors } = value;
  const first = Array.isArray(errors) ? (errors[0] as Json | undefined) : undefined;
  return (
    (isObject(error) ? textOf(error, 'message', 'msg', 'detail', 'type', 'code') : undefined) ??
    (typeof error === 'string' && error.trim() !== '' ? error.trim() : undefined) ??
    textOf(value, 'message') ??
    wordsOfDetail(detail) ??
    (isObject(first) ? textOf(first, 'message', 'detail') : undefined) ??
    textOf(value, 'msg', 'reason', 'status_msg', 'fail_reason', 'failure_reason', 'error_message', 'task_status_msg') ??
    textOf(objectOf(value, 'base_resp'), 'status_msg') ??
    textsOf(objectOf(value, 'content_filter').reasons)
  );
}

/** Reads FastAPI's `detail`: a text, or a list of problems with their locations. */
function wordsOfDetail(detail: Json | undefined): string | undefined {
  if (typeof detail === 'string') return detail.trim() || undefined;
  if (!Array.isArray(detail)) return undefined;
  const lines = (detail as readonly Json[]).flatMap((item) => {
    const words = isObject(item) ? textOf(item, 'msg', 'message') : undefined;
    return words ? [[lastOfLocation(item), words].filter(Boolean).join(': ')] : [];
  });
  return lines.join('; ') || undefined;
}

function lastOfLocation(item: Json): string | undefined {
  const location = isObject(item) ? item.loc : undefined;
  const last = Array.isArray(location) ? (location as readonly Json[]).at(-1) : undefined;
  return typeof last === 'string' ? last : undefined;
}

function textsOf(value: Json | undefined): string | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter((item) => typeof item === 'string').join(', ') || undefined;
}

/** Characters read of a page, cut at the end of a word: its first lines say what it is. */
const maxCharacters = 8192;

function wordsOfText(whole: string): string | undefined {
  const text = whole.length > maxCharacters ? whole.slice(0, maxCharacters).replace(/\S*$/, '') : whole;
  const xml = /<Message>([^<]+)<\/Message>/i.exec(text)?.[1];
  const title = /<title[^>]*>([^<]+)<\/title>/i.exec(text)?.[1];
  const plain = text.replace(/<(style|script)[\s\S]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' ');
  return (xml ?? title ?? plain).replace(/\s+/g, ' ').trim() || undefined;
}

/** Returns the field that the service names. Anything that does not look like a field name is part of the message. */
function fieldOf(value: Json): string | undefined {
  if (!isObject(value)) return undefined;
  const { detail } = value;
  const named =
    textOf(objectOf(value, 'error'), 'param') ??
    textOf(value, 'param') ??
    (Array.isArray(detail) && detail[0] !== undefined ? lastOfLocation(detail[0] as Json) : undefined);
  return named && /^[\w.[\]-]{1,60}$/.test(named) ? named : undefined;
}
