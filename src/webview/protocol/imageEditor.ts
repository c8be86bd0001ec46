import type { BodyIn, ReplyIn, RequestTable } from './requests.ts';
import { envelopeOf } from './requests.ts';
import type { Shaped } from './shape.ts';
import { count, nothing, object, oneOf, optional, text } from './shape.ts';

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

/** What the image editor asks its host, and what the host replies. */
export const imageRequests = {
  /** Makes the picture, to tell how large its file is, and saves nothing. A newer request ends it. */
  measure: { body: object({ change }), reply: object({ bytes: count }) },
  save: { body: object({ change }), reply: object({ name: text(4000), bytes: count }) },
  saveFavicons: { body: object({ crop: area }), reply: object({ names: text(4000) }) },
  /** Opens what was saved last. */
  open: { body: object({}), reply: nothing },
} as const satisfies RequestTable;

export type ImageRequestName = keyof typeof imageRequests;
export type ImageBodyOf<Name extends ImageRequestName> = BodyIn<typeof imageRequests, Name>;
export type ImageReplyOf<Name extends ImageRequestName> = ReplyIn<typeof imageRequests, Name>;

export const imageEnvelope = envelopeOf(imageRequests);

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
