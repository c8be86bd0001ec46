// Checks of data from outside: files, messages and storage. Where a JSON schema is published, the schema itself is the
// source of types and checks. A library of schemas would be larger, and the views load these.

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

/** A value for which more holds than its shape says. */
export function that<T>(of: Shape<T>, holds: (value: T) => boolean): Shape<T> {
  return (value): value is T => of(value) && holds(value);
}

export function matching(pattern: RegExp): Shape<string> {
  return that(text(), (value) => pattern.test(value));
}

export const flag: Shape<boolean> = (value): value is boolean => typeof value === 'boolean';

export const number: Shape<number> = (value): value is number => typeof value === 'number' && Number.isFinite(value);

export const yes: Shape<true> = (value): value is true => value === true;

export const integer: Shape<number> = (value): value is number => Number.isSafeInteger(value);

/** An integer of 0 or more. */
export const count: Shape<number> = (value): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** A value that is checked elsewhere. */
export const anything: Shape<unknown> = (_value): _value is unknown => true;

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

/** An object with these properties, and any others: another version may have written it. */
export function objectWith<const N extends Names>(names: N): Shape<ObjectOf<N>> {
  const known = Object.entries(names);
  return (value): value is ObjectOf<N> =>
    isObject(value) &&
    known.every(([name, of]) => {
      const item = value[name];
      if (typeof of === 'function') return of(item);
      return item === undefined || of.optional(item);
    });
}

/** An object with these properties and no others. */
export function object<const N extends Names>(names: N): Shape<ObjectOf<N>> {
  return that(objectWith(names), (value) => Object.keys(value).every((name) => Object.hasOwn(names, name)));
}

export function either<T, U>(one: Shape<T>, other: Shape<U>): Shape<T | U> {
  return (value): value is T | U => one(value) || other(value);
}

/** Whether a value is an object as JSON has them. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}

/** A list of two values. */
export function pair<T, U>(first: Shape<T>, second: Shape<U>): Shape<readonly [T, U]> {
  return (value): value is readonly [T, U] =>
    Array.isArray(value) && value.length === 2 && first(value[0]) && second(value[1]);
}

/** Returns a value if it has a shape. */
export function checked<T>(of: Shape<T>, value: unknown): T | undefined {
  return of(value) ? value : undefined;
}
