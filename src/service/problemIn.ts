import { plainLine } from '../foreign/plainText.ts';
import {
  isObject,
  type Json,
  type JsonObject,
  numberOf,
  objectOf,
  stateOfWord,
  stateWordIn,
  textOf,
} from './Answer.ts';

// What a service says of a problem in its answer: its words, its codes, and the field that it names.

/** Whether an object says that the work failed, or a part of it. */
export function reportsFailure(value: JsonObject): boolean {
  const { error, errors, failure, success } = value;
  if ([error, errors, failure].some(saysError)) return true;
  if (success === false || stateOfWord(stateWordIn(value) ?? '') === 'failed') return true;
  if (textOf(value, ...failureNames) !== undefined || itemsOf(value.choices).some(isCutByFilter)) return true;
  if (itemsOf(value.candidates).some(isCutByFilter) || textOf(objectOf(value, 'promptFeedback'), 'blockReason'))
    return true;
  return Boolean(numberOf(objectOf(value, 'base_resp'), 'status_code')) || isFiltered(value);
}

const failureNames = ['failureCode', 'failure_code', 'fail_code', 'failCode'];

/** Whether a value in the place of an error reports one. */
function saysError(value: Json | undefined): boolean {
  const all: readonly (Json | undefined)[] = Array.isArray(value) ? (value as readonly Json[]) : [value];
  return all.some((one) => {
    const says = isObject(one) ? [one.message, one.msg, one.type, one.code] : [one].flat();
    return !says.every(isNoError);
  });
}

/** Whether a chat model was stopped, or failed. */
function isCutByFilter(choice: JsonObject): boolean {
  const reason = textOf(choice, 'finish_reason', 'finishReason') ?? '';
  return saysError(choice.error) || /filter|safety|prohibited|blocklist|spii|recitation/i.test(reason);
}

/** Whether `code` is an error: some services use codes of their own, others HTTP status codes. */
export function holdsErrorCode({ code }: JsonObject): boolean {
  return !isNoError(code);
}

/** Whether what a service puts in the place of an error says that there is none. */
function isNoError(value: unknown): boolean {
  return /^(|0|2\d\d|ok|success|none|null|false)$/i.test(String(value ?? '').trim());
}

/** Whether a service says that it filtered results. */
export function isFiltered(value: JsonObject): boolean {
  return value.respect_moderation === false || (numberOf(objectOf(value, 'content_filter'), 'filtered_count') ?? 0) > 0;
}

/** Members that hold a problem, the most certain first. */
const problemNames = [
  'error',
  'errors',
  'failure',
  'detail',
  'details',
  'base_resp',
  'choices',
  'candidates',
  'promptFeedback',
];
/** Members that may hold an object with one of them. */
const wrapperNames = ['data', 'output', 'result', 'results', 'video', 'response', 'message'];
/** Problems that are looked at, and their nesting. */
const maxProblems = 50;
const maxDepth = 4;

/** Returns an object and those inside that may describe its problem, the most certain first. */
function problemsIn(value: JsonObject): readonly JsonObject[] {
  const found: JsonObject[] = [];
  let level: readonly JsonObject[] = [value];
  for (let depth = 0; depth < maxDepth && found.length < maxProblems; depth++) {
    found.push(...level);
    level = level.flatMap((one) => [...problemNames, ...wrapperNames].flatMap((name) => itemsOf(one[name])));
    level = level.slice(0, maxProblems);
  }
  // What is named as an error says more than what is around it.
  return [...itemsOf(value.error), ...found];
}

function itemsOf(value: Json | undefined): readonly JsonObject[] {
  const items: readonly (Json | undefined)[] = Array.isArray(value) ? (value as readonly Json[]) : [value];
  return items.slice(0, maxProblems).filter((item) => isObject(item));
}

const codeName =
  /^(code|type|name|status|state|task_?status|reason|(error|err|fail|failure)_?(code|type|reason)|finish_?reason|block_?reason)$/i;

/** Returns error codes and types, which are more exact than the status. */
export function codesOf(value: JsonObject): string {
  const codes = problemsIn(value).flatMap((one) =>
    Object.entries(one).flatMap(([name, code]) =>
      typeof code === 'string' && (codeName.test(name) || name === 'error') ? [code.slice(0, 100)] : [],
    ),
  );
  return [...new Set(codes)].join(' ').slice(0, 600);
}

const wordNames = [
  'message',
  'msg',
  'failure',
  'reason',
  'detail',
  'status_msg',
  'status_message',
  'fail_reason',
  'failure_reason',
  'failureReason',
  'error_message',
  'errorMessage',
  'error_msg',
  'task_status_msg',
  'description',
];

/** Returns the service's own message, wherever it is in the answer. */
export function wordsOf(value: Json): string | undefined {
  if (typeof value === 'string') return wordsOfText(value);
  if (!isObject(value)) return undefined;
  const { error } = value;
  return (
    (isObject(error) ? textOf(error, 'message', 'msg', 'detail', 'type', 'code') : undefined) ??
    (typeof error === 'string' && error.trim() !== '' ? error.trim() : undefined) ??
    problemsIn(value)
      .map((one) => saidOf(one))
      .find((words) => words !== undefined)
  );
}

/** Returns what an object itself says. */
function saidOf(value: JsonObject): string | undefined {
  const own = wordNames.map((name) => textOf({ [name]: value[name] }, name));
  const said = own.find((text) => text !== undefined && !isNoError(text));
  const lists = [value.errors, value.detail, objectOf(value, 'content_filter').reasons, value.error];
  return said ?? lists.map(linesOf).find((text) => text !== undefined) ?? textOf(value, ...failureNames);
}

/** Reads a list of texts, or FastAPI's list of problems with their locations. */
function linesOf(list: Json | undefined): string | undefined {
  if (!Array.isArray(list)) return undefined;
  const lines = (list as readonly Json[]).slice(0, maxProblems).flatMap((item) => {
    if (typeof item === 'string') return item.trim() || [];
    const words = isObject(item) ? textOf(item, 'msg', 'message', 'detail') : undefined;
    return words ? [[lastOfLocation(item), words].filter(Boolean).join(': ')] : [];
  });
  return lines.join('; ') || undefined;
}

function lastOfLocation(item: Json): string | undefined {
  const location = isObject(item) ? item.loc : undefined;
  const last = Array.isArray(location) ? (location as readonly Json[]).at(-1) : undefined;
  return typeof last === 'string' ? last : undefined;
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
export function fieldOf(value: Json): string | undefined {
  if (!isObject(value)) return undefined;
  const { detail } = value;
  const named =
    textOf(objectOf(value, 'error'), 'param') ??
    textOf(value, 'param') ??
    (Array.isArray(detail) && detail[0] !== undefined ? lastOfLocation(detail[0] as Json) : undefined);
  return named && /^[\w.[\]-]{1,60}$/.test(named) ? named : undefined;
}
