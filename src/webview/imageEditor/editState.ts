import { count, flag, object, oneOf, type Shape, type Shaped } from '../../foreign/shape.ts';
import { clamp } from '../parts/clamp.ts';
import {
  areaShape,
  type EditedArea,
  type ImageFormat,
  imageFormats,
  type PictureChange,
} from '../protocol/imageEditor.ts';

const size = object({ width: count, height: count });
export type Size = Shaped<typeof size>;

/** Aspect ratios of the crop area. `source` is that of the image, `size` that of the result. */
export const ratioIds = ['free', 'source', '1:1', '16:9', '4:3', '3:2', 'size'] as const;
export type RatioId = (typeof ratioIds)[number];

export const sizeIds = ['crop', 'half', 'wide', 'social', 'custom'] as const;
export type SizeId = (typeof sizeIds)[number];

/** The user's choices. Lengths are in pixels. */
export interface EditState {
  readonly source: Size;
  readonly crop: EditedArea;
  readonly ratio: RatioId;
  readonly size: SizeId;
  /** Size of the result. */
  readonly width: number;
  readonly height: number;
  /** Whether width and height of the result keep their ratio when the user changes one of them. */
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

/** The size that social networks use for the preview image of a page. */
const social: Size = { width: 1200, height: 630 };
const wide = 1600;
/** Maximum width and height of a result; the host refuses more. */
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

/**
 * Sets one side of the result. The other side follows if they are linked; otherwise the crop area takes the new ratio.
 */
export function withSide(state: EditState, side: 'width' | 'height', value: number): EditState {
  const typed = clamp(Math.round(value), 1, maxSide);
  if (!state.isLinked) return fitted({ ...state, size: 'custom', ratio: 'size', [side]: typed });
  return scaled({ ...state, size: 'custom' }, typed / state.crop[side]);
}

/** Sets one coordinate or side of the crop area. */
export function withCropValue(state: EditState, name: keyof EditedArea, value: number): EditState {
  const { crop } = state;
  const number = Math.round(value);
  if (name === 'x' || name === 'y') return moved(state, { [name]: number - crop[name] });
  const by = number - crop[name];
  return resized(state, name === 'width' ? { right: by } : { bottom: by }, name);
}

/** Moves the crop area within the image. */
export function moved(state: EditState, by: { readonly x?: number; readonly y?: number }): EditState {
  const { crop, source } = state;
  const x = clamp(crop.x + Math.round(by.x ?? 0), 0, source.width - crop.width);
  const y = clamp(crop.y + Math.round(by.y ?? 0), 0, source.height - crop.height);
  return { ...state, crop: { ...crop, x, y } };
}

/**
 * Moves edges of the crop area. The opposite edges stay.
 *
 * @param leading the side that the other one follows if the ratio is fixed
 */
export function resized(
  state: EditState,
  by: { readonly left?: number; readonly right?: number; readonly top?: number; readonly bottom?: number },
  leading: 'width' | 'height' = 'width',
): EditState {
  const { crop, source } = state;
  const left = by.left === undefined ? undefined : clamp(crop.x + by.left, 0, crop.x + crop.width - 1);
  const top = by.top === undefined ? undefined : clamp(crop.y + by.top, 0, crop.y + crop.height - 1);
  const right = crop.x + crop.width;
  const bottom = crop.y + crop.height;
  const max = {
    width: left === undefined ? source.width - crop.x : right,
    height: top === undefined ? source.height - crop.y : bottom,
  };
  const requested = {
    width: clamp(left === undefined ? crop.width + (by.right ?? 0) : right - left, 1, max.width),
    height: clamp(top === undefined ? crop.height + (by.bottom ?? 0) : bottom - top, 1, max.height),
  };
  const { width, height } = inRatio(requested, max, ratioOf(state), leading);
  const x = left === undefined ? crop.x : right - width;
  const y = top === undefined ? crop.y : bottom - height;
  return sized({ ...state, crop: { x, y, width, height } });
}

/** Returns the change that the host should apply to the image. */
export function changeOf({ source, crop, width, height, format, quality }: EditState): PictureChange {
  const isWhole = crop.width === source.width && crop.height === source.height;
  const isScaled = crop.width !== width || crop.height !== height;
  return {
    ...(isWhole ? {} : { crop }),
    ...(isScaled ? { width, height } : {}),
    format,
    ...(format === 'png' ? {} : { quality }),
  };
}

/** Returns the fixed ratio of width to height, or undefined if it is free. */
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

function inRatio(requested: Size, max: Size, ratio: number | undefined, leading: 'width' | 'height'): Size {
  const whole = (value: number) => Math.max(1, Math.round(value));
  if (ratio === undefined) return { width: whole(requested.width), height: whole(requested.height) };
  const unlimited = leading === 'width' ? requested.width : requested.height * ratio;
  const width = Math.min(unlimited, max.width, max.height * ratio);
  return { width: Math.min(whole(width), max.width), height: Math.min(whole(width / ratio), max.height) };
}

/** Replaces the crop area by the largest one of the ratio around the same centre. */
function fitted(state: EditState): EditState {
  const ratio = ratioOf(state);
  if (ratio === undefined) return state;
  const { source, crop } = state;
  const { width, height } = inRatio(source, source, ratio, 'width');
  const x = clamp(Math.round(crop.x + (crop.width - width) / 2), 0, source.width - width);
  const y = clamp(Math.round(crop.y + (crop.height - height) / 2), 0, source.height - height);
  return { ...state, crop: { x, y, width, height } };
}

function sized(state: EditState): EditState {
  const { crop, size } = state;
  switch (size) {
    case 'crop':
      return { ...state, width: crop.width, height: crop.height };
    case 'half':
      return scaled(state, 1 / 2);
    case 'wide':
      return scaled(state, wide / crop.width);
    case 'social':
      return state;
    case 'custom':
      return state.ratio === 'size' ? state : scaled(state, state.width / crop.width);
  }
}

/** Makes the result a multiple of the crop area, or as large as it may be. */
function scaled(state: EditState, by: number): EditState {
  const { crop } = state;
  const scale = Math.min(by, maxSide / Math.max(crop.width, crop.height));
  const side = (length: number) => Math.max(1, Math.round(length * scale));
  return { ...state, width: side(crop.width), height: side(crop.height) };
}
