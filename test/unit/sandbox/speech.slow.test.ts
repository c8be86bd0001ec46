import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { field } from '../../../src/operations/operations.ts';
import { noVoice, postSpeech, samplesOf, speechOf } from '../../support/audioRequests.ts';
import { decodeSound } from '../../support/decodeSound.ts';
import { itWith } from '../../support/findProgram.ts';
import { readMp3, textsIn } from '../../support/readMp3.ts';
import { assertRefused, get } from '../../support/sandboxClient.ts';
import { useSandbox } from '../../support/useSandbox.ts';

const voices = field('speak', 'voice').options;
const text = 'Žluťoučký kůň skáče. 東京へ行きます。 “Why?” — Because\nof Ελλάδα 👩‍🚀!';

describe('sandbox: speech as tones', () => {
  const sandbox = useSandbox({ findVoice: noVoice });
  const speech = (fields: object = {}) => speechOf(sandbox(), fields);
  const wavOf = (fields: object = {}) => speech({ response_format: 'wav', ...fields });

  it('returns an MP3 of complete frames by default', async () => {
    const answer = await postSpeech(sandbox());
    assert.equal(answer.headers['content-type'], 'audio/mpeg');
    assert.equal(Number(answer.headers['content-length']), answer.body.length);
    const facts = readMp3(answer.body);
    assert.match([...facts.heads].join('; '), /^24000 1 \d+$/);
    assert.deepEqual(answer.body, await speech({ response_format: 'mp3' }));
    const wav = samplesOf(await wavOf());
    // An encoder adds up to four frames of silence.
    const extra = facts.seconds - wav.length / 24_000;
    assert(extra >= 0 && extra < 0.1, String(extra));
  });

  it('writes the text and the voice into the file', async () => {
    assert.deepEqual(textsIn(await speech({ input: text, voice: 'nova' })), {
      TSSE: 'Unified Media sandbox',
      TPE1: 'nova, a tone per word',
      USLT: `XXX\0${text}`,
    });
    const wav = await wavOf({ input: text, voice: 'nova' });
    const info = wav.subarray(wav.indexOf('LIST'), wav.indexOf('data'));
    for (const entry of ['ISFT', 'Unified Media sandbox', 'IART', 'nova, a tone per word', 'ICMT', `${text}\0`]) {
      assert(info.includes(entry), entry);
    }
  });

  it('returns a 24 kHz WAV whose header states its length', async () => {
    const answer = await postSpeech(sandbox(), { response_format: 'wav' });
    assert.equal(answer.headers['content-type'], 'audio/wav');
    const wav = answer.body;
    assert.equal(Number(answer.headers['content-length']), wav.length);
    assert.equal(wav.toString('latin1', 0, 4) + wav.toString('latin1', 8, 16), 'RIFFWAVEfmt ');
    assert.equal(wav.readUInt32LE(4), wav.length - 8);
    assert.deepEqual(
      [wav.readUInt16LE(20), wav.readUInt16LE(22), wav.readUInt32LE(24), wav.readUInt16LE(34)],
      [1, 1, 24_000, 16],
    );
    assert.equal(wav.readUInt32LE(wav.indexOf('data') + 4), wav.length - wav.indexOf('data') - 8);
  });

  it('fades every tone in and out at a moderate volume', async () => {
    const samples = samplesOf(await wavOf({ input: 'One two, three. Supercalifragilistic!' }));
    let [largest, step] = [0, 0];
    for (let at = 1; at < samples.length; at++) {
      largest = Math.max(largest, Math.abs(samples[at] ?? 0));
      step = Math.max(step, Math.abs((samples[at] ?? 0) - (samples[at - 1] ?? 0)));
    }
    assert(largest > 3000 && largest < 16_000, String(largest));
    assert(step < 1500, String(step));
    assert.deepEqual([samples[0], samples.at(-1)], [0, 0]);
  });

  it('speaks longer words for longer', async () => {
    const [short, long] = [await wavOf({ input: 'cat' }), await wavOf({ input: 'caterpillar' })];
    assert(long.length > short.length * 1.5);
    assert.deepEqual(await wavOf({ input: 'cat' }), short);
  });

  for (const response_format of ['mp3', 'wav'] as const) {
    it(`gives every voice its own sound: ${response_format}`, async () => {
      const spokenBy = await Promise.all(voices.map((voice) => speech({ voice, response_format })));
      // Compares the sound only, without the text in the file.
      const sounds = spokenBy.map((file) =>
        file.toString('latin1', response_format === 'wav' ? file.indexOf('data') : 0),
      );
      assert.equal(new Set(sounds).size, voices.length);
    });

    itWith('ffmpeg', `returns a file that ffmpeg decodes: ${response_format}`, async () => {
      const sound = decodeSound(await speech({ input: text, response_format }));
      const wav = samplesOf(await wavOf({ input: text }));
      const codec = { mp3: 'mp3', wav: 'pcm_s16le' }[response_format];
      assert.deepEqual([sound.codec, sound.sampleRate, sound.channels], [codec, 24_000, 1]);
      assert(Math.abs(sound.duration - wav.length / 24_000) < 0.1, String(sound.duration));
      assert(Math.abs(sound.samples.length / 24_000 - sound.duration) < 0.1);
      const change = loudnessOf(sound.samples) / loudnessOf(wav);
      // LAME scales by 0.95 to leave headroom.
      assert(Math.abs(change - 1) < 0.1, `${change} times as loud as before encoding`);
    });
  }

  it('speaks 32,000 characters, and a text without words', async () => {
    readMp3(await speech({ input: 'x'.repeat(32_000) }));
    readMp3(await speech({ input: '…' }));
  });

  it('answers other requests while it speaks a long text', async () => {
    let isSpoken = false;
    const speaking = speech({ input: 'nejneobhospodařovávatelnějšími '.repeat(130) }).then(() => {
      isSpoken = true;
    });
    let answers = 0;
    while (!isSpoken) {
      assert.equal((await get(`${sandbox().audioBaseUrl}/nothing`)).status, 404);
      answers++;
      await setTimeout(10);
    }
    await speaking;
    assert(answers > 10, String(answers));
  });

  const wrongSpeech: readonly (readonly [object, string, RegExp])[] = [
    [{ response_format: 'opus' }, 'response_format', /does not support .* "opus", only mp3 and wav\.$/],
    [{ response_format: 'WAV' }, 'response_format', /only mp3 and wav\.$/],
    [{ response_format: '__proto__' }, 'response_format', /only mp3 and wav\.$/],
    [{ response_format: 7 }, 'response_format', /must be/],
    [{ voice: ' ' }, 'voice', /missing|must be/],
    [{ input: '' }, 'input', /missing/],
    [{ input: 'x'.repeat(32_001) }, 'input', /32000/],
    [{ speed: 5 }, 'speed', /at most 4/],
    [{ pitch: 2 }, 'pitch', /no field/],
  ];
  for (const [fields, param, message] of wrongSpeech) {
    it(`rejects speech with ${JSON.stringify(fields).slice(0, 40)}`, async () => {
      assertRefused(await postSpeech(sandbox(), fields), 400, param, message);
    });
  }
});

/** Root mean square. */
function loudnessOf(samples: Int16Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
}
