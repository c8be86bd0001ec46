import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { MediaError, type MediaErrorKind } from '../../../src/operations/MediaError.ts';
import type { OperationId } from '../../../src/operations/operations.ts';
import type { Answer, Media, RawAnswer } from '../../../src/service/Answer.ts';
import { errorFromAnswer } from '../../../src/service/errors.ts';
import { readAnswer } from '../../../src/service/readAnswer.ts';
import { mp3Bytes, mp4Bytes, pngBytes, wavBytes } from '../../support/mediaBytes.ts';
import { rawOf } from '../../support/rawOf.ts';

const png = pngBytes.toString('base64');
const mp4 = mp4Bytes.toString('base64');
const mp3 = mp3Bytes.toString('base64');
const url = 'https://storage.example/x?sig=a%2Bb';

/** Every known shape of an image answer, and the media in it. */
const imageAnswers: readonly (readonly [string, unknown, readonly string[]])[] = [
  ['OpenAI, both kinds of item', { created: 1, data: [{ url }, { b64_json: png }] }, [url, 'png']],
  [
    'gpt-image',
    { created: 0, data: [{ b64_json: png, revised_prompt: 'a' }], output_format: 'png', usage: { total_tokens: 0 } },
    ['png'],
  ],
  ['a data URL inside b64_json', { data: [{ b64_json: `data:image/png;base64,${png}` }] }, ['png']],
  ['a data URL without its scheme', { data: [{ b64_json: `image/png;base64,${png}` }] }, ['png']],
  ['a bare data URL without its scheme', { images: [`image/png;base64,${png}`] }, ['png']],
  ['a plain URL inside b64_json', { data: [{ b64_json: url }] }, [url]],
  ['ImageRouter', { created: 1769286389027, data: [{ url }], latency: 6942, cost: 0.004 }, [url]],
  ['SiliconFlow', { images: [{ url }], timings: { inference: 0.1 }, seed: 0 }, [url]],
  [
    'OpenRouter',
    { choices: [{ message: { images: [{ image_url: { url: `data:image/png;base64,${png}` } }] } }] },
    ['png'],
  ],
  ['GPTProto, done', { data: { id: 'x', outputs: [url, url], status: 'completed' }, code: 200 }, [url, url]],
  ['an item with URL and data', { data: [{ url, b64_json: png }] }, ['png']],
  ['null beside the other', { data: [{ url: null, b64_json: png }] }, ['png']],
  ['bare strings', { output: [url] }, [url]],
  ['bare base64', { images: [png] }, ['png']],
  ['an array at the top', [{ url }], [url]],
  ['an address without a scheme', { data: [{ url: '//cdn.example/x.png' }] }, ['//cdn.example/x.png']],
  [
    'an address with spaces',
    { data: [{ url: ` https://cdn.example/a fox.png\n` }] },
    ['https://cdn.example/a%20fox.png'],
  ],
  ['a path on the host', { data: [{ url: '/files/x.png' }] }, ['/files/x.png']],
  ['base64 with line breaks', { data: [{ b64_json: png.replace(/(.{20})/g, '$1\n') }] }, ['png']],
  ['base64 that starts with a slash', { data: [{ b64_json: '/9j/4AAQSkZJRgABAQAAAQABAAD/' }] }, ['jpg']],
  ['one damaged among good ones', { data: [{ b64_json: png }, { b64_json: '####' }, { url }] }, ['png', url]],
  ['omitted data beside its URL', { data: [{ b64_json: '<omitted>', url }] }, [url]],
  ['the input echoed beside the result', { image: 'https://a.example/input.png', data: [{ url }] }, [url]],
  ['an unknown status', { status: 'generated!', data: [{ url }] }, [url]],
  ['an old progress', { status: 'success', progress: 0, data: [{ url }] }, [url]],
  ['a running word that belongs to no job', { status: 'created', data: [{ b64_json: png }] }, ['png']],
  ['bare base64 that starts with a slash', { images: ['/9j/4AAQSkZJRgABAQAAAQABAAD/'] }, ['jpg']],
];

const videoAnswers: readonly (readonly [string, unknown, readonly string[], string | undefined])[] = [
  [
    'Bifrost',
    {
      id: 'v1',
      status: 'completed',
      videos: [{ type: 'url', url, base64: null, content_type: 'video/mp4' }],
      content_filter: { filtered_count: 0, reasons: [] },
    },
    [url],
    'v1',
  ],
  ['Bifrost, base64', { id: 'v1', status: 'completed', videos: [{ type: 'base64', base64: mp4 }] }, ['mp4'], 'v1'],
  ['xAI', { status: 'done', video: { url, duration: 5, respect_moderation: true }, model: 'm' }, [url], undefined],
  ['ImageRouter', { created: 1, data: [{ url, video_id: 'v2', id: 'other' }], cost: 0.1 }, [url], 'v2'],
  [
    'New API',
    { task_id: 'abcd', status: 'completed', url, metadata: { duration: 5 }, error: { code: 0, message: '' } },
    [url],
    'abcd',
  ],
  ['aigateway', { id: 'job_1', status: 'completed', result: { url, duration: 5 } }, [url], 'job_1'],
  ['output.data', { status: 'completed', output: { data: [{ url }] } }, [url], undefined],
  ['NanoGPT', { requestId: 'r', status: 'COMPLETED', videoUrl: url }, [url], 'r'],
  ['NanoGPT, wrapped', { data: { id: 'v9', status: 'done', videoUrl: url } }, [url], 'v9'],
  ['SiliconFlow', { status: 'Succeed', reason: '', results: { videos: [{ url }] } }, [url], undefined],
  ['OpenRouter', { id: 'j', status: 'completed', unsigned_urls: [url], usage: { cost: 0.5 } }, [url], 'j'],
  ['the old video echoed', { video: { url: 'https://a.example/old.mp4' }, data: [{ url, id: 'n' }] }, [url], 'n'],
  ['video_id preferred to id', { id: 'a', video_id: 'b', url }, [url], 'b'],
  ['id preferred to all others', { task_id: 't', data: { id: 'a', url } }, [url], 'a'],
  ['request_id', { request_id: 'q', url }, [url], 'q'],
  ['job_id in data', { data: { job_id: 'j', url } }, [url], 'j'],
  ['generation_id in the first item', { data: [{ generation_id: 'g', url }] }, [url], 'g'],
  [
    'task_id in result, preferred to the id of the HTTP request',
    { request_id: 'q', result: { task_id: 't', url } },
    [url],
    't',
  ],
  ['id in video', { status: 'done', video: { id: 'v', url } }, [url], 'v'],
  ['DashScope', { request_id: 'q', output: { task_id: 't', task_status: 'SUCCEEDED', video_url: url } }, [url], 't'],
  ['Replicate', { id: 'r', status: 'succeeded', output: url, urls: { get: 'https://a.example/r' } }, [url], 'r'],
  ['done, wrapped', { status: 'success', data: { id: 'w', status: 'done', url } }, [url], 'w'],
  [
    'one moderated among good ones',
    { data: [{ url: 'https://a.example/no', respect_moderation: false }, { url }] },
    [url],
    undefined,
  ],
];

const jobAnswers: readonly (readonly [string, OperationId, unknown, Partial<Record<string, unknown>>])[] = [
  [
    'OpenAI video',
    'generateVideo',
    { id: 'video_123', object: 'video', status: 'queued', progress: 0, error: null, remixed_from_video_id: null },
    { id: 'video_123', status: 'queued', progress: 0, state: 'running' },
  ],
  [
    'OpenAI video, done',
    'generateVideo',
    { id: 'video_123', object: 'video', status: 'completed', progress: 100, error: null },
    { id: 'video_123', state: 'done' },
  ],
  ['xAI video', 'generateVideo', { request_id: 'a3d1' }, { id: 'a3d1' }],
  [
    'Evolink',
    'animateImage',
    {
      id: 'task-1',
      status: 'pending',
      progress: 0,
      task_info: { estimated_time: 300 },
      usage: { credits_reserved: 7 },
    },
    { id: 'task-1', usage: { usage: { credits_reserved: 7 } } },
  ],
  [
    'OpenRouter',
    'generateVideo',
    { id: 'job-1', polling_url: '/api/v1/videos/job-1', status: 'pending' },
    { statusUrl: 'https://a.example/api/v1/videos/job-1' },
  ],
  ...[
    'https://elsewhere.example/j',
    'http://a.example/j',
    'https://a.example:8443/j',
    '//elsewhere.example/j',
    'file:///j',
  ].map(
    (status_url) =>
      [
        `a status URL on another origin: ${status_url}`,
        'speak',
        { id: 'j', status_url },
        { statusUrl: undefined },
      ] as const,
  ),
  [
    'Replicate',
    'generateImage',
    {
      id: 'r1',
      status: 'starting',
      input: { prompt: 'a fox', image: url },
      output: null,
      error: null,
      urls: { get: 'https://a.example/v1/predictions/r1', cancel: 'https://a.example/v1/predictions/r1/cancel' },
    },
    { id: 'r1', status: 'starting', state: 'running', statusUrl: 'https://a.example/v1/predictions/r1' },
  ],
  [
    'fal',
    'speak',
    {
      status: 'IN_QUEUE',
      request_id: 'f1',
      response_url: 'https://a.example/requests/f1',
      status_url: 'https://a.example/requests/f1/status',
    },
    {
      id: 'f1',
      state: 'running',
      statusUrl: 'https://a.example/requests/f1/status',
      resultUrl: 'https://a.example/requests/f1',
    },
  ],
  [
    'fal, done',
    'generateImage',
    { status: 'COMPLETED', request_id: 'f1', response_url: 'https://a.example/requests/f1' },
    { id: 'f1', state: 'done', statusUrl: 'https://a.example/requests/f1', resultUrl: 'https://a.example/requests/f1' },
  ],
  [
    'DashScope',
    'generateImage',
    { request_id: 'q', output: { task_id: 't1', task_status: 'PENDING' } },
    { id: 't1', status: 'PENDING', state: 'running', statusUrl: undefined },
  ],
  [
    'running work in a wrapper that says success',
    'generateVideo',
    { status: 'success', data: { status: 'processing', task_id: 't2', url } },
    { id: 't2', status: 'processing', state: 'running' },
  ],
  [
    'a task that was accepted with success',
    'generateImage',
    { code: 200, status: 'success', data: [{ task_id: 't3' }] },
    { id: 't3', state: 'running' },
  ],
  [
    'an unknown status without media',
    'generateVideo',
    { id: 'u', status: 'marinated', video: null },
    { id: 'u', status: 'marinated', state: 'running' },
  ],
  ['a code beside running work', 'generateVideo', { id: 'c', code: 1001, status: 'queued' }, { id: 'c' }],
  [
    'a 64-bit id',
    'generateVideo',
    // JSON.stringify would round the number.
    '{"id":9223372036854775807,"status":"queued","progress":12}',
    { id: '9223372036854775807', progress: 12 },
  ],
  ['yutoai', 'editImage', { task_id: '3dad' }, { id: '3dad', status: undefined }],
  [
    'GPTProto',
    'generateImage',
    {
      data: { id: 'g', outputs: [], urls: { get: 'https://a.example/result' }, status: 'processing' },
      message: 'success',
      code: 200,
    },
    { id: 'g', status: 'processing', statusUrl: 'https://a.example/result' },
  ],
  [
    'progress in an ok envelope',
    'generateVideo',
    { id: 'p', status: 'ok', progress: 30 },
    { progress: 30, state: 'unclear' },
  ],
  [
    'progress as text in a success envelope',
    'generateImage',
    { id: 'p', status: 'success', data: { progress: '30%' } },
    { progress: 30, state: 'unclear' },
  ],
  [
    'a completed video with an old progress',
    'generateVideo',
    { id: 'p', status: 'completed', progress: 30 },
    { state: 'done' },
  ],
  ['the first percent of an image', 'generateImage', { id: 'p', status: 'success', progress: 1 }, { state: 'unclear' }],
  ['success with full progress', 'generateVideo', { id: 'p', status: 'success', progress: 100 }, { state: 'done' }],
  ['success with a full share', 'generateVideo', { id: 'p', status: 'success', progress: 1 }, { state: 'done' }],
  ['a preview while it generates', 'generateVideo', { id: 'p', status: 'generating', url }, { id: 'p' }],
  ['a preview while it runs', 'generateVideo', { id: 'p', status: 'in_progress', url }, { id: 'p' }],
  [
    'a queued recording',
    'transcribe',
    { id: 'r', status: 'queued', status_url: '/jobs/r' },
    { id: 'r', state: 'running', statusUrl: 'https://a.example/jobs/r' },
  ],
  [
    'a recording with the beginning of its text',
    'translate',
    { id: 'r', status: 'running', text: 'Hel', status_url: '/jobs/r' },
    { id: 'r', state: 'running' },
  ],
  ['a recording of no known state', 'transcribe', { id: 'r', status_url: '/jobs/r' }, { id: 'r' }],
  ['the input echoed', 'animateImage', { id: 'e', status: 'created', image_url: url }, { id: 'e' }],
];

const speechAnswers: readonly (readonly [string, unknown, string])[] = [
  [
    'MiniMax, hexadecimal',
    { data: { audio: mp3Bytes.toString('hex'), status: 2 }, base_resp: { status_code: 0 } },
    'mp3',
  ],
  ['MiniMax, URL', { data: { audio: url, status: 2 }, extra_info: { audio_length: 9252 } }, url],
  ['fal', { audio: { url }, duration_ms: 1 }, url],
  ['url', { url }, url],
  ['audio_url', { audio_url: url }, url],
  ['b64_json', { b64_json: mp3 }, 'mp3'],
  ['audio as base64', { audio: mp3 }, 'mp3'],
];

const segments = [{ id: 0, start: 0, end: 1.5, text: ' Good morning.', avg_logprob: -0.1, no_speech_prob: 0 }];
const transcriptAnswers: readonly (readonly [string, string, string, Partial<Record<string, unknown>>])[] = [
  ['a running word that belongs to no job', 'application/json', '{"status":"created","text":"Hi."}', { text: 'Hi.' }],
  [
    'an answer that names a job but not where to ask for it',
    'application/json',
    '{"id":"t1","status":"created","text":"The whole words."}',
    { text: 'The whole words.', failure: 'The service reported that it was still working.' },
  ],
  ['JSON', 'application/json', '{"text":"Good morning."}', { text: 'Good morning.', segments: [] }],
  ['plain text', 'text/plain', 'Good morning.\n', { text: 'Good morning.', subtitles: undefined }],
  ['plain text that is a number', 'text/plain', '1984', { text: '1984' }],
  ['plain text that is a JSON literal', 'text/plain', 'true', { text: 'true' }],
  ['plain text that looks like JSON', 'text/plain', '[applause] Good morning.', { text: '[applause] Good morning.' }],
  ['plain text with a noise', 'text/plain', '<noise> Good morning.', { text: '<noise> Good morning.' }],
  ['plain text in italics', 'text/plain', '<i>Good morning.</i>', { text: '<i>Good morning.</i>' }],
  ['plain text about data', 'text/plain', 'data: good morning', { text: 'data: good morning' }],
  ...[
    ['plain text in a tag', 'text/plain', '<transcript>Good morning.</transcript>'],
    ['plain text in tags of speakers', 'text/plain', '<speaker1>Hi.</speaker1>\n<speaker2>Hello.</speaker2>'],
    ['plain text that begins with a tag', '', '<laugh>Ha ha</laugh> and then we went. <cough></cough>'],
    ['plain text about data and a noise', 'text/plain', 'data: [applause] that is what we need'],
    ['events', 'text/plain', 'data: {"type":"transcript.text.done","text":"Good morning."}\n\n'],
    ['events', '', ': ping\n\nevent: done\nid: 1\ndata: {"text":"Good morning."}\n\ndata: [DONE]\n\n'],
    ['plain text sent as events', 'text/event-stream', 'Good morning.'],
    ['plain text sent as a web page', 'text/html', 'Good morning.'],
  ].map(
    ([name = '', type = '', body = '']) =>
      [name, type, body, { text: name === 'events' ? 'Good morning.' : body }] as const,
  ),
  ['plain text with dashes', 'text/plain', '--Good\nmorning.', { text: '--Good\nmorning.' }],
  ['plain text that may be an error', 'text/plain', 'Internal Server Error', { text: 'Internal Server Error' }],
  ['a JSON string', 'application/json', '"Good morning."', { text: 'Good morning.' }],
  ['a JSON string with a noise', 'application/json', '"[Music] Good morning."', { text: '[Music] Good morning.' }],
  ['a JSON string of a noise', 'application/json', '"[Music]"', { text: '[Music]' }],
  ['words sent as JSON', 'application/json', '[Music] Good morning.', { text: '[Music] Good morning.' }],
  ['SubRip', 'text/plain', '1\n00:00:00,000 --> 00:00:01,500\nGood morning.\n', { subtitles: 'srt' }],
  ['WebVTT', 'text/vtt', 'WEBVTT\n\n00:00.000 --> 00:01.500\nGood morning.\n', { subtitles: 'vtt' }],
  [
    'subtitles in JSON',
    'application/json',
    JSON.stringify({ text: 'WEBVTT\n\n00:00.000 --> 00:01.000\nHi' }),
    { subtitles: 'vtt' },
  ],
  [
    'verbose JSON',
    'application/json',
    JSON.stringify({ text: 'Good morning.', language: 'english', duration: 1.5, segments, words: [] }),
    {
      text: 'Good morning.',
      language: 'english',
      duration: 1.5,
      segments: [{ start: 0, end: 1.5, text: ' Good morning.' }],
    },
  ],
  [
    'words beside the segments',
    'application/json',
    JSON.stringify({
      text: 'Good morning.',
      segments,
      words: [{ word: 'Good', start: 0, end: 0.5 }, { word: 'x' }, 7],
    }),
    { words: [{ text: 'Good', start: 0, end: 0.5 }] },
  ],
  [
    'words in the segments',
    'application/json',
    JSON.stringify({
      text: 'Hi.',
      segments: [{ start: 0, end: 1, text: 'Hi.', words: [{ word: ' Hi.', start: 0.1, end: 0.9 }] }],
    }),
    { words: [{ text: ' Hi.', start: 0.1, end: 0.9 }] },
  ],
  [
    'words alone',
    'application/json',
    JSON.stringify({
      words: [
        { word: 'Good', start: 0, end: 0.5 },
        { word: 'day', start: 1, end: 2 },
      ],
    }),
    { text: 'Good day', segments: [] },
  ],
  [
    'speakers without a text',
    'application/json',
    JSON.stringify({
      segments: [
        { start: 0, end: 1, text: 'Hi.', speaker: 'A' },
        { start: 1, end: 2, text: 'Hello.' },
      ],
    }),
    { text: 'Hi. Hello.' },
  ],
  [
    'usage by duration',
    'application/json',
    JSON.stringify({ text: 'Hi', usage: { type: 'duration', seconds: 7 } }),
    { duration: 7, usage: { usage: { type: 'duration', seconds: 7 } } },
  ],
];

/** Segments and words as services time them, which last from 0 to 1.5 seconds. */
const timed: Readonly<Record<string, object>> = {
  'numbers as text': { segments: [{ start: '0.0', end: '1.5', text: 'Hi.' }] },
  start_time: { segments: [{ start_time: 0, end_time: 1.5, text: 'Hi.' }] },
  timestamp: { chunks: [{ timestamp: [0, 1.5], text: 'Hi.' }] },
  'milliseconds beside the duration': { duration: 1.6, segments: [{ start: 0, end: 1500, text: 'Hi.' }] },
  'milliseconds beside the usage': { usage: { seconds: 2 }, segments: [{ start: 0, end: 1500, text: 'Hi.' }] },
  'seconds beside a duration that is too short': { duration: 1, segments: [{ start: 0, end: 1.5, text: 'Hi.' }] },
  'seconds beside no duration': { duration: 0, segments: [{ start: 0, end: 1.5, text: 'Hi.' }] },
};
for (const [name, value] of Object.entries(timed)) {
  it(`reads the times of a transcript: ${name}`, async () => {
    const answer = await readAnswer('transcribe', json({ text: 'Hi.', ...value }));
    assertHolds(answer, { type: 'transcript', segments: [{ start: 0, end: 1.5, text: 'Hi.' }] });
  });
}

it('names the further addresses of an item, if the one that is taken turns out to be something else', async () => {
  const [page, file, other] = ['https://a.example/share', 'https://a.example/file', 'https://b.example/x'];
  for (const [item, expected] of [
    [
      { url: page, video_url: file },
      { url: file, others: [page] },
    ],
    [
      { video_url: file, link: other, cover_url: page },
      { url: file, others: [other] },
    ],
    [{ video_url: file }, { url: file }],
  ] as const) {
    const answer = await readAnswer('generateVideo', json({ data: [item] }));
    assert.deepEqual('media' in answer ? answer.media : undefined, [expected]);
  }
});

it('finds the unit of times by the length of the recording that was sent, or leaves them out', async () => {
  const read = (seconds: number | undefined, end: number, facts = {}) =>
    readAnswer(
      'transcribe',
      json({ ...facts, segments: [{ start: 0, end, text: 'Hi.' }], words: [{ word: 'Hi.', start: 0, end }] }),
      [],
      undefined,
      { seconds },
    );
  for (const [end, facts] of [
    [9.5, {}],
    [9500, {}],
    [9_500_000, {}],
    [9_500_000_000, {}],
    [9_500_000_000, { duration: 10_000_000_000 }],
    [9500, { duration: 0 }],
  ] as const) {
    assertHolds(await read(10, end, facts), {
      text: 'Hi.',
      segments: [{ start: 0, end: 9.5, text: 'Hi.' }],
      words: [{ start: 0, end: 9.5, text: 'Hi.' }],
      duration: 10,
      notices: undefined,
    });
  }
  assertHolds(await read(undefined, 9_500_000_000, { duration: 9.6 }), {
    segments: [{ start: 0, end: 9.5, text: 'Hi.' }],
  });
  const notices = ['The times that the service sent do not fit the recording, so they are left out.'];
  for (const [seconds, end] of [
    [10, 9.5e12],
    [undefined, 9.5e9],
  ] as const) {
    assertHolds(await read(seconds, end), { text: 'Hi.', segments: [], words: undefined, notices });
  }
});

it('reads speakers under whatever name or number', async () => {
  const speakers = async (...facts: readonly object[]) => {
    const list = facts.map((fact, index) => ({ start: index, end: index + 1, text: 'Hi.', ...fact }));
    const answer = await readAnswer('transcribe', json({ segments: list }));
    return 'segments' in answer ? answer.segments.map(({ speaker }) => speaker) : undefined;
  };
  for (const name of ['speaker', 'speaker_id', 'speakerId', 'speaker_label', 'speakerTag', 'speaker_name']) {
    assert.deepEqual(await speakers({ [name]: 'speaker_1' }, { [name]: 0 }), ['speaker_1', 'Speaker 0'], name);
  }
  assert.deepEqual(await speakers({ speaker: { id: 2 } }, { speaker: { id: 3, name: 'Ada' } }), ['Speaker 2', 'Ada']);
  assert.deepEqual(await speakers({ speaker: null, speaker_id: 'B' }, {}), ['B', undefined]);
  assert.deepEqual(await speakers({ words: [{ word: 'Hi.', speaker_id: 'C' }] }), ['C']);
  assert.deepEqual(await speakers({ channel: 0 }, { channel: 1 }), ['Channel 0', 'Channel 1']);
  assert.deepEqual(await speakers({ channel: 0 }, { channel: 0 }), [undefined, undefined], 'a single channel');
});

it('tells milliseconds from seconds also when the speech ends long before the recording', async () => {
  const ends = async (duration: unknown, end: number) => {
    const answer = await readAnswer(
      'transcribe',
      json({ text: 'Hi.', duration, segments: [{ start: 0, end, text: 'Hi.' }] }),
    );
    return 'segments' in answer ? answer.segments[0]?.end : undefined;
  };
  assert.equal(await ends(600, 40_000), 40);
  assert.equal(await ends('600.0', 40_000), 40);
  assert.equal(await ends(600, 640), 640, 'a duration that is rounded down');
  assert.equal(await ends(1, 300_000), 300_000, 'a duration that is none');
});

it('reads the times of a last chunk that has no end', async () => {
  const ends = async (facts: object, ...starts: readonly number[]) => {
    const chunks = starts.map((start) => ({ timestamp: [start, null], text: ' Two words.' }));
    const answer = await readAnswer('transcribe', json({ text: 'Hi.', ...facts, chunks }));
    return 'segments' in answer ? answer.segments.map(({ end }) => end) : undefined;
  };
  assert.deepEqual(await ends({}, 0, 2.5), [2.5, 2.5]);
  assert.deepEqual(await ends({ duration: 4 }, 0, 2.5), [2.5, 4]);
  assert.deepEqual(await ends({ duration: 2 }, 0, 2.5), [2.5, 2.5]);
});

it('reads chunks of single words as words, not those of a language without spaces', async () => {
  const timed = (...texts: readonly string[]) => ({
    text: texts.join('').trim(),
    words: [],
    chunks: texts.map((text, index) => ({ timestamp: [index, index + 1], text })),
  });
  const counts = async (value: object) => {
    const answer = await readAnswer('transcribe', json(value));
    return 'segments' in answer ? [answer.segments.length, answer.words?.length ?? 0] : undefined;
  };
  assert.deepEqual(await counts(timed(' Good', ' morning,', ' all.')), [0, 3]);
  assert.deepEqual(await counts(timed(' Good morning.', ' Bye.')), [2, 0]);
  assert.deepEqual(await counts(timed('早上好。', '再见。')), [2, 0]);
});

it('reads the times of words in milliseconds', async () => {
  const words = [{ word: 'Hi', start: 0, end: 1500 }];
  const answer = await readAnswer('transcribe', json({ text: 'Hi.', duration: 1.5, words }));
  assertHolds(answer, { type: 'transcript', words: [{ text: 'Hi', start: 0, end: 1.5 }] });
});

/** 2xx answers without media: error kind and a part of its message. */
const badAnswers: readonly (readonly [string, OperationId, string, string, MediaErrorKind, RegExp])[] = [
  ['nothing', 'generateImage', '', '', 'noMedia', /the answer is empty/],
  [
    'an error whose message has a path',
    'generateImage',
    'application/json',
    '{"success":false,"code":404,"message":"/v1/images: model not found"}',
    'notFound',
    /model not found/,
  ],
  [
    'a failure beside a URL',
    'generateVideo',
    'application/json',
    '{"id":"v","status":"failed","error":{"message":"no GPU"},"url":"https://a.example/status"}',
    'server',
    /no GPU/,
  ],
  [
    'a finished job without a result',
    'generateImage',
    'application/json',
    '{"id":"x","status":"completed","data":[]}',
    'noMedia',
    /contains none/,
  ],
  [
    'a refusal by a chat model',
    'generateImage',
    'application/json',
    '{"id":"x","choices":[{"message":{"content":"I cannot draw that."}}]}',
    'noMedia',
    /I cannot draw that/,
  ],
  [
    'deep JSON',
    'generateImage',
    'application/json',
    `{"data":${'['.repeat(9999)}${']'.repeat(9999)}}`,
    'noMedia',
    /none/,
  ],
  ['an empty list', 'generateImage', 'application/json', '{"created":1,"data":[]}', 'noMedia', /contains none/],
  ['null', 'generateImage', 'application/json', 'null', 'unreadableAnswer', /null/],
  [
    'what could not be decoded',
    'generateImage',
    'application/json',
    '\x28\xb5\x2f\xfd\x20\x07',
    'unreadableAnswer',
    /compressed with Zstandard/,
  ],
  [
    'truncated JSON',
    'generateImage',
    'application/json',
    '{"data":[{"url":"https://',
    'unreadableAnswer',
    /cannot be read/,
  ],
  [
    'truncated JSON of a transcript',
    'transcribe',
    'application/json',
    '{"text":"Goo',
    'unreadableAnswer',
    /did not send a transcript/,
  ],
  ['a web page', 'generateImage', 'text/html', '<html><title>Sign in</title><p>x', 'unreadableAnswer', /“Sign in”/],
  [
    'a web page as transcript',
    'transcribe',
    'text/html',
    '<!DOCTYPE html><p>x',
    'unreadableAnswer',
    /did not send a transcript/,
  ],
  [
    'damaged base64',
    'generateImage',
    'application/json',
    '{"data":[{"b64_json":"####"}]}',
    'unreadableAnswer',
    /b64_json/,
  ],
  [
    'a sound instead of an image',
    'generateImage',
    'image/png',
    wavBytes.toString('latin1'),
    'noMedia',
    /the answer is audio\/wav/,
  ],
  ['no speech', 'transcribe', 'application/json', '{"text":""}', 'noMedia', /no text/],
  ['blank text', 'transcribe', 'text/plain', ' \n', 'noMedia', /no text/],
  ['no segments', 'transcribe', 'application/json', '{"result":{"segments":[]}}', 'noMedia', /no text/],
  [
    'empty segments',
    'transcribe',
    'application/json',
    '{"text":"","segments":[{"start":0,"end":9,"text":" ","words":[]}],"words":null}',
    'noMedia',
    /no text/,
  ],
  ...[
    '{}',
    '{"output_text":"Hi."}',
    '{"results":{"channels":[{"alternatives":[{"transcript":"Hi."}]}]}}',
    '{"task_id":"t","status":"processing"}',
    '{"id":"t","status":"queued","text":null}',
    '{"task_id":"t","status":"processing","text":""}',
    '{"text":"","segments":[{"transcript":"Hi."}]}',
  ].map(
    (body) =>
      [
        `a transcript of unknown shape, ${body},`,
        'transcribe',
        'application/json',
        body,
        'unreadableAnswer',
        /did not send a transcript/,
      ] as const,
  ),
  ...[
    ['truncated JSON', '', '{"text":"Goo'],
    ['truncated JSON', 'text/plain', '{\n  "text": "Goo'],
    ['a truncated object', 'application/json', '{'],
    ['a truncated list', 'application/json', '["Good mor'],
    ['a truncated list of lists', 'application/json', '[["Good mor'],
    ['a list of numbers', 'application/json', '[0, 1]'],
    ['an empty list', 'application/json', '[]'],
    ['a list of segments', 'text/plain', '[{"start":0,"end":1,"text":"Hi."}] '],
    ['lines of JSON', 'application/x-ndjson', '{"text":"Hi."}\n{"text":"Hello."}\n'],
    ['events of plain text', 'text/event-stream', 'data: Hi.\n\n'],
    ['parts', 'text/plain', '--b\r\nContent-Type: application/json\r\n\r\n{"text":"Hi."}\r\n--b--'],
    ['parts', 'multipart/mixed', '--b\r\n\r\nHi.\r\n--b--'],
    ['events without words', 'text/event-stream', ': ping\n\n: ping\n\n'],
    ['the end of events', 'text/plain', 'data: [DONE]\n\n'],
    ['XML of any name', 'application/xml', '<response><message>Busy</message></response>'],
    ['XML with a namespace', '', '<Answer xmlns="https://a.example/"><Text>Busy</Text></Answer>'],
    ['an XML document', 'text/plain', '<?xml version="1.0"?><a>Busy</a>'],
    ['a part of a web page', 'text/html', '<div>Please sign in</div>'],
    ['XML', 'application/json', '<Error><Code>InternalError</Code></Error>\n'],
    ['a piece of a web page', '', '<head><title>504 Gateway Time-out</title></head><hr>'],
  ].map(
    ([name = '', type = '', body = '']) =>
      [
        `${name} as transcript (“${type}”)`,
        'transcribe',
        type,
        body,
        'unreadableAnswer',
        /did not send a transcript/,
      ] as const,
  ),
  ['a sound', 'transcribe', '', wavBytes.toString('latin1'), 'unreadableAnswer', /the answer is audio\/wav/],
  [
    'MiniMax',
    'speak',
    'application/json',
    '{"base_resp":{"status_code":1004,"status_msg":"login fail"}}',
    'unauthorized',
    /login fail/,
  ],
  ['words as sound', 'speak', 'audio/pcm', 'Too busy, try later', 'unreadableAnswer', /“Too busy, try later”/],
  ['truncated JSON as sound', 'speak', 'audio/pcm', '{"error":{"mess', 'unreadableAnswer', /cannot be read/],
  ['success: false', 'generateImage', 'application/json', '{"success":false,"message":"busy"}', 'server', /“busy”/],
  ['a code', 'generateImage', 'application/json', '{"code":20012,"message":"no","data":"string"}', 'server', /“no”/],
  [
    'an HTTP status in the body',
    'generateImage',
    'application/json',
    '{"error":{"message":"Invalid signature","type":"401"}}',
    'unauthorized',
    /Invalid signature/,
  ],
  ['an error beside a transcript', 'transcribe', 'application/json', '{"error":"bad file"}', 'server', /bad file/],
  [
    'a failed video',
    'generateVideo',
    'application/json',
    '{"id":"v","status":"Failed","reason":"out of memory"}',
    'server',
    /out of memory/,
  ],
  [
    'moderation, in words',
    'generateVideo',
    'application/json',
    '{"code":"x","error":"Generated video rejected by content moderation.","usage":{"cost_in_usd_ticks":1}}',
    'contentRefused',
    /content moderation/,
  ],
  [
    'moderation, as a flag',
    'generateVideo',
    'application/json',
    '{"status":"done","respect_moderation":false}',
    'contentRefused',
    /refused the content/,
  ],
  [
    'moderation, counted',
    'generateVideo',
    'application/json',
    '{"status":"completed","videos":[],"content_filter":{"filtered_count":1,"reasons":["violence"]}}',
    'contentRefused',
    /violence/,
  ],
  ...[
    '{"video":{"url":"https://a.example/no","respect_moderation":false}}',
    '{"data":[{"url":"","respect_moderation":false}]}',
  ].map(
    (body) =>
      [
        `moderation, as a flag inside: ${body}`,
        'generateVideo',
        'application/json',
        `{"status":"done","id":"x",${body.slice(1)}`,
        'contentRefused',
        /refused the content/,
      ] as const,
  ),
  [
    'a refusal of a chat model',
    'generateImage',
    'application/json',
    '{"choices":[{"message":{"content":"","refusal":"I may not draw that."}}]}',
    'contentRefused',
    /“I may not draw that\.”/,
  ],
  ...['aborted', 'blocked', 'TIMEOUT', 'timed_out', 'Canceled', 'expired', 'processing_failed', 'ABORTED'].map(
    (status) =>
      [
        `ended without a result: ${status}`,
        'generateVideo',
        'application/json',
        JSON.stringify({ id: 'v', status, url }),
        'server',
        new RegExp(`reported that the work failed\\. It gives no reason \\(status ${status}\\)`),
      ] as const,
  ),
  ...['moderated', 'content_filtered', 'Request Moderated'].map(
    (status) =>
      [
        `ended by moderation: ${status}`,
        'generateVideo',
        'application/json',
        JSON.stringify({ id: 'v', status, url }),
        'contentRefused',
        /refused the content/,
      ] as const,
  ),
  [
    'a failure in a wrapper that says success',
    'generateVideo',
    'application/json',
    '{"status":"success","data":{"task_id":"t","status":"failed","fail_reason":"no GPU","url":"https://a.example/x"}}',
    'server',
    /“no GPU”/,
  ],
  [
    'a failure deep inside',
    'generateVideo',
    'application/json',
    '{"code":200,"data":{"task":{"id":"t","state":"aborted"}}}',
    'server',
    /status aborted/,
  ],
  [
    'DashScope, failed',
    'generateImage',
    'application/json',
    '{"request_id":"q","output":{"task_id":"t","task_status":"FAILED","code":"InternalError","message":"no GPU"}}',
    'server',
    /“no GPU”/,
  ],
  [
    'an image with an identifier and no data',
    'generateImage',
    'application/json',
    '{"created":1,"data":[{"id":"i"}]}',
    'noMedia',
    /contains none/,
  ],
  ['moderation, as a status', 'generateImage', 'application/json', '{"status":"nsfw"}', 'contentRefused', /refused/],
];

/** Error answers: status, body, kind, a part of the message, and the field. */
const errorAnswers: readonly (readonly [number, string, MediaErrorKind, RegExp, string?])[] = [
  [
    400,
    '{"error":{"message":"n must be 1","type":"invalid_request_error","param":"n","code":null}}',
    'badRequest',
    /“n must be 1”/,
    'n',
  ],
  [
    422,
    '{"detail":[{"loc":["body","prompt"],"msg":"field required","type":"missing"}]}',
    'badRequest',
    /prompt: field required/,
    'prompt',
  ],
  [400, '{"detail":"unknown model"}', 'badRequest', /unknown model/],
  [
    400,
    '{"error":{"message":"Rejected by our safety system","code":"content_policy_violation"}}',
    'contentRefused',
    /safety system/,
  ],
  [
    401,
    '{"error":{"message":"Bad key sk-abcdefghijkl","type":"auth"}}',
    'unauthorized',
    /did not accept the API key.*sk-\[redacted\]/,
  ],
  [401, '"Invalid token"', 'unauthorized', /Invalid token/],
  [402, '{"error":{"message":"Payment required"}}', 'quota', /no credit/],
  [403, '{"message":"no access"}', 'forbidden', /no access/],
  [404, '404 page not found', 'notFound', /404 page not found/],
  [404, '{"error":"Resource not found","code":"NOT_FOUND"}', 'notFound', /Resource not found/],
  [407, '', 'proxy', /name and password/],
  [413, '{"error":{"message":"max 25 MB","code":"request_too_large","param":"file"}}', 'tooLarge', /max 25 MB/, 'file'],
  [429, '{"error":{"message":"slow down"}}', 'rateLimited', /slow down/],
  [
    429,
    '{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}',
    'quota',
    /current quota/,
  ],
  [
    500,
    '{"is_bifrost_error":true,"status_code":500,"error":{"type":"","code":"","message":"boom","param":""}}',
    'server',
    /boom/,
  ],
  [500, '', 'server', /no reason \(status 500\)/],
  [502, '<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>', 'server', /502 Bad Gateway/],
  [503, '<Error><Code>SlowDown</Code><Message>Please reduce</Message></Error>', 'server', /Please reduce/],
  [504, '{"message":"Endpoint request timed out"}', 'gatewayTimeout', /Endpoint request timed out/],
  [524, '<html><body><h1>A timeout occurred</h1></body></html>', 'gatewayTimeout', /A timeout occurred/],
  [302, '', 'server', /status 302/],
];

/** The same answer in memory, in a file, and in a file with media too large for memory. */
const forms: Readonly<Record<string, (answer: RawAnswer, folder: string) => Promise<RawAnswer>>> = {
  'in memory': async (answer) => answer,
  'in a file': inFile,
  'in a file, large': (answer, folder) => inFile(enlarged(answer), folder),
};

for (const [form, into] of Object.entries(forms)) {
  describe(`readAnswer ${form}`, () => {
    let folder: string;

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'read-answer-'));
    });

    after(() => rm(folder, { recursive: true }));

    const read = async (id: OperationId, answer: RawAnswer) => readAnswer(id, await into(answer, folder));

    for (const [name, value, expected] of imageAnswers) {
      it(`reads images from ${name}`, async () => {
        assert.deepEqual(await mediaIn(await read('generateImage', json(value))), expected);
      });
    }
    for (const [name, value, expected, id] of videoAnswers) {
      it(`reads a video from ${name}`, async () => {
        const answer = await read('generateVideo', json(value));
        assert.deepEqual(await mediaIn(answer), expected);
        assert.equal(answer.id, id);
      });
    }
    for (const [name, id, value, expected] of jobAnswers) {
      it(`reads a job from ${name}`, async () => {
        const answer = typeof value === 'string' ? raw(200, 'application/json', value) : json(value);
        assertHolds(await read(id, answer), { type: 'job', ...expected });
      });
    }
    for (const [name, value, expected] of speechAnswers) {
      it(`reads speech from ${name}`, async () => {
        assert.deepEqual(await mediaIn(await read('speak', json(value))), [expected]);
      });
    }
    for (const [name, contentType, body, expected] of transcriptAnswers) {
      it(`reads a transcript from ${name}`, async () => {
        const answer = await read('transcribe', raw(200, contentType, body));
        assertHolds(answer, { type: 'transcript', ...expected });
      });
    }

    it('rejects values that would fill the memory, but not signs in a text', async () => {
      const many = `"a":[${'[],'.repeat(2_000_000)}[]]`;
      const url = 'https://a.example/x';
      for (const [id, member] of [
        ['generateImage', `"url":"${url}"`],
        ['transcribe', '"text":"Hi."'],
      ] as const) {
        const answer = raw(200, 'application/json', `{${member},${many}}`);
        await assert.rejects(read(id, answer), { kind: 'unreadableAnswer', message: /it holds too many values/ });
      }
      const text = `\\"${'[{,'.repeat(1_400_000)}`;
      assertHolds(await read('transcribe', json({ text })), { type: 'transcript', text });
    });

    it('prefers the known id to one that may belong to the HTTP request of the poll', async () => {
      for (const [value, id] of [
        [{ request_id: 'http-7', url }, 'v1'],
        [{ id: 'v2', request_id: 'http-7', url }, 'v2'],
        [{ url }, 'v1'],
      ] as const) {
        assert.equal((await readAnswer('generateVideo', await into(json(value), folder), [], 'v1')).id, id);
      }
      const bytes = await into({ ...raw(200, 'video/mp4', ''), body: mp4Bytes }, folder);
      assert.equal((await readAnswer('generateVideo', bytes, [], 'v1')).id, 'v1');
      const going = await into(json({ progress: 40, request_id: 'http-7' }), folder);
      assertHolds(await readAnswer('generateVideo', going, [], 'v1'), { type: 'job', id: 'v1', progress: 40 });
    });

    it('reads a polled recording only when it is done', async () => {
      const readPoll = async (value: object) => readAnswer('transcribe', await into(json(value), folder), [], 'r');
      assertHolds(await readPoll({ status: 'running', text: 'Hel' }), { type: 'job', id: 'r', state: 'running' });
      assertHolds(await readPoll({ progress: 40 }), { type: 'job', id: 'r', progress: 40 });
      assertHolds(await readPoll({ status: 'completed', text: 'Hello' }), { type: 'transcript', text: 'Hello' });
      await assert.rejects(readPoll({ status: 'completed', text: '' }), { kind: 'noMedia' });
      await assert.rejects(readPoll({ status: 'running', error: 'no sound' }), { message: /no sound/ });
    });

    it('tells an error beside a transcript from one that says that there is none', async () => {
      const none = [0, '', 'none', 'null', false, [], {}, { code: 0, message: 'success' }, { code: '200', type: '' }];
      for (const error of none) {
        const answer = await read('transcribe', json({ text: 'Hi.', error }));
        assert(!('failure' in answer), JSON.stringify(error));
      }
      for (const error of [1, true, 'no sound', ['cut'], { code: 0, message: 'busy' }, { code: 7 }, { type: 'busy' }]) {
        const answer = await read('transcribe', json({ text: 'Hi.', error }));
        assert('failure' in answer, JSON.stringify(error));
      }
    });

    it('takes no word about the state of a polled recording for its transcript', async () => {
      const readPoll = async (status: number, type: string, body: string) =>
        readAnswer('transcribe', await into(raw(status, type, body), folder), [], 'r');
      for (const [status, type, body] of [
        [202, 'text/plain', 'We will be with you soon.'],
        [202, 'application/json', '[]'],
        [202, 'application/json', 'null'],
        [200, 'text/plain', 'Pending\n'],
        [200, 'text/plain', 'IN_PROGRESS'],
        [200, 'text/plain', 'In progress'],
        [200, 'application/json', '"processing"'],
      ] as const) {
        assertHolds(await readPoll(status, type, body), { type: 'job', id: 'r', state: 'running' });
      }
      for (const body of ['null', '0', 'false']) {
        await assert.rejects(readPoll(200, 'application/json', body), { kind: 'unreadableAnswer' });
      }
      for (const [type, body] of [
        ['text/plain', '1984'],
        ['text/plain', 'Good morning.'],
        ['text/plain', 'I am waiting'],
        ['application/json', '"Keep waiting."'],
      ] as const) {
        assertHolds(await readPoll(200, type, body), { type: 'transcript', text: body.replaceAll('"', '') });
      }
    });

    it('keeps all digits of a 64-bit id beside media', async () => {
      const digits = '18446744073709551615';
      const text = `{"id":${digits},"data":[{"b64_json":"${mp4}"}],"cost":0.1234567890123456,"usage":{"ticks":${digits}}}`;
      const answer = await read('generateVideo', raw(200, 'application/json', text));
      assertHolds(answer, { id: digits, usage: { cost: 0.1234567890123456, usage: { ticks: digits } } });
    });

    it('accepts media bytes whatever the Content-Type', async () => {
      for (const [id, bytes, type] of [
        ['generateImage', pngBytes, 'application/octet-stream'],
        ['speak', wavBytes, ''],
        ['speak', mp3Bytes, 'text/plain'],
        ['generateVideo', mp4Bytes, 'video/mp4'],
      ] as const) {
        const answer = await read(id, { ...raw(200, type, ''), body: bytes });
        assert(answer.type === 'media');
        const small = await bytesIn(answer.media[0]);
        assert.deepEqual(small.subarray(0, bytes.length), bytes);
      }
    });

    it('reports several sounds in one body', async () => {
      const noticesOf = async (...sounds: readonly Buffer[]) =>
        (await read('speak', { ...raw(200, 'audio/wav', ''), body: Buffer.concat(sounds) })).notices ?? [];
      assert.match(String(await noticesOf(wavBytes, wavBytes)), /several sounds one after the other/);
      assert.deepEqual(await noticesOf(wavBytes, Buffer.from('RIFF and no sound')), []);
    });

    for (const type of ['audio/pcm', 'application/octet-stream', '']) {
      it(`accepts sound without a signature by its Content-Type: “${type}”`, async () => {
        const answer = await read('speak', { ...raw(200, type, ''), body: new Uint8Array(64) });
        assert.equal(answer.type, 'media');
      });
    }

    it('returns cost, usage and the request id', async () => {
      const answer = await read('generateImage', json({ data: [{ url }], cost: 0.004, usage: { total_tokens: 3 } }));
      assertHolds(answer, { requestId: 'req_1', usage: { cost: 0.004, usage: { total_tokens: 3 } } });
    });

    for (const [name, id, contentType, body, kind, sentence] of badAnswers) {
      it(`rejects an answer without media: ${name}`, async () => {
        const answer = { ...raw(200, contentType, ''), body: Buffer.from(body, 'latin1') };
        await assert.rejects(read(id, answer), (error) => {
          assert(error instanceof MediaError);
          assert.equal(error.kind, kind, error.message);
          assert.match(error.message, sentence);
          assert.equal(error.requestId, 'req_1');
          assert.equal(error.mayBeBilled, !isRefusal(error));
          return true;
        });
      });
    }
  });
}

describe('readAnswer for a large file (promises 3, 16)', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'read-answer-'));
  });

  after(() => rm(folder, { recursive: true }));

  it('leaves media in the file, but reads a transcript', async () => {
    const image = await readAnswer(
      'generateImage',
      await inFile(enlarged(json({ data: [{ b64_json: png }] })), folder),
    );
    assert(image.type === 'media' && 'data' in image.media[0]);
    const text = 'Good morning. '.repeat(10_000).trim();
    const transcript = await readAnswer('transcribe', await inFile(json({ text }), folder));
    assertHolds(transcript, { type: 'transcript', text });
  });

  it('reads events with a picture, also between previews', async () => {
    const event = (name: string, bytes: Buffer) =>
      `event: ${name}\ndata: ${JSON.stringify({ b64_json: large(bytes).toString('base64') })}\n\n`;
    const body = `${event('image.partial_image', mp4Bytes)}${event('image.completed', pngBytes)}`;
    const streamed = raw(200, 'text/event-stream', body);
    assert.deepEqual(await mediaIn(await readAnswer('generateImage', await inFile(streamed, folder))), ['png']);
  });

  it('uses the URL of an image whose data is damaged at its end', async () => {
    const damaged = `${large(pngBytes).toString('base64').slice(0, -8)}########`;
    const answer = await readAnswer(
      'generateImage',
      await inFile(json({ data: [{ b64_json: damaged, url }] }), folder),
    );
    assert.deepEqual(await mediaIn(answer), [url]);
    const alone = readAnswer('generateImage', await inFile(json({ data: [{ b64_json: damaged }] }), folder));
    await assert.rejects(alone, { kind: 'unreadableAnswer', mayBeBilled: true, message: /damaged base64.*b64_json/ });
  });

  it('does not mistake damaged data for a path because it starts with a slash', async () => {
    const damaged = `/9j/4AAQSkZJRgABAQAAAQABAAD/${'A'.repeat(300_000)}#`;
    const answer = readAnswer('generateImage', await inFile(json({ images: [damaged] }), folder));
    await assert.rejects(answer, { kind: 'noMedia' });
  });

  it('shows the beginning of a very long message, without the key', async () => {
    const error = { error: { message: `The key top-secret is bad. ${'x '.repeat(500_000)}` } };
    const answer = readAnswer('generateImage', await inFile(json(error), folder), ['top-secret']);
    await assert.rejects(answer, (thrown) => {
      assert(thrown instanceof MediaError);
      assert.match(thrown.message, /The key \[redacted\] is bad/);
      return thrown.message.length < 1000;
    });
  });

  it('rejects when the file is gone or truncated', async () => {
    const gone = { ...json({}), body: { path: join(folder, 'gone'), length: 5_000_000 } };
    await assert.rejects(readAnswer('generateImage', gone), { kind: 'unreadableAnswer', message: /ENOENT/ });
    const short = await inFile(json({ data: [] }), folder);
    const cut = { ...short, body: { path: join(folder, 'answer'), length: 5_000_000 } };
    await assert.rejects(readAnswer('generateImage', cut), { kind: 'unreadableAnswer', message: /is truncated/ });
  });
});

describe('errorFromAnswer (promises 3, 16)', () => {
  for (const [status, body, kind, sentence, field] of errorAnswers) {
    it(`returns ${kind} for ${status} ${body.slice(0, 60)}`, () => {
      const error = errorFromAnswer(raw(status, '', body));
      assert.equal(error.kind, kind, error.message);
      assert.match(error.message, sentence);
      assert.equal(error.field, field);
      assert.equal(error.status, status);
      assert.equal(error.requestId, 'req_1');
    });
  }

  it('mentions how long the service asks to wait', () => {
    assert.match(
      errorFromAnswer({ ...raw(429, '', ''), retryAfter: 3600 }).message,
      /asks you to wait 60 min before trying again\./,
    );
  });

  it('reports as billable what a gateway lost and refusals that report usage or a cost', () => {
    const billed = ['"usage":{"cost_in_usd_ticks":25}', '"cost":0.04', '"cost":"0.04"', '"cost":{"usd":0.04}'];
    for (const cost of [...billed, '"cost":0', '"cost":{"usd":0}', '"usage":{}', '"cost":null', '"latency":3']) {
      const refusal = `{"error":"Rejected by content moderation.",${cost}}`;
      assert.equal(errorFromAnswer(raw(400, '', refusal)).mayBeBilled, billed.includes(cost), cost);
    }
    assert.equal(errorFromAnswer(raw(408, '', '')).mayBeBilled, true);
    assert.equal(errorFromAnswer(raw(400, '', '{"error":"no"}')).mayBeBilled, false);
  });

  it('reports as billable a redirect that may lead to the result, but not one that asks to send again', () => {
    for (const status of [301, 302, 303, 307, 308]) {
      const location = 'https://media.example/result.png';
      assert.equal(errorFromAnswer({ ...raw(status, '', ''), location }).mayBeBilled, status < 304, `${status}`);
      assert.equal(errorFromAnswer(raw(status, '', '')).mayBeBilled, status === 303, `${status} to nowhere`);
    }
  });

  it("holds no control and no format character of a service's words", () => {
    const words = 'No\u001b]52;c;AAAA\u0007 \u202e\u{e0041}\u0085a';
    for (const body of [{ error: { message: words } }, { error: words }, { status: words }, words]) {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const { message } = errorFromAnswer(raw(400, '', text));
      assert.match(message, /No\]52;c;AAAA/);
      assert.doesNotMatch(message.replaceAll('\n', ''), /[\p{Cc}\p{Cf}]/u);
    }
    const split = errorFromAnswer(raw(400, '', JSON.stringify({ error: { message: 'sk-ve\u200bry-secret' } })), [
      'sk-very-secret',
    ]);
    assert.doesNotMatch(split.message, /secret/, 'nor a key with invisible characters in it');
  });

  it('does not treat a long text as a field name', () => {
    const body = JSON.stringify({ error: { message: 'bad', param: `top-secret ${'x'.repeat(50_000)}` } });
    const error = errorFromAnswer(raw(400, '', body), ['top-secret']);
    assert.equal(error.field, undefined);
    assert(error.message.length < 200);
  });

  for (const [name, body] of [
    ['brackets', '<'.repeat(2_000_000)],
    ['scripts', '<script '.repeat(250_000)],
    ['addresses', JSON.stringify({ error: { message: 'http://'.repeat(300_000) } })],
    ['lists', `{"error":${'['.repeat(200_000)}${']'.repeat(200_000)}}`],
  ] as const) {
    it(`reads megabytes of ${name} in linear time`, () => {
      // A pattern that backtracks would take minutes here.
      assert(errorFromAnswer(raw(500, '', body)).message.length < 1000);
    });
  }

  it('redacts the key wherever the service repeats it, also encoded (finding 16)', async () => {
    const key = 'top-secret-key';
    const coded = Buffer.from(`Bearer ${key}`).toString('base64');
    const hex = Buffer.from(key).toString('hex');
    for (const value of [
      { error: { message: `Wrong header ${coded}` } },
      { error: { message: 'bad', param: key } },
      { error: { message: 'bad', param: hex } },
      { status: 'failed', error: {}, state: key },
      { choices: [{ message: { content: `I got ${hex}` } }] },
    ]) {
      const answers = [json(value), raw(400, 'application/json', JSON.stringify(value))];
      const [read] = await Promise.allSettled([readAnswer('generateImage', answers[0] as RawAnswer, [key])]);
      assert(read?.status === 'rejected');
      for (const error of [read.reason, errorFromAnswer(answers[1] as RawAnswer, [key])]) {
        assert(error instanceof MediaError);
        const shown = `${error.message} ${error.field} ${error.requestId}`;
        for (const form of [key, coded.slice(12, -4), hex]) assert(!shown.includes(form), shown);
      }
    }
    const echoed = { ...raw(400, '', '{"error":"no"}'), requestId: hex };
    assert.equal(errorFromAnswer(echoed, [key]).requestId, '[redacted]');
  });

  it('redacts the key and shortens the message', () => {
    const body = JSON.stringify({ error: { message: `Bad key top-secret ${'x '.repeat(5000)}` } });
    const error = errorFromAnswer(raw(401, '', body), ['top-secret']);
    assert(!error.message.includes('top-secret'));
    assert(error.message.length < 800);
  });
});

/** Whether an error in an answer says that nothing was made, whatever the status. */
function isRefusal({ kind }: MediaError): boolean {
  return kind === 'unauthorized' || kind === 'notFound';
}

function raw(status: number, contentType: string, body: string): RawAnswer {
  return rawOf(Buffer.from(body), { status, contentType, requestId: 'req_1' });
}

function json(value: unknown): RawAnswer {
  return raw(200, 'application/json', JSON.stringify(value));
}

/** The URLs of an answer's media, or the format for data. */
async function mediaIn(answer: Answer): Promise<readonly string[]> {
  assert(answer.type === 'media');
  return Promise.all(answer.media.map(async (media) => ('url' in media ? media.url : nameOf(await bytesIn(media)))));
}

const samples = { png: pngBytes, mp4: mp4Bytes, mp3: mp3Bytes } as const;

function nameOf(data: Buffer): string {
  const known = Object.entries(samples).find(([, bytes]) => data.equals(bytes) || data.equals(large(bytes)));
  return known?.[0] ?? (data[0] === 0xff ? 'jpg' : 'other');
}

async function bytesIn(media: Media): Promise<Buffer> {
  assert(!('url' in media));
  return 'bytes' in media ? Buffer.from(media.bytes) : buffer(media.data);
}

function large(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(300_001, 7)]);
}

/** Replaces the sample media by larger ones. */
function enlarged({ body, ...facts }: RawAnswer): RawAnswer {
  assert(body instanceof Uint8Array);
  let text = Buffer.from(body).toString('latin1');
  for (const bytes of Object.values(samples)) {
    if (text === bytes.toString('latin1')) text = large(bytes).toString('latin1');
    for (const encoding of ['base64', 'hex'] as const) {
      text = text.replaceAll(bytes.toString(encoding), large(bytes).toString(encoding));
    }
  }
  return { ...facts, body: Buffer.from(text, 'latin1') };
}

async function inFile({ body, ...facts }: RawAnswer, folder: string): Promise<RawAnswer> {
  assert(body instanceof Uint8Array);
  const path = join(folder, 'answer');
  await writeFile(path, body);
  return { ...facts, body: { path, length: body.length } };
}

function assertHolds(answer: Answer, expected: Readonly<Record<string, unknown>>): void {
  const members = answer as unknown as Readonly<Record<string, unknown>>;
  assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, members[name]])), expected);
}
