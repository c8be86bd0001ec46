import assert from 'node:assert/strict';

export interface CueFacts {
  /** Milliseconds. */
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/** Reads a subtitle file, which must be strictly valid, with its cues in order. */
export function readCues(format: 'srt' | 'vtt', file: string): readonly CueFacts[] {
  const body = format === 'vtt' ? file.replace(/^WEBVTT\n\n/, '') : file;
  assert.equal(body === file, format === 'srt', 'the first line');
  assert.match(file, /[^\n]\n$/);
  const mark = format === 'srt' ? ',' : '\\.';
  const timing = new RegExp(`^(\\d{2,}):([0-5]\\d):([0-5]\\d)${mark}(\\d{3})`);
  const time = (text: string) => {
    const [whole, hours, minutes, seconds, rest] = timing.exec(text) ?? [];
    assert.equal(whole, text, `the time ${text}`);
    return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(rest);
  };
  let earliest = 0;
  return body
    .slice(0, -1)
    .split('\n\n')
    .map((block, index) => {
      const lines = block.split('\n');
      if (format === 'srt') assert.equal(lines.shift(), String(index + 1));
      const [start = '', end = '', ...others] = lines.shift()?.split(' --> ') ?? [];
      const cue = { start: time(start), end: time(end), lines };
      assert.deepEqual(others, []);
      assert(cue.start >= earliest && cue.end > cue.start, `times of cue ${index + 1}`);
      earliest = cue.start;
      assert(lines.length > 0 && lines.every((line) => line.trim() !== '' && !line.includes('-->')));
      if (format === 'vtt')
        assert(lines.every((line) => !/&(?!(amp|lt|gt);)/.test(line) && !/<(?!v [^>]+>)/.test(line)));
      return cue;
    });
}
