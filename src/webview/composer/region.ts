import { clamp } from '../parts/clamp.ts';
import type { Region } from '../protocol/messages.ts';

export type RegionSize = Region['size'];
type MarkedArea = Region['area'];

interface RegionPoint {
  readonly x: number;
  readonly y: number;
}

/** What a person has marked, in pixels of the picture. */
export type Stroke =
  | { readonly type: 'rectangle'; readonly from: RegionPoint; readonly to: RegionPoint }
  | { readonly type: 'brush'; readonly radius: number; readonly points: readonly RegionPoint[] };

/** Smaller areas are slips of the pointer, in pixels. */
const minSide = 4;

/** Returns the area that holds all that is marked; undefined if that is nothing. */
export function areaOf(strokes: readonly Stroke[], size: RegionSize): MarkedArea | undefined {
  const edges = strokes.flatMap((stroke) => {
    const [points, by] = stroke.type === 'brush' ? [stroke.points, stroke.radius] : [[stroke.from, stroke.to], 0];
    return points.map(({ x, y }) => ({ left: x - by, top: y - by, right: x + by, bottom: y + by }));
  });
  const x = Math.floor(clamp(Math.min(...edges.map(({ left }) => left)), 0, size.width));
  const y = Math.floor(clamp(Math.min(...edges.map(({ top }) => top)), 0, size.height));
  const width = Math.ceil(clamp(Math.max(...edges.map(({ right }) => right)), 0, size.width)) - x;
  const height = Math.ceil(clamp(Math.max(...edges.map(({ bottom }) => bottom)), 0, size.height)) - y;
  return edges.length > 0 && width >= minSide && height >= minSide ? { x, y, width, height } : undefined;
}

/** Returns an area as what marks it. */
export function strokeOf({ x, y, width, height }: MarkedArea): Stroke {
  return { type: 'rectangle', from: { x, y }, to: { x: x + width, y: y + height } };
}

/** Returns the rectangle after an arrow key: moved, with Shift resized; the middle of the picture if there is none. */
export function changedByKey(
  { key, shiftKey }: { readonly key: string; readonly shiftKey: boolean },
  area: MarkedArea | undefined,
  size: RegionSize,
): Stroke | undefined {
  const direction = directions.get(key);
  if (!direction) return undefined;
  const middle = { x: size.width / 4, y: size.height / 4, width: size.width / 2, height: size.height / 2 };
  const { x, y, width, height } = area ?? middle;
  const by = { x: (direction.x * size.width) / 50, y: (direction.y * size.height) / 50 };
  const isMoved = area && !shiftKey;
  const isResized = area && shiftKey;
  const left = clamp(x + (isMoved ? by.x : 0), 0, size.width - width);
  const top = clamp(y + (isMoved ? by.y : 0), 0, size.height - height);
  const right = clamp(left + width + (isResized ? by.x : 0), left + minSide, size.width);
  const bottom = clamp(top + height + (isResized ? by.y : 0), top + minSide, size.height);
  return { type: 'rectangle', from: { x: left, y: top }, to: { x: right, y: bottom } };
}

const directions: ReadonlyMap<string, RegionPoint> = new Map([
  ['ArrowLeft', { x: -1, y: 0 }],
  ['ArrowRight', { x: 1, y: 0 }],
  ['ArrowUp', { x: 0, y: -1 }],
  ['ArrowDown', { x: 0, y: 1 }],
]);
