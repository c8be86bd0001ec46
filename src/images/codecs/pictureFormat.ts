import { pngChunks } from './sections.ts';

/** Formats that can be read and written. */
export const pictureFormats = ['png', 'jpeg', 'webp'] as const;
export type PictureFormat = (typeof pictureFormats)[number];

/** Detects the format from the first bytes. */
export function pictureFormat(bytes: Uint8Array): PictureFormat | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 16)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg';
  return /^RIFF[\s\S]{4}WEBPVP8/.test(head) ? 'webp' : undefined;
}

/** Returns whether a file is an APNG or an animated WebP. */
export function isAnimated(bytes: Uint8Array, format: PictureFormat): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (format === 'webp') return file.toString('latin1', 12, 16) === 'VP8X' && ((file[20] ?? 0) & 0x02) !== 0;
  return format === 'png' && pngChunks(file).some(({ type }) => type === 'acTL');
}
