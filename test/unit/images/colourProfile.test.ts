import assert from 'node:assert/strict';
import { colourProfile, withJpegProfile, withWebpProfile } from '../../../src/images/codecs/colourProfile.ts';
import { decodePicture } from '../../../src/images/codecs/decodePicture.ts';
import { pictureFormats } from '../../../src/images/codecs/pictureFormat.ts';
import { transformImage } from '../../../src/images/transformImage.ts';
import { jpegFile, transparentWebpFile, webpFile } from '../../support/pictureFiles.ts';

/** Long enough for two segments of a JPEG. @param space of colours, four letters */
function profileOf(space: string): Buffer {
  const profile = Buffer.from(Uint8Array.from({ length: 100_001 }, (_, at) => (at * 37) % 251));
  profile.write(space, 16, 'latin1');
  return profile;
}

describe('the colour profile of a picture', function () {
  this.timeout(20_000);
  const profile = profileOf('RGB ');

  it('goes from each format into each other', async () => {
    const jpeg = withJpegProfile(jpegFile, profile);
    for (const from of pictureFormats) {
      const source = await transformImage(jpeg, { format: from });
      for (const format of pictureFormats) {
        const { bytes } = await transformImage(source.bytes, { format, width: 20 });
        assert.deepEqual(colourProfile(bytes, format), profile, `${from} to ${format}`);
        assert.equal((await decodePicture(bytes, { maxPixels: 10_000 })).width, 20);
      }
    }
  });

  it('keeps the transparency of a WebP', async () => {
    const file = withWebpProfile(transparentWebpFile, profile, 64, 64);
    const { data } = await decodePicture(file, { maxPixels: 10_000 });
    assert.deepEqual(data, (await decodePicture(transparentWebpFile, { maxPixels: 10_000 })).data);
    assert.equal(data[3], 0);
  });

  it('is left out when it is for other colours, cut off, or not there', async () => {
    const grey = withJpegProfile(jpegFile, profileOf('GRAY'));
    assert.equal(colourProfile(grey, 'jpeg'), undefined);
    assert.equal(colourProfile(withWebpProfile(webpFile, profile.subarray(0, 60), 64, 64), 'webp'), undefined);
    assert.equal(colourProfile(jpegFile, 'jpeg'), undefined);
    const { bytes } = await transformImage(grey, { format: 'png' });
    assert.equal(colourProfile(bytes, 'png'), undefined);
  });
});
