import { ImageError, transformImage } from '../../images/transformImage.ts';

const formats: Readonly<Record<string, 'png' | 'jpeg' | 'webp'>> = {
  png: 'png',
  jpg: 'jpeg',
  jpeg: 'jpeg',
  webp: 'webp',
};

/** Converts an image to the type of an extension; undefined unless both are PNG, JPEG or WebP that can be converted. */
export async function convertPicture(bytes: Uint8Array, extension: string): Promise<Uint8Array | undefined> {
  const format = formats[extension.toLowerCase()];
  if (format === undefined) return undefined;
  try {
    return (await transformImage(bytes, { format })).bytes;
  } catch (error) {
    if (error instanceof ImageError) return undefined;
    throw error;
  }
}
