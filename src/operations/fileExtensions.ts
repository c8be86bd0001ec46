import type { AssetKind } from './operations.ts';

// Extensions of files, without the dot and in lower case. What a recording may be is in `operations`, which services decide.

/** Images that can be edited on this machine. */
const editable = ['png', 'jpg', 'jpeg', 'webp'] as const;

/** Images that VS Code's own preview shows, and most services take. */
export const imageExtensions = [...editable, 'gif', 'avif', 'bmp'] as const;

/** The extensions that an output may have, by what makes it; another type that comes back is converted or refused. */
export const outputExtensions: Readonly<Record<AssetKind, readonly string[]>> = {
  images: editable,
  speech: ['mp3', 'wav', 'opus', 'ogg', 'aac', 'flac', 'pcm'],
  transcripts: ['md', 'txt', 'srt', 'vtt'],
  videos: ['mp4', 'm4v', 'webm', 'mov'],
};

/** Whether a path, URI or name is that of an image that can be edited on this machine. */
export function isEditableImage(name: string): boolean {
  const extension = extensionOf(name);
  return editable.some((one) => one === extension);
}

/** Without the dot, in lower case; empty where there is none. */
export function extensionOf(path: string): string {
  return /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
}
