import type { Ridge, Scene } from './composeScene.ts';
import type { Band, Colour, Picture } from './Picture.ts';
import { blendPixel, mixColours } from './Picture.ts';

/** An 8×8 Bayer matrix, 0 to below 1: keeps soft gradients free of bands and still compresses well. */
const dither = Float32Array.from({ length: 64 }, (_, index) => {
  const x = index & 7;
  const y = index >> 3;
  let value = 0;
  for (let bit = 0; bit < 3; bit++) {
    value = value * 4 + ((((x ^ y) >> bit) & 1) * 2 + ((y >> bit) & 1));
  }
  return value / 64;
});

/**
 * Readies a scene for painting on a picture; the function returned paints some of its rows.
 *
 * @param time seconds: near hills pass faster than far ones and the sun climbs
 */
export function paintScene(picture: Picture, scene: Scene, time = 0): (rows: Band) => void {
  const tops = scene.ridges.map((ridge, index) => topsOf(ridge, index, time, picture));
  const glow = glowTable(picture, scene);
  return (rows) => {
    paintSky(picture, scene, glow, time, rows);
    paintStars(picture, scene, rows);
    for (const [index, ridge] of scene.ridges.entries()) {
      paintRidge(picture, ridge, tops[index] ?? new Float32Array(0), tops[index + 1], scene.palette.horizon, rows);
    }
  };
}

function paintSky(
  { width, height, data }: Picture,
  { palette, sun }: Scene,
  glow: Float32Array,
  time: number,
  rows: Band,
): void {
  const [sunX, sunY] = [sun.x * width, (sun.y - 0.012 * time) * height];
  const radius = sun.radius * Math.min(width, height);
  const [red, green, blue] = palette.light;
  for (let y = rows.from; y < rows.to; y++) {
    const share = Math.min(1, y / (height * 0.62));
    const sky =
      share < 0.5
        ? mixColours(palette.zenith, palette.sky, share * 2)
        : mixColours(palette.sky, palette.horizon, share * 2 - 1);
    const vertical = (y - sunY) ** 2;
    let offset = y * width * 4;
    for (let x = 0; x < width; x++, offset += 4) {
      const distance = Math.sqrt((x - sunX) ** 2 + vertical);
      const disc = Math.min(1, Math.max(0, radius - distance + 0.5));
      const light = Math.max(disc, glow[distance | 0] ?? 0);
      const noise = dither[((y & 7) << 3) | (x & 7)] ?? 0;
      data[offset] = sky[0] + (red - sky[0]) * light + noise;
      data[offset + 1] = sky[1] + (green - sky[1]) * light + noise;
      data[offset + 2] = sky[2] + (blue - sky[2]) * light + noise;
    }
  }
}

/** How much of the sun's light a pixel has, by its distance in pixels. */
function glowTable({ width, height }: Picture, { sun }: Scene): Float32Array {
  const radius = sun.radius * Math.min(width, height);
  return Float32Array.from({ length: Math.ceil(Math.hypot(width, height)) + 2 }, (_, distance) => {
    const beyond = Math.max(0, distance - radius) / radius;
    return 0.42 * Math.exp(-beyond * 0.9) + 0.22 * Math.exp(-beyond * 0.22);
  });
}

function paintStars({ width, height, data }: Picture, { stars, palette }: Scene, rows: Band): void {
  for (const star of stars) {
    const [x, y] = [Math.floor(star.x * width), Math.floor(star.y * height)];
    if (y < rows.from || y >= rows.to) continue;
    blendPixel(data, (y * width + x) * 4, palette.light, star.brightness);
  }
}

/** Where the ridge begins in each column, in pixels from the top. */
function topsOf(ridge: Ridge, index: number, time: number, { width, height }: Picture): Float32Array {
  const drift = time * 0.02 * (index + 1) ** 1.3;
  return Float32Array.from({ length: width }, (_, x) => {
    const at = (x / width + drift) * ridge.hills + ridge.phase;
    let [sum, share, total] = [0, 1, 0];
    for (let octave = 0; octave < ridge.octaves; octave++) {
      const value = noiseAt(ridge.noise, at * 2 ** octave + octave * 37);
      sum += share * (value + (1 - 2 * Math.abs(value - 0.5) - value) * ridge.crests);
      total += share;
      share *= 0.47;
    }
    return (ridge.level + ridge.amplitude * (1 - 2 * (sum / total))) * height;
  });
}

function noiseAt(noise: Float32Array, at: number): number {
  const left = Math.floor(at);
  const share = at - left;
  const eased = share * share * (3 - 2 * share);
  const [a, b] = [noise[left & 255] ?? 0, noise[(left + 1) & 255] ?? 0];
  return a + (b - a) * eased;
}

/** A ridge gets paler downwards, as if mist lay in the valley before it. */
function paintRidge(
  { width, height, data }: Picture,
  ridge: Ridge,
  tops: Float32Array,
  next: Float32Array | undefined,
  mist: Colour,
  rows: Band,
): void {
  const crest = (ridge.level - ridge.amplitude) * height;
  const from = Math.max(rows.from, Math.floor(tops.reduce((highest, top) => Math.min(highest, top), height)));
  const to = next ? Math.min(rows.to, Math.ceil(next.reduce((lowest, top) => Math.max(lowest, top), 0)) + 1) : rows.to;
  for (let y = from; y < to; y++) {
    const share = Math.min(0.45, Math.max(0, (y - crest) / height) * 1.5);
    const [paleRed, paleGreen, paleBlue] = mixColours(ridge.colour, mist, share);
    let offset = y * width * 4;
    for (let x = 0; x < width; x++, offset += 4) {
      const below = y + 1 - (tops[x] ?? 0);
      if (below <= 0 || (next && y > (next[x] ?? 0))) continue;
      const cover = Math.min(1, below);
      const noise = dither[((y & 7) << 3) | (x & 7)] ?? 0;
      const r = data[offset] ?? 0;
      const g = data[offset + 1] ?? 0;
      const b = data[offset + 2] ?? 0;
      data[offset] = r + (paleRed + noise - r) * cover;
      data[offset + 1] = g + (paleGreen + noise - g) * cover;
      data[offset + 2] = b + (paleBlue + noise - b) * cover;
    }
  }
}
