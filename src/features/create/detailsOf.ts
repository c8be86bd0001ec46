import * as vscode from 'vscode';
import { describeUsage } from '../../editor/describeUsage.ts';
import type { Details } from '../../webview/protocol/messages.ts';
import type { Gallery, Result } from './Gallery.ts';
import type { ItemContext } from './itemOf.ts';
import { itemOf, titleOf } from './itemOf.ts';

const maxRelated = 50;

/** Returns all facts about a result, with its origins and what was made from it. */
export async function detailsOf(result: Result, gallery: Gallery, context: ItemContext): Promise<Details> {
  const { prompt } = result.entry;
  const itemsOf = (results: readonly Result[]) =>
    Promise.all(results.slice(0, maxRelated).map((one) => itemOf(one, context)));
  const [item, origins, results] = await Promise.all([
    itemOf(result, context),
    itemsOf(originsOf(result, gallery)),
    itemsOf([...remixesOf(result, gallery), ...changedFrom(result, gallery)]),
  ]);
  const position = gallery.all.indexOf(result);
  return { item, position, facts: factsOf(result), origins, results, ...(prompt === undefined ? {} : { prompt }) };
}

function factsOf({ entry }: Result): Details['facts'] {
  const usage = entry.usage && describeUsage(entry.usage);
  const facts: readonly (readonly [string, string | undefined])[] = [
    [vscode.l10n.t('Operation'), titleOf(entry)],
    [vscode.l10n.t('Model'), entry.model],
    [vscode.l10n.t('Service'), entry.sandbox ? vscode.l10n.t('sandbox') : undefined],
    [vscode.l10n.t('Date'), new Date(entry.createdAt).toLocaleString(vscode.env.language)],
    [vscode.l10n.t('File'), entry.file],
    [vscode.l10n.t('Type'), entry.mediaType],
    [vscode.l10n.t('Size'), entry.bytes === undefined ? undefined : sizeOf(entry.bytes)],
    [vscode.l10n.t('Usage'), usage],
    [vscode.l10n.t('Video ID'), entry.videoId],
    [vscode.l10n.t('Remix of'), entry.parentVideoId],
    [vscode.l10n.t('Made from'), entry.madeFrom?.file],
    [vscode.l10n.t('SHA-256'), entry.sha256],
  ];
  return facts.flatMap(([name, value]) => (value ? [{ name, value }] : []));
}

/** The sandbox and the service assign ids independently. */
function isSameService({ entry: one }: Result, { entry: other }: Result): boolean {
  return one.sandbox === other.sandbox;
}

function originsOf(result: Result, { all }: Gallery): readonly Result[] {
  const { parentVideoId, madeFrom } = result.entry;
  if (madeFrom) {
    const same = all.filter(({ entry }) => entry.sha256 === madeFrom.sha256);
    // The file may have been moved. Among equal files, the one that kept its name is the origin.
    return [same.find(({ entry }) => entry.file === madeFrom.file) ?? same[0]].filter((one) => one !== undefined);
  }
  if (parentVideoId === undefined) return [];
  const parent = all.find((one) => one.entry.videoId === parentVideoId && isSameService(one, result));
  return parent ? [parent] : [];
}

function remixesOf(result: Result, { all }: Gallery): readonly Result[] {
  const { videoId } = result.entry;
  if (videoId === undefined) return [];
  return all.filter((one) => one.entry.parentVideoId === videoId && isSameService(one, result));
}

/** Returns the results of local edits of this one. */
function changedFrom({ entry: { sha256 } }: Result, { all }: Gallery): readonly Result[] {
  return sha256 === undefined ? [] : all.filter(({ entry }) => entry.madeFrom?.sha256 === sha256);
}

function sizeOf(bytes: number): string {
  const format = (value: number) => value.toLocaleString(vscode.env.language, { maximumFractionDigits: 1 });
  return bytes < 1_000_000 ? `${format(bytes / 1000)} kB` : `${format(bytes / 1_000_000)} MB`;
}
