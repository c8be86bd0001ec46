import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { HeardTranscript } from '../../../src/sandbox/recording/transcribe.ts';
import { formOf, noVoice, postForm, samplesOf, speechOf } from '../../support/audioRequests.ts';
import { longText } from '../../support/longText.ts';
import { readMp3 } from '../../support/readMp3.ts';
import { assertRefused, jsonOf } from '../../support/sandboxClient.ts';
import { useSandbox } from '../../support/useSandbox.ts';

const text = 'Žluťoučký kůň skáče. 東京へ行きます。 “Why?” — Because\nof Ελλάδα 👩‍🚀!';
/** How each was made: test/support/recordings/make.sh, with these channels and sample rates. */
const recordings: readonly (readonly [string, string, number, string])[] = [
  ['flac.flac', 'FLAC', 1, '8,000'],
  ['mp3.mp3', 'MP3 (MPEG 1 Layer 3)', 2, '44,100'],
  ['mpga.mpga', 'MP3 (MPEG 2 Layer 3)', 1, '22,050'],
  ['m4a.m4a', 'MP4 audio (MPEG-4/AAC)', 1, '16,000'],
  ['mp4.mp4', 'MP4 (MPEG-4/AAC)', 2, '16,000'],
  ['mpeg.mpeg', 'MPEG (MPEG 1 Layer 2)', 2, '32,000'],
  ['ogg.ogg', 'Ogg (Vorbis I)', 1, '16,000'],
  ['opus.ogg', 'Ogg (Opus)', 2, '48,000'],
  ['wav.wav', 'WAV (PCM)', 2, '4,000'],
  ['webm.webm', 'WebM (Opus)', 2, '48,000'],
];

describe('sandbox: transcripts of recordings', () => {
  const sandbox = useSandbox({ findVoice: noVoice });
  const transcriptOf = async (file: Uint8Array, name: string, operation: 'transcribe' | 'translate' = 'transcribe') =>
    jsonOf<HeardTranscript>(await postForm(sandbox(), formOf(file, name), operation));

  for (const format of ['mp3', 'wav'] as const) {
    it(`recovers the text and sentence times of its own speech: ${format}`, async () => {
      const file = await speechOf(sandbox(), { input: text, response_format: format });
      for (const operation of ['transcribe', 'translate'] as const) {
        const transcript = await transcriptOf(file, `kůň.${format}`, operation);
        assert.equal(transcript.text, text);
        assert.equal(transcript.language, operation === 'translate' ? 'english' : 'unknown');
        const duration = format === 'mp3' ? readMp3(file).seconds : samplesOf(file).length / 24_000;
        assert(Math.abs(transcript.duration - duration) < 0.03, `${transcript.duration}, not ${duration}`);
        assert(transcript.segments.length >= 4);
        assertSegments(transcript);
        const words = transcript.segments.map((segment) => segment.text).join(' ');
        assert.equal(words.replace(/\s/g, ''), text.replace(/\s/g, ''));
      }
    });

    it(`recovers 10,000 characters: ${format}`, async () => {
      const file = await speechOf(sandbox(), { input: longText, response_format: format });
      assert.equal((await transcriptOf(file, `a.${format}`)).text, longText);
    });
  }

  it('recovers a text without words as one segment', async () => {
    const transcript = await transcriptOf(await speechOf(sandbox(), { input: '…' }), 'a.mp3');
    assert.equal(transcript.text, '…');
    assert.equal(transcript.segments.length, 1);
  });

  it('recovers every text of joined MP3 files with tags, and only the first without', async () => {
    const parts = ['One.', 'Zwei, ID3\x04\0\0 as text.', longText.slice(0, 3000)];
    const files = await Promise.all(parts.map((input) => speechOf(sandbox(), { input })));
    const joined = await transcriptOf(Buffer.concat(files), 'a.mp3');
    assert.equal(joined.text, parts.join(' '));
    const durations = files.map((file) => readMp3(file).seconds);
    const total = durations.reduce((sum, duration) => sum + duration);
    assert(Math.abs(joined.duration - total) < 0.05, `${joined.duration}, not ${total}`);
    assertSegments(joined);
    const bare = files.map((file, index) => (index === 0 ? file : withoutTag(file)));
    const first = await transcriptOf(Buffer.concat(bare), 'a.mp3');
    assert.equal(first.text, 'One.');
    assert(Math.abs(first.duration - total) < 0.05);
    const none = await transcriptOf(Buffer.concat(files.map(withoutTag)), 'a.mp3');
    assert.match(none.text, /^This is the sandbox: it does not listen\..* MP3 \(MPEG 2 Layer 3\), .* 1 channel/);
  });

  it('recovers every text of WAV files joined as files or as chunks', async () => {
    const wavOf = (input: string) => speechOf(sandbox(), { input, response_format: 'wav' });
    const [one, two] = [await wavOf('One.'), await wavOf('Zwei.')];
    const total = (samplesOf(one).length + samplesOf(two).length) / 24_000;
    const [label = 0, data = 0] = ['LIST', 'data'].map((id) => two.indexOf(id));
    const merged = Buffer.concat([one, two.subarray(data + 8), two.subarray(label, data)]);
    merged.writeUInt32LE(merged.length - 8, 4);
    merged.writeUInt32LE(total * 48_000, one.indexOf('data') + 4);
    for (const joined of [Buffer.concat([one, two]), merged]) {
      const transcript = await transcriptOf(joined, 'a.wav');
      assert.equal(transcript.text, 'One. Zwei.');
      assert(Math.abs(transcript.duration - total) < 0.001);
      assertSegments(transcript);
    }
  });

  it('trusts only its own labels', async () => {
    for (const format of ['mp3', 'wav']) {
      const file = await speechOf(sandbox(), { response_format: format });
      file.write('Another program!!', file.indexOf('Unified Media sandbox'), 'latin1');
      assert.match((await transcriptOf(file, `a.${format}`)).text, /^This is the sandbox: it does not listen\./);
    }
  });

  for (const [name, format, channels, sampleRate] of recordings) {
    it(`describes another recording: ${name}`, async () => {
      const file = await recordingOf(name);
      const transcript = await transcriptOf(file, name);
      const [, describedFormat, bytes, seconds, describedChannels, rate] =
        /^This is the sandbox: it does not listen\. It received the recording \S+: (.+?), ([\d,]+) bytes, ([\d.]+) seconds, (\d) channels?, ([\d,]+) Hz\.$/.exec(
          transcript.text,
        ) ?? [];
      assert.deepEqual(
        [describedFormat, Number(describedChannels), rate],
        [format, channels, sampleRate],
        transcript.text,
      );
      assert.equal(Number(bytes?.replace(',', '')), file.length);
      // Encoders pad their last frame, and some count their initial silence.
      assert(transcript.duration >= 0.99 && transcript.duration < 1.08, String(transcript.duration));
      assert(Math.abs(Number(seconds) - transcript.duration) <= 0.05);
      assert.equal(transcript.language, 'english');
      assertSegments(transcript);
      assert.equal((await transcriptOf(file, name, 'translate')).language, 'english');
    });

    it(`answers with a transcript or a 400 when the recording is damaged: ${name}`, async () => {
      const original = await recordingOf(name);
      const random = numbersFrom(original.length);
      for (let round = 0; round < 12; round++) {
        const answer = await postForm(sandbox(), formOf(damaged(original, round, random), name));
        if (answer.status === 200) assertSegments(jsonOf<HeardTranscript>(answer));
        else assertRefused(answer, 400, 'file', /damaged, or its format/);
      }
    });
  }

  it('rejects files that only start like a recording', async () => {
    const heads = ['fLaC', 'ID3\x04\0\0\0\0\0\0', '\xff\xfb\x90\0', '\0\0\0\x20ftypisom', '\0\0\0\x20ftypM4A '];
    for (const head of [...heads, '\0\0\x01\xba', 'OggS', '\x1a\x45\xdf\xa3', 'RIFF\0\0\0\0WAVE']) {
      for (const filler of [0, 0xff]) {
        const file = Buffer.concat([Buffer.from(head, 'latin1'), Buffer.alloc(2000, filler)]);
        assertRefused(await postForm(sandbox(), formOf(file, 'a.mp3')), 400, 'file', /damaged, or its format/);
      }
    }
  });
});

function assertSegments({ segments, duration }: HeardTranscript): void {
  assert(segments.length > 0);
  let end = 0;
  for (const [index, segment] of segments.entries()) {
    assert.deepEqual([segment.id, segment.start], [index, end]);
    assert(segment.end >= segment.start);
    end = segment.end;
  }
  assert.equal(end, duration);
}

async function recordingOf(name: string): Promise<Buffer> {
  return readFile(new URL(`../../support/recordings/${name}`, import.meta.url));
}

function withoutTag(mp3: Buffer): Buffer {
  return mp3.subarray(mp3.indexOf(Buffer.from([0xff, 0xf3])));
}

/** Truncated, overwritten from some point, or with ten wrong bytes. */
function damaged(original: Buffer, round: number, random: (below: number) => number): Buffer {
  const file = Buffer.from(original);
  if (round % 4 === 0) return file.subarray(0, random(file.length));
  if (round % 4 === 1) return file.fill(random(256), random(file.length));
  for (let count = 0; count < 10; count++) file[random(round % 4 === 2 ? 300 : file.length)] = random(256);
  return file;
}

/** A generator of the same numbers on every run. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state % below;
  };
}
