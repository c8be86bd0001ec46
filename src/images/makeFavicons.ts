import { escapeAttribute } from '../foreign/escape.ts';
import { plainLine } from '../foreign/plainText.ts';
import type { CropArea, EncodedImage } from './ImageChange.ts';
import { type TransformOptions, transformImages } from './transformImage.ts';

const iconSides = [16, 32, 48] as const;

/** Files that browsers, iOS and web app manifests use besides `favicon.ico`. */
const pictureFiles = [
  // iOS shows what is transparent as black.
  { name: 'apple-touch-icon.png', side: 180, isOpaque: true },
  { name: 'icon-192.png', side: 192 },
  { name: 'icon-512.png', side: 512 },
] as const;

/**
 * Makes the files of a website's icon, cropped to a square around the center.
 *
 * @param crop part of the picture to use; default: all of it
 * @throws ImageError like `transformImage`
 */
export async function makeFavicons(
  bytes: Uint8Array,
  crop?: CropArea,
  options: TransformOptions = {},
): Promise<readonly (EncodedImage & { readonly name: string })[]> {
  const icons = [...iconSides.map((side) => ({ side })), ...pictureFiles];
  const changes = icons.map(({ side, ...more }) => {
    const isOpaque = 'isOpaque' in more;
    return { crop, width: side, height: side, format: 'png' as const, isOpaque };
  });
  const files = await transformImages(bytes, changes, options);
  const icon = writeIco(files.slice(0, iconSides.length));
  const largest = Math.max(...iconSides);
  return [
    { name: 'favicon.ico', bytes: icon, mediaType: 'image/x-icon', width: largest, height: largest },
    ...files.slice(iconSides.length).map((file, index) => ({ ...file, name: pictureFiles[index]?.name ?? '' })),
  ];
}

/**
 * Returns the lines for the head of a site's pages.
 *
 * @param addresses of the files of `makeFavicons` in their order, then of the web manifest; percent-encoded
 */
export function faviconLines([icon = '', touchIcon = '', , , manifest = '']: readonly string[]): string {
  const value = (address: string) => escapeAttribute(plainLine(address));
  const sizes = iconSides.map((side) => `${side}x${side}`).join(' ');
  return [
    `<link rel="icon" href="${value(icon)}" sizes="${sizes}">`,
    `<link rel="apple-touch-icon" href="${value(touchIcon)}">`,
    `<link rel="manifest" href="${value(manifest)}">`,
    '',
  ].join('\n');
}

/** Returns a web manifest beside the icons. @param names names of the files of `makeFavicons` in their order */
export function webManifest(names: readonly string[]): string {
  const icons = pictureFiles.flatMap(({ name, side }, index) => {
    const src = encodeURIComponent(names[index + 1] ?? name);
    return name.startsWith('icon-') ? [{ src, sizes: `${side}x${side}`, type: 'image/png' }] : [];
  });
  return `${JSON.stringify({ icons }, undefined, 2)}\n`;
}

/** Writes an ICO file with PNGs of at most 256 pixels: a header, one entry per file, then the files. */
function writeIco(pictures: readonly EncodedImage[]): Uint8Array {
  const header = Buffer.alloc(6);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(pictures.length, 4);
  let offset = header.length + 16 * pictures.length;
  const entries = pictures.map(({ width, height, bytes }) => {
    const entry = Buffer.alloc(16);
    // 256 is written as 0.
    entry.set([width % 256, height % 256]);
    entry.writeUInt16LE(1, 4);
    entry.writeUInt16LE(32, 6);
    entry.writeUInt32LE(bytes.length, 8);
    entry.writeUInt32LE(offset, 12);
    offset += bytes.length;
    return entry;
  });
  return Buffer.concat([header, ...entries, ...pictures.map(({ bytes }) => bytes)]);
}
