import assert from 'node:assert/strict';
import {
  type Clock,
  ClockMaker,
  delayed,
  isMoved,
  movedBack,
  playsAt,
  SteadyTime,
  through,
} from '../../../src/sound/Clock.ts';
import { fc } from '../../support/fastCheck.ts';

describe('Clock', () => {
  const gap: Clock = [
    { sent: 0, plays: 1 },
    { sent: 5, plays: 10 },
  ];
  const timesOf = (clock: Clock, start: number, end: number) => {
    const [moved] = movedBack(clock, [{ start, end }]);
    return [moved?.start, moved?.end];
  };

  it('moves times to where they play', () => {
    assert.deepEqual(timesOf(gap, 1, 2), [2, 3]);
    assert.deepEqual(timesOf(gap, 6, 7.25), [11, 12.25]);
    assert.deepEqual(timesOf(gap, 4, 6), [5, 11], 'a text around the gap');
  });

  it('keeps a text on its side of a gap although its times are not exact', () => {
    assert.deepEqual(timesOf(gap, 4.95, 7), [10, 12]);
    assert.deepEqual(timesOf(gap, 3, 5.05), [4, 6]);
    assert.deepEqual(timesOf(gap, 4.98, 5.06), [10, 10.06], 'a short word behind it');
    assert.deepEqual(timesOf(gap, 4.94, 5.02), [5.94, 6], 'a short word before it');
    assert.deepEqual(timesOf(gap, 5, 5), [10, 10]);
  });

  it('returns no time before the recording', () => {
    assert.deepEqual(timesOf([{ sent: 0, plays: -0.5 }], 0.2, 1), [0, 0.5]);
    assert.deepEqual(timesOf(gap, -0.5, 1), [0.5, 2]);
  });

  it('knows whether times move', () => {
    assert(isMoved(gap));
    assert(!isMoved([{ sent: 0, plays: -0.02 }]));
    assert(isMoved([{ sent: 0, plays: -0.5 }]), 'an early start');
    assert(!isMoved(delayed([{ sent: 0, plays: 1.4 }], -1.4)));
    assert(isMoved(delayed([{ sent: 0, plays: 0 }], 0.1)));
  });

  const seconds = fc.integer({ min: 1, max: 5000 }).map((one) => one / 100);
  const silences = fc.integer({ min: 20, max: 5000 }).map((one) => one / 100);
  const clocks = fc.array(fc.tuple(seconds, silences), { minLength: 1, maxLength: 5 }).map((stretches): Clock => {
    let [sent, plays] = [0, 0];
    return stretches.map(([length, silence]) => {
      const piece = { sent, plays: plays + silence };
      sent += length;
      plays = piece.plays + length;
      return piece;
    });
  });

  it('of a part that is cut from a copy is the way through both, for any cut', () => {
    fc.assert(
      fc.property(clocks, fc.integer({ min: 0, max: 200 }), seconds, (copy, start, time) => {
        const part: Clock = [{ sent: 0, plays: start }];
        const expected = playsAt(copy, start + time);
        assert(Math.abs(playsAt(through(part, copy), time) - expected) < 1e-6);
      }),
    );
    assert.deepEqual(
      through(gap, [
        { sent: 0, plays: 0 },
        { sent: 12, plays: 100 },
      ]),
      [...gap, { sent: 7, plays: 100 }],
    );
  });

  it('is made of the packets, for any stretches of sound', () => {
    fc.assert(
      fc.property(clocks, fc.double({ min: -0.015, max: 0.015, noNaN: true }), (expected, shake) => {
        const time = new SteadyTime();
        const maker = new ClockMaker();
        const steady: number[] = [];
        for (const [index, { sent, plays }] of expected.entries()) {
          const length = (expected[index + 1]?.sent ?? sent + 1) - sent;
          const count = Math.max(1, Math.round(length * 50));
          for (let packet = 0; packet < count; packet++) {
            const at = plays + (packet * length) / count + (packet % 2 === 0 ? 0 : shake);
            steady.push(time.next(at, length / count));
            maker.add(steady.at(-1) ?? 0, at);
          }
        }
        for (const [index, one] of steady.entries()) assert(one >= (steady[index - 1] ?? one), `${index}`);
        for (const { sent, plays } of expected) {
          assert(Math.abs(playsAt(maker.clock, sent + 0.02) - plays - 0.02) < 0.06, JSON.stringify(maker.clock));
        }
      }),
    );
  });

  it('keeps the times of a sound without gaps as they are, and counts one that starts far from 0 from its start', () => {
    const time = new SteadyTime();
    const times = [0.021, 0.041, 0.062, 0.081];
    assert.deepEqual(
      times.map((one) => time.next(one, 0.02)),
      times,
    );
    assert.equal(new SteadyTime().next(1e9, 0.02), 0);
  });
});
