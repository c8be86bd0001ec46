import { anything, count, either, nothing, object, oneOf, type Shape, type Shaped, text } from '../../foreign/shape.ts';

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
