// What requests send beyond the fields of the specification.

export const declaredTypes = ['string', 'strings', 'integer', 'number', 'boolean', 'file'] as const;
/** The value of a further field. A file is a `file:` or `data:` URL. */
export type FurtherValue = string | number | boolean | readonly string[];

/** A field as a person declares it. */
export interface Declaration {
  readonly type: (typeof declaredTypes)[number];
  readonly values?: readonly (string | number)[];
  /** True if `values` are examples: others are sent unchanged. */
  readonly open?: true;
  readonly minimum?: number;
  readonly maximum?: number;
  /** Sent wherever the field applies and no other value is given. */
  readonly default?: FurtherValue;
  /** Patterns of the models that take it, such as `gpt-image-*`; all if absent. */
  readonly models?: readonly string[];
  readonly label?: string;
  readonly description?: string;
}

/**
 * Key of a folder's setting `fields` in the person's own, which it may only narrow. They are put together where they are
 * read, because activation reads settings and needs none of that.
 */
export const ofFolder = Symbol('declared by the folder');

/** How an operation's request is sent. */
export interface Encoding {
  /** Path on the host; `{video_id}` stands for the field, which is then not in the body. */
  readonly path?: string;
  /** The names of parts, by the fields whose files they hold: the request is sent as multipart. */
  readonly parts?: Readonly<Record<string, string>>;
}

/** How a request goes beyond the operation's own fields. It stays with the request, so that Run Again sends the same. */
export interface Further {
  /** By name, in the order of their names. */
  readonly values: Readonly<Record<string, FurtherValue>>;
  /** The names of the values that are files. */
  readonly files?: readonly string[];
  /** The operation's own fields that are not sent. */
  readonly without?: readonly string[];
  /** The operation's own fields whose values were checked against a declaration. */
  readonly redeclared?: readonly string[];
  readonly encoding?: Encoding;
  /** Whether the service honours `Idempotency-Key`. */
  readonly idempotencyKey?: true;
}
