import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';
import { lineEndOf } from '../files/withEntry.ts';
import { extensionOf, type OperationId, operationIds, operations, outputExtensions } from '../operations/operations.ts';
import { entryFields } from './entryFields.ts';

/** An entry that says neither its operation nor what it is made from. */
export interface MissingOperation {
  /** Where it stands in the text, from its key on. */
  readonly start: number;
  readonly end: number;
  /** The operations that it may be meant for, the likeliest first. */
  readonly fitting: readonly OperationId[];
  /** Where the field belongs, as the first one. */
  readonly at: number;
  /** Returns the field as it is inserted there. */
  fieldFor(id: OperationId): string;
}

/** Finds the entries of a manifest without an operation. */
export function missingOperations(text: string): readonly MissingOperation[] {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const assets = root && findNodeAtLocation(root, ['assets']);
  return (assets?.children ?? []).flatMap((property) => {
    const [key, value] = property.children ?? [];
    if (typeof key?.value !== 'string' || value?.type !== 'object') return [];
    const names = (value.children ?? []).map(({ children }) => String(children?.[0]?.value));
    if (['operation', 'from', 'captions'].some((name) => names.includes(name))) return [];
    const { offset: start, length } = property;
    return [{ start, end: start + length, fitting: fittingFor(key.value, names), ...insertionIn(text, value) }];
  });
}

/** Returns the operations that make such a file and take the most of these fields, first those that need the fewest more. */
export function fittingFor(path: string, names: readonly string[]): readonly OperationId[] {
  const counted = operationIds
    .filter((id) => outputExtensions[operations[id].result].includes(extensionOf(path)))
    .map((id) => {
      const fields = entryFields(id);
      const unknown = names.filter((name) => !fields.some((field) => field.name === name)).length;
      const lacking = fields.filter(({ name, isRequired }) => isRequired && !names.includes(name)).length;
      return { id, unknown, lacking };
    });
  const fewest = Math.min(...counted.map(({ unknown }) => unknown));
  return counted
    .filter(({ unknown }) => unknown === fewest)
    .sort((a, b) => a.lacking - b.lacking || Number(a.id === 'translate') - Number(b.id === 'translate'))
    .map(({ id }) => id);
}

function insertionIn(
  text: string,
  { offset, children: [first] = [] }: Node,
): Pick<MissingOperation, 'at' | 'fieldFor'> {
  const field = (id: OperationId) => `"operation": ${JSON.stringify(id)}`;
  if (!first) return { at: offset + 1, fieldFor: (id) => ` ${field(id)} ` };
  const line = text.lastIndexOf('\n', first.offset) + 1;
  const indent = /^[ \t]*/.exec(text.slice(line))?.[0] ?? '';
  const between = line > offset ? lineEndOf(text) + indent : ' ';
  return { at: first.offset, fieldFor: (id) => `${field(id)},${between}` };
}
