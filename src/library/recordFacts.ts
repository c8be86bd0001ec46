import { isObject } from '../foreign/shape.ts';
import { isOption, type MediaRequest, type Operation, type OperationId, operations } from '../operations/operations.ts';
import { isSentValue, type LibraryRecord, type Usage } from './LibraryRecord.ts';

// What of a request and its answer is recorded, and what is searched of it. Beside the records, because activation loads those and needs none of this.

/** Returns the values to record of a request: all but its model, its words and its inputs. */
export function valuesOf(operation: OperationId, request: MediaRequest): Pick<LibraryRecord, 'values'> {
  const sent = new Map<string, unknown>(Object.entries(request));
  const { fields }: Operation = operations[operation];
  const { values: further = {}, files = [], without = [], redeclared = [] } = request.further ?? {};
  const own = fields.flatMap((field) => {
    const value = sent.get(field.name);
    // How the answer is transferred decides nothing about the result.
    const isTransfer = field.type === 'choice' && field.isTransfer && !redeclared.includes(field.name);
    const isRecorded = isOption(field) && field.type !== 'model' && !isTransfer;
    return isRecorded && !without.includes(field.name) && isSentValue(value) ? [[field.name, value] as const] : [];
  });
  const values = [...own, ...Object.entries(further).filter(([name]) => !files.includes(name))];
  return values.length > 0 ? { values: Object.fromEntries(values) } : {};
}

/** Returns whether a record has all words of a search in its prompt, its path or its model, in any case. */
export function matchesWords(words: string): (record: Pick<LibraryRecord, 'prompt' | 'file' | 'model'>) => boolean {
  const terms = words.toLowerCase().split(/\s+/).filter(Boolean);
  return ({ prompt = '', file = '', model }) => {
    const text = terms.length === 0 ? '' : `${prompt} ${file} ${model}`.toLowerCase();
    return terms.every((term) => text.includes(term));
  };
}

const maxDepth = 4;

/**
 * Returns the reported cost and usage, limited to what is safe in a workspace: numbers, booleans and short words.
 *
 * @param reported value from the service's answer
 */
export function usageOf(reported: unknown, depth = 0): Usage | undefined {
  if (!isObject(reported) || depth > maxDepth) return undefined;
  const known = Object.entries(reported).flatMap(([name, value]: [string, unknown]) => {
    const number = numberIn(value);
    const kept = number ?? (isShort(value) ? value : usageOf(value, depth + 1));
    return kept === undefined || !/^[\w.-]{1,60}$/.test(name) ? [] : [[name, kept] as const];
  });
  return known.length > 0 ? Object.fromEntries(known) : undefined;
}

/** Reads a number that is sent as text, also with a dollar sign. */
function numberIn(value: unknown): number | undefined {
  return typeof value === 'string' && /^\$?\d{1,12}(\.\d{1,12})?$/.test(value)
    ? Number(value.replace('$', ''))
    : undefined;
}

function isShort(value: unknown): value is number | boolean | string {
  if (typeof value === 'string') return /^[A-Za-z ]{1,20}$/.test(value);
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
}
