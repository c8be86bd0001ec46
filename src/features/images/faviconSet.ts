import { posix } from 'node:path';
import * as vscode from 'vscode';
import type { DocumentPlaces } from '../../editor/DocumentPlaces.ts';
import type { Settings } from '../../editor/Settings.ts';
import type { SourcePicture } from '../../editor/SourcePicture.ts';
import { markFor, saveBeside } from '../../editor/SourcePicture.ts';
import type { WorkspacePlaces } from '../../editor/WorkspacePlaces.ts';
import { pictureSize } from '../../images/codecs/pictureFile.ts';
import type { CropArea } from '../../images/ImageChange.ts';
import { faviconLines, makeFavicons, webManifest } from '../../images/makeFavicons.ts';
import type { Asset } from '../../library/LibraryRecord.ts';
import { createHashed, inOnePiece, nameNew, temporaryName } from '../../library/saveMedia.ts';
import { MediaError, reasonOf } from '../../operations/MediaError.ts';

/** The saved files of a website's icon. */
export interface FaviconSet {
  readonly assets: readonly Asset[];
  /** URIs of the web manifest and of the page with the lines for the head of the site's pages. */
  readonly others: readonly [manifest: string, page: string];
  /** Whether only the middle of the picture is in the icons, because it is not square. */
  readonly isCropped: boolean;
}

export interface FaviconPlaces {
  readonly settings: Pick<Settings, 'markGenerated'>;
  readonly places: WorkspacePlaces;
  /** Knows at which addresses a project serves its files. */
  projects(): Promise<DocumentPlaces>;
}

/**
 * Saves the icons of a website beside a picture, with a web manifest and `favicon.html`, which has the lines for the
 * head of the site's pages. These lines are put on the clipboard, too. Existing files are kept: the new ones get a
 * number.
 *
 * @param crop part of the picture to use; default: all of it
 * @throws ImageError like `makeFavicons`, MediaError `save`
 */
export async function saveFaviconSet(
  source: SourcePicture,
  crop: CropArea | undefined,
  { places, projects, settings }: FaviconPlaces,
): Promise<FaviconSet> {
  const files = await makeFavicons(source.bytes, crop, markFor(source, settings));
  const assets: Asset[] = [];
  for (const file of files) assets.push(await saveBeside(source, posix.parse(file.name).name, file, places));
  const names = assets.map(({ uri }) => nameIn(uri));
  const manifest = await saveText(source, ['site', 'webmanifest'], webManifest(names), places);
  const saved = [...assets.map(({ uri }) => uri), manifest];
  const lines = faviconLines(await Promise.all(saved.map((uri) => addressOf(uri, source.uri, projects))));
  const page = await saveText(source, ['favicon', 'html'], lines, places);
  await vscode.env.clipboard.writeText(lines);
  const { width, height } = crop ?? pictureSize(source.bytes) ?? { width: 1, height: 1 };
  return { assets, others: [manifest, page], isCropped: width !== height };
}

/** Returns the name of a saved file. */
export function nameIn(uri: string): string {
  return posix.basename(vscode.Uri.parse(uri, true).path);
}

/** Saves a text beside the picture, under a free name, and returns its URI. */
async function saveText(
  { uri }: SourcePicture,
  [name, extension]: readonly [string, string],
  text: string,
  places: WorkspacePlaces,
): Promise<string> {
  const { folder } = places.placeAt(places.referenceBeside(uri));
  try {
    const data = inOnePiece(new TextEncoder().encode(text));
    const created = await createHashed(folder, temporaryName(crypto.randomUUID()), data);
    return folder.uriOf(await nameNew(folder, created, name, extension));
  } catch (error) {
    if (error instanceof MediaError) throw error;
    const sentence = vscode.l10n.t('The icons were saved, but not {0}: {1}.', `${name}.${extension}`, reasonOf(error));
    throw new MediaError('save', sentence, { cause: error });
  }
}

/** Returns the address of a file in the site's pages: the one at which the project serves it, else a relative one. */
async function addressOf(uri: string, source: vscode.Uri, projects: FaviconPlaces['projects']): Promise<string> {
  const page = { uri: vscode.Uri.joinPath(source, '../favicon.html'), languageId: 'html' };
  const { places, document } = (await projects()).placeOf(page);
  const { address } = await places.write(document, vscode.Uri.parse(uri, true).path, { form: 'site' });
  return encodeURI(address);
}
