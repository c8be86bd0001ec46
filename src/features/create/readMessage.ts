import type { Field } from '../../operations/Field.ts';
import { takesFiles } from '../../operations/Field.ts';
import type { Operation } from '../../operations/operations.ts';
import { operationIds, operations } from '../../operations/operations.ts';
import type { Message } from '../../webview/messages.ts';

/** In characters; far more than any service takes. */
const longestText = 2_000_000;
/** In bytes: what is dropped passes through memory. */
const largestDrop = 200_000_000;
const mostUris = 100;

type Check = (value: unknown) => boolean;
type Shape<T> = { readonly [Name in Exclude<keyof T, 'type'>]: Check };

const isText: Check = (value) => typeof value === 'string' && value.length <= longestText;
const isOperation: Check = (value) => typeof value === 'string' && (operationIds as readonly string[]).includes(value);
const isTexts: Check = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isText);
const isOneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && words.includes(value);

const inField = { operation: isOperation, field: isText };

/** What each message holds beside its type. */
const shapes: { readonly [Type in Message['type']]: Shape<Extract<Message, { type: Type }>> } = {
  ready: {},
  tab: { operation: isOperation },
  edit: { ...inField, text: isText },
  addFile: { ...inField, text: isText },
  dropUris: {
    ...inField,
    uris: (value) => Array.isArray(value) && value.length <= mostUris && value.every(isText),
  },
  dropBytes: {
    ...inField,
    name: isText,
    bytes: (value) => value instanceof Uint8Array && value.length <= largestDrop,
  },
  pick: { ...inField, from: isOneOf('disk', 'library') },
  removeFile: { ...inField, uri: isText },
  submit: { id: Number.isSafeInteger, operation: isOperation, texts: isTexts },
  cancel: { jobId: isText },
  failure: { id: isText, action: isText },
  result: { uri: isText, action: isOneOf('open', 'openExternally', 'insert', 'reuse', 'remix') },
  notice: { action: isOneOf('setUpService', 'setApiKey', 'useSandbox', 'manageTrust', 'openFolder') },
};

/** What the view says, or undefined when it is not what a view of ours would say. */
export function readMessage(value: unknown): Message | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const given = value as Readonly<Record<string, unknown>>;
  const { type } = given;
  if (typeof type !== 'string' || !Object.hasOwn(shapes, type)) return undefined;
  const shape: Readonly<Record<string, Check>> = shapes[type as Message['type']];
  const isWhole = Object.entries(shape).every(([name, check]) => check(given[name]));
  if (!isWhole || Object.keys(given).some((name) => name !== 'type' && !Object.hasOwn(shape, name))) return undefined;
  const message = value as Message;
  if ('field' in message && !fieldOf(message)) return undefined;
  if (message.type !== 'submit') return message;
  const { fields }: Operation = operations[message.operation];
  const isKnown = (name: string) => fields.some((field) => field.name === name);
  return Object.keys(message.texts).every(isKnown) ? message : undefined;
}

/** The field that a message is about, unless its operation has none of that name, or of another type. */
function fieldOf(message: Extract<Message, { field: string }>): Field | undefined {
  const { fields }: Operation = operations[message.operation];
  const field = fields.find(({ name }) => name === message.field);
  if (message.type === 'edit') return field;
  return field && takesFiles(field) ? field : undefined;
}
