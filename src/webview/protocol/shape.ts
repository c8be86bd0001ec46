/** A type guard: a checked value needs no cast. */
export type Shape<T> = (value: unknown) => value is T;

/** An optional property of an object. */
interface Optional<T> {
  readonly optional: Shape<T>;
}

/** The type that a shape checks. */
export type Shaped<S> = S extends Shape<infer T> ? T : never;

type Names = Readonly<Record<string, Shape<unknown> | Optional<unknown>>>;

type OptionalNames<N extends Names> = { [Name in keyof N]: N[Name] extends Optional<unknown> ? Name : never }[keyof N];

type ObjectOf<N extends Names> = {
  readonly [Name in Exclude<keyof N, OptionalNames<N>>]: Shaped<N[Name]>;
} & {
  readonly [Name in OptionalNames<N>]?: N[Name] extends Optional<infer T> ? T : never;
};

/** In characters; more than any service accepts. */
const maxTextLength = 2_000_000;

export function text(maxLength = maxTextLength): Shape<string> {
  return (value): value is string => typeof value === 'string' && value.length <= maxLength;
}

export const flag: Shape<boolean> = (value): value is boolean => typeof value === 'boolean';

export const number: Shape<number> = (value): value is number => typeof value === 'number' && Number.isFinite(value);

/** An integer of 0 or more. */
export const count: Shape<number> = (value): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** A value that is checked elsewhere. */
const anything: Shape<unknown> = (_value): _value is unknown => true;

export const nothing: Shape<null> = (value): value is null => value === null;

export function bytes(maxBytes: number): Shape<Uint8Array> {
  return (value): value is Uint8Array => value instanceof Uint8Array && value.length <= maxBytes;
}

export function oneOf<const Word extends string>(words: readonly Word[]): Shape<Word> {
  return (value): value is Word => (words as readonly unknown[]).includes(value);
}

export function list<T>(of: Shape<T>, maxLength = 1000): Shape<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.length <= maxLength && value.every(of);
}

/** An object whose properties have some of these names and all the same shape. */
export function partial<Name extends string, T>(
  names: readonly Name[],
  of: Shape<T>,
): Shape<Readonly<Partial<Record<Name, T>>>> {
  const isName = oneOf(names);
  return (value): value is Readonly<Partial<Record<Name, T>>> =>
    isObject(value) && Object.entries(value).every(([name, item]) => isName(name) && of(item));
}

/** An object with any property names, whose values have all the same shape. */
export function record<T>(of: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return (value): value is Readonly<Record<string, T>> => isObject(value) && Object.values(value).every(of);
}

export function optional<T>(of: Shape<T>): Optional<T> {
  return { optional: of };
}

/** An object with these properties and no others. */
export function object<const N extends Names>(names: N): Shape<ObjectOf<N>> {
  const known = Object.entries(names);
  return (value): value is ObjectOf<N> =>
    isObject(value) &&
    known.every(([name, of]) => {
      const item = value[name];
      if (typeof of === 'function') return of(item);
      return item === undefined || of.optional(item);
    }) &&
    Object.keys(value).every((name) => Object.hasOwn(names, name));
}

export function either<T, U>(one: Shape<T>, other: Shape<U>): Shape<T | U> {
  return (value): value is T | U => one(value) || other(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}

/** The requests that a page may post to the extension host, by name, with the shapes of body and reply. */
export type RequestTable = Readonly<Record<string, { readonly body: Shape<unknown>; readonly reply: Shape<unknown> }>>;

export type NameIn<Table extends RequestTable> = keyof Table & string;
export type BodyIn<Table extends RequestTable, Name extends NameIn<Table>> = Shaped<Table[Name]['body']>;
export type ReplyIn<Table extends RequestTable, Name extends NameIn<Table>> = Shaped<Table[Name]['reply']>;

/** Reports that a page has rendered. Every page posts it, or the host loads the page again. */
export const ready = { body: object({}), reply: nothing } as const;

/** Returns the shape of a posted request. The body still has to be checked with the shape of its name. */
export function envelopeOf<Table extends RequestTable>(table: Table) {
  return object({ id: count, name: oneOf(Object.keys(table) as readonly NameIn<Table>[]), body: anything });
}

/** The reply to a request, or a sentence for the user that says why it failed. */
export const reply = either(
  object({ type: oneOf(['reply']), id: count, value: anything }),
  object({ type: oneOf(['failed']), id: count, message: text() }),
);
export type Reply = Shaped<typeof reply>;
