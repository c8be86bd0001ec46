import * as l10n from '@vscode/l10n';

/** Git LFS pointers are smaller, in bytes. */
export const maxPointerBytes = 1024;
const pointer = /^version https:\/\/git-lfs\.github\.com\/spec\/v1\r?\n[\s\S]*^oid sha256:([0-9a-f]{64})\r?$/m;

/**
 * Returns the SHA-256 in hex of the file that a Git LFS pointer stands for, or undefined for any other content.
 *
 * @param content the whole file, or more than {@link maxPointerBytes} of its start
 */
export function pointedHash(content: Uint8Array | string): string | undefined {
  if (content.length >= maxPointerBytes) return undefined;
  const text = typeof content === 'string' ? content : new TextDecoder('latin1').decode(content);
  return pointer.exec(text)?.[1];
}

/** Returns the sentence that refuses a Git LFS pointer as an input, or undefined for any other content. */
export function pointerProblem(name: string, content: Uint8Array | string): string | undefined {
  if (pointedHash(content) === undefined) return undefined;
  return l10n.t('{0} is a Git LFS pointer, not the file itself. Run “git lfs pull” first.', name);
}
