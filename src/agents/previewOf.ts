import { readFile, stat } from 'node:fs/promises';
import { ImageError } from '../images/ImageError.ts';
import { transformImage } from '../images/transformImage.ts';
import { imageSize } from './imageSize.ts';
import type { Preview } from './ToolResult.ts';

/** In pixels; the sizes that models accept without scaling images down again. */
const minSide = 768;
const maxSide = 1568;
const maxBytes = 300 * 1024;
/** In bytes; larger files do not come from a service. */
const maxSourceBytes = 64 * 1024 * 1024;

/** Tried in order until a preview is small enough. PNG keeps transparency; JPEG makes it white. */
const attempts = [
  { scale: 1, quality: 80, keepsTransparency: true },
  { scale: 0.6, quality: 80, keepsTransparency: true },
  { scale: 0.6, quality: 60, keepsTransparency: false },
  { scale: 0.4, quality: 50, keepsTransparency: false },
] as const;

/** Creates a preview of an image file. Returns undefined if the image is animated or cannot be decoded. */
export async function previewOf(path: string): Promise<Preview | undefined> {
  const source = await imageSize(path);
  if (!source || (await stat(path)).size > maxSourceBytes) return undefined;
  const bytes = await readFile(path);
  const isTransparent = mayBeTransparent(bytes);
  const fit = Math.min(
    1,
    minSide / Math.min(source.width, source.height),
    maxSide / Math.max(source.width, source.height),
  );
  for (const { scale, quality, keepsTransparency } of attempts) {
    const isPng = isTransparent && keepsTransparency;
    const width = Math.max(1, Math.floor(source.width * fit * scale + 1e-6));
    const change = { width, ...(isPng ? { format: 'png' as const } : { format: 'jpeg' as const, quality }) };
    const made = await transformImage(bytes, change).catch((error: unknown) => {
      if (error instanceof ImageError) return undefined;
      throw error;
    });
    if (!made) return undefined;
    if (made.bytes.length <= maxBytes) {
      const mediaType = isPng ? 'image/png' : 'image/jpeg';
      return { bytes: made.bytes, mediaType, width: made.width, height: made.height };
    }
  }
  return undefined;
}

/** Whether the header of a PNG or WebP declares transparency. */
function mayBeTransparent(bytes: Buffer): boolean {
  if (bytes.readUInt32BE(0) === 0x89504e47) {
    const colour = bytes[25];
    return colour === 4 || colour === 6 || bytes.subarray(0, 4096).includes('tRNS');
  }
  if (bytes.toString('latin1', 8, 12) !== 'WEBP') return false;
  const kind = bytes.toString('latin1', 12, 16);
  if (kind === 'VP8X') return ((bytes[20] ?? 0) & 0x10) !== 0;
  return kind === 'VP8L' && ((bytes[24] ?? 0) & 0x10) !== 0;
}
