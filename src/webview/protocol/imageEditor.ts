import { count, nothing, object, oneOf, optional, type Shaped, text } from '../../foreign/shape.ts';
import { type RequestTable, ready } from './requestTable.ts';

export const imageFormats = ['png', 'jpeg', 'webp'] as const;
export type ImageFormat = (typeof imageFormats)[number];

const area = object({ x: count, y: count, width: count, height: count });
export type EditedArea = Shaped<typeof area>;
export { area as areaShape };

const change = object({
  crop: optional(area),
  width: optional(count),
  height: optional(count),
  format: oneOf(imageFormats),
  quality: optional(count),
});
export type PictureChange = Shaped<typeof change>;

/** Requests of the image editor to the extension host, with their replies. */
export const imageRequests = {
  ready,
  /** Computes the size of the resulting file without saving it. A newer request aborts this one. */
  measure: { body: object({ change }), reply: object({ bytes: count }) },
  save: { body: object({ change }), reply: object({ name: text(4000), bytes: count, notes: optional(text(4000)) }) },
  saveFavicons: { body: object({ crop: area }), reply: object({ names: text(4000), notes: text(4000) }) },
  /** Opens the files that were saved last. */
  open: { body: object({}), reply: nothing },
} as const satisfies RequestTable;

/** The data that the host puts into the page, and posts when the file has changed. */
export const imageStart = object({
  name: text(4000),
  /** Webview URI of the image; changes with its bytes. */
  source: text(),
  /** Size of the image file. */
  bytes: count,
  format: oneOf(imageFormats),
});
export type ImageStart = Shaped<typeof imageStart>;

/** Messages of the extension host to the image editor. */
export const imageMessage = object({ type: oneOf(['show']), start: imageStart });
export type ImageMessage = Shaped<typeof imageMessage>;
