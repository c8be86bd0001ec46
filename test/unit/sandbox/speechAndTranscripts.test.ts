import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operations } from '../../../src/operations/operations.ts';
import type { Transcript } from '../../../src/sandbox/recording/writeTranscript.ts';
import { assertRefused, jsonOf, post, send } from '../../support/sandboxClient.ts';
import { useSandbox } from '../../support/useSandbox.ts';

const { path } = operations.speak;
const spoken = 'Žluťoučký kůň skáče. 東京へ行きます。 “Why?” — Because\nof Ελλάδα 👩‍🚀!';

describe('sandbox: speech and transcripts', () => {
  const storage = mkdtempSync(join(tmpdir(), 'sandbox-test-'));
  const sandbox = useSandbox({ storage, maxUploadBytes: 1_000_000 });
  after(() => rm(storage, { recursive: true }));

  const speak = async (fields: object = {}) => {
    const request = { model: 'sandbox-1', input: 'Hello there.', voice: 'alloy', response_format: 'wav', ...fields };
    return post(sandbox(), path, request);
  };
  const wavOf = async (fields: object = {}) => {
    const answer = await speak(fields);
    assert.equal(answer.status, 200, answer.body.toString());
    return answer.body;
  };
  const upload = async (form: FormData, operation: 'transcribe' | 'translate' = 'transcribe') => {
    const request = new Request('http://127.0.0.1', { method: 'POST', body: form });
    return send(`${sandbox().audioBaseUrl}${operations[operation].path}`, {
      headers: { authorization: sandbox().key, 'content-type': request.headers.get('content-type') ?? '' },
      body: new Uint8Array(await request.arrayBuffer()),
    });
  };

  const uploads = async () => {
    const [folder = ''] = await readdir(storage);
    return readdir(join(storage, folder));
  };

  it('makes a WAV of 24 kHz whose length is what its header says', async () => {
    const answer = await speak();
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

  it('starts and ends every tone softly and is neither silent nor too loud', async () => {
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

  it('speaks long words longer, and every voice in its own pitch', async () => {
    const [short, long] = [await wavOf({ input: 'cat' }), await wavOf({ input: 'caterpillar' })];
    assert(long.length > short.length * 1.5);
    const voices = operations.speak.fields[2].options;
    const spokenBy = await Promise.all(voices.map((voice) => wavOf({ voice })));
    assert.equal(new Set(spokenBy.map((wav) => wav.toString('latin1'))).size, voices.length);
    assert.deepEqual(spokenBy[0], await wavOf());
  });

  it('recovers the text of its own speech, with the times of its sentences', async () => {
    const wav = await wavOf({ input: spoken });
    for (const operation of ['transcribe', 'translate'] as const) {
      const transcript = jsonOf<Transcript>(await upload(formOf(wav, 'kůň.wav'), operation));
      assert.equal(transcript.text, spoken);
      assert.equal(transcript.language, operation === 'translate' ? 'english' : 'unknown');
      assert(Math.abs((transcript.duration ?? 0) - samplesOf(wav).length / 24_000) < 0.001);
      assert(transcript.segments.length >= 4);
      let end = 0;
      for (const [index, segment] of transcript.segments.entries()) {
        assert.deepEqual([segment.id, segment.start], [index, end]);
        assert(segment.end > segment.start);
        end = segment.end;
      }
      assert.equal(end, transcript.duration);
      const words = transcript.segments.map((segment) => segment.text).join(' ');
      assert.equal(words.replace(/\s/g, ''), spoken.replace(/\s/g, ''));
    }
  });

  it('speaks 32,000 characters and a text without words', async () => {
    const answer = await speak({ input: 'word '.repeat(6400) });
    assert.equal(answer.status, 200);
    assert.equal(Number(answer.headers['content-length']), answer.body.length);
    const quiet = jsonOf<Transcript>(await upload(formOf(await wavOf({ input: '…' }), 'a.wav')));
    assert.equal(quiet.text, '…');
    assert.equal(quiet.segments.length, 1);
  });

  it('says of another recording what it is', async () => {
    const wav = await wavOf();
    wav.write('Another program!!', wav.indexOf('Unified Media sandbox'), 'latin1');
    const transcript = jsonOf<Transcript>(await upload(formOf(wav, 'talk.WAV')));
    assert.match(
      transcript.text,
      /^This is the sandbox: it does not listen\. It got the recording talk\.WAV: WAV, [\d,]+ bytes, 1\.1 seconds, 1 channel, 24,000 Hz\.$/,
    );
    assert.equal(transcript.language, 'english');
    assert.equal(transcript.segments.at(-1)?.end, transcript.duration);
    for (const [name, head, format] of recordings) {
      const answer = jsonOf<Transcript>(await upload(formOf(Buffer.concat([head, Buffer.alloc(2000)]), name)));
      assert(answer.text.includes(`${name}: ${format}, `), answer.text);
      assert.deepEqual([answer.duration, answer.segments], [null, []]);
    }
  });

  const wrongSpeech: readonly (readonly [object, string, RegExp])[] = [
    [{ response_format: 'mp3' }, 'response_format', /it makes wav\.$/],
    [{ response_format: undefined }, 'response_format', /it makes wav\.$/],
    [{ response_format: 7 }, 'response_format', /must be/],
    [{ voice: 'hal' }, 'voice', /alloy, ash/],
    [{ input: '' }, 'input', /missing/],
    [{ input: 'x'.repeat(32_001) }, 'input', /32000/],
    [{ speed: 2 }, 'speed', /no field/],
  ];
  for (const [fields, param, sentence] of wrongSpeech) {
    it(`refuses speech with ${JSON.stringify(fields).slice(0, 40)}`, async () => {
      assertRefused(await speak(fields), 400, param, sentence);
    });
  }

  it('refuses a form with the wrong parts, naming them', async () => {
    const wav = await wavOf();
    const without = new FormData();
    without.append('file', new Blob([wav]), 'a.wav');
    assertRefused(await upload(without), 400, 'model', /missing/);
    const noFile = new FormData();
    noFile.append('model', 'm');
    assertRefused(await upload(noFile), 400, 'file', /missing/);
    assertRefused(await upload(new FormData()), 400, 'model');
    const extra = formOf(wav, 'a.wav');
    extra.append('language', 'cs');
    assertRefused(await upload(extra), 400, 'language', /no field "language"/);
    const twice = formOf(wav, 'a.wav');
    twice.append('file', new Blob([wav]), 'b.wav');
    assertRefused(await upload(twice), 400, 'file', /twice/);
    const twoModels = formOf(wav, 'a.wav');
    twoModels.append('model', 'n');
    assertRefused(await upload(twoModels), 400, 'model', /twice/);
    const text = new FormData();
    text.append('model', 'm');
    text.append('file', 'a.wav');
    assertRefused(await upload(text), 400, 'file', /the file itself/);
    const wrongName = new FormData();
    wrongName.append('model', 'm');
    wrongName.append('audio', new Blob([wav]), 'a.wav');
    assertRefused(await upload(wrongName), 400, 'audio');
  });

  it('refuses what is no recording, by name or by bytes', async () => {
    assertRefused(await upload(formOf(await wavOf(), 'a.txt')), 400, 'file', /flac, mp3/);
    for (const bytes of [Buffer.from('just text'), Buffer.alloc(0), Buffer.from('RIFF0000WAVE')]) {
      assertRefused(await upload(formOf(bytes, 'a.wav')), 400, 'file', /no recording/);
    }
  });

  it('refuses broken forms', async () => {
    const url = `${sandbox().audioBaseUrl}${operations.transcribe.path}`;
    const type = 'multipart/form-data; boundary=b';
    const bodies: readonly (readonly [string, string | Buffer, number, string | null])[] = [
      [type, '', 400, null],
      [type, 'rubbish', 400, null],
      [type, '--b--\r\n--b\r\n', 400, 'model'],
      [type, '--b\r\n\r\nno header\r\n--b--', 400, null],
      [type, '--b\r\ncontent-disposition: form-data; name="model"\r\n\r\nm', 400, null],
      [type, '--b\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\nRIFF', 400, null],
      [
        type,
        Buffer.from('--b\r\ncontent-disposition: form-data; name="model"\r\n\r\n\xff\xfe\r\n--b--\r\n', 'latin1'),
        400,
        'model',
      ],
      [type, `${Array.from({ length: 50 }, (_, index) => part(`x${index}`)).join('')}--b--\r\n`, 400, null],
      ['multipart/form-data', '--b--', 400, null],
      ['application/json', '{}', 415, null],
      ['', '', 415, null],
    ];
    for (const [contentType, body, status, param] of bodies) {
      const headers = { authorization: sandbox().key, 'content-type': contentType };
      assertRefused(await send(url, { headers, body }), status, param);
    }
  });

  it('refuses an upload over the limit, declared or not', async () => {
    const large = formOf(Buffer.alloc(1_100_000, 'RIFF'), 'a.wav');
    assertRefused(await upload(large), 413);
    const request = new Request('http://127.0.0.1', { method: 'POST', body: large });
    const answer = await send(`${sandbox().audioBaseUrl}${operations.transcribe.path}`, {
      headers: {
        authorization: sandbox().key,
        'content-type': request.headers.get('content-type') ?? '',
        'transfer-encoding': 'chunked',
      },
      body: new Uint8Array(await request.arrayBuffer()),
    });
    assertRefused(answer, 413);
  });

  it('drops a half upload when the client leaves', async () => {
    const leaving = request(`${sandbox().audioBaseUrl}${operations.transcribe.path}`, {
      method: 'POST',
      headers: { authorization: sandbox().key, 'content-type': 'multipart/form-data; boundary=b' },
    });
    const closed = new Promise((resolve) => leaving.once('error', resolve));
    leaving.write('--b\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\nRIFF');
    while ((await uploads()).length === 0) await new Promise(setImmediate);
    leaving.destroy(new Error('gone'));
    await closed;
    while ((await uploads()).length > 0) await new Promise(setImmediate);
  });

  it('keeps no upload, and no half answer when the client leaves', async () => {
    const leaving = new AbortController();
    const { audioBaseUrl, key } = sandbox();
    const answer = await fetch(`${audioBaseUrl}${path}`, {
      method: 'POST',
      headers: { authorization: key, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', input: 'word '.repeat(6000), voice: 'alloy', response_format: 'wav' }),
      signal: leaving.signal,
    });
    leaving.abort();
    await assert.rejects(answer.arrayBuffer());
    assert.equal((await wavOf()).toString('latin1', 0, 4), 'RIFF');
    assert.deepEqual(await uploads(), []);
  });
});

const recordings: readonly (readonly [string, Buffer, string])[] = [
  ['a.flac', Buffer.from('fLaC'), 'FLAC'],
  ['a.mp3', Buffer.from('ID3'), 'MP3'],
  ['a.mpga', Buffer.from([0xff, 0xfb, 0x90, 0x00]), 'MP3'],
  ['a.mp4', Buffer.from('\0\0\0\x20ftypisom', 'latin1'), 'MP4'],
  ['a.m4a', Buffer.from('\0\0\0\x20ftypM4A ', 'latin1'), 'MP4 audio'],
  ['a.mpeg', Buffer.from([0, 0, 1, 0xba]), 'MPEG'],
  ['a.ogg', Buffer.from('OggS'), 'Ogg'],
  ['a.webm', Buffer.from([0x1a, 0x45, 0xdf, 0xa3]), 'WebM'],
];

function formOf(file: Uint8Array, name: string): FormData {
  const form = new FormData();
  form.append('model', 'sandbox-1');
  form.append('file', new Blob([Uint8Array.from(file)]), name);
  return form;
}

function samplesOf(wav: Buffer): Int16Array {
  const start = wav.indexOf('data') + 8;
  return Int16Array.from({ length: (wav.length - start) / 2 }, (_, index) => wav.readInt16LE(start + index * 2));
}

function part(name: string): string {
  return `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n1\r\n`;
}
