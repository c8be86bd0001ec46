import * as l10n from '@vscode/l10n';
import { plainText, shortLine } from '../foreign/plainText.ts';
import { MediaError, reasonOf } from '../operations/MediaError.ts';
import { parseJson } from '../operations/parseJson.ts';
import {
  firstOf,
  isObject,
  type Json,
  type JsonObject,
  objectOf,
  partsOf,
  type RawAnswer,
  stateOf,
  stateWordOf,
  textOf,
} from './Answer.ts';
import { codesOf, fieldOf, holdsErrorCode, isFiltered, reportsFailure, wordsOf } from './problemIn.ts';

/** Returns the error for an answer outside 2xx, including the service's own message. */
export function errorFromAnswer(raw: RawAnswer, secrets: readonly string[] = []): MediaError {
  // Only 2xx answers are stored in files.
  const text = raw.body instanceof Uint8Array ? new TextDecoder().decode(raw.body) : '';
  const value = parseJson<Json>(text) ?? text;
  return toError(kindOfStatus(raw.status), value, raw, secrets);
}

/** What an error inside an answer is read with. */
interface Inside {
  readonly raw: RawAnswer;
  readonly secrets: readonly string[];
  /** The polled job. What refuses a poll says nothing about the job. */
  readonly jobId?: string;
}

/**
 * Returns the error inside a 2xx answer: `error`, `success: false`, an error `code` or status, a moderation flag, a chat
 * model's refusal, or plain text. Returns undefined when there is none.
 */
export function errorInside(value: Json, { raw, secrets, jobId }: Inside): MediaError | undefined {
  const isPoll = jobId !== undefined;
  if (!isObject(value)) {
    if (typeof value !== 'string' || /^\s*[[{]/.test(value)) return undefined;
    return toError('unreadableAnswer', value, raw, secrets, isPoll);
  }
  const refusal = textOf(objectOf(firstOf(value, 'choices'), 'message'), 'refusal');
  if (refusal) return toError('contentRefused', refusal, raw, secrets, isPoll);
  const state = stateOf(value);
  const part =
    partsOf(value).find((inner) => reportsFailure(inner) || (state !== 'running' && holdsErrorCode(inner))) ??
    (state === 'failed' ? value : undefined);
  return part && errorOfPart(part, { raw, secrets, jobId });
}

/** Returns the error that a part of a 2xx answer reports. */
export function errorOfPart(part: JsonObject, { raw, secrets, jobId }: Inside): MediaError {
  const status = statusInside(part);
  const kind = status === undefined ? 'server' : kindOfStatus(status);
  return toError(kind, part, raw, secrets, jobId !== undefined);
}

/**
 * Returns the error that an answer reports beside its media. A code alone may be one of the service's own for success.
 *
 * @returns also whether it says that there is no result, so that the media are something else
 */
export function errorBeside(value: JsonObject, inside: Inside): { error: MediaError; isRefusal: boolean } | undefined {
  const parts = partsOf(value).filter((part) => !isFirstOfList(part, value));
  const part = parts.find(reportsFailure);
  if (!part) return undefined;
  const error = errorOfPart(part, inside);
  const isRefused = ['contentRefused', 'quota', 'unauthorized', 'forbidden', 'rateLimited'].includes(error.kind);
  return { error, isRefusal: !isFiltered(part) && (isRefused || saysNothingMade(error.message)) };
}

function isFirstOfList(part: JsonObject, value: JsonObject): boolean {
  return Object.values(value).some((inner) => Array.isArray(inner) && inner.includes(part));
}

/** Returns the HTTP error status that some services put into the body of a 200 answer. */
function statusInside(value: JsonObject): number | undefined {
  const error = objectOf(value, 'error');
  const candidates = [value.status_code, error.status, error.code, error.type, value.code, value.status];
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

/** What codes and words say, in plain lower case: “DataInspectionFailed” as “data inspection failed”. */
const signs = {
  contentRefused:
    /\bcontent polic|\bmoderat(ion|ed)\b|\bcontent filter|\bsafety (system|filter|polic|violation|guideline)|\bnsfw\b|\bprohibited content|\bsensitive (content|information|words?)\b|\bnew sensitive\b|\bflagged\b|\binappropriate (content|prompt|input)|\bdata inspection|\bviolat\w+ (\w+ ){0,6}(polic|guideline|terms)|\bfiltered count|\brespect moderation/,
  quota:
    /\binsufficient (\w+ )?(quota|credits?|balance|funds?)\b|\b(credits?|balance|funds|quota) (\w+ ){0,2}(insufficient|exhausted|depleted|too low|not enough|used up)\b|\bnot enough (credits?|balance|quota|funds)\b|\bexceeded your (current )?quota\b|\bpayment required\b|\b(out of|no) (credits?|funds)\b|\barrears?(age)?\b/,
  rateLimited:
    /\brate limit|\btoo many requests\b|\bthrottl|\b(server|service|system|model) (is )?(currently |temporarily )?(busy|overloaded)\b/,
  unauthorized:
    /\b(invalid|incorrect|wrong|expired|missing) (api )?(key|token|credentials?|signature)\b|\bapi key (is )?(not valid|invalid|expired)\b|\bunauthori[sz]ed\b|\bunauthenticated\b|\bauthentication (failed|error)\b|\blogin fail/,
  badRequest: /\binvalid (\w+ )?(request|param(eter)?s?|argument|input|prompt|size)\b|\bbad request\b/,
} as const satisfies Partial<Record<ReportedKind, RegExp>>;

/** Words that say enough only as a code. */
const codeSigns = {
  contentRefused: /\bsafety\b|\bblocklist\b|\bspii\b|\brecitation\b|\bsensitive\b|\bunsafe\b/,
  quota: /\bquota exceeded\b|\bbilling\b/,
} as const satisfies Partial<Record<ReportedKind, RegExp>>;

function isNamed(kind: keyof typeof signs, codes: string, words: string): boolean {
  const own = new Map<string, RegExp>(Object.entries(codeSigns)).get(kind);
  return signs[kind].test(codes) || own?.test(codes) === true || signs[kind].test(words);
}

/** Derives a more exact kind from the service's codes and words. Codes are trusted more than words. */
function refineKind(kind: ReportedKind, status: number, said: string, codesSaid: string): ReportedKind {
  const [words, codes] = [plainWords(said), plainWords(codesSaid)];
  if (kind === 'gatewayTimeout' || kind === 'notFound' || kind === 'proxy') return kind;
  if (isNamed('quota', codes, '')) return 'quota';
  // A wrong key says nothing about the content.
  if (kind !== 'unauthorized' && isNamed('contentRefused', codes, words)) return 'contentRefused';
  if (isNamed('quota', codes, words)) return 'quota';
  if (kind !== 'server' && kind !== 'unauthorized' && /\bbilling\b/.test(words)) return 'quota';
  const isInside = kind === 'server' && status < 300;
  const others = (['rateLimited', 'unauthorized', 'badRequest'] as const).filter(
    (one) => one !== 'badRequest' || isInside,
  );
  if (isInside || kind === 'badRequest') {
    return others.find((one) => isNamed(one, codes, isInside ? words : '')) ?? kind;
  }
  return kind;
}

function plainWords(text: string): string {
  return text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ');
}

/** Kinds of refusals after which nothing was made. */
const refusals: readonly ReportedKind[] = [
  'unauthorized',
  'forbidden',
  'badRequest',
  'notFound',
  'tooLarge',
  'rateLimited',
  'quota',
];

/** Whether the service says that nothing was made, or that it is free. */
function saysNothingMade(words: string): boolean {
  return /\bno (image|video|audio|speech|output|result|media)s? (was|were|has been|have been|could be) (generated|created|made|produced)\b|\b(not|never) (be |been )?(charged|billed)\b|\brefunded\b/i.test(
    words,
  );
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

function toError(
  kind: ReportedKind,
  value: Json,
  raw: RawAnswer,
  secrets: readonly string[],
  isPoll = false,
): MediaError {
  const said = wordsOf(value);
  const codes = isObject(value) ? codesOf(value) : '';
  const filtered = isObject(value) && isFiltered(value) ? 'content filter' : '';
  const refined = refineKind(kind, raw.status, said ?? '', `${codes} ${filtered}`);
  // Make the text plain first, so that a key with invisible characters in it is found.
  const without = (text: string | undefined) => text && redact(plainText(text), secrets);
  const namesField = refined === 'badRequest' || refined === 'tooLarge';
  const named = namesField ? fieldOf(value) : isAboutModel(value, said, codes, raw) ? 'model' : undefined;
  const field = without(named) === named ? named : undefined;
  const shown = without(said)?.slice(0, 600);
  const word = isObject(value) ? shortLine(without(stateWordOf(value)) ?? '', 60) || undefined : undefined;
  // The request was taken, and its result is elsewhere.
  const isTaken = raw.status === 303 || ([301, 302].includes(raw.status) && raw.location !== undefined);
  const isBilled = refined === 'gatewayTimeout' || isTaken || (isObject(value) && reportsCost(value));
  const isRefused = !isPoll && (refusals.includes(refined) || saysNothingMade(said ?? ''));
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
    // The status says nothing about billing where the answer itself refuses.
    mayBeBilled: isBilled || ((raw.status < 300 || raw.status >= 500) && !isRefused),
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

function describeWait(seconds: number): string {
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
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
