import { posix } from 'node:path';
import * as vscode from 'vscode';
import type { Settings } from '../../editor/Settings.ts';
import type { SourcePlaces } from '../../editor/SourcePicture.ts';
import { markFor, readSource, saveBeside } from '../../editor/SourcePicture.ts';
import type { CropArea, ImageChange, Patch } from '../../images/ImageChange.ts';
import { transformImage, transformImages } from '../../images/transformImage.ts';
import type { Asset } from '../../library/LibraryRecord.ts';
import { field } from '../../operations/operations.ts';
import type { Region, ShapeId } from '../../webview/protocol/messages.ts';
import type { KeptInputs } from './KeptInputs.ts';

// What this computer does to results after they were saved. The results themselves stay as they came.

interface Local {
  readonly places: SourcePlaces;
  readonly settings: Pick<Settings, 'markGenerated'>;
}

/** Saves a version of each picture in a shape beside it, unless it has that shape. */
export async function saveInShape(assets: readonly Asset[], shape: ShapeId, local: Local): Promise<void> {
  for (const { uri } of assets) {
    const source = await readSource(vscode.Uri.parse(uri, true), local.places);
    // The second one only tells the size of the source.
    const changes: readonly ImageChange[] = [changeFor(shape), { format: 'jpeg', quality: 1 }];
    const [file, same] = await transformImages(source.bytes, changes, markFor(source, local.settings));
    if (!file || (file.width === same?.width && file.height === same.height)) continue;
    await saveBeside(source, posix.parse(source.uri.path).name, file, local.places);
  }
}

function changeFor(shape: ShapeId): ImageChange {
  if (shape === '1200x630') return { width: 1200, height: 630 };
  const [width = 1, height = 1] = shape.split(':').map(Number);
  return { ratio: width / height };
}

/** The cut-out part of a picture, which is sent, and how what comes back is put into the picture. */
export interface RegionEdit {
  /** The address of the part, as the form keeps it. */
  readonly piece: string;
  putBack(assets: readonly Asset[]): Promise<void>;
}

/** The part around the region that the service sees, in relation to its longer side. */
const margin = 0.25;
/** In pixels; services refuse smaller pictures, and see nothing in them. */
const minMargin = 32;

/**
 * Cuts the part of a picture that is to be edited out of it. Tries to put it back, so that nothing is paid for what
 * could not be used.
 *
 * @throws ImageError, MediaError `invalidInput`
 */
export async function cutRegion(
  uri: string,
  { mask, area, size }: Region,
  inputs: KeptInputs,
  { places, settings }: Local,
): Promise<RegionEdit> {
  const source = await readSource(vscode.Uri.parse(uri, true), places);
  const maskBytes = await vscode.workspace.fs.readFile(vscode.Uri.parse(mask, true));
  // A photograph of which a model changed a part.
  const made = { ...source, source: source.source ?? 'compositeWithTrainedAlgorithmicMedia' } as const;
  const feather = Math.max(minMargin, Math.round(Math.max(area.width, area.height) * margin));
  const around = grown(area, feather, size);
  const cut = await transformImage(source.bytes, { crop: around, format: 'png' });
  const patchWith = (bytes: Uint8Array): Patch => ({ bytes, area: around, mask: maskBytes, feather });
  await transformImage(source.bytes, { patch: patchWith(cut.bytes) });
  const { name } = posix.parse(source.uri.path);
  return {
    piece: await inputs.fromBytes(field('editImage', 'image_urls'), `${name}-region.png`, cut.bytes),
    putBack: async (assets) => {
      for (const asset of assets) {
        const bytes = await vscode.workspace.fs.readFile(vscode.Uri.parse(asset.uri, true));
        const file = await transformImage(source.bytes, { patch: patchWith(bytes) }, markFor(made, settings));
        await saveBeside(source, name, file, places, { ...asset, field: 'image_urls' });
      }
    },
  };
}

function grown({ x, y, width, height }: CropArea, by: number, size: Region['size']): CropArea {
  const [left, top] = [Math.max(0, x - by), Math.max(0, y - by)];
  const [right, bottom] = [Math.min(size.width, x + width + by), Math.min(size.height, y + height + by)];
  return { x: left, y: top, width: right - left, height: bottom - top };
}
