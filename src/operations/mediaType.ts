import * as l10n from '@vscode/l10n';
import { fileTypeFromBuffer } from 'file-type/core';
import type { AssetKind } from './operations.ts';

export interface MediaType {
  /** `image/png`, `audio/mpeg`, `video/mp4`… */
  readonly mime: string;
  /** Without the dot. */
  readonly extension: string;
}

/** How many leading bytes {@link detectMediaType} needs at most. */
export const headBytes = 4100;

/** The type of an image, sound or video by its first bytes; undefined for anything else (HTML, SVG, text, raw PCM). */
export async function detectMediaType(head: Uint8Array): Promise<MediaType | undefined> {
  const found = await fileTypeFromBuffer(head);
  if (!found) return undefined;
  if (found.mime === 'application/ogg') return { mime: 'audio/ogg', extension: 'ogg' };
  return /^(image|audio|video)\//.test(found.mime) ? { mime: found.mime, extension: found.ext } : undefined;
}

/** Extensions of one type. */
const synonyms: readonly (readonly string[])[] = [
  ['jpg', 'jpeg'],
  ['ogg', 'oga', 'opus'],
  ['mp4', 'm4v'],
];

/** Whether two extensions, without the dot, are of one type. */
export function isSameType(one: string, other: string): boolean {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()];
  return a === b || synonyms.some((names) => names.includes(a) && names.includes(b));
}

/** Whether a type can be what an operation promised: an Ogg or WebM sound may carry a video type, an animation an image's. */
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
 * Why the first bytes of a file are certainly no recording, as a sentence; undefined when they may be one.
 * Only what is surely something else is refused: MP3 has no signature that every file carries.
 */
export async function notRecordingBecause(file: string, head: Uint8Array): Promise<string | undefined> {
  if (head.length === 0) return l10n.t('{0} is empty.', file);
  const found = await fileTypeFromBuffer(head);
  if (!found) return isText(head) ? l10n.t('{0} holds text, no sound.', file) : undefined;
  if (/^(audio|video)\/|\/ogg$/.test(found.mime)) return undefined;
  return l10n.t('{0} holds {1}, no sound.', file, found.mime);
}

function isText(head: Uint8Array): boolean {
  try {
    // `stream` lets a character be cut at the end.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what tells data from text
    return !/[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(text);
  } catch {
    return false;
  }
}
