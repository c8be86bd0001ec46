import assert from 'node:assert/strict';
import { clock } from '../../../src/webview/parts/clock.ts';
import {
  cueAt,
  drawnRows,
  findCues,
  placeIn,
  sentenceFrom,
  sentenceStarts,
  tabStopOf,
} from '../../../src/webview/player/cues.ts';
import { type PlayerCue, playerCues, playerStart } from '../../../src/webview/protocol/player.ts';

describe('the cues of the player', () => {
  const cue = (start: number, text: string, speaker?: string): PlayerCue => ({
    start,
    end: start + 900,
    text,
    speaker,
  });
  const cues = [
    cue(500, 'Good morning', 'Ada'),
    cue(1500, 'everybody.', 'Ada'),
    cue(4000, 'Is it “late?”', 'Bob'),
    cue(6000, 'No.', 'Ada'),
    cue(9000, 'All right', 'Bob'),
  ];

  it('begin a sentence after a cue that ends one', () => {
    assert.deepEqual(sentenceStarts(cues), [500, 4000, 6000, 9000]);
    assert.deepEqual(sentenceStarts([]), []);
  });

  it('lead on in a longer file: at the same word, or after what was heard', () => {
    const moved = cues.map((one) => ({ ...one, start: one.start + 100, end: one.end + 100 }));
    assert.equal(placeIn(cues.slice(0, 2), moved, 1700, false), 1800);
    assert.equal(placeIn(cues.slice(0, 2), moved, 2400, true), 4100);
    assert.equal(placeIn(cues, moved, 9900, true), 10_000, 'nothing follows');
    assert.equal(placeIn(cues, moved, 100, false), 100, 'before the first');
    assert.equal(placeIn([], [], 700, false), 700);
  });

  it('lead to the next sentence, and to the one before or back to the start of this one', () => {
    const starts = sentenceStarts(cues);
    assert.equal(sentenceFrom(starts, 0, 1), 500);
    assert.equal(sentenceFrom(starts, 4000, 1), 6000);
    assert.equal(sentenceFrom(starts, 9500, 1), undefined);
    assert.equal(sentenceFrom(starts, 5500, -1), 4000, 'the start of this sentence');
    assert.equal(sentenceFrom(starts, 4300, -1), 500, 'the sentence before');
    assert.equal(sentenceFrom(starts, 100, -1), 500);
    assert.equal(sentenceFrom([], 100, -1), undefined);
  });

  it('are heard from their start to that of the next one', () => {
    assert.deepEqual(
      [0, 499, 500, 1499, 1500, 3000, 20_000].map((time) => cueAt(cues, time)),
      [-1, -1, 0, 0, 1, 1, 4],
    );
    const many = Array.from({ length: 10_000 }, (_, index) => cue(index * 1000, 'a'));
    for (const index of [0, 1, 4999, 9999]) assert.equal(cueAt(many, index * 1000 + 999), index);
  });

  it('are found by all words of a search, in any case, also by their speaker', () => {
    assert.deepEqual(findCues(cues, ''), [0, 1, 2, 3, 4]);
    assert.deepEqual(findCues(cues, 'GOOD  morn'), [0]);
    assert.deepEqual(findCues(cues, 'bob'), [2, 4]);
    assert.deepEqual(findCues(cues, 'bob morning'), []);
  });

  it('can be reached with the Tab key, wherever the list is scrolled and however few are found', () => {
    assert.equal(tabStopOf([45, 3], 30, 60, 40), 45, 'the focused one');
    assert.equal(tabStopOf([undefined, 3], 0, 30, 0), 3, 'the one that is heard');
    assert.equal(tabStopOf([45, 3], 90, 120, 100), 100, 'both are out of sight');
    assert.equal(tabStopOf([45, -1], 0, 3, 0), 0, 'three are found');
    assert.equal(tabStopOf([undefined, -1], 0, 2, 40), 1, 'the list is still scrolled down');
  });

  it('are drawn where they are visible, and the focused one wherever it is', () => {
    assert.deepEqual(drawnRows(3, 6, undefined, 9), [3, 4, 5]);
    assert.deepEqual(drawnRows(3, 6, 4, 9), [3, 4, 5]);
    assert.deepEqual(drawnRows(3, 6, 0, 9), [0, 3, 4, 5]);
    assert.deepEqual(drawnRows(3, 6, 8, 9), [3, 4, 5, 8]);
    assert.deepEqual(drawnRows(0, 2, 8, 2), [0, 1], 'fewer are found now');
  });

  it('are cut to what the page accepts, however long or many they are', () => {
    const start = (shown: readonly PlayerCue[]) =>
      playerStart({ track: { name: 'a', source: 'a', isVideo: false, isAac: false, cues: shown } });
    const long = [cue(0, 'a'.repeat(30_000), 'b'.repeat(2000))];
    const many = Array.from({ length: 100_001 }, (_, index) => cue(index, 'a'));
    for (const all of [long, many]) assert.deepEqual([start(all), start(playerCues(all))], [false, true]);
    assert.deepEqual(playerCues(cues), cues);
  });

  it('have times with hours only from an hour on', () => {
    assert.deepEqual([0, 7499, 67_000, 3_600_000, 36_061_000].map(clock), [
      '0:00',
      '0:07',
      '1:07',
      '1:00:00',
      '10:01:01',
    ]);
  });
});
