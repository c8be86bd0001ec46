import * as vscode from 'vscode';
import type { ReferredAssets } from '../../editor/ReferenceWriter.ts';

/** Reads the data that a view put into a drag: JSON of `{uris, title}`. */
export function droppedAssets(text: string | undefined): ReferredAssets | undefined {
  const value: unknown = text ? JSON.parse(text) : undefined;
  if (typeof value !== 'object' || value === null || !('uris' in value) || !Array.isArray(value.uris)) return undefined;
  const uris = value.uris.filter((uri) => typeof uri === 'string').map((uri) => vscode.Uri.parse(uri, true));
  if (uris.length === 0) return undefined;
  return { uris, ...('title' in value && typeof value.title === 'string' ? { title: value.title } : {}) };
}
