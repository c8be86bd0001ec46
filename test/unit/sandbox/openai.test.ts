import assert from 'node:assert/strict';
import { createOpenAI } from '@ai-sdk/openai';
import { generateImage, generateSpeech, transcribe } from 'ai';
import { decode, encode } from 'fast-png';
import OpenAI, { toFile } from 'openai';
import { detectMediaType } from '../../../src/operations/mediaType.ts';
import { serveSandbox } from '../../../src/sandbox/startSandbox.ts';
import { get } from '../../support/sandboxClient.ts';
import { useSandbox } from '../../support/useSandbox.ts';

async function collect<Item, Result>(
  items: AsyncIterable<Item>,
  take: (item: Item) => Result,
): Promise<readonly Result[]> {
  const all: Result[] = [];
  for await (const item of items) all.push(take(item));
  return all;
}

/** An independent client, whose requests were not written with this sandbox in mind. */
describe('sandbox: the openai package as a client', () => {
  const sandbox = useSandbox({ imageSize: 64 });
  const clientOf = (host: string) =>
    new OpenAI({
      apiKey: sandbox().key,
      baseURL: `${host}/v1`,
      maxRetries: 0,
      // It would send "Bearer" before the key.
      defaultHeaders: { Authorization: sandbox().key },
    });

  it('generates images as URLs and as base64', async () => {
    const client = clientOf(sandbox().imageBaseUrl);
    const { data: [linked] = [] } = await client.images.generate({ model: 'm', prompt: 'A fox', n: 1 });
    const file = await get(linked?.url ?? '');
    const { data: [coded] = [] } = await client.images.generate({
      model: 'm',
      prompt: 'A fox',
      // @ts-expect-error OpenAI has other values for this field.
      output_format: 'b64_json',
    });
    assert(Buffer.from(coded?.b64_json ?? '', 'base64').equals(file.body));
    assert.equal(decode(file.body).width, 64);
  });

  it('speaks, and transcribes its own speech', async () => {
    const client = clientOf(sandbox().audioBaseUrl);
    const speech = await client.audio.speech.create({
      model: 'm',
      input: 'Good morning from the wood.',
      voice: 'nova',
      response_format: 'wav',
    });
    const file = await toFile(await speech.arrayBuffer(), 'morning.wav');
    assert.equal((await client.audio.transcriptions.create({ model: 'm', file })).text, 'Good morning from the wood.');
    assert.equal((await client.audio.translations.create({ model: 'm', file })).text, 'Good morning from the wood.');
  });

  it('returns errors that the client understands', async () => {
    const client = clientOf(sandbox().imageBaseUrl);
    const refused = client.images.generate({ model: 'm', prompt: 'A fox', style: 'vivid' });
    await assert.rejects(refused, { status: 400, param: 'style', message: /There is no field "style"/ });
    const stranger = new OpenAI({ apiKey: 'wrong', baseURL: `${sandbox().imageBaseUrl}/v1`, maxRetries: 0 });
    await assert.rejects(stranger.images.generate({ model: 'm', prompt: 'A fox' }), OpenAI.AuthenticationError);
  });
});

describe('sandbox: --openai', () => {
  const sandbox = useSandbox({ imageSize: 64, videoSeconds: 0.5, openai: true });
  const options = () => ({ apiKey: sandbox().key, baseURL: `${sandbox().imageBaseUrl}/v1` });
  const clientOf = () => new OpenAI({ ...options(), maxRetries: 0 });

  it('serves everything on one port, with Bearer before the key', async () => {
    const { imageBaseUrl, audioBaseUrl, videoBaseUrl } = sandbox();
    assert.equal(new Set([imageBaseUrl, audioBaseUrl, videoBaseUrl]).size, 1);
    const models = await clientOf().models.list();
    assert.deepEqual(
      models.data.map(({ id }) => id),
      ['sandbox-1'],
    );
    const stranger = new OpenAI({ ...options(), apiKey: 'wrong', maxRetries: 0 });
    await assert.rejects(stranger.models.list(), OpenAI.AuthenticationError);
  });

  it('prints the address and the key that SDKs take, when it is started by the command', async () => {
    const stopping = new AbortController();
    const printed = Promise.withResolvers<string>();
    const served = serveSandbox(['--openai', '--key', 'secret'], stopping.signal, printed.resolve);
    const { baseURL, key } = JSON.parse(await printed.promise) as { readonly baseURL: string; readonly key: string };
    assert.equal(key, 'secret');
    const { data } = await new OpenAI({ apiKey: key, baseURL, maxRetries: 0 }).models.list();
    assert(data.length > 0);
    stopping.abort();
    assert.equal(await served, 0);
  });

  it('makes images of the size, format and background that openai asks for', async () => {
    const { images } = clientOf();
    const ask = { model: 'gpt-image-2', prompt: 'A fox', quality: 'low', user: 'me' } as const;
    const made = await images.generate({ ...ask, size: '96x64', background: 'transparent' });
    const picture = decode(Buffer.from(made.data?.[0]?.b64_json ?? '', 'base64'));
    assert.deepEqual([picture.width, picture.height, picture.channels], [96, 64, 4]);
    assert.equal(picture.data[3], 0, 'the corner is transparent');
    const webp = await images.generate({ ...ask, output_format: 'webp' });
    assert.match(Buffer.from(webp.data?.[0]?.b64_json ?? '', 'base64').toString('latin1', 0, 12), /^RIFF.{4}WEBP$/s);
  });

  it('edits images in a form, only where a mask is transparent', async () => {
    const source = encode({ width: 64, height: 64, channels: 3, data: new Uint8Array(64 * 64 * 3).fill(200) });
    const opaqueAbove = new Uint8Array(64 * 64 * 4).fill(255);
    opaqueAbove.fill(0, 64 * 32 * 4);
    const mask = encode({ width: 64, height: 64, channels: 4, data: opaqueAbove });
    const edited = await clientOf().images.edit({
      model: 'gpt-image-2',
      prompt: 'At night',
      image: [await toFile(source, 'a.png', { type: 'image/png' })],
      mask: await toFile(mask, 'mask.png', { type: 'image/png' }),
    });
    const { data } = decode(Buffer.from(edited.data?.[0]?.b64_json ?? '', 'base64'));
    assert.deepEqual([...data.subarray(0, 3)], [200, 200, 200], 'above, nothing is edited');
    assert.notDeepEqual([...data.subarray(-3)], [200, 200, 200]);
  });

  it('edits one image, and several, as the AI SDK and openai send them', async () => {
    const source = encode({ width: 64, height: 64, channels: 3, data: new Uint8Array(64 * 64 * 3).fill(200) });
    const { image } = await generateImage({
      model: createOpenAI(options()).image('gpt-image-2'),
      prompt: { text: 'At night', images: [source, source] },
      size: '96x64',
    });
    assert.deepEqual([decode(image.uint8Array).width, decode(image.uint8Array).height], [96, 64]);
    const edited = await clientOf().images.edit({
      model: 'gpt-image-2',
      prompt: 'At night',
      image: await toFile(source, 'a.png', { type: 'image/png' }),
      n: 2,
    });
    assert.equal(edited.data?.length, 2);
  });

  it('speaks at the speed that is asked for, and transcribes with times, words and speakers', async () => {
    const { audio } = clientOf();
    const speak = async (speed: number, voice: 'marin' | 'nova') => {
      const answer = await audio.speech.create({
        model: 'gpt-4o-mini-tts',
        input: 'Good morning from the wood. It is cold.',
        instructions: 'Softly.',
        voice,
        speed,
        response_format: 'wav',
      });
      return Buffer.from(await answer.arrayBuffer());
    };
    const [slow, fast] = [await speak(0.5, 'nova'), await speak(2, 'marin')];
    const file = await toFile(Buffer.concat([slow, fast]), 'talk.wav');
    const verbose = await audio.transcriptions.create({
      model: 'whisper-1',
      file,
      response_format: 'verbose_json',
      timestamp_granularities: ['word', 'segment'],
    });
    assert.equal(verbose.segments?.length, 4);
    assert.equal(verbose.words?.length, 16);
    assert(slow.length > 2 * fast.length);
    const diarized = await audio.transcriptions.create({
      model: 'gpt-4o-transcribe-diarize',
      file,
      response_format: 'diarized_json',
    });
    assert('segments' in diarized);
    assert.deepEqual(
      (diarized as OpenAI.Audio.TranscriptionDiarized).segments.map(({ speaker }) => speaker),
      ['nova', 'nova', 'marin', 'marin'],
    );
    const subtitles = await audio.transcriptions.create({ model: 'whisper-1', file, response_format: 'vtt' });
    assert.match(String(subtitles), /^WEBVTT\n\n1\n00:00:00\.000 --> /);
    assert.match(
      String(await audio.translations.create({ model: 'whisper-1', file, response_format: 'text' })),
      /^Good morning/,
    );
  });

  const finished = async (id: string) => {
    for (;;) {
      const video = await clientOf().videos.retrieve(id);
      if (video.status !== 'in_progress') return video;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };

  // The sandbox takes shorter and smaller ones than OpenAI.
  const small: { readonly seconds?: OpenAI.VideoSeconds; readonly size?: OpenAI.VideoSize } = JSON.parse(
    '{"seconds": "0.5", "size": "128x96"}',
  );

  it('makes videos as jobs, and remixes them', async () => {
    const { videos } = clientOf();
    const still = encode({ width: 128, height: 96, channels: 3, data: new Uint8Array(128 * 96 * 3).fill(200) });
    const started = await videos.create({
      model: 'sora-2',
      prompt: 'A fox runs',
      input_reference: await toFile(still, 'first.png', { type: 'image/png' }),
      ...small,
    });
    assert.equal(started.status, 'in_progress');
    const video = await finished(started.id);
    assert.deepEqual([video.status, video.size], ['completed', '128x96']);
    assert((video.completed_at ?? 0) >= video.created_at);
    const content = await videos.downloadContent(video.id);
    assert.equal(Buffer.from(await content.arrayBuffer()).toString('latin1', 4, 8), 'ftyp');
    const thumbnail = await videos.downloadContent(video.id, { variant: 'thumbnail' });
    const webp = await detectMediaType(new Uint8Array(await thumbnail.arrayBuffer()));
    assert.deepEqual([webp?.mime, thumbnail.headers.get('content-type')], ['image/webp', 'image/webp']);
    await assert.rejects(videos.downloadContent(video.id, { variant: 'spritesheet' }), {
      status: 400,
      param: 'variant',
    });
    const remix = await videos.remix(video.id, { prompt: 'In the rain' });
    assert.equal(remix.prompt, 'In the rain');
    assert.equal((await finished(remix.id)).remixed_from_video_id, video.id);
  });

  it('begins a video with the image at an address, too', async () => {
    const still = encode({ width: 64, height: 64, channels: 3, data: new Uint8Array(64 * 64 * 3).fill(200) });
    const image_url = `data:image/png;base64,${Buffer.from(still).toString('base64')}`;
    const { videos } = clientOf();
    const before = sandbox().counts.animateImage;
    await finished((await videos.create({ prompt: 'A fox', input_reference: { image_url }, ...small })).id);
    assert.equal(sandbox().counts.animateImage, before + 1);
    const byId = videos.create({ prompt: 'A fox', input_reference: { file_id: 'file_1' }, ...small });
    await assert.rejects(byId, { status: 400, param: 'input_reference' });
  });

  it('lists videos in pages, and deletes them', async () => {
    const { videos } = clientOf();
    const made = [await videos.create({ prompt: 'One', ...small }), await videos.create({ prompt: 'Two', ...small })];
    assert.deepEqual([made[0]?.model, made[1]?.model], ['sora-2', 'sora-2'], 'the model that is used if none is named');
    const last = made.at(-1);
    assert(last);
    for (const { id } of made) await finished(id);
    const listed: string[] = [];
    for await (const { id } of videos.list({ limit: 1 })) listed.push(id);
    assert.deepEqual(listed.slice(0, 2), made.map(({ id }) => id).reverse());
    const [oldest] = (await videos.list({ order: 'asc', limit: 1 })).data;
    assert.equal(oldest?.id, listed.at(-1));
    assert.deepEqual(await videos.delete(last.id), { id: last.id, object: 'video.deleted', deleted: true });
    await assert.rejects(videos.retrieve(last.id), { status: 404 });
    await assert.rejects(videos.remix(last.id, { prompt: 'Again' }), { status: 404, param: 'video_id' });
  });

  it('knows each model by its name', async () => {
    assert.equal((await clientOf().models.retrieve('gpt-image-2.5/flare')).id, 'gpt-image-2.5/flare');
  });

  it('needs no model for images', async () => {
    const { data } = await clientOf().images.generate({ prompt: 'A fox' });
    assert.equal(data?.length, 1);
  });

  it('sends images as events, the unfinished ones first', async () => {
    const { images } = clientOf();
    const generated = await images.generate({ prompt: 'A fox', size: '96x64', stream: true, partial_images: 2 });
    const types: string[] = [];
    let final = '';
    for await (const event of generated) {
      types.push(event.type);
      if (event.type === 'image_generation.completed') final = event.b64_json;
    }
    const partial = 'image_generation.partial_image';
    assert.deepEqual(types, [partial, partial, 'image_generation.completed']);
    assert.equal(decode(Buffer.from(final, 'base64')).width, 96);
    const source = encode({ width: 64, height: 64, channels: 3, data: new Uint8Array(64 * 64 * 3).fill(200) });
    const image = await toFile(source, 'a.png', { type: 'image/png' });
    const edited = await images.edit({ prompt: 'At night', image, stream: true });
    const [only] = await collect(edited, ({ type }) => type);
    assert.equal(only, 'image_edit.completed');
    const tooMany = images.generate({ prompt: 'A fox', stream: true, partial_images: 4 });
    await assert.rejects(tooMany, { status: 400, param: 'partial_images' });
  });

  it('sends speech as events, which are the file', async () => {
    const { speech } = clientOf().audio;
    const ask = { model: 'gpt-4o-mini-tts', input: 'Good morning.', voice: 'nova', response_format: 'wav' } as const;
    const whole = Buffer.from(await (await speech.create(ask)).arrayBuffer());
    const response = await speech.create({ ...ask, stream_format: 'sse' });
    assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
    const events = (await response.text()).match(/^data: .*$/gm)?.map((line) => JSON.parse(line.slice(6))) as {
      readonly type: string;
      readonly audio?: string;
    }[];
    assert.equal(events.at(-1)?.type, 'speech.audio.done');
    const sound = events.map(({ audio = '' }) => Buffer.from(audio, 'base64'));
    assert.deepEqual(Buffer.concat(sound), whole);
    const older = speech.create({ ...ask, model: 'tts-1', stream_format: 'sse' });
    await assert.rejects(older, { status: 400, param: 'stream_format' });
    const custom = await speech.create({ ...ask, voice: { id: 'voice_1234' } });
    assert.equal(custom.status, 200);
  });

  it('sends transcripts as events, of Whisper as a whole', async () => {
    const { speech, transcriptions } = clientOf().audio;
    const spoken = await speech.create({ model: 'm', input: 'Good morning.', voice: 'nova', response_format: 'wav' });
    const file = await toFile(await spoken.arrayBuffer(), 'a.wav');
    const events = await transcriptions.create({ model: 'gpt-4o-transcribe', file, stream: true });
    const texts = await collect(events, (event) => ('delta' in event ? event.delta : `${event.type}: ${event.text}`));
    assert.deepEqual(texts, ['Good ', 'morning.', 'transcript.text.done: Good morning.']);
    const diarized = await transcriptions.create({
      model: 'gpt-4o-transcribe-diarize',
      response_format: 'diarized_json',
      file,
      stream: true,
    });
    const speakers = await collect(diarized, (event) => ('speaker' in event ? event.speaker : event.type));
    assert.deepEqual(speakers, ['nova', 'transcript.text.done']);
    const form = new FormData();
    form.append('file', file);
    form.append('model', 'whisper-1');
    form.append('stream', 'true');
    const { apiKey, baseURL } = options();
    const headers = { authorization: `Bearer ${apiKey}` };
    const plain = await fetch(`${baseURL}/audio/transcriptions`, { method: 'POST', headers, body: form });
    assert.equal(((await plain.json()) as { readonly text: string }).text, 'Good morning.');
    const lonely = transcriptions.create({
      model: 'gpt-4o-transcribe-diarize',
      file,
      known_speaker_names: ['Ann', 'Bob'],
      known_speaker_references: ['data:audio/wav;base64,AAAA'],
    });
    await assert.rejects(lonely, { status: 400, param: 'known_speaker_references' });
  });

  it('works with the AI SDK', async () => {
    const provider = createOpenAI(options());
    const { image } = await generateImage({ model: provider.image('gpt-image-2'), prompt: 'A fox', size: '96x64' });
    assert.equal(decode(image.uint8Array).width, 96);
    const { audio } = await generateSpeech({
      model: provider.speech('gpt-4o-mini-tts'),
      text: 'Good morning from the wood.',
      voice: 'coral',
      outputFormat: 'wav',
    });
    for (const [model, segments] of [
      ['whisper-1', 1],
      ['gpt-4o-transcribe', 0],
      ['gpt-4o-transcribe-diarize', 1],
      ['gpt-transcribe', 0],
    ] as const) {
      const heard = await transcribe({ model: provider.transcription(model), audio: audio.uint8Array });
      assert.equal(heard.text, 'Good morning from the wood.', model);
      assert.equal(heard.segments.length, segments, model);
    }
  });
});

describe('sandbox: --openai, while a video is made', () => {
  const sandbox = useSandbox({ openai: true, videoWaitMs: 600_000 });

  it('names the video that is not ready, instead of the model', async () => {
    const { videos } = new OpenAI({ apiKey: sandbox().key, baseURL: `${sandbox().imageBaseUrl}/v1`, maxRetries: 0 });
    const { id } = await videos.create({ prompt: 'A fox' });
    const remix = videos.remix(id, { prompt: 'In the rain' });
    await assert.rejects(remix, { status: 400, param: 'video_id', message: /is not completed/ });
    await assert.rejects(videos.downloadContent(id), { status: 404, message: /is not ready/ });
    await assert.rejects(videos.delete(id), { status: 409, param: 'video_id' });
    assert.equal((await videos.retrieve(id)).completed_at, null);
  });
});
