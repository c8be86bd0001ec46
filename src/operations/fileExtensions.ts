import type { AssetKind } from './operations.ts';

// File extensions without the dot, in lower case. Those of recordings are in `operations`, because the service decides them.

/** Images that can be edited on this computer. */
const editable = ['png', 'jpg', 'jpeg', 'webp'] as const;

/** Images that VS Code's own preview shows and most services accept. */
export const imageExtensions = [...editable, 'gif', 'avif', 'bmp'] as const;

/** The extensions that an output may have. A result of another type is converted if possible, otherwise refused. */
export const outputExtensions: Readonly<Record<AssetKind, readonly string[]>> = {
  images: editable,
  speech: ['mp3', 'wav', 'opus', 'ogg', 'aac', 'flac', 'pcm'],
  transcripts: ['md', 'txt', 'srt', 'vtt'],
  videos: ['mp4', 'm4v', 'webm', 'mov'],
};

/** Whether a path, URI or name is an image that can be edited on this computer. */
export function isEditableImage(name: string): boolean {
  const extension = extensionOf(name);
  return editable.some((one) => one === extension);
}

/** Returns the extension; empty if there is none. */
export function extensionOf(path: string): string {
  return /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
}
