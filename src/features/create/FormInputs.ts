import { posix } from 'node:path';
import * as vscode from 'vscode';
import type { Memory } from '../../editor/Memory.ts';
import { entriesIn } from '../../editor/workspaceFiles.ts';
import { pointerProblem } from '../../files/lfsPointer.ts';
import { isAbsolutePath } from '../../files/pathFrom.ts';
import { MediaError, reasonOf } from '../../operations/MediaError.ts';
import { detectMediaType, headBytes } from '../../operations/mediaType.ts';
import type { AudioFileField, ImageField } from '../../operations/operations.ts';
import { unusable, validateFile } from '../../operations/validateRequest.ts';
import { type Attachment, type Draft, draftShape, emptyDraft } from '../../webview/protocol/messages.ts';
import { tabIds } from '../../webview/protocol/tabs.ts';
import { jobKeptMs } from '../../work/Job.ts';

/**
 * Keeps the inputs of the form. Files of the workspace stay where they are; others are copied, so that they can be
 * shown.
 */
export class FormInputs {
  readonly folder: vscode.Uri;

  /** @param folder the extension's own folder for inputs from outside the workspace */
  constructor(folder: vscode.Uri) {
    this.folder = folder;
  }

  /**
   * @param text a URL, a URI of the editor, or a path relative to the workspace folder
   * @returns the address that the form keeps
   * @throws MediaError `invalidInput`
   */
  async fromText(field: ImageField | AudioFileField, text: string, base: vscode.Uri | undefined): Promise<string> {
    const typed = text.trim();
    if (field.type !== 'audioFile' && /^https?:/i.test(typed)) {
      validateFile(field, typed);
      return typed;
    }
    if (/^data:/i.test(typed)) {
      validateFile(field, typed);
      const extension = /^data:image\/(\w+)/i.exec(typed)?.[1] ?? 'png';
      return this.fromBytes(field, `image.${extension}`, Buffer.from(typed.slice(typed.indexOf(',') + 1), 'base64'));
    }
    const uri = uriOf(typed, base);
    if (!uri) {
      const sentence = vscode.l10n.t('{0} is a relative path, but no folder is open.', posix.basename(typed));
      throw unusable(field, sentence);
    }
    return this.fromFile(field, uri);
  }

  async fromFile(field: ImageField | AudioFileField, uri: vscode.Uri): Promise<string> {
    if (field.type === 'audioFile') validateFile(field, uri.path);
    const name = posix.basename(uri.path);
    try {
      const { type } = await vscode.workspace.fs.stat(uri);
      if ((type & vscode.FileType.File) === 0) throw unusable(field, vscode.l10n.t('{0} is not a file.', name));
    } catch (error) {
      if (error instanceof MediaError) throw error;
      throw unusable(field, vscode.l10n.t('{0} does not exist.', name), error);
    }
    // A recording is only named. An image is shown, which works only in some folders.
    if (field.type === 'audioFile' || vscode.workspace.getWorkspaceFolder(uri) || this.#holds(uri)) {
      return uri.toString();
    }
    return this.fromBytes(field, name, await vscode.workspace.fs.readFile(uri));
  }

  async fromBytes(field: ImageField | AudioFileField, name: string, bytes: Uint8Array): Promise<string> {
    if (field.type === 'audioFile') {
      validateFile(field, name);
    } else {
      const type = await detectMediaType(bytes.subarray(0, headBytes));
      if (!type?.mime.startsWith('image/')) {
        const file = posix.basename(name);
        throw unusable(field, pointerProblem(file, bytes) ?? vscode.l10n.t('{0} is not an image.', file));
      }
    }
    const fileName = name.replace(/[\\/:*?"<>|\p{Cc}]/gu, '-').slice(-120) || 'input';
    const uri = vscode.Uri.joinPath(this.folder, crypto.randomUUID(), fileName);
    try {
      await vscode.workspace.fs.writeFile(uri, bytes);
    } catch (error) {
      const sentence = vscode.l10n.t('{0} could not be stored ({1}).', posix.basename(name), reasonOf(error));
      throw unusable(field, sentence, error);
    }
    return uri.toString();
  }

  /** Deletes inputs that have not been needed for a long time. */
  async clean(needed: readonly string[]): Promise<void> {
    const { fs } = vscode.workspace;
    for (const [name] of await entriesIn(this.folder)) {
      const kept = vscode.Uri.joinPath(this.folder, name);
      const { mtime } = await fs.stat(kept);
      if (Date.now() - mtime < jobKeptMs || needed.some((uri) => uri.startsWith(kept.toString()))) continue;
      await fs.delete(kept, { recursive: true });
    }
  }

  #holds(uri: vscode.Uri): boolean {
    return uri.toString().startsWith(`${this.folder.toString()}/`);
  }
}

function uriOf(text: string, base: vscode.Uri | undefined): vscode.Uri | undefined {
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) {
    const uri = vscode.Uri.parse(text);
    // The window's scheme for files of the computer that the extension runs on.
    return uri.scheme === 'vscode-remote' ? vscode.Uri.file(uri.path) : uri;
  }
  if (isAbsolutePath(text)) return vscode.Uri.file(text);
  return base && vscode.Uri.joinPath(base, text);
}

/** Returns the last draft of the composer. */
export function readDraft(memory: Memory): Draft {
  const kept = memory.get('draft');
  return draftShape(kept) ? kept : emptyDraft;
}

/** A draft that cannot be stored is still in the view. */
export function keepDraft(memory: Memory, draft: Draft): void {
  memory.set('draft', draft).catch(() => undefined);
}

/** Returns the URIs of all files that the draft refers to. */
export function draftFiles(memory: Memory): readonly string[] {
  return attachmentsOf(readDraft(memory)).flatMap(({ uri, region }) => (region ? [uri, region.mask] : [uri]));
}

function attachmentsOf({ attachments }: Draft): readonly Attachment[] {
  return tabIds.flatMap((tab) => attachments[tab] ?? []);
}
