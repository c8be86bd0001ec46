import assert from 'node:assert/strict';
import { type Silences, shortenJoints, silencesOf } from '../../../src/sound/joints.ts';
import { fc } from '../../support/fastCheck.ts';

const step = 0.01;
const silences = (lead: number, tail: number, ...pauses: readonly number[]): Silences => ({
  ...{ step, steps: lead + 100 + tail, lead, tail, pauses },
});

describe('silencesOf', () => {
  it('finds the silence at both ends, and pauses longer than those in a consonant', () => {
    const loudness = [0, 0.001, 1, 1, ...Array<number>(25).fill(0), 1, 0, 0, 1, 0.002, 0, 0];
    const { lead, tail, pauses, steps } = silencesOf({ step, loudness, quietShare: 0.001 });
    assert.deepEqual({ lead, tail, pauses, steps }, { lead: 2, tail: 2, pauses: [0.25], steps: 36 });
  });

  it('calls nothing silent where everything is, or where a value is no number', () => {
    for (const loudness of [[0, 0, 0], [], [0, Number.NaN, 1, 0]]) {
      const { lead, tail, pauses } = silencesOf({ step, loudness, quietShare: 0.001 });
      assert.deepEqual({ lead, tail, pauses }, { lead: 0, tail: 0, pauses: [] });
    }
  });
});

describe('shortenJoints', () => {
  it('leaves the median of the pauses in the parts, half of it on each side', () => {
    const parts = [silences(80, 90, 0.3, 0.5), silences(70, 60, 0.9)];
    assert.deepEqual(shortenJoints(parts), [
      { start: 0, end: 205 },
      { start: 45, end: 230 },
    ]);
  });

  it('gives one side what the silence on the other is too short for', () => {
    const shared = [0.4, 0.4, 0.4];
    assert.deepEqual(shortenJoints([silences(0, 5, ...shared), silences(90, 0)]), [undefined, { start: 55, end: 190 }]);
    assert.deepEqual(shortenJoints([silences(0, 90, ...shared), silences(5, 0)]), [{ start: 0, end: 135 }, undefined]);
    assert.deepEqual(shortenJoints([silences(0, 20, ...shared), silences(20, 0)]), [undefined, undefined]);
  });

  it('leaves the lead that has to stay, and cuts more of the tail before it, but never all', () => {
    const cut = (leastLead: number) => shortenJoints([silences(0, 90, 0.4), { ...silences(90, 0), leastLead }]);
    assert.deepEqual(cut(25), [
      { start: 0, end: 115 },
      { start: 65, end: 190 },
    ]);
    assert.deepEqual(cut(80), [
      { start: 0, end: 110 },
      { start: 10, end: 190 },
    ]);
  });

  it('bounds the pause, and has one for parts without any', () => {
    const joint = (...pauses: readonly number[]) => {
      const [before, after] = shortenJoints([silences(0, 200, ...pauses), silences(200, 0)]);
      return (before?.end ?? 0) - 100 + 200 - (after?.start ?? 0);
    };
    assert.deepEqual([joint(0.2), joint(3), joint()], [30, 80, 40]);
  });

  it('leaves a part whose silence is not known, and its neighbours', () => {
    assert.deepEqual(shortenJoints([silences(0, 90), undefined, silences(90, 0)]), [undefined, undefined, undefined]);
  });

  it('leaves at each joint its silence or the pause, whatever the parts, and finds nothing to do the second time', () => {
    const part = fc
      .record({
        lead: fc.nat(300),
        tail: fc.nat(300),
        step: fc.constantFrom(0.01, 0.024, 0.026_122),
        pauses: fc.array(fc.double({ min: 0.2, max: 2, noNaN: true }), { maxLength: 4 }),
      })
      .map(({ lead, tail, ...more }): Silences => ({ steps: lead + 20 + tail, lead, tail, ...more }));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const kept = shortenJoints(parts);
        const after = parts.map((one, index) => {
          const { start = 0, end = one.steps } = kept[index] ?? {};
          return { ...one, steps: end - start, lead: one.lead - start, tail: end - (one.steps - one.tail) };
        });
        const joints = (list: readonly Silences[]) =>
          list.slice(1).map((next, index) => {
            const last = list[index];
            assert(last && last.tail >= 0 && next.lead >= 0);
            return { seconds: last.tail * last.step + next.lead * next.step, step: last.step };
          });
        const pauses = parts.flatMap((one) => one.pauses).toSorted((one, other) => one - other);
        const pause = Math.min(0.8, Math.max(0.3, pauses[Math.floor(pauses.length / 2)] ?? 0.4));
        const before = joints(parts);
        for (const [index, { seconds, step }] of joints(after).entries()) {
          const whole = before[index]?.seconds ?? 0;
          assert(
            seconds >= Math.min(whole, pause) - 1e-6 &&
              seconds <= Math.min(whole, pause + Math.max(step, 0.026_122)) + 1e-6,
          );
        }
        assert.equal(after[0]?.lead, parts[0]?.lead);
        assert.equal(after.at(-1)?.tail, parts.at(-1)?.tail);
        assert(shortenJoints(after).every((one) => one === undefined));
      }),
    );
  });
});
