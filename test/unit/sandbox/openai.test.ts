import assert from 'node:assert/strict';
import { createOpenAI } from '@ai-sdk/openai';
import {
  generateImage,
  experimental_generateSpeech as generateSpeech,
  experimental_transcribe as transcribe,
} from 'ai';
import { decode, encode } from 'fast-png';
import OpenAI, { toFile } from 'openai';
import { serveSandbox } from '../../../src/sandbox/startSandbox.ts';
import { get } from '../../support/sandboxClient.ts';
import { useSandbox } from '../../support/useSandbox.ts';

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

  it('makes videos as jobs, and remixes them', async () => {
    const { videos } = clientOf();
    const finished = async (id: string) => {
      for (;;) {
        const video = await videos.retrieve(id);
        if (video.status !== 'in_progress') return video;
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const still = encode({ width: 128, height: 96, channels: 3, data: new Uint8Array(128 * 96 * 3).fill(200) });
    const started = await videos.create({
      model: 'sora-2',
      prompt: 'A fox runs',
      input_reference: await toFile(still, 'first.png', { type: 'image/png' }),
      // @ts-expect-error The sandbox takes shorter and smaller ones.
      seconds: '0.5',
      // @ts-expect-error
      size: '128x96',
    });
    assert.equal(started.status, 'in_progress');
    const video = await finished(started.id);
    assert.deepEqual([video.status, video.size], ['completed', '128x96']);
    const content = await videos.downloadContent(video.id);
    assert.equal(Buffer.from(await content.arrayBuffer()).toString('latin1', 4, 8), 'ftyp');
    const remix = await videos.remix(video.id, { prompt: 'In the rain' });
    assert.equal((await finished(remix.id)).remixed_from_video_id, video.id);
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
    const heard = await transcribe({ model: provider.transcription('whisper-1'), audio: audio.uint8Array });
    assert.equal(heard.text, 'Good morning from the wood.');
  });
});
