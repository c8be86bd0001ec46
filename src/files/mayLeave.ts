import { relative, sep } from 'node:path';
import * as l10n from '@vscode/l10n';
import { reasonOf } from '../operations/MediaError.ts';
import { detectMediaType, headBytes, notRecordingBecause } from '../operations/mediaType.ts';
import { extensionOf, spokenExtensions } from '../operations/operations.ts';
import { pointedHash } from './lfsPointer.ts';

// May this file leave the computer, as this? The one answer for what a person did not pick: what an agent or a manifest
// names. Other files may hold secrets.

/** What a file is sent as. Of a `document` the text is read aloud; `media` is a picture, a recording or a video. */
export type SentAs = 'document' | 'image' | 'recording' | 'media';

/** Returns why a file that nobody picked may not be sent, as a sentence; undefined if it may. */
export async function leavingProblem({
  name,
  paths,
  as,
  head,
  isIgnored,
}: {
  /** The path as it is shown. */
  readonly name: string;
  /** The path as it was given, and that of the file itself without links, both relative to the folder that was opened. */
  readonly paths: readonly string[];
  readonly as: SentAs;
  /** At least the first {@link headBytes}. */
  readonly head: Uint8Array;
  /** Whether git ignores the file; only asked of a document. */
  isIgnored(): Promise<boolean>;
}): Promise<string | undefined> {
  const hidden = hiddenProblem(name, paths);
  if (hidden !== undefined) return hidden;
  if (as !== 'document') return mediaProblem(name, as, head.subarray(0, headBytes));
  // The name that the file itself has counts, too.
  if (!paths.every((path) => spokenExtensions.includes(extensionOf(path)))) {
    return l10n.t('{0} is not a text document such as .md or .txt.', name);
  }
  try {
    if (!(await isIgnored())) return undefined;
    return l10n.t('{0} is ignored by git, so it may hold what is not meant for others, and is not sent.', name);
  } catch (error) {
    return l10n.t('{0} is not sent, because git could not say whether it ignores it ({1}).', name, reasonOf(error));
  }
}

/** Returns why no file at one of these paths may be sent, whatever it holds; undefined if one may. */
export function hiddenProblem(name: string, paths: readonly string[]): string | undefined {
  const isHidden = paths.some((path) => path.split(/[\\/]/).some((one) => /^\.(?!\.?$)/.test(one)));
  if (!isHidden) return undefined;
  return l10n.t('{0} is hidden or in a hidden folder, where settings and secrets are kept, and is not sent.', name);
}

async function mediaProblem(
  name: string,
  as: Exclude<SentAs, 'document'>,
  head: Uint8Array,
): Promise<string | undefined> {
  // What it stands for is not here; the client says how to get it.
  if (pointedHash(head) !== undefined) return undefined;
  if (as === 'recording') return notRecordingBecause(name, head);
  const type = await detectMediaType(head);
  if (as === 'image' && !type?.mime.startsWith('image/')) return l10n.t('{0} is not an image.', name);
  return type ? undefined : l10n.t('{0} is not an image, a recording or a video.', name);
}

/** Returns a path relative to a folder, with forward slashes. */
export function insideOf(folder: string, path: string): string {
  return relative(folder, path).split(sep).join('/');
}
