import type { Area, Change, ImageFormat } from '../protocol/imageEditor.ts';
import { areaShape, imageFormats } from '../protocol/imageEditor.ts';
import type { Shape, Shaped } from '../protocol/shape.ts';
import { count, flag, object, oneOf } from '../protocol/shape.ts';

const size = object({ width: count, height: count });
export type Size = Shaped<typeof size>;

/** `free`: any; `source`: that of the picture; `size`: that of the size which was typed in. */
export const ratioIds = ['free', 'source', '1:1', '16:9', '4:3', '3:2', 'size'] as const;
export type RatioId = (typeof ratioIds)[number];

export const sizeIds = ['crop', 'half', 'wide', 'social', 'custom'] as const;
export type SizeId = (typeof sizeIds)[number];

/** What a person has chosen, in pixels. */
export interface EditState {
  readonly source: Size;
  readonly crop: Area;
  readonly ratio: RatioId;
  readonly size: SizeId;
  /** Of the result. */
  readonly width: number;
  readonly height: number;
  /** Whether the result's height follows its width, and the other way round. */
  readonly isLinked: boolean;
  readonly format: ImageFormat;
  readonly quality: number;
}

export const isEditState: Shape<EditState> = object({
  source: size,
  crop: areaShape,
  ratio: oneOf(ratioIds),
  size: oneOf(sizeIds),
  width: count,
  height: count,
  isLinked: flag,
  format: oneOf(imageFormats),
  quality: count,
});

/** Of a page's picture in social networks. */
const social: Size = { width: 1200, height: 630 };
const wide = 1600;
/** The longest side of a result; the host refuses more. */
export const maxSide = 16_383;

export function startOf(source: Size, format: ImageFormat): EditState {
  const crop = { x: 0, y: 0, ...source };
  return { source, crop, ratio: 'free', size: 'crop', ...source, isLinked: true, format, quality: 80 };
}

export function withRatio(state: EditState, ratio: RatioId): EditState {
  return sized(fitted({ ...state, ratio, size: state.size === 'social' ? 'crop' : state.size }));
}

export function withSize(state: EditState, size: SizeId): EditState {
  if (size === 'social') return fitted({ ...state, size, ratio: 'size', ...social });
  const ratio = state.ratio === 'size' ? 'free' : state.ratio;
  return sized({ ...state, size, ratio });
}

/** Takes one side of the result; unless the other one follows, the crop area takes their ratio. */
export function withSide(state: EditState, side: 'width' | 'height', value: number): EditState {
  const typed = clamp(Math.round(value), 1, maxSide);
  const { crop, isLinked } = state;
  if (!isLinked) return fitted({ ...state, size: 'custom', ratio: 'size', [side]: typed });
  const width = side === 'width' ? typed : Math.max(1, Math.round((typed * crop.width) / crop.height));
  const height = side === 'height' ? typed : Math.max(1, Math.round((typed * crop.height) / crop.width));
  return { ...state, size: 'custom', width, height };
}

/** Takes one number of the crop area. */
export function withCropValue(state: EditState, name: keyof Area, value: number): EditState {
  const { crop } = state;
  const number = Math.round(value);
  if (name === 'x' || name === 'y') return moved(state, { [name]: number - crop[name] });
  const by = number - crop[name];
  return resized(state, name === 'width' ? { right: by } : { bottom: by }, name);
}

/** Moves the crop area within the picture. */
export function moved(state: EditState, by: { readonly x?: number; readonly y?: number }): EditState {
  const { crop, source } = state;
  const x = clamp(crop.x + Math.round(by.x ?? 0), 0, source.width - crop.width);
  const y = clamp(crop.y + Math.round(by.y ?? 0), 0, source.height - crop.height);
  return { ...state, crop: { ...crop, x, y } };
}

/** How far edges of the crop area go, to the right or down. */
export interface EdgeMoves {
  readonly left?: number;
  readonly right?: number;
  readonly top?: number;
  readonly bottom?: number;
}

/** Moves edges of the crop area; with a fixed ratio the other side follows, from the corner that stays. */
export function resized(state: EditState, by: EdgeMoves, leads: 'width' | 'height' = 'width'): EditState {
  const { crop, source } = state;
  const left = by.left === undefined ? undefined : clamp(crop.x + by.left, 0, crop.x + crop.width - 1);
  const top = by.top === undefined ? undefined : clamp(crop.y + by.top, 0, crop.y + crop.height - 1);
  const right = crop.x + crop.width;
  const bottom = crop.y + crop.height;
  const most = {
    width: left === undefined ? source.width - crop.x : right,
    height: top === undefined ? source.height - crop.y : bottom,
  };
  const wanted = {
    width: clamp(left === undefined ? crop.width + (by.right ?? 0) : right - left, 1, most.width),
    height: clamp(top === undefined ? crop.height + (by.bottom ?? 0) : bottom - top, 1, most.height),
  };
  const { width, height } = inRatio(wanted, most, ratioOf(state), leads);
  const x = left === undefined ? crop.x : right - width;
  const y = top === undefined ? crop.y : bottom - height;
  return sized({ ...state, crop: { x, y, width, height } });
}

/** What the host is to do. */
export function changeOf({ source, crop, width, height, format, quality }: EditState): Change {
  const isWhole = crop.width === source.width && crop.height === source.height;
  const isScaled = crop.width !== width || crop.height !== height;
  return {
    ...(isWhole ? {} : { crop }),
    ...(isScaled ? { width, height } : {}),
    format,
    ...(format === 'png' ? {} : { quality }),
  };
}

/** Width by height; undefined where any will do. */
function ratioOf({ ratio, source, width, height }: EditState): number | undefined {
  switch (ratio) {
    case 'free':
      return undefined;
    case 'source':
      return source.width / source.height;
    case 'size':
      return width / height;
    default: {
      const [across = 1, down = 1] = ratio.split(':').map(Number);
      return across / down;
    }
  }
}

function inRatio(wanted: Size, most: Size, ratio: number | undefined, leads: 'width' | 'height'): Size {
  const whole = (value: number) => Math.max(1, Math.round(value));
  if (ratio === undefined) return { width: whole(wanted.width), height: whole(wanted.height) };
  const width = Math.min(leads === 'width' ? wanted.width : wanted.height * ratio, most.width, most.height * ratio);
  return { width: Math.min(whole(width), most.width), height: Math.min(whole(width / ratio), most.height) };
}

/** The largest crop area of the ratio, around the middle of the one before. */
function fitted(state: EditState): EditState {
  const ratio = ratioOf(state);
  if (ratio === undefined) return state;
  const { source, crop } = state;
  const { width, height } = inRatio(source, source, ratio, 'width');
  const x = clamp(Math.round(crop.x + (crop.width - width) / 2), 0, source.width - width);
  const y = clamp(Math.round(crop.y + (crop.height - height) / 2), 0, source.height - height);
  return { ...state, crop: { x, y, width, height } };
}

/** The result's size after the crop area has changed. */
function sized(state: EditState): EditState {
  const { crop, size } = state;
  const of = (width: number): EditState => {
    const scale = width / crop.width;
    return { ...state, width: Math.max(1, Math.round(width)), height: Math.max(1, Math.round(crop.height * scale)) };
  };
  switch (size) {
    case 'crop':
      return of(crop.width);
    case 'half':
      return of(crop.width / 2);
    case 'wide':
      return of(wide);
    case 'social':
      return state;
    case 'custom':
      return state.ratio === 'size' ? state : of(state.width);
  }
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), Math.max(least, most));
}
