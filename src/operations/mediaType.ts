import * as l10n from '@vscode/l10n';
import type { AssetKind } from './operations.ts';

export interface MediaType {
  /** Media type, such as `image/png`. */
  readonly mime: string;
  /** File extension without the dot. */
  readonly extension: string;
}

/** Maximum number of leading bytes that {@link detectMediaType} needs. */
export const headBytes = 4100;

/**
 * Detects the type of an image, sound or video from its first bytes, whatever its URL or headers say.
 *
 * @returns undefined for anything else, such as HTML, SVG, text and raw PCM
 */
export async function detectMediaType(head: Uint8Array): Promise<MediaType | undefined> {
  const found = await typeOf(head);
  if (!found) return undefined;
  if (found.mime === 'application/ogg') return { mime: 'audio/ogg', extension: 'ogg' };
  return /^(image|audio|video)\//.test(found.mime) ? { mime: found.mime, extension: found.ext } : undefined;
}

/** Loads the library first, which is large, and not needed by what only looks at paths. */
async function typeOf(head: Uint8Array) {
  return (await import('./fileType.ts')).fileTypeFromBuffer(head);
}

/** Groups of extensions that stand for the same type. */
const synonyms: readonly (readonly string[])[] = [
  ['jpg', 'jpeg'],
  ['ogg', 'oga', 'opus'],
  ['mp4', 'm4v'],
];

/** Returns whether two extensions, without the dot, stand for the same type. */
export function isSameType(one: string, other: string): boolean {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()];
  return a === b || synonyms.some((names) => names.includes(a) && names.includes(b));
}

/**
 * Returns whether a type can be an operation's result. WebM and MP4 sounds have a video type, animations an image type.
 */
export function fitsKind(type: MediaType, kind: AssetKind): boolean {
  const [family] = type.mime.split('/');
  switch (kind) {
    case 'images':
      return family === 'image';
    case 'speech':
      return family === 'audio' || type.mime === 'video/webm' || type.mime === 'video/mp4';
    case 'videos':
      return family === 'video' || type.mime === 'image/gif';
    case 'transcripts':
      return false;
  }
}

/**
 * Returns the reason why a file cannot be a recording, judged by its first bytes, or undefined if it may be one. Only
 * files that are certainly something else are rejected, because not every MP3 has a signature.
 */
export async function notRecordingBecause(file: string, head: Uint8Array): Promise<string | undefined> {
  if (head.length === 0) return l10n.t('{0} is empty.', file);
  const found = await typeOf(head);
  if (!found) return isText(head) ? l10n.t('{0} contains text, not audio.', file) : undefined;
  if (/^(audio|video)\/|\/ogg$/.test(found.mime)) return undefined;
  return l10n.t('{0} contains {1}, not audio.', file, found.mime);
}

/** Returns whether the first bytes of data are those of a text. */
export function isText(head: Uint8Array): boolean {
  try {
    // `stream` accepts an incomplete character at the end.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    // One repeated byte is silence in 8-bit sound.
    if (head.length > 16 && head.every((byte) => byte === head[0])) return false;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters distinguish data from text
    return !/[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]/.test(text);
  } catch {
    return false;
  }
}
