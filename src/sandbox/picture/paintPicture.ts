import { type Bitmap, resizeBitmap } from '../../images/codecs/Bitmap.ts';
import { seededRandom } from '../seededRandom.ts';
import type { VideoRecord } from '../video/VideoStore.ts';
import { type CaptionColours, drawCaption, drawLabel } from './drawCaption.ts';
import {
  blendPixel,
  type Colour,
  createPicture,
  encodePng,
  fillCircle,
  fillRows,
  fitPicture,
  frame,
  mixColours,
} from './Picture.ts';

export interface PicturePlan {
  readonly prompt: string;
  /** Number of the picture within its request, from 0. */
  readonly index: number;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** What surrounds the picture; nothing if absent. */
  readonly border?: 'transparent' | 'checkerboard';
  /** Changes the picture like another prompt. */
  readonly seed?: number;
}

/**
 * Paints a landscape with the prompt written on it: always the same for one prompt and index, different for any other.
 *
 * @returns a PNG
 */
export async function paintPicture(plan: PicturePlan): Promise<Buffer> {
  const { prompt, index } = plan;
  const picture = createPicture(...innerSize(plan));
  const landscape = composeLandscape(seedOf(plan));
  paintLandscape(picture, landscape);
  drawCaption(picture, { text: prompt, note: `picture ${index + 1}`, ...captionColours(landscape.palette) });
  return encodePng(framed(picture, plan));
}

/** Part of each side that a border takes. */
const borderShare = 0.08;

function innerSize({ width, height, border }: PicturePlan): readonly [width: number, height: number] {
  const share = border ? 1 - 2 * borderShare : 1;
  return [Math.round(width * share), Math.round(height * share)];
}

function framed(picture: Bitmap, { width, height, border }: PicturePlan): Bitmap {
  return border ? frame(picture, width, height, border) : picture;
}

function seedOf({ prompt, index, seed }: PicturePlan): string {
  return seed === undefined ? `${index}\n${prompt}` : `${index}\n${prompt}\n${seed}`;
}

/**
 * Paints the input images side by side, tinted and with lights that depend on the prompt, and writes the prompt on them.
 *
 * @returns a PNG
 */
export async function paintEdit(
  plan: PicturePlan & {
    readonly sources: readonly Bitmap[];
    /** Only where it is transparent, the picture is edited. */
    readonly mask?: Bitmap;
  },
): Promise<Buffer> {
  const { sources, prompt, index, mask } = plan;
  const [width, height] = innerSize(plan);
  const picture = createPicture(width, height);
  const seed = seedOf(plan);
  const { palette } = composeLandscape(seed);
  fillRows(picture, 0, height, palette.near);
  const columns = Math.ceil(Math.sqrt(sources.length));
  const rows = Math.ceil(sources.length / columns);
  for (const [place, source] of sources.entries()) {
    const [column, row] = [place % columns, Math.floor(place / columns)];
    // The last image of an incomplete row takes the rest of it.
    const next = place === sources.length - 1 ? columns : column + 1;
    const [left, right] = [Math.round((column * width) / columns), Math.round((next * width) / columns)];
    const [top, bottom] = [Math.round((row * height) / rows), Math.round(((row + 1) * height) / rows)];
    fitPicture(source, picture, [left, top, right, bottom]);
  }
  const before = mask && picture.data.slice();
  tint(picture, palette, 0.45);
  drawLights(picture, seed, palette.light, 0);
  if (before) restore(picture, before, resizeBitmap(mask, width, height));
  else drawCaption(picture, { text: prompt, note: `edit ${index + 1}`, opacity: 0.95, ...captionColours(palette) });
  return encodePng(framed(picture, plan));
}

/** Restores the pixels where a mask is opaque. */
function restore({ data }: Bitmap, before: Uint8Array, mask: Bitmap): void {
  for (let at = 0; at < data.length; at += 4) {
    if ((mask.data[at + 3] ?? 0) > 127) data.set(before.subarray(at, at + 3), at);
  }
}

function captionColours({ near, light }: Palette): CaptionColours {
  return { panel: mixColours(near, [0, 0, 0], 0.35), accent: light };
}

/** Earlier remixes would no longer be visible. */
const visibleRemixes = 3;
/** Seconds for which a first image is shown without lights and caption. */
const captionAfter = 0.5;

/**
 * Paints the frames of a video. Yields the same object each time, repainted.
 *
 * @param image first frame in the video's size, if the video begins with an image
 */
export function* paintFrames(record: VideoRecord, image: Bitmap | undefined, seconds: number): Generator<Bitmap> {
  const { framesPerSecond } = videoFormat;
  const picture = createPicture(...sizeOfVideo(record));
  const landscape = composeLandscape(`0\n${record.prompt}`);
  const remixes = record.remixes
    .slice(-visibleRemixes)
    .map((prompt) => ({ prompt, palette: composeLandscape(`0\n${prompt}`).palette }));
  const colours = captionColours((remixes.at(-1) ?? landscape).palette);
  for (let frame = 0; frame < framesPerSecond * seconds; frame++) {
    const time = frame / framesPerSecond;
    const isImageAlone = image !== undefined && remixes.length === 0 && time < captionAfter;
    if (image) picture.data.set(image.data);
    else paintLandscape(picture, landscape, time);
    for (const { prompt, palette } of remixes) {
      tint(picture, palette, 0.6);
      drawLights(picture, prompt, palette.light, time);
    }
    if (image && !isImageAlone) drawLights(picture, record.prompt, landscape.palette.light, time);
    if (isImageAlone) drawLabel(picture, colours);
    else drawCaption(picture, { ...captionOf(record), ...colours, opacity: image ? 0.95 : 0.74 });
    yield picture;
  }
}

function captionOf({ prompt, remixes }: VideoRecord): { readonly text: string; readonly note: string } {
  const remix = remixes.at(-1);
  if (remix === undefined) return { text: prompt, note: 'video' };
  const parent = remixes.at(-2) ?? prompt;
  const characters = Array.from(parent);
  return { text: remix, note: `remix of ${characters.length > 34 ? `${characters.slice(0, 33).join('')}…` : parent}` };
}

/** Returns the width and height of a video, in pixels. */
export function sizeOfVideo({ size = [videoFormat.width, videoFormat.height] }: Pick<VideoRecord, 'size'>) {
  return size;
}

/** The format of videos; width and height in pixels, unless others are asked for. */
export const videoFormat = { width: 640, height: 360, framesPerSecond: 24 } as const;

/** One row of hills. Lengths are shares of the picture's height. */
interface Ridge {
  readonly colour: Colour;
  /** Middle of the hills, from the top. */
  readonly level: number;
  /** The sine waves whose sum is the outline. */
  readonly waves: readonly { readonly amplitude: number; readonly frequency: number; readonly phase: number }[];
}

/** A composition that is the same for the same seed, at any size and time. */
interface Landscape {
  readonly palette: Palette;
  readonly sun: { readonly x: number; readonly y: number; readonly radius: number };
  readonly ridges: readonly Ridge[];
}

function composeLandscape(seed: string): Landscape {
  const random = seededRandom(seed);
  const between = (low: number, high: number) => low + (high - low) * random();
  const palette = palettes[Math.floor(random() * palettes.length)] ?? palettes[0];
  const ridgeCount = 4 + Math.floor(random() * 3);
  const roughness = between(0.3, 0.6);
  const top = between(0.38, 0.48);
  const ridges = Array.from({ length: ridgeCount }, (_, index): Ridge => {
    const depth = index / (ridgeCount - 1);
    return {
      colour: mixColours(palette.far, palette.near, depth ** 0.9),
      level: top + (0.92 - top) * depth ** 1.1,
      waves: [0, 1, 2, 3, 4].map((octave) => ({
        amplitude: between(0.03, 0.07) * roughness ** octave,
        frequency: between(4, 9) * 2 ** octave,
        phase: between(0, 2 * Math.PI),
      })),
    };
  });
  const sun = { x: between(0.2, 0.8), y: between(0.16, 0.34), radius: between(0.045, 0.1) };
  return { palette, sun, ridges };
}

/** @param time in seconds: the hills drift, near ones faster, and the sun climbs */
function paintLandscape(picture: Bitmap, { palette, sun, ridges }: Landscape, time = 0): void {
  const { width, height } = picture;
  for (let y = 0; y < height; y++) {
    const share = (2 * y) / (height * 0.62);
    const upper = mixColours(palette.zenith, palette.sky, Math.min(1, share));
    fillRows(picture, y, y + 1, mixColours(upper, palette.horizon, Math.min(1, Math.max(0, share - 1))));
  }
  for (const [size, opacity] of [
    [4.5, 0.07],
    [2.7, 0.1],
    [1.7, 0.16],
    [1, 1],
  ] as const) {
    const radius = sun.radius * size * Math.min(width, height);
    fillCircle(picture, sun.x * width, (sun.y - 0.012 * time) * height, radius, palette.light, opacity);
  }
  for (const [index, ridge] of ridges.entries()) {
    const next = ridges[index + 1];
    const bottom = next ? next.waves.reduce((sum, { amplitude }) => sum + amplitude, next.level) : 1;
    paintRidge(picture, ridge, Math.min(1, bottom), time * 0.02 * (index + 1) ** 1.3, palette.horizon);
  }
}

/**
 * Paints a ridge that fades downwards into mist.
 *
 * @param bottom where the next ridge covers this one, as a share of the height
 * @param drift share of the width by which the hills are shifted
 */
function paintRidge(
  { width, height, data }: Bitmap,
  { colour, level, waves }: Ridge,
  bottom: number,
  drift: number,
  mist: Colour,
): void {
  const tops = Float32Array.from({ length: width }, (_, x) => {
    const at = x / width + drift;
    return waves.reduce(
      (y, { amplitude, frequency, phase }) => y + amplitude * Math.sin(frequency * at + phase),
      level,
    );
  });
  const highest = tops.reduce((highest, top) => Math.min(highest, top), 1);
  for (let y = Math.max(0, Math.floor(highest * height)); y < bottom * height; y++) {
    const shade = mixColours(colour, mist, Math.min(0.45, (y / height - highest) * 1.5));
    for (let x = 0; x < width; x++) {
      const cover = Math.min(1, y + 1 - (tops[x] ?? 0) * height);
      if (cover > 0) blendPixel(data, (y * width + x) * 4, shade, cover);
    }
  }
}

/** Tints a picture: dark parts towards the palette's nearest colour, bright parts towards its light. */
function tint({ data }: Bitmap, { near, light }: Palette, share: number): void {
  for (let at = 0; at < data.length; at += 4) {
    const [red, green, blue] = [data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0];
    const brightness = (red * 77 + green * 151 + blue * 28) / 65_280;
    data[at] = red + (near[0] + (light[0] - near[0]) * brightness - red) * share;
    data[at + 1] = green + (near[1] + (light[1] - near[1]) * brightness - green) * share;
    data[at + 2] = blue + (near[2] + (light[2] - near[2]) * brightness - blue) * share;
  }
}

/** Draws translucent circles that rise. @param time in seconds */
function drawLights(picture: Bitmap, seed: string, colour: Colour, time: number): void {
  const random = seededRandom(seed);
  const { width, height } = picture;
  for (let light = 0; light < 16; light++) {
    const radius = (0.015 + 0.05 * random() ** 2) * height;
    const x = random() * width + Math.sin(time * (0.5 + random()) + light) * 0.02 * width;
    const risen = random() + time * (0.03 + 0.08 * random());
    const y = (1 - (risen % 1)) * (height + 2 * radius) - radius;
    fillCircle(picture, x, y, radius, colour, 0.12 + 0.2 * random());
  }
}

/** The colours of a landscape, from the top of the sky down to the nearest hill. */
interface Palette {
  readonly zenith: Colour;
  readonly sky: Colour;
  readonly horizon: Colour;
  readonly light: Colour;
  readonly far: Colour;
  readonly near: Colour;
}

function paletteOf(hexColours: string): Palette {
  const [zenith = '', sky = '', horizon = '', light = '', far = '', near = ''] = hexColours.split(' ');
  return {
    zenith: colourOf(zenith),
    sky: colourOf(sky),
    horizon: colourOf(horizon),
    light: colourOf(light),
    far: colourOf(far),
    near: colourOf(near),
  };
}

/** @param hex six digits */
function colourOf(hex: string): Colour {
  const value = Number.parseInt(hex, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

const palettes: readonly [Palette, ...Palette[]] = [
  paletteOf('2b4c7e 7d9cc4 f7d9c4 fff3d6 a9b4cc 1f2a44'),
  paletteOf('3d2c5e b35c7a ffb88a ffe9c2 c77d8e 2a1b3d'),
  paletteOf('0f6e84 5fb6b5 fdf0c9 fffbe8 8fc7bd 0e3b43'),
  paletteOf('5a3a7e d873a0 ffd3a8 fff0cf d592b4 2d1f4a'),
  paletteOf('11204d 35528f 8aa6d6 f3f1e0 54699f 0a1026'),
  paletteOf('0b1d2e 1f4d5c 6fb3a0 eef7e6 3d7a7a 06141c'),
  paletteOf('7a2e3a e07a4f ffd79a fff2d0 d98b6a 3a1420'),
  paletteOf('4a6fa5 a8c6e8 fbf4ea ffffff b9cbe0 33506e'),
  paletteOf('30573f 8db580 f4ecc2 fffbe0 a3bf8f 17301f'),
  paletteOf('1a1440 5b2a86 e36bae ffd9ec 8a4fa8 130b2e'),
  paletteOf('c4553d f2a65a fde3a7 fff6dc e39a6b 4a1f24'),
  paletteOf('274060 5899a8 d9e8d5 fdfbe9 86b0b0 152536'),
];
