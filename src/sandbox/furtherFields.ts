import { type FieldTable, type FurtherField, fieldTable } from '../operations/declarations.ts';
import type { Declaration } from '../operations/Further.ts';
import { type OperationId, operationIds } from '../operations/operations.ts';
import { presetIds, presetOf } from '../operations/presets.ts';

/** A value of the transfer, or a format of pictures. */
const imageFormats: Declaration = {
  type: 'string',
  values: ['url', 'b64_json', 'png', 'jpeg', 'webp'],
  default: 'url',
};

/** The fields that the sandbox takes: those of the specification and of all presets, with any model. */
const tables: ReadonlyMap<OperationId, FieldTable> = new Map(operationIds.map((id) => [id, tableOf(id)]));

export function sandboxFields(id: OperationId): FieldTable {
  const table = tables.get(id);
  if (!table) throw new Error(`${id} has no fields`);
  return table;
}

function tableOf(id: OperationId): FieldTable {
  const declared: Record<string, Declaration> = {};
  for (const [name, one] of presetIds.flatMap((preset) => Object.entries(presetOf(preset).fields[id] ?? {}))) {
    // The sandbox has limits of its own for the number of images.
    if (one === false || name === 'n') continue;
    // What is left out is for the sandbox to choose.
    const { models: _, default: _default, ...facts } = one;
    declared[name] = name === 'output_format' ? imageFormats : withValuesOf(declared[name], facts);
  }
  return fieldTable(id, { [id]: declared });
}

/** Returns a declaration that also takes the values of another preset's. */
function withValuesOf(other: Declaration | undefined, facts: Declaration): Declaration {
  if (!other?.values || !facts.values) return facts;
  const values = [...new Set([...other.values, ...facts.values])];
  return { ...facts, values, ...(other.open || facts.open ? { open: true } : {}) };
}

/** Returns the values of a form as a JSON body would hold them. What is not a value of its field stays a text. */
export function bodyOfForm(
  id: OperationId,
  form: ReadonlyMap<string, readonly string[]>,
): Readonly<Record<string, unknown>> {
  const { further, own } = sandboxFields(id);
  const typeOf = (name: string): FurtherField['type'] => {
    const field = further.find((one) => one.name === name);
    return field?.type ?? (own.some((one) => one.name === name && one.type === 'integer') ? 'integer' : 'string');
  };
  return Object.fromEntries(
    [...form].map(([part, values]) => {
      const isList = part.endsWith('[]');
      const name = isList ? part.slice(0, -2) : part;
      const [value = ''] = values;
      switch (typeOf(name)) {
        case 'strings':
          return [name, values];
        case 'integer':
        case 'number':
          return [name, /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value];
        case 'boolean':
          return [name, value === 'true' || (value === 'false' ? false : value)];
        default:
          return [isList ? part : name, values.length > 1 ? values : value];
      }
    }),
  );
}

/** Sizes of one picture or video that the sandbox makes, in pixels. */
const sideLimits = { minimum: 16, maximum: 4096, pixels: 9_000_000 } as const;

/** Returns the width and height of a text such as `1536x1024`; undefined if it is none, or too large. */
export function sizeIn(text: string): readonly [width: number, height: number] | undefined {
  const [, width = 0, height = 0] = (/^(\d{1,5})x(\d{1,5})$/.exec(text) ?? []).map(Number);
  const isPossible = [width, height].every((side) => side >= sideLimits.minimum && side <= sideLimits.maximum);
  return isPossible && width * height <= sideLimits.pixels ? [width, height] : undefined;
}

/** Returns the sides of a ratio such as `16:9`, the longer one with this length; undefined if it is none. */
export function sidesOf(ratio: string, longer: number): readonly [width: number, height: number] | undefined {
  const [, width = 0, height = 0] = (/^(\d{1,2}):(\d{1,2})$/.exec(ratio) ?? []).map(Number);
  if (width === 0 || height === 0) return undefined;
  const scale = longer / Math.max(width, height);
  return [Math.round(width * scale), Math.round(height * scale)];
}
