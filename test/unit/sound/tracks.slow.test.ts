import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RecordingTask, readRecording, type TrackFacts } from '../../../src/sound/readRecording.ts';
import { bodyOf, type HttpServer, startHttpServer } from '../../support/httpServer.ts';
import { describeWithFfmpeg, makeRecording, soundOf } from '../../support/makeRecording.ts';
import { type Transcribing, transcribeAt } from '../../support/transcribeAt.ts';

/** What is in a track: 4 or 3 s of sound, 5 s of silence, or 6 s of which only the last is not silent. */
type Content = 'long' | 'short' | 'silent' | 'late';
const secondsIn = { long: 4, short: 3, silent: 5, late: 6 } as const;
const noise = '0.3*sin(900*t)+0.3*random(0)';
const sources = {
  long: `aevalsrc=${noise}:s=44100`,
  short: `aevalsrc=${noise}:s=44100`,
  silent: 'anullsrc=r=44100:cl=mono',
  late: `aevalsrc=(${noise})*gt(t\\,5):s=44100`,
} as const;

interface Track {
  readonly content: Content;
  /** As ffmpeg names it. */
  readonly codec: string;
  readonly isDefault?: boolean;
  readonly language?: string;
  readonly title?: string;
  readonly options?: readonly string[];
}

/** Returns ffmpeg's options for a file with these sound tracks. Its first input is a tone. */
function optionsFor(tracks: readonly Track[], hasPicture = false): readonly string[] {
  const inputs = tracks.flatMap(({ content }) => {
    return ['-f', 'lavfi', '-t', `${secondsIn[content]}`, '-i', sources[content]];
  });
  const first = hasPicture ? 2 : 1;
  const outputs = tracks.flatMap(({ codec, isDefault = false, language, title, options = [] }, index) => [
    ...['-map', `${first + index}`, `-c:a:${index}`, codec, `-disposition:a:${index}`, isDefault ? 'default' : '0'],
    ...(language === undefined ? [] : [`-metadata:s:a:${index}`, `language=${language}`]),
    ...(title === undefined ? [] : [`-metadata:s:a:${index}`, `title=${title}`]),
    ...options,
  ]);
  return [...inputs, ...(hasPicture ? ['-map', '0', '-r', '5'] : []), ...outputs];
}

const track = (content: Content, codec: string, isDefault = false): Track => ({ content, codec, isDefault });

describeWithFfmpeg('the sound track of a recording', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tracks-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  const make = (extension: string, tracks: readonly Track[], hasPicture = false) =>
    makeRecording(folder, `talk.${extension}`, { options: optionsFor(tracks, hasPicture), seconds: 5, hasPicture });
  const read = <Task extends RecordingTask>(task: Task) =>
    readRecording(task, { signal: new AbortController().signal });

  /** Tells by its length which content was copied. */
  async function copied(file: string, chosen?: number): Promise<Content | string> {
    const result = await read({
      type: 'takeSound',
      file,
      folder: await mkdtemp(join(folder, 'out-')),
      copies: 'always',
      track: chosen,
    });
    if (result.type !== 'parts') return result.type;
    const seconds = (await soundOf(...result.parts.map((part) => part.file))).seconds.reduce(
      (sum, one) => sum + one,
      0,
    );
    const [content] = Object.entries(secondsIn).find(([, length]) => Math.abs(length - seconds) < 0.3) ?? [];
    return content ?? `${seconds} s`;
  }

  async function numbers(file: string): Promise<readonly number[]> {
    const found = await read({ type: 'tracks', file });
    assert(found.type === 'tracks', JSON.stringify(found));
    return found.tracks.map(({ number }) => number);
  }

  const rows: readonly (readonly [string, string, readonly Track[], Content | 'unreadable', readonly number[]])[] = [
    ['mkv', 'the default one', [track('short', 'aac'), track('long', 'aac', true)], 'long', [2, 1]],
    ['mp4', 'the default one', [track('short', 'aac'), track('long', 'aac', true)], 'long', [2, 1]],
    ['mov', 'the default one', [track('short', 'pcm_s16le'), track('long', 'pcm_s16le', true)], 'long', [2, 1]],
    ['webm', 'the default one', [track('short', 'libopus'), track('long', 'libopus', true)], 'long', [2, 1]],
    ['m4a', 'the default one', [track('short', 'aac'), track('long', 'aac', true)], 'long', [2, 1]],
    ['mkv', 'the first of two defaults', [track('short', 'aac', true), track('long', 'aac', true)], 'short', [1, 2]],
    [
      'ogg',
      'the first where nothing is a default',
      [track('short', 'libopus'), track('long', 'libopus')],
      'short',
      [1, 2],
    ],
    ['ts', 'the first where nothing is a default', [track('short', 'aac'), track('long', 'mp2')], 'short', [1, 2]],
    ...(['aac', 'libopus', 'libvorbis', 'libmp3lame', 'flac', 'pcm_s16le', 'pcm_f32le', 'pcm_s24be'] as const).map(
      (codec) =>
        [
          'mkv',
          `the one beside silence in ${codec}`,
          [track('silent', codec, true), track('long', codec)],
          'long',
          [2],
        ] as const,
    ),
    ['ts', 'the one beside silence in layer 2', [track('silent', 'mp2'), track('long', 'mp2')], 'long', [2]],
    ['mov', 'the one beside silence in µ-law', [track('silent', 'pcm_mulaw', true), track('long', 'aac')], 'long', [2]],
    ['mp4', 'the one beside silence', [track('silent', 'aac', true), track('long', 'aac')], 'long', [2]],
    [
      'mp4',
      'the one beside silence in MP3',
      [track('silent', 'libmp3lame', true), track('long', 'libmp3lame')],
      'long',
      [2],
    ],
    ['webm', 'the one beside silence', [track('silent', 'libopus', true), track('long', 'libopus')], 'long', [2]],
    [
      'mkv',
      'the one beside silence of a constant bit rate',
      [{ ...track('silent', 'libopus', true), options: ['-b:a:0', '64k', '-vbr', 'off'] }, track('long', 'aac')],
      'long',
      [2],
    ],
    ['mov', 'the one before silence', [track('long', 'aac'), track('silent', 'aac', true)], 'long', [1]],
    ['mkv', 'the one that can be copied', [track('short', 'ac3', true), track('long', 'aac')], 'long', [2]],
    ['mp4', 'the one that can be copied', [track('short', 'ac3', true), track('long', 'aac')], 'long', [2]],
    ['mov', 'the one that can be copied', [track('short', 'alac', true), track('long', 'aac')], 'long', [2]],
    [
      'mkv',
      'no silence where the other one cannot be copied',
      [track('long', 'ac3'), track('silent', 'aac', true)],
      'unreadable',
      [],
    ],
    ['mkv', 'the default one of silent ones', [track('silent', 'aac'), track('silent', 'aac', true)], 'silent', [2, 1]],
    ['mkv', 'none where none can be copied', [track('short', 'ac3'), track('long', 'ac3')], 'unreadable', []],
  ];
  for (const [extension, what, tracks, expected, order] of rows) {
    it(`is ${what} in ${extension}`, async () => {
      const file = await make(extension, tracks);
      assert.equal(await copied(file), expected);
      assert.deepEqual(await numbers(file), order);
    });
  }

  it('is the one that was chosen', async () => {
    const file = await make('mkv', [track('short', 'aac', true), track('long', 'libopus'), track('silent', 'flac')]);
    assert.deepEqual(
      [await copied(file, 1), await copied(file, 2), await copied(file, 3)],
      ['short', 'long', 'silent'],
    );
  });

  it('is heard, although it is silent at first', async () => {
    const file = await make('mkv', [track('late', 'aac', true), track('short', 'aac')]);
    assert.deepEqual(await numbers(file), [1, 2]);
  });

  it('is described as the file does', async () => {
    const german = { ...track('short', 'aac', true), language: 'ger', title: 'Kommentar' };
    const found = await read({ type: 'tracks', file: await make('mkv', [german, track('long', 'aac')]) });
    assert(found.type === 'tracks');
    assert.equal(found.count, 2);
    const [first] = found.tracks;
    assert.deepEqual([first?.number, first?.language, first?.name], [1, 'ger', 'Kommentar']);
  });

  it('is not looked for where there is only one', async () => {
    const file = await make('m4a', [track('silent', 'aac')]);
    assert.deepEqual(await read({ type: 'tracks', file }), { type: 'tracks', count: 1, tracks: [] });
    assert.equal(await copied(file), 'silent');
  });

  describe('that is sent', () => {
    let server: HttpServer;
    let storage: string;
    let sent: Buffer[];
    let isRefusing: boolean;

    beforeEach(async () => {
      storage = await mkdtemp(join(tmpdir(), 'tracks-storage-'));
      sent = [];
      isRefusing = false;
      server = await startHttpServer(async (request, response) => {
        sent.push(await bodyOf(request));
        // The second part of a recording fails.
        if (isRefusing && sent.length > 1) response.writeHead(400).end('{}');
        else response.end(JSON.stringify({ text: 'Some words.' }));
      });
    });

    afterEach(async () => {
      await server[Symbol.asyncDispose]();
      await rm(storage, { recursive: true });
    });

    const transcribe = (file: string, wanted: Partial<Transcribing> = {}) =>
      transcribeAt({ host: server.origin, root: folder, storage, file, ...wanted });
    const two = [track('short', 'aac'), track('long', 'aac', true)];
    /** Tells whether the sound in the only request is a copy of that track. */
    async function isTrack(file: string, chosen: number): Promise<boolean> {
      const out = await mkdtemp(join(folder, 'out-'));
      const result = await read({ type: 'takeSound', file, folder: out, copies: 'always', track: chosen });
      assert(result.type === 'parts' && sent.length === 1 && result.parts[0]);
      const copy = await readFile(result.parts[0].file);
      // The header holds the time at which it was written.
      return sent[0]?.includes(copy.subarray(100, 1100)) ?? false;
    }

    it('is the answer of a person, who is asked about the default one first', async () => {
      const file = await make('mp4', two, true);
      const asked: (readonly TrackFacts[])[] = [];
      const chooseTrack = async (_: unknown, tracks: readonly TrackFacts[]) => {
        asked.push(tracks);
        return 1;
      };
      const { notices } = await transcribe(file, { chooseTrack });
      assert.deepEqual(
        asked.map((tracks) => tracks.map(({ number }) => number)),
        [[2, 1]],
      );
      assert.equal(await isTrack(file, 1), true);
      assert.deepEqual(notices, []);
    });

    it('is the default one where nobody can be asked, and a notice says so', async () => {
      const file = await make('mp4', two, true);
      const chooseTrack = () => assert.fail('nobody is there');
      const { notices } = await transcribe(file, { chooseTrack, isAttended: false });
      assert.equal(await isTrack(file, 2), true);
      assert.deepEqual(notices, ['talk.mp4 has 2 sound tracks. Only this one is sent: Track 2: 00:04.']);
    });

    it('is copied from a sound with two tracks, too', async () => {
      const file = await make('m4a', two);
      const { notices } = await transcribe(file, { isAttended: false, soundOnly: false });
      assert.equal(await isTrack(file, 2), true);
      assert.equal(notices.length, 1);
    });

    it('is not asked for where the others are silent, and a notice says which it is', async () => {
      const file = await make('mkv', [track('silent', 'aac', true), track('long', 'aac')], true);
      const { notices } = await transcribe(file, { chooseTrack: () => assert.fail('there is no choice') });
      assert.equal(await isTrack(file, 2), true);
      assert.match(notices.join(), /^talk\.mkv has 2 sound tracks\. Only this one is sent: Track 2/);
    });

    it('is the first one of a program stream, and a notice says so', async () => {
      // Such streams have no low frame rates.
      const long = { ...track('long', 'mp2'), options: ['-r', '25'] };
      const file = await make('mpeg', [track('short', 'mp2'), long], true);
      const { notices } = await transcribe(file, { chooseTrack: () => assert.fail('there is no choice') });
      assert.equal(sent.length, 1);
      assert.deepEqual(notices, ['talk.mpeg has 2 sound tracks. Only this one is sent: Track 1.']);
    });

    it('is left to the service where the whole video is sent, and a notice says so', async () => {
      const file = await make('mp4', two, true);
      const { notices } = await transcribe(file, { chooseTrack: () => assert.fail('no choice'), soundOnly: false });
      assert.equal(sent[0]?.includes(await readFile(file)), true);
      assert.deepEqual(notices, ['talk.mp4 has 2 sound tracks and is sent whole, so the service chooses one of them.']);
    });

    it('is none when the person dismisses the question', async () => {
      const file = await make('mp4', two, true);
      await assert.rejects(transcribe(file, { chooseTrack: async () => undefined }), { kind: 'cancelled' });
      assert.equal(sent.length, 0);
    });

    it('does not get the kept parts of another track', async () => {
      const file = await make('mp4', two, true);
      const choose = (chosen: number) => ({ chooseTrack: async () => chosen, maxBytes: 20_000 });
      isRefusing = true;
      await assert.rejects(transcribe(file, choose(1)));
      const before = sent.length;
      isRefusing = false;
      await transcribe(file, choose(2));
      const parts = sent.length - before;
      await transcribe(file, choose(1));
      // The first part of track 1 is kept, and no part of track 2 is one of track 1.
      assert(parts > 1, `${parts} parts`);
      assert.equal(sent.length - before - parts, before - 1);
    });
  });
});
