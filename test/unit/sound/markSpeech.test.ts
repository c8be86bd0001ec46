import assert from 'node:assert/strict';
import { marksIn } from '../../../src/marks/readMarks.ts';
import { joined, joinWith } from '../../support/joinParts.ts';
import { geob, id3Frame, manifestStore, mp3With, riffWith } from '../../support/markedFiles.ts';
import { wavBytes } from '../../support/mediaBytes.ts';
import { readMp3 } from '../../support/readMp3.ts';
import { readWav } from '../../support/readWav.ts';

const mark = 'trainedAlgorithmicMedia';
const ours = { kinds: ['iptc'], source: mark };
const title = id3Frame('TIT2', Buffer.from('\0Guide', 'latin1'));

describe('a mark in joined speech', () => {
  it('is a frame of the tag of an MP3, which keeps its other frames and its sound', async () => {
    const plain = await joined('mp3', mp3With(title), mp3With());
    const marked = await joinWith('mp3', { mark }, mp3With(title), mp3With());
    assert.deepEqual(marksIn(marked), ours);
    const [before, after] = [readMp3(plain), readMp3(marked)];
    assert.equal(after.frames, before.frames);
    assert.deepEqual(marked.subarray(after.tag.length), plain.subarray(before.tag.length));
    assert(after.tag.includes('Guide'));
    const again = await joinWith('mp3', { mark }, marked, mp3With());
    assert.equal(readMp3(again).tag.length, after.tag.length);
  });

  it('is written where the first part has no tag, or one of a layout that cannot be extended', async () => {
    const bare = mp3With().subarray(10);
    const escaped = Buffer.from(mp3With(title));
    escaped[5] = 0x80;
    for (const part of [bare, escaped])
      assert.deepEqual(marksIn(await joinWith('mp3', { mark }, part, mp3With())), ours);
    const alone = await joinWith('mp3', { mark, dropsTag: true }, mp3With(title), mp3With());
    assert(!alone.includes('Guide'));
    assert.deepEqual(marksIn(alone), ours);
    assert.equal(readMp3(await joinWith('mp3', { dropsTag: true }, mp3With(title))).tag.length, 0);
  });

  it('is a comment of a WAV before its samples', async () => {
    const marked = await joinWith('wav', { mark }, wavBytes, wavBytes);
    assert.deepEqual(marksIn(marked), ours);
    const [plain, found] = [readWav(await joined('wav', wavBytes, wavBytes)), readWav(marked)];
    assert.deepEqual(found.data, plain.data);
    assert.deepEqual(found.chunks, ['fmt ', 'LIST', 'data']);
    assert.deepEqual(readWav(await joined('wav', marked, wavBytes)).data.length, 240);
  });

  it('stands in no AAC, and credentials of one part in no joined file', async () => {
    const store = manifestStore();
    for (const options of [{}, { mark } as const]) {
      const mp3 = await joinWith('mp3', options, mp3With(title, geob(store)), mp3With());
      const wav = await joinWith('wav', options, riffWith(wavBytes, 'C2PA', store), wavBytes);
      for (const file of [mp3, wav]) assert(!marksIn(file).kinds.includes('c2pa'));
    }
  });
});
