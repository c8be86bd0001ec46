import assert from 'node:assert/strict';
import type { CroppableCodec, PicturePart } from '../../../src/sound/parameterSets.ts';
import {
  lengthBytesIn,
  mapPacket,
  mapRecord,
  readPictureSet,
  UncroppableVideo,
  withShown,
} from '../../../src/sound/parameterSets.ts';

/** Sets that x264 and x265 wrote, of 640 × 360 pixels in 4:2:0; the height that is decoded; the bytes that say so. */
const sets: readonly (readonly [CroppableCodec, Buffer, number, number])[] = [
  ['avc', Buffer.from('6764001eacd940a02ff97011000003000100000300320f162d96', 'hex'), 368, 11],
  [
    'hevc',
    Buffer.from('42010101600000030090000003000003003fa00502016965959a4932bc05a02000000300200000030321', 'hex'),
    360,
    24,
  ],
];

describe('the parameter sets of a video', () => {
  for (const [codec, set, height, bytes] of sets) {
    it(`of ${codec} say what part of the pictures is shown`, () => {
      assert.deepEqual(readPictureSet(codec, set), {
        width: 640,
        height,
        shown: { x: 0, y: 0, width: 640, height: 360 },
        unit: { x: 2, y: 2 },
      });
    });

    it(`of ${codec} are changed there only`, () => {
      const parts: readonly PicturePart[] = [
        { x: 128, y: 0, width: 360, height: 360 },
        { x: 64, y: 62, width: 2, height: 2 },
        { x: 0, y: 100, width: 640, height: 160 },
      ];
      for (const shown of parts) {
        const changed = withShown(codec, set, shown);
        assert.deepEqual(readPictureSet(codec, changed).shown, shown);
        const again = withShown(codec, changed, { x: 0, y: 0, width: 640, height: 360 });
        assert.deepEqual(readPictureSet(codec, again), readPictureSet(codec, set));
        assert.deepEqual(withShown(codec, again, shown), changed, 'what follows is the same');
        assert(!Buffer.from(changed).includes(Buffer.from([0, 0, 0])), 'no start code is emulated');
      }
    });

    it(`of ${codec} that end too soon are refused`, () => {
      for (let length = 0; length < bytes; length++) {
        assert.throws(() => readPictureSet(codec, set.subarray(0, length)), UncroppableVideo, `${length} bytes`);
      }
    });

    it(`of ${codec} are read whatever is in them`, () => {
      for (let at = codec === 'avc' ? 1 : 2; at < set.length; at++) {
        for (const byte of [0, 1, 0x55, 0xff]) {
          const damaged = Buffer.from(set).fill(byte, at, at + 1);
          try {
            withShown(codec, damaged, { ...readPictureSet(codec, damaged).shown });
          } catch (error) {
            assert(error instanceof UncroppableVideo, String(error));
          }
        }
      }
    });
  }

  it('are found in a decoder configuration and in packets', () => {
    const record = Buffer.from('01640015ffe10003670102010002680399', 'hex');
    assert.equal(lengthBytesIn('avc', record), 4);
    const longer = (unit: Uint8Array) => Buffer.concat([unit, Buffer.of(7)]);
    assert.equal(
      Buffer.from(mapRecord('avc', record, longer)).toString('hex'),
      '01640015ffe1000467010207010002680399',
      'and what follows stays',
    );
    assert.throws(() => mapRecord('avc', record.subarray(0, 9), longer), UncroppableVideo);
    const packet = Buffer.from('000000020910000000036701020000000165', 'hex');
    assert.equal(
      Buffer.from(mapPacket('avc', packet, 4, longer)).toString('hex'),
      '0000000209100000000467010207' + '0000000165',
    );
    const plain = packet.subarray(0, 6);
    assert.equal(mapPacket('avc', plain, 4, longer), plain);
    assert.throws(() => mapPacket('avc', packet.subarray(0, 9), 4, longer), UncroppableVideo);
  });
});
