import type { Mutant } from './Mutant.ts';
import { mutantsOf } from './Mutant.ts';

/** Mutants of local image edits. */
export const imageMutants: readonly Mutant[] = [
  ...mutantsOf(
    'src/images/codecs/pictureFile.ts',
    ['images/colourProfile', 'images/markPicture'],
    [
      ['a WebP loses its transparency, and its profile when it is marked', 'header[0] = known |', 'header[0] ='],
      ['XMP stands before the picture', '[...picture, added]', '[added, ...picture]'],
    ],
  ),
  ...mutantsOf(
    'src/marks/readMarks.ts',
    ['marks/readMarks'],
    [
      ['any box counts as Content Credentials', '!/jumb[\\s\\S]{4}jumdc2pa/.test(text)', 'false'],
      ['what a manifest claims counts as IPTC', 'this.#hasSource = hadSource;', ''],
      ['pieces are searched one by one', 'tail = text.slice(-300);', "tail = '';"],
      [
        'memory of a piece is used after it is given back',
        'this.#held.push(Buffer.from(bytes));',
        'this.#held.push(bytes);',
      ],
      [
        'a part that lies throws',
        'this.step = undefined;\n    }\n  }\n\n  get marks',
        'throw new Error();\n    }\n  }\n\n  get marks',
      ],
      ['deflated XMP may take any memory', ', { maxOutputLength: maxDeflated }', ''],
    ],
  ),
  ...mutantsOf(
    'src/library/recordedMarks.ts',
    ['library/recordedMarks'],
    [
      ['a cropped photograph is called generated', 'if (madeFrom && model === localModel) return undefined;', ''],
      [
        'an edit of a photograph is called generated',
        'source !== undefined && isWhole(',
        'source === undefined || isWhole(',
      ],
      ['nothing is ever lost', 'before.kinds.some((kind) => !after.kinds.includes(kind))', 'false'],
    ],
  ),
  ...mutantsOf(
    'src/manifest/finishAsset.ts',
    ['cli/provenance'],
    [
      ['a locked file is made with a mark', 'lockedFile(made, line?.output) ?? ', ''],
      [
        'a moved record keeps its credentials',
        "const isChanged = credentials === 'lost' ||",
        'if (marks) return {};\n  const isChanged =',
      ],
    ],
  ),
  ...mutantsOf(
    'src/images/changePicture.ts',
    ['images/transformImage'],
    [
      ['both sizes crop from the left', 'Math.floor((area.width - width) / 2)', '0'],
      ['a crop area may reach beyond the picture', 'area.x + area.width > source.width ||', ''],
    ],
  ),
  ...mutantsOf(
    'src/images/codecs/Bitmap.ts',
    ['images/transformImage'],
    [
      ['weights do not add up to one', 'weight / sum', 'weight'],
      [
        'the colour of transparent pixels bleeds',
        'line[at] = (lightOf[data[from] ?? 0] ?? 0) * alpha',
        'line[at] = lightOf[data[from] ?? 0] ?? 0',
      ],
    ],
  ),
  ...mutantsOf(
    'src/images/codecs/decodePicture.ts',
    ['images/transformImage'],
    [['the EXIF orientation of a JPEG is ignored', 'preserveOrientation: true', 'preserveOrientation: false']],
  ),
  ...mutantsOf(
    'src/images/codecs/decodePicture.ts',
    ['images/hugePictures'],
    [
      ['a 16-bit picture is decoded whatever its size', '(channels * depth) / 8)', '4)'],
      ['a PNG may hold more pixels than it says', 'extra > maxExtraBytes', 'false'],
      [
        'the first row of a pass is filtered by the last one of another',
        'if (!row.value.isFollowing) above.fill(0);',
        '',
      ],
    ],
  ),
  ...mutantsOf(
    'src/images/codecs/pictureFile.ts',
    ['images/hugePictures'],
    [
      ['a picture may be 64 million pixels wide', 'Math.max(width, height) > maxSourceSide', 'false'],
      ['a picture may take any memory', '> maxDecodedMebibytes * 2 ** 20', '> Infinity'],
    ],
  ),
  ...mutantsOf(
    'src/images/changePicture.ts',
    ['agents/previewOf'],
    [['a preview may exceed its size limit', 'else if (file.bytes.length <= maxBytes)', 'else']],
  ),
  ...mutantsOf(
    'src/images/codecs/encodePicture.ts',
    ['images/transformImage'],
    [['transparent pixels become black', 'flattenOnWhite({ ...bitmap, data: bitmap.data.slice() })', 'bitmap']],
  ),
  ...mutantsOf(
    'src/images/codecs/encodePicture.ts',
    ['images/colourProfile'],
    [['a grey profile is put into a colour picture', "=== 'RGB '", "!== ''"]],
  ),
  ...mutantsOf(
    'src/images/codecs/pictureFile.ts',
    ['images/transformImage'],
    [['an APNG loses its animation', "type === 'acTL'", 'false']],
  ),
  ...mutantsOf(
    'src/workers/WorkerThreads.ts',
    ['images/transformImage', 'images/hugePictures', 'sound/readRecording', 'reading/DocumentReader'],
    [
      ['a thread may take all memory', ', resourceLimits: limits', ''],
      ['a task goes on after its deadline', 'else await endOf(thread);', 'else this.#keep(thread);'],
      ['a damaged file is read for ever', 'quiet = stopAfter(quietMs,', 'quiet = stopAfter(undefined,'],
      [
        'a drive that does not respond holds its caller',
        'await Promise.race([thread.terminate(), sleep(endingMs, undefined, { ref: false })]);',
        'await thread.terminate();',
      ],
      [
        'a caller waits for a thread that has ended',
        "thread.on('message', take).on('error', fail).on('exit', end);",
        "thread.on('message', take);",
      ],
    ],
  ),
  ...mutantsOf(
    'src/images/makeFavicons.ts',
    ['images/makeFavicons'],
    [['the pictures of an icon have offset 0', 'writeUInt32LE(offset, 12)', 'writeUInt32LE(0, 12)']],
  ),
  ...mutantsOf(
    'src/webview/imageEditor/editState.ts',
    ['webview/editState'],
    [['the crop area can leave the picture', '0, source.width - crop.width);', '0, source.width);']],
  ),
];
