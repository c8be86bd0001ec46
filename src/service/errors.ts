import * as l10n from '@vscode/l10n';
import { plainLine, plainText, shortLine } from '../foreign/plainText.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import { parseJson } from '../operations/parseJson.ts';
import {
  firstOf,
  isObject,
  type Json,
  type JsonObject,
  numberOf,
  objectOf,
  partsOf,
  type RawAnswer,
  stateOf,
  stateOfWord,
  stateWordIn,
  stateWordOf,
  textOf,
} from './Answer.ts';

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

/** Whether an object says that the work failed, or a part of it. */
export function reportsFailure(value: JsonObject): boolean {
  const { error, success } = value;
  const says = isObject(error) ? [error.message, error.msg, error.type, error.code] : [error].flat();
  if (!says.every(isNoError)) return true;
  if (success === false || stateOfWord(stateWordIn(value) ?? '') === 'failed') return true;
  return Boolean(numberOf(objectOf(value, 'base_resp'), 'status_code')) || isFiltered(value);
}

/** Whether `code` is an error: some services use codes of their own, others HTTP status codes. */
function holdsErrorCode({ code }: JsonObject): boolean {
  return !isNoError(code);
}

/** Whether what a service puts in the place of an error says that there is none. */
function isNoError(value: unknown): boolean {
  return /^(|0|2\d\d|ok|success|none|null|false)$/i.test(String(value ?? '').trim());
}

/** Returns the HTTP error status that some services put into the body of a 200 answer. */
function statusInside(value: JsonObject): number | undefined {
  const error = objectOf(value, 'error');
  const candidates = [value.status_code, error.status, error.code, error.type, value.code];
  return candidates.map(Number).find((status) => Number.isInteger(status) && status >= 400 && status < 600);
}

/** Kinds of the errors that a service reports. */
type ReportedKind =
  | 'unauthorized'
  | 'forbidden'
  | 'badRequest'
  | 'contentRefused'
  | 'notFound'
  | 'tooLarge'
  | 'rateLimited'
  | 'quota'
  | 'server'
  | 'gatewayTimeout'
  | 'proxy'
  | 'unreadableAnswer';

function kindOfStatus(status: number): ReportedKind {
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
function refineKind(kind: ReportedKind, words: string): ReportedKind {
  if (kind === 'unauthorized' || kind === 'gatewayTimeout' || kind === 'notFound') return kind;
  if (refusal.test(words)) return 'contentRefused';
  if (kind !== 'server' && outOfFunds.test(words)) return 'quota';
  return kind;
}

function describeKind(kind: ReportedKind, status: number): string {
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
      return l10n.t('A gateway timed out while waiting for the service.');
    case 'proxy':
      return l10n.t('The proxy requires a user name and password.');
    case 'unreadableAnswer':
      return l10n.t('The service accepted the request but sent only a message.');
    case 'server':
      return status < 300
        ? l10n.t('The service reported that the work failed.')
        : l10n.t('The service reported an error ({0}).', status);
  }
}

function toError(kind: ReportedKind, value: Json, raw: RawAnswer, secrets: readonly string[]): MediaError {
  const said = wordsOf(value);
  const codes = isObject(value) ? codesOf(value) : '';
  const filtered = isObject(value) && isFiltered(value) ? 'content filter' : '';
  const refined = refineKind(kind, `${said ?? ''} ${codes} ${filtered}`);
  // Make the text plain first, so that a key with invisible characters in it is found.
  const without = (text: string | undefined) => text && redact(plainText(text), secrets);
  const isNamed = refined === 'badRequest' || refined === 'tooLarge';
  const named = isNamed ? fieldOf(value) : isAboutModel(value, said, codes, raw) ? 'model' : undefined;
  const field = without(named) === named ? named : undefined;
  const shown = without(said)?.slice(0, 600);
  const word = isObject(value) ? shortLine(without(stateWordOf(value)) ?? '', 60) || undefined : undefined;
  // The request was taken, and its result is elsewhere.
  const isTaken = raw.status === 303 || ([301, 302].includes(raw.status) && raw.location !== undefined);
  const isBilled = refined === 'gatewayTimeout' || isTaken || (isObject(value) && reportsCost(value));
  const sentence = [
    describeKind(refined, raw.status),
    field && !shown?.includes(field) ? l10n.t('The problem is in the field "{0}".', field) : '',
    shown ? l10n.t('It says: “{0}”', shown) : l10n.t('It gives no reason (status {0}).', word ?? raw.status),
    raw.retryAfter ? l10n.t('It asks you to wait {0} before trying again.', describeWait(raw.retryAfter)) : '',
  ];
  return new MediaError(refined, sentence.filter(Boolean).join(' '), {
    status: raw.status,
    requestId: without(raw.requestId),
    // What is billed must not be repeated by itself, even if the service asks for that.
    retryAfter: isBilled ? undefined : raw.retryAfter,
    field,
    mayBeBilled: isBilled || raw.status < 300 || raw.status >= 500,
  });
}

/**
 * Returns the error for a refusal of a request that was sent under an idempotency key. A conflict (409), or a refusal (422)
 * because of the key, is about an earlier request with that key, which may be billed.
 *
 * @param header the name of its header
 * @param isRepeat whether an earlier attempt may have sent the key; a 422 is then never about the request alone
 */
export function errorWithKey(error: MediaError, header: string, isRepeat = false): MediaError {
  const { kind, status, message } = error;
  const isMisused = status === 422 && (isRepeat || /idempoten/i.test(message));
  if (status !== 409 && !isMisused) return error;
  const sentence = isMisused
    ? l10n.t(
        'The service does not take this request under its idempotency key ({0}), which an earlier request has used. Nothing was sent under another key. {1}',
        header,
        message,
      )
    : l10n.t(
        'An earlier request has the same idempotency key ({0}), and the service may still be working on it. Nothing was sent under another key; try again later. {1}',
        header,
        message,
      );
  const retryAfter = isMisused ? undefined : error.retryAfter;
  const details = { ...error, field: header, retryAfter, mayBeBilled: true, cause: error };
  return new MediaError(kind === 'contentRefused' ? kind : 'badRequest', sentence, details);
}

/** Returns the error for an answer to a request without a key, which the host may have needed after all. */
export function errorWithoutKey(error: MediaError): MediaError {
  const { kind, status = 0, message } = error;
  if (kind !== 'unauthorized' && kind !== 'forbidden') return error;
  const words = message.replace(describeKind(kind, status), '').trim();
  const sentence = l10n.t('The service wants an API key, and none is set. {0}', words);
  return new MediaError('noKey', sentence, { ...error, cause: error });
}

/** Whether a refusal says what was used or what it costs, other than nothing. */
function reportsCost({ usage, cost }: JsonObject): boolean {
  const amounts = [usage, cost].flatMap((value) => (isObject(value) ? Object.values(value) : []));
  return [cost, ...amounts].some((amount) => Number(amount) > 0);
}

/** Whether a service does not have the model; the address or a video may be unknown, too. */
function isAboutModel(value: Json, said = '', codes: string, { status }: RawAnswer): boolean {
  if (status !== 404 && status !== 410) return false;
  if (fieldOf(value) === 'model' || /model/i.test(codes)) return true;
  return /\bmodels?\b/i.test(said) && !/\bvideos?\b/i.test(said);
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
  return plainLine(xml ?? title ?? plain) || undefined;
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

/** Codes of failures before anything is sent: name not resolved, connection refused. */
const notArrivedCodes = ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED'];

/** Certificate errors come before anything is sent; protocol errors may come at any time. */
const certificate = /^(CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|ERR_TLS_CERT)/;
const secureProtocol = /^(ERR_TLS_|ERR_SSL_|EPROTO)/;

/**
 * Returns the error for a failed connection to a host.
 *
 * @param sends whether to say that nothing was sent, which is of no interest for a download or a status
 */
export function errorFromFailure(failure: unknown, host: string, sends = true): MediaError {
  if (failure instanceof MediaError) return failure;
  const code = textMember(failure, 'code');
  const reason = describeFailure(failure);
  if (neverArrived(failure) || neverConnected(failure)) {
    const sentence = sends
      ? l10n.t('Cannot reach {0}: {1}. Nothing was sent.', host, reason)
      : l10n.t('Cannot reach {0}: {1}.', host, reason);
    return new MediaError('network', sentence, { cause: failure });
  }
  if (certificate.test(code) || reasonOf(failure).includes('before secure TLS connection was established')) {
    const problem = sends
      ? l10n.t('Could not connect securely to {0}: {1}. Nothing was sent.', host, reason)
      : l10n.t('Could not connect securely to {0}: {1}.', host, reason);
    const sentence = [problem, adviceOn(code)];
    return new MediaError('tls', sentence.filter(Boolean).join(' '), { cause: failure });
  }
  const sentence = l10n.t('The connection to {0} was lost: {1}.', host, reason);
  return new MediaError(secureProtocol.test(code) ? 'tls' : 'network', sentence, { mayBeBilled: true, cause: failure });
}

/** Returns why a connection failed, as a clause after a colon. */
export function describeFailure(failure: unknown): string {
  const code = textMember(failure, 'code');
  const reason = redact(plainText(reasonOf(failure)));
  return reasonFor(code) ?? (code ? `${reason} (${code})` : reason);
}

function reasonFor(code: string): string | undefined {
  switch (code) {
    case 'ENOTFOUND':
      return l10n.t('its name cannot be resolved');
    case 'EAI_AGAIN':
      return l10n.t('its name cannot be resolved right now');
    case 'ECONNREFUSED':
      return l10n.t('it refuses the connection');
    case 'UND_ERR_CONNECT_TIMEOUT':
      return l10n.t('it does not answer');
    case 'ENETUNREACH':
      return l10n.t('the network cannot be reached');
    case 'EHOSTUNREACH':
      return l10n.t('the host cannot be reached');
    default:
      return certificateFault(code);
  }
}

/** Explains a certificate error in place of OpenSSL's message, and adds its code to search for. */
function certificateFault(code: string): string | undefined {
  if (isUnknownAuthority(code))
    return l10n.t('its certificate is from an authority that this computer does not trust ({0})', code);
  if (code === 'CERT_HAS_EXPIRED') return l10n.t('its certificate has expired ({0})', code);
  if (code === 'CERT_NOT_YET_VALID') return l10n.t('its certificate is not valid yet ({0})', code);
  return code === 'ERR_TLS_CERT_ALTNAME_INVALID'
    ? l10n.t('its certificate is for another host name ({0})', code)
    : undefined;
}

function isUnknownAuthority(code: string): boolean {
  return /^(UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO)/.test(code);
}

/** Returns what to do about a certificate error. */
function adviceOn(code: string): string | undefined {
  if (isUnknownAuthority(code)) {
    return l10n.t(
      'If your company or a program on this computer uses its own certificate authority, install its certificate in the operating system and keep "http.systemCertificates" on, or set NODE_EXTRA_CA_CERTS to the path of its file. Then restart the editor.',
    );
  }
  if (/^CERT_(HAS_EXPIRED|NOT_YET_VALID)/.test(code)) {
    return l10n.t("Check this computer's clock, or contact the service operator.");
  }
  if (code !== 'ERR_TLS_CERT_ALTNAME_INVALID') return undefined;
  return l10n.t('Check the address for typos, or contact the service operator.');
}

/** Returns the code of a failure or its cause, such as `ENOTFOUND`; empty when there is none. */
export function failureCode(failure: unknown): string {
  return textMember(failure, 'code');
}

/** Whether a request certainly did not reach the service, so that a retry cannot be billed twice. */
export function neverArrived(failure: unknown): boolean {
  return notArrivedCodes.includes(textMember(failure, 'code'));
}

/** Whether no connection was made, for a reason that does not pass within seconds. */
function neverConnected(failure: unknown): boolean {
  return textMember(failure, 'code') === 'UND_ERR_CONNECT_TIMEOUT' || textMember(failure, 'syscall') === 'connect';
}

/** Returns a member of a failure, of its cause, or of the first of several attempts (one per IP address). */
function textMember(failure: unknown, name: 'code' | 'syscall'): string {
  if (!(failure instanceof Error)) return '';
  const value = new Map<string, unknown>(Object.entries(failure)).get(name);
  if (typeof value === 'string') return value;
  if (failure instanceof AggregateError) return textMember(failure.errors[0], name);
  return textMember(failure.cause, name);
}

const maxKeyLength = 512;

/** Below this length, a key such as `x` or `none`, which own servers are given, is also a part of common words. */
const minKeyLength = 8;

/**
 * Matches a key as it is, percent-encoded in whole or in part, in hex, and inside base64 and base64url; a short key only where it
 * stands alone.
 */
function anyFormOf(key: string): RegExp {
  const bytes = Buffer.from(key);
  const hex = [...bytes].map(hexPattern).join('[\\s:-]?');
  const forms = [encodable(key), hex, ...[0, 1, 2].flatMap((before) => base64Pattern(bytes, before))];
  const any = forms.join('|');
  const isShort = key.length < minKeyLength && /^[\x21-\x7e]+$/.test(key);
  return new RegExp(isShort ? `(?<![A-Za-z0-9])(?:${any})(?![A-Za-z0-9])` : any, 'g');
}

function hexPattern(byte: number): string {
  return byte
    .toString(16)
    .padStart(2, '0')
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

/** Matches a text of which any character may be percent-encoded, also twice. */
function encodable(text: string): string {
  return [...text].map((character) => `(?:${literal(character)}|${percentPattern(character)})`).join('');
}

function literal(character: string): string {
  // base64url has two other characters.
  if (character === '+' || character === '/') return character === '+' ? '[+-]' : '[/_]';
  return character.replace(/[\\^$.*?()[\]{}|]/g, '\\$&');
}

function percentPattern(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%(?:25){0,2}${hexPattern(byte)}`).join('');
}

/**
 * Matches the base64 of any data that hold the key.
 *
 * @param before number of bytes before the key in its group of three
 */
function base64Pattern(key: Buffer, before: number): readonly string[] {
  const text = Buffer.concat([Buffer.alloc(before), key]).toString('base64');
  // Only the characters that the key alone determines; those at its ends also depend on the bytes beside it.
  const whole = text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + key.length) * 8) / 6));
  const beside = '[\\w+/-]?';
  // A short one would occur by chance.
  if (whole.length < 6) return [];
  return [`${before > 0 ? beside : ''}${encodable(whole)}${(before + key.length) % 3 > 0 ? beside : ''}={0,2}`];
}

/** Longer than any sentence, so that the patterns below never run on megabytes. */
const maxLength = 4096;

/**
 * Removes from a text what must never be logged or shown: the given secrets (keys, however they are encoded; for logs also
 * prompts), query strings and credentials in URLs, base64 data, and anything that looks like a key. Cuts the text at 4096 characters.
 */
export function redact(text: string, secrets: readonly string[] = []): string {
  let result = text;
  for (const secret of secrets) {
    if (secret === '') continue;
    // A prompt is longer than any key, and nobody encodes it.
    result = result.replaceAll(secret.length > maxKeyLength ? secret : anyFormOf(secret), '[redacted]');
  }
  return result
    .slice(0, maxLength)
    .replace(/\b(https?:\/\/[^\s"'<>?#]+)[?#][^\s"'<>]*/gi, '$1?[redacted]')
    .replace(/\b(https?:\/\/)[^\s/@"'<>]+@/gi, '$1[redacted]@')
    .replace(/[A-Za-z0-9+/_=-]{200,}/g, '[data]')
    .replace(/\b(sk-|Bearer\s+)[\w.-]{8,}/gi, '$1[redacted]');
}
