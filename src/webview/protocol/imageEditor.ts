import type { Shape, Shaped } from './shape.ts';
import { anything, count, nothing, object, oneOf, optional, text } from './shape.ts';

export const imageFormats = ['png', 'jpeg', 'webp'] as const;
export type ImageFormat = (typeof imageFormats)[number];

const area = object({ x: count, y: count, width: count, height: count });
export type Area = Shaped<typeof area>;
export { area as areaShape };

const change = object({
  crop: optional(area),
  width: optional(count),
  height: optional(count),
  format: oneOf(imageFormats),
  quality: optional(count),
});
export type Change = Shaped<typeof change>;

interface Request {
  readonly body: Shape<unknown>;
  readonly reply: Shape<unknown>;
}

/** What the image editor asks its host, and what the host replies. */
export const imageRequests = {
  /** Makes the picture, to tell how large its file is, and saves nothing. A newer request ends it. */
  measure: { body: object({ change }), reply: object({ bytes: count }) },
  save: { body: object({ change }), reply: object({ name: text(4000), bytes: count }) },
  saveFavicons: { body: object({ crop: area }), reply: object({ names: text(4000) }) },
  /** Opens what was saved last. */
  open: { body: object({}), reply: nothing },
} as const satisfies Readonly<Record<string, Request>>;

export type ImageRequestName = keyof typeof imageRequests;
export type ImageBodyOf<Name extends ImageRequestName> = Shaped<(typeof imageRequests)[Name]['body']>;
export type ImageReplyOf<Name extends ImageRequestName> = Shaped<(typeof imageRequests)[Name]['reply']>;

const names = Object.keys(imageRequests) as readonly ImageRequestName[];

/** A request on its way; its body is checked by the shape of its name. */
export const imageEnvelope = object({ id: count, name: oneOf(names), body: anything });

/** The reply to a request, or the sentence that says why there is none. */
export const imageReply = object({ id: count, value: optional(anything), failed: optional(text()) });
export type ImageReply = Shaped<typeof imageReply>;

/** What the page starts with. */
export const imageStart = object({
  name: text(4000),
  /** The picture as the page may load it. */
  source: text(),
  /** Of the picture's file. */
  bytes: count,
  format: oneOf(imageFormats),
});
export type ImageStart = Shaped<typeof imageStart>;
