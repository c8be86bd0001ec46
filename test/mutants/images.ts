import type { Mutant } from './Mutant.ts';
import { mutantsOf } from './Mutant.ts';

/** Mutants of local image edits. */
export const imageMutants: readonly Mutant[] = [
  ...mutantsOf(
    'src/images/planChange.ts',
    ['images/transformImage'],
    [
      ['both sizes crop from the left', 'Math.floor((area.width - width) / 2)', '0'],
      ['a crop area may reach beyond the picture', 'area.x + area.width > source.width ||', ''],
    ],
  ),
  ...mutantsOf(
    'src/images/codecs/resizeBitmap.ts',
    ['images/transformImage'],
    [
      ['weights do not add up to one', 'weight / sum', 'weight'],
      [
        'the colour of clear pixels bleeds',
        'line[at] = (lightOf[data[from] ?? 0] ?? 0) * alpha',
        'line[at] = lightOf[data[from] ?? 0] ?? 0',
      ],
    ],
  ),
  ...mutantsOf(
    'src/images/codecs/decodeJpeg.ts',
    ['images/transformImage'],
    [['a JPEG stays as the camera was held', 'preserveOrientation: true', 'preserveOrientation: false']],
  ),
  ...mutantsOf(
    'src/images/codecs/encodeJpeg.ts',
    ['images/transformImage'],
    [['clear pixels become black', 'flattenOnWhite({ ...bitmap, data: bitmap.data.slice() })', 'bitmap']],
  ),
  ...mutantsOf(
    'src/images/codecs/colourProfile.ts',
    ['images/colourProfile'],
    [
      ['a grey profile is put into a picture of colours', "=== 'RGB '", "!== ''"],
      ['a WebP with a profile loses its transparency', 'hasAlpha ? 0x10 : 0', '0'],
    ],
  ),
  ...mutantsOf(
    'src/images/codecs/pictureFormat.ts',
    ['images/transformImage'],
    [['an APNG loses its animation', "type === 'acTL'", 'false']],
  ),
  ...mutantsOf(
    'src/images/transformImage.ts',
    ['images/transformImage'],
    [['a decoder works on behind its deadline', 'void worker.terminate();', '']],
  ),
  ...mutantsOf(
    'src/images/makeFavicons.ts',
    ['images/makeFavicons'],
    [['the pictures of an icon begin at its start', 'writeUInt32LE(offset, 12)', 'writeUInt32LE(0, 12)']],
  ),
  ...mutantsOf(
    'src/webview/imageEditor/editState.ts',
    ['webview/editState'],
    [['the crop area is moved out of the picture', '0, source.width - crop.width);', '0, source.width);']],
  ),
];
