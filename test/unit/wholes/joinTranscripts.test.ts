import assert from 'node:assert/strict';
import type { TranscriptAnswer } from '../../../src/service/Answer.ts';
import { joinTranscripts } from '../../../src/wholes/joinTranscripts.ts';

function answer(facts: Partial<TranscriptAnswer>): TranscriptAnswer {
  return {
    type: 'transcript',
    text: '',
    subtitles: undefined,
    language: undefined,
    duration: undefined,
    segments: [],
    usage: undefined,
    id: undefined,
    requestId: undefined,
    ...facts,
  };
}

const said = (text: string, speaker?: string) =>
  answer({ text, segments: [{ start: 0.5, end: 1.25, text, ...(speaker === undefined ? {} : { speaker }) }] });

describe('joinTranscripts', () => {
  it('shifts times to the start of the recording', () => {
    const { segments, text, duration } = joinTranscripts([
      { start: 0, end: 10.1, answer: said('One.') },
      { start: 10.1, end: 20, answer: answer({}) },
      { start: 20, end: 30.5, answer: said('Three.') },
    ]);
    assert.deepEqual(
      segments.map(({ start, end }) => [start, end]),
      [
        [0.5, 1.25],
        [20.5, 21.25],
      ],
    );
    assert.deepEqual([text, duration], ['One.\n\nThree.', 30.5]);
  });

  it('returns no segments when a part with text has no times', () => {
    const parts = [
      { start: 0, end: 10, answer: said('One.') },
      { start: 10, end: 20, answer: answer({ text: 'Two.' }) },
    ];
    const { segments, words } = joinTranscripts(parts);
    assert.deepEqual(segments, []);
    assert.deepEqual(words, [{ start: 0.5, end: 1.25, text: 'One.' }], 'the times of the other part are kept');
  });

  it('shifts the times of words, and counts the segments of a part without them as words', () => {
    const words = [{ text: 'two', start: 0.5, end: 1 }];
    const parts = [
      { start: 0, end: 10, answer: said('One.') },
      { start: 10, end: 20, answer: { ...said('Two.'), words } },
    ];
    assert.deepEqual(joinTranscripts(parts).words, [
      { start: 0.5, end: 1.25, text: 'One.' },
      { start: 10.5, end: 11, text: 'two' },
    ]);
  });

  it('reads times from SRT and VTT parts', () => {
    const { segments, text, subtitles } = joinTranscripts([
      { start: 0, end: 10, answer: answer({ subtitles: 'srt', text: '1\n00:00:01,000 --> 00:00:02,000\nOne.\n' }) },
      { start: 10, end: 20, answer: answer({ subtitles: 'vtt', text: 'WEBVTT\n\n00:01.000 --> 00:02.000\nTwo.\n' }) },
    ]);
    assert.deepEqual(
      segments.map(({ start, text: words }) => [start, words]),
      [
        [1, 'One.'],
        [11, 'Two.'],
      ],
    );
    assert.deepEqual([text, subtitles], ['One.\n\nTwo.', undefined]);
  });

  it('keeps speakers of different parts apart unless only one part names speakers', () => {
    const names = (...parts: TranscriptAnswer[]) =>
      joinTranscripts(parts.map((part, index) => ({ start: index, end: index + 1, answer: part }))).segments.map(
        ({ speaker }) => speaker,
      );
    assert.deepEqual(names(said('One.', 'A'), said('Two.', 'A')), ['A (part 1)', 'A (part 2)']);
    assert.deepEqual(names(said('One.', 'A'), said('Two.')), ['A', undefined]);
  });

  it('keeps what the service reported beside the text of any part, once', () => {
    const failures = (...all: readonly (string | undefined)[]) =>
      joinTranscripts(
        all.map((failure) => ({ start: 0, end: 1, answer: { ...said('One.'), ...(failure ? { failure } : {}) } })),
      ).failure;
    assert.equal(failures('Cut.', undefined, 'Busy.', 'Cut.'), 'Cut. Busy.');
    assert(!('failure' in joinTranscripts([{ start: 0, end: 1, answer: said('One.') }])));
    const noted = { start: 0, end: 1, answer: { ...said('One.'), notices: ['No times.'] } };
    assert.deepEqual(joinTranscripts([noted, noted]).notices, ['No times.']);
  });

  it('adds up the usage that the service reported', () => {
    const parts = [1, 2].map((seconds) => ({
      start: 0,
      end: 1,
      answer: answer({ text: 'x', usage: { usage: { seconds, type: 'duration', by: `${seconds}` }, cost: 0.5 } }),
    }));
    assert.deepEqual(joinTranscripts(parts).usage, { usage: { seconds: 3, type: 'duration' }, cost: 1 });
  });
});
