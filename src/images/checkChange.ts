import * as l10n from '@vscode/l10n';
import { pictureFormats } from './codecs/pictureFormat.ts';
import type { CropArea, ImageChange } from './ImageChange.ts';
import { maxSide } from './ImageChange.ts';
import { ImageError } from './ImageError.ts';

/** A change whose values have not been checked. */
type GivenChange = { readonly [Name in keyof ImageChange]: unknown };

/** Checks a change. @throws ImageError that names the first invalid field */
export function checkChange(change: GivenChange): asserts change is ImageChange {
  const { width, height, format, quality, crop } = change;
  for (const [field, value] of Object.entries({ width, height })) {
    if (value !== undefined && !isWithin(value, 1, maxSide)) {
      throw new ImageError('invalid', l10n.t('{0} must be a whole number from 1 to {1}.', field, maxSide), field);
    }
  }
  if (quality !== undefined && !isWithin(quality, 1, 100)) {
    throw new ImageError('invalid', l10n.t('{0} must be a whole number from 1 to {1}.', 'quality', 100), 'quality');
  }
  if (format !== undefined && !pictureFormats.some((one) => one === format)) {
    throw new ImageError('invalid', l10n.t('format must be one of: {0}.', pictureFormats.join(', ')), 'format');
  }
  if (crop !== undefined && !isArea(crop)) {
    throw new ImageError('invalid', l10n.t('crop must have x, y, width and height in whole pixels.'), 'crop');
  }
}

function isArea(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { x, y, width, height } = value as { readonly [Name in keyof CropArea]?: unknown };
  return [x, y].every((at) => isWithin(at, 0, 2 ** 31)) && [width, height].every((side) => isWithin(side, 1, 2 ** 31));
}

function isWithin(value: unknown, min: number, max: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}
