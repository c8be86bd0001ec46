import assert from 'node:assert/strict';
import { decodePicture } from '../../../src/images/codecs/decodePicture.ts';
import {
  colourProfile,
  encodePng,
  encodeWebp,
  withJpegProfile,
  withWebpProfile,
} from '../../../src/images/codecs/encodePicture.ts';
import { pictureFormats, webpChunks } from '../../../src/images/codecs/pictureFile.ts';
import { makeFavicons } from '../../../src/images/makeFavicons.ts';
import { markPicture } from '../../../src/images/markPicture.ts';
import { transformImage } from '../../../src/images/transformImage.ts';
import { digitalSources } from '../../../src/marks/DigitalSource.ts';
import { marksIn } from '../../../src/marks/readMarks.ts';
import { jpegFile, transparentWebpFile, webpFile } from '../../support/pictureFiles.ts';

const profile = Buffer.alloc(3000, 7);
profile.write('RGB ', 16, 'latin1');

describe('markPicture', () => {
  it('writes what the picture is into every format, and changes no pixel', async () => {
    const bitmap = await decodePicture(jpegFile, { maxPixels: 10_000 });
    const files = {
      png: [encodePng(bitmap), encodePng(bitmap, profile)],
      jpeg: [jpegFile, withJpegProfile(jpegFile, profile)],
      webp: [webpFile, withWebpProfile(webpFile, profile, 64, 64)],
    };
    for (const format of pictureFormats) {
      for (const bytes of files[format]) {
        for (const mark of digitalSources) {
          const marked = markPicture({ bytes, mediaType: `image/${format}`, width: 64, height: 64 }, mark);
          assert.deepEqual(marksIn(marked.bytes), { kinds: ['iptc'], source: mark }, format);
          const [before, after] = [bytes, marked.bytes].map((one) => decodePicture(one, { maxPixels: 10_000 }));
          assert.deepEqual(await after, await before);
          assert.deepEqual(colourProfile(marked.bytes, format), colourProfile(bytes, format));
        }
      }
    }
  });

  it('keeps transparency and profile of a WebP, and sets the flag that readers look at', async () => {
    const bitmap = await decodePicture(transparentWebpFile, { maxPixels: 10_000 });
    const bytes = withWebpProfile(await encodeWebp(bitmap, 80), profile, 64, 64);
    const marked = Buffer.from(
      markPicture({ bytes, mediaType: 'image/webp', width: 64, height: 64 }, 'trainedAlgorithmicMedia').bytes,
    );
    assert.equal((marked[20] ?? 0) & 0x34, 0x34);
    assert.deepEqual(
      webpChunks(marked).map(({ type }) => type),
      ['VP8X', 'ICCP', 'ALPH', 'VP8 ', 'XMP '],
    );
    assert.equal((await decodePicture(marked, { maxPixels: 10_000 })).data[3], 0);
  });

  it('is in every icon of a set, and nothing is written unless it is asked for', async () => {
    const mark = 'trainedAlgorithmicMedia';
    const [icon, ...pictures] = await makeFavicons(jpegFile, undefined, { mark });
    for (const { bytes, name } of pictures) assert.equal(marksIn(bytes).source, mark, name);
    assert.equal(
      Buffer.from(icon?.bytes ?? [])
        .toString('latin1')
        .split(mark).length,
      4,
    );
    const { bytes } = await transformImage(jpegFile, { format: 'png' });
    assert.deepEqual(marksIn(bytes), { kinds: [], source: undefined });
  });
});
