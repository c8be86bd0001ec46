import { posix } from 'node:path';
import * as vscode from 'vscode';
import { hasAacSound } from '../../library/hasAacSound.ts';
import type { LibraryEntry } from '../../library/LibraryRecord.ts';
import { operations } from '../../operations/operations.ts';
import type { Item } from '../../webview/protocol/messages.ts';
import type { Result } from './Gallery.ts';
import { nameOf, shortened } from './words.ts';

/** Maximum length of a transcript's preview, in characters. */
const maxTextLength = 600;
/** Larger files are not transcripts of recordings, in bytes. */
const largestTranscript = 10_000_000;

export interface ItemContext {
  /** Returns the URI that the view may load a file from. */
  load(uri: vscode.Uri): string;
  previewOf(result: Result): Promise<{ readonly uri: vscode.Uri; readonly seconds: number } | undefined>;
}

/** Returns the URI of a result's file; undefined for a video that was added by its id. */
export function uriOf({ root, entry: { file } }: Result): vscode.Uri | undefined {
  return file === undefined ? undefined : vscode.Uri.joinPath(root, file);
}

/** Returns the title of what made a result. */
export function titleOf({ madeFrom, operation }: LibraryEntry): string {
  return madeFrom ? vscode.l10n.t('Resize, Crop or Convert Image') : vscode.l10n.t(operations[operation].title);
}

/** Returns a result as a tile shows it. */
export async function itemOf(result: Result, context: ItemContext): Promise<Item> {
  const { entry } = result;
  const uri = uriOf(result);
  const facts = uri && (await factsOf(uri, result, context).catch(() => undefined));
  return {
    id: result.id,
    jobId: entry.jobId,
    operation: entry.operation,
    kind: entry.kind,
    name: uri ? nameOf(uri.path) : (entry.videoId ?? ''),
    title: titleOf(entry),
    model: entry.model,
    sandbox: entry.sandbox === true,
    createdAt: entry.createdAt,
    canRemix: entry.videoId !== undefined,
    isMissing: uri !== undefined && facts === undefined,
    ...(uri ? { uri: uri.toString() } : {}),
    ...(uri && facts ? { source: context.load(uri) } : {}),
    ...(entry.prompt === undefined ? {} : { words: shortened(entry.prompt) }),
    ...facts,
  };
}

type Facts = Pick<Item, 'text' | 'isSilent' | 'preview' | 'seconds'>;

/** @throws when the file does not exist */
async function factsOf(uri: vscode.Uri, result: Result, { load, previewOf }: ItemContext): Promise<Facts> {
  const { type, size } = await vscode.workspace.fs.stat(uri);
  if ((type & vscode.FileType.File) === 0) throw new Error('not a file');
  const { kind } = result.entry;
  if (kind === 'transcripts') {
    if (size > largestTranscript) return {};
    return { text: beginningOf(new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)), uri) };
  }
  if (kind !== 'videos') return {};
  const [preview, isSilent] = await Promise.all([
    previewOf(result),
    uri.scheme === 'file' ? hasAacSound(uri.fsPath) : false,
  ]);
  return { isSilent, ...(preview ? { preview: load(preview.uri), seconds: preview.seconds } : {}) };
}

/** Returns the beginning of a transcript's own words. */
function beginningOf(transcript: string, uri: vscode.Uri): string {
  const text = (posix.extname(uri.path) === '.md' ? withoutMarkup(transcript) : transcript).trim();
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text;
}

/** Removes the front matter and the link to the recording from a Markdown transcript. */
function withoutMarkup(markdown: string): string {
  const words = markdown.replace(/^---\n[\s\S]*?\n---\n\s*/, '').replace(/^\[.*\]\(\S*\)\n\n/, '');
  return words.replace(/\\([\p{P}\p{S}])/gu, '$1');
}
