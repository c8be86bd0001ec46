import assert from 'node:assert/strict';
import { decodePicture } from '../../../src/images/codecs/decodePicture.ts';
import { colourProfile, withJpegProfile, withWebpProfile } from '../../../src/images/codecs/encodePicture.ts';
import { pictureFormats } from '../../../src/images/codecs/pictureFile.ts';
import { transformImage, transformImages } from '../../../src/images/transformImage.ts';
import { jpegFile, transparentWebpFile, webpFile } from '../../support/pictureFiles.ts';

/** A profile long enough for two JPEG segments. @param space colour space signature, four letters */
function profileOf(space: string): Buffer {
  const profile = Buffer.from(Uint8Array.from({ length: 100_001 }, (_, at) => (at * 37) % 251));
  profile.write(space, 16, 'latin1');
  return profile;
}

describe('colourProfile', () => {
  const profile = profileOf('RGB ');

  it('is carried from every format to every other', async () => {
    const jpeg = withJpegProfile(jpegFile, profile);
    for (const from of pictureFormats) {
      const source = await transformImage(jpeg, { format: from });
      const changed = await transformImages(
        source.bytes,
        pictureFormats.map((format) => ({ format, width: 20 })),
      );
      for (const [index, format] of pictureFormats.entries()) {
        const bytes = changed[index]?.bytes ?? Buffer.alloc(0);
        assert(profile.equals(colourProfile(bytes, format) ?? Buffer.alloc(0)), `${from} to ${format}`);
        assert.equal((await decodePicture(bytes, { maxPixels: 10_000 })).width, 20);
      }
    }
  });

  it('preserves the transparency of a WebP', async () => {
    const file = withWebpProfile(transparentWebpFile, profile, 64, 64);
    const { data } = await decodePicture(file, { maxPixels: 10_000 });
    assert.deepEqual(data, (await decodePicture(transparentWebpFile, { maxPixels: 10_000 })).data);
    assert.equal(data[3], 0);
    // Browsers check the flags for a profile and for transparency.
    assert.equal((file[20] ?? 0) & 0x30, 0x30);
  });

  it('is omitted when it is for another colour space, truncated or missing', async () => {
    const grey = withJpegProfile(jpegFile, profileOf('GRAY'));
    assert(colourProfile(grey, 'jpeg') === undefined);
    assert.equal(colourProfile(withWebpProfile(webpFile, profile.subarray(0, 60), 64, 64), 'webp'), undefined);
    assert.equal(colourProfile(jpegFile, 'jpeg'), undefined);
    const { bytes } = await transformImage(grey, { format: 'png' });
    assert(colourProfile(bytes, 'png') === undefined);
  });
});
