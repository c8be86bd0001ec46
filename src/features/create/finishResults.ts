import { posix } from 'node:path';
import * as vscode from 'vscode';
import { notify } from '../../editor/notify.ts';
import type { Settings } from '../../editor/Settings.ts';
import { markFor, readSource, type SourceFile, type SourcePlaces, saveBeside } from '../../editor/SourceFile.ts';
import { hashOf } from '../../files/sha256.ts';
import { orientationOf, type PictureSize, pictureSize } from '../../images/codecs/pictureFile.ts';
import type { CropArea, EncodedImage, ImageChange } from '../../images/ImageChange.ts';
import { transformImage, transformImages } from '../../images/transformImage.ts';
import type { Asset } from '../../library/LibraryRecord.ts';
import { field } from '../../operations/operations.ts';
import type { Region, ShapeId } from '../../webview/protocol/messages.ts';
import type { FormInputs } from './FormInputs.ts';

// What this computer does to results after they were saved. The results themselves stay as they came.

interface FinishParts {
  readonly places: SourcePlaces;
  readonly settings: Pick<Settings, 'get'>;
}

/** Saves a version of each picture in a shape beside it, unless it has that shape. */
export async function saveInShape(assets: readonly Asset[], shape: ShapeId, local: FinishParts): Promise<void> {
  for (const { uri } of assets) {
    const source = await readSource(vscode.Uri.parse(uri, true), local.places);
    const file = await pictureInShape(source, shape, local);
    if (file) await saveBeside(source, posix.parse(source.uri.path).name, file, local.places);
  }
}

/** @returns undefined for a picture that has that shape */
async function pictureInShape(
  source: SourceFile,
  shape: ShapeId,
  { settings }: Pick<FinishParts, 'settings'>,
): Promise<EncodedImage | undefined> {
  const [width = 1, height = 1] = sidesOf(shape);
  const change: ImageChange = shape === '1200x630' ? { width, height } : { ratio: width / height };
  // The second one only tells the size of the source.
  const changes: readonly ImageChange[] = [change, { format: 'jpeg', quality: 1 }];
  const [file, same] = await transformImages(source.bytes, changes, markFor(source, settings));
  return file?.width === same?.width && file?.height === same?.height ? undefined : file;
}

function sidesOf(shape: ShapeId): readonly number[] {
  return shape.split(shape === '1200x630' ? 'x' : ':').map(Number);
}

/** How much around the region the service sees, in relation to the region's longer side. */
const margin = 0.25;
/** In pixels. Services refuse very small pictures, or recognise nothing in them. */
const minMargin = 32;
/** High, because the unedited part of a JPEG or WebP is re-encoded too. */
const quality = 95;

/**
 * Cuts out the part of a picture that is to be edited. Tests that it can be put back, so that nobody pays for a result
 * that could not be used.
 *
 * @throws ImageError, MediaError `invalidInput`
 */
export async function cutRegion(
  uri: string,
  { mask, area, size }: Region,
  { places, settings }: FinishParts,
): Promise<{
  /** The file name of the part. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** SHA-256 of the cropped part, in hex. Jobs record it as their input's hash. */
  readonly sha256: string;
  /** @returns the whole pictures, saved beside the source */
  putBack(assets: readonly Asset[]): Promise<readonly Asset[]>;
}> {
  const source = await readSource(vscode.Uri.parse(uri, true), places);
  const maskBytes = await vscode.workspace.fs.readFile(vscode.Uri.parse(mask, true));
  // The result is marked as a photograph of which a model changed a part.
  const made = { ...source, source: source.source ?? 'compositeWithTrainedAlgorithmicMedia' } as const;
  const feather = Math.max(minMargin, Math.round(Math.max(area.width, area.height) * margin));
  const around = pieceAround(area, feather, size);
  const cut = await transformImage(source.bytes, { crop: around, format: 'png' });
  const patchWith = (bytes: Uint8Array): ImageChange => {
    return { patch: { bytes, area: around, mask: maskBytes, feather }, quality };
  };
  await transformImage(source.bytes, patchWith(cut.bytes));
  const { name, base } = posix.parse(source.uri.path);
  return {
    name: `${name}-region.png`,
    bytes: cut.bytes,
    sha256: hashOf(cut.bytes),
    putBack: async (assets) => {
      const whole: Asset[] = [];
      for (const asset of assets) {
        const bytes = await vscode.workspace.fs.readFile(vscode.Uri.parse(asset.uri, true));
        const file = await transformImage(source.bytes, patchWith(bytes), markFor(made, settings));
        whole.push(await saveBeside(source, name, file, places, { ...asset, field: 'image_urls' }));
        const came = pictureSize(bytes);
        if (came && !isSameShape(came, around)) void notify.warning(stretchedSentence(base, around, came));
      }
      return whole;
    },
  };
}

/**
 * Returns the picture to send with a mask, which fits the picture as it is displayed: a copy where a camera has stored it
 * turned.
 */
export async function uprightFor(uri: string, mask: string, inputs: Pick<FormInputs, 'fromBytes'>): Promise<string> {
  const { fs } = vscode.workspace;
  const [bytes, maskBytes] = await Promise.all([uri, mask].map((one) => fs.readFile(vscode.Uri.parse(one, true))));
  const wanted = maskBytes && pictureSize(maskBytes);
  if (!bytes || !wanted || orientationOf(bytes) === 1) return uri;
  const upright = await transformImage(bytes, { format: 'png' });
  if (upright.width !== wanted.width || upright.height !== wanted.height) return uri;
  const { name } = posix.parse(vscode.Uri.parse(uri, true).path);
  return inputs.fromBytes(field('editImage', 'image_urls'), `${name}.png`, upright.bytes);
}

function stretchedSentence(name: string, sent: PictureSize, came: PictureSize): string {
  return vscode.l10n.t(
    'The service returned the region of {0} in another shape, so it is stretched to fit: {1} × {2} pixels were sent, {3} × {4} came back.',
    name,
    sent.width,
    sent.height,
    came.width,
    came.height,
  );
}

/** Whether two pictures have the same ratio, but for rounding. */
function isSameShape(one: PictureSize, other: PictureSize): boolean {
  return Math.abs((one.width * other.height) / (one.height * other.width) - 1) < 0.03;
}

/**
 * Returns the part of a picture that is sent for an area in it: with a margin, and as square as the picture lets it be,
 * because many services answer with a square whatever they get.
 */
export function pieceAround({ x, y, width, height }: CropArea, by: number, size: PictureSize): CropArea {
  const side = Math.max(width, height) + 2 * by;
  const [left, across] = spanAround(x, width, side, size.width);
  const [top, down] = spanAround(y, height, side, size.height);
  return { x: left, y: top, width: across, height: down };
}

/** Returns the start and length of a span of this length around another one, inside of a whole. */
function spanAround(start: number, length: number, wanted: number, whole: number): readonly [number, number] {
  const long = Math.min(wanted, whole);
  const middle = start + length / 2;
  return [Math.round(Math.min(Math.max(0, middle - long / 2), whole - long)), long];
}
