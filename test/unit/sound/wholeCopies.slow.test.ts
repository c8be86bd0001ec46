import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { type RecordingTask, readRecording } from '../../../src/sound/readRecording.ts';
import { fc, runs } from '../../support/fastCheck.ts';
import { describeWithFfmpeg, makeRecording, soundOf } from '../../support/makeRecording.ts';

/** 0.2 s and one frame: ffmpeg leaves out what encoders add at the start and the end. */
const tolerance = 0.26;

/** Options of ffmpeg. */
type Form = readonly string[];
const [mono, stereo, low]: readonly Form[] = [
  ['-ac', '1'],
  ['-ac', '2'],
  ['-ac', '1', '-ar', '16000'],
] as const;
const [opus, vorbis, aac]: readonly Form[] = [
  ['-c:a', 'libopus'],
  ['-c:a', 'libvorbis'],
  ['-c:a', 'aac'],
] as const;
const fragmented = [
  '-c:a',
  'aac',
  '-movflags',
  'frag_keyframe+empty_moov+default_base_moof',
  '-frag_duration',
  '500000',
];
const bare = ['-write_xing', '0', '-id3v2_version', '0'];

describeWithFfmpeg('a copy of a chain of recordings', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chains-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  const read = <Task extends RecordingTask>(task: Task) =>
    readRecording(task, { signal: new AbortController().signal });
  const near = (seconds: number, expected: number, what: string) =>
    assert(Math.abs(seconds - expected) < tolerance, `${what}: ${seconds.toFixed(2)} s, not ${expected.toFixed(2)} s`);

  /** Appends recordings of 4 s to each other. @returns the file, and how long ffmpeg hears them one by one */
  async function chain(extension: string, forms: readonly Form[], seconds = 4) {
    const parts: string[] = [];
    for (const [index, options] of forms.entries()) {
      parts.push(await makeRecording(folder, `${index}.${extension}`, { options, seconds }));
    }
    const file = join(folder, `talk.${extension}`);
    await writeFile(file, Buffer.concat(await Promise.all(parts.map((part) => readFile(part)))));
    return { file, heard: await heardIn(parts) };
  }

  async function heardIn(files: readonly string[]): Promise<number> {
    return (await soundOf(...files)).seconds.reduce((sum, one) => sum + one, 0);
  }

  const chains: readonly (readonly [string, string, Form, Form])[] = [
    ['mp3', 'mono and stereo', mono, stereo],
    ['mp3', 'mono and stereo without tags', [...mono, ...bare], [...stereo, ...bare]],
    ['mp3', 'two sample rates', ['-ar', '44100'], ['-ar', '22050', '-b:a', '32k']],
    ['mp3', 'two bit rates', ['-b:a', '32k'], ['-b:a', '128k']],
    ['mp2', 'mono and stereo', mono, stereo],
    ['mp2', 'two sample rates', ['-ar', '44100'], low],
    ['aac', 'mono and stereo', mono, stereo],
    ['aac', 'two sample rates', mono, low],
    ['aac', 'one form and tags', [...mono, '-write_id3v2', '1'], [...mono, '-write_id3v2', '1']],
    ['ogg', 'one form of Opus', opus, opus],
    ['ogg', 'mono and stereo of Opus', [...opus, ...mono], [...opus, ...stereo]],
    ['ogg', 'two sample rates of Vorbis', [...vorbis, ...mono], [...vorbis, ...low]],
    ['ogg', 'Vorbis and Opus', vorbis, opus],
    ['flac', 'mono and stereo', mono, stereo],
    ['flac', '16 and 24 bits', mono, ['-sample_fmt', 's32']],
    ['wav', 'one form', mono, mono],
    ['wav', 'two sample rates', mono, low],
    ['wav', 'integers and floats', mono, ['-c:a', 'pcm_f32le']],
    ['webm', 'mono and stereo of Opus', [...opus, ...mono], [...opus, ...stereo]],
    ['mka', 'mono and stereo of AAC', [...aac, ...mono], [...aac, ...stereo]],
    ['mka', 'MP3 and FLAC', ['-c:a', 'libmp3lame'], ['-c:a', 'flac']],
    // The times start again, and the form stays.
    ['ts', 'one form of AAC', aac, aac],
    ['mp4', 'fragments of one form', fragmented, fragmented],
  ];
  for (const [extension, what, one, other] of chains) {
    it(`has as many seconds as ffmpeg hears in ${extension} with ${what}`, async () => {
      const { file, heard } = await chain(extension, [one, one, other, one]);
      const partBytes = Math.max(20_000, Math.floor((await stat(file)).size / 2));
      const measured = await read({ type: 'measure', file });
      near(measured.type === 'measured' ? measured.seconds : 0, heard, 'measured');
      const examined = await read({ type: 'examine', file });
      // A transport stream starts later than 0.
      near(examined.type === 'examined' ? examined.seconds : 0, heard + (extension === 'ts' ? 1.4 : 0), 'examined');
      for (const task of [{ type: 'cut', partBytes } as const, { type: 'takeSound', copies: 'always' } as const]) {
        const result = await read({ ...task, file, folder: await mkdtemp(join(folder, 'out-')) });
        assert(result.type === 'parts', JSON.stringify(result));
        near(await heardIn(result.parts.map((part) => part.file)), heard, task.type);
        let end = result.parts[0]?.start ?? 0;
        for (const part of result.parts) {
          near(part.start, end, 'a start');
          end = part.end;
        }
        near(end - (result.parts[0]?.start ?? 0), heard, 'the end');
        assert.equal(result.missing, undefined);
      }
    });
  }

  it('is refused where a transport stream changes its form, so that it is sent as it is', async () => {
    const { file } = await chain('ts', [
      [...aac, ...mono],
      [...aac, ...stereo],
    ]);
    for (const task of [
      { type: 'cut', partBytes: 20_000 } as const,
      { type: 'takeSound', copies: 'always' } as const,
    ]) {
      const result = await read({ ...task, file, folder: await mkdtemp(join(folder, 'out-')) });
      assert(result.type === 'unreadable', JSON.stringify(result));
      assert.match(result.reason, /its form changes at \d/);
    }
  });

  const damages: readonly (readonly [string, Form])[] = [
    ['ogg', opus],
    ['flac', []],
  ];
  for (const [extension, options] of damages) {
    it(`is refused where ${extension} is damaged in the middle, behind which players go on`, async () => {
      const file = await makeRecording(folder, `talk.${extension}`, { options, seconds: 20 });
      const bytes = await readFile(file);
      bytes.fill(0, bytes.length / 2, bytes.length / 2 + 10_000);
      await writeFile(file, bytes);
      const result = await read({ type: 'cut', file, folder, partBytes: 40_000 });
      assert.equal(result.type, 'unreadable', JSON.stringify(result));
    });
  }

  const crashes: readonly (readonly [string, Form, number, number])[] = [
    ['without lengths', [], 0, 0],
    ['with the lengths of an early moment', [], 36, 0],
    ['with the length of a stream', [], 0xffff_ffff, 0xffff_ffff],
    ['of floats with the length of an early file', ['-c:a', 'pcm_f32le'], 4000, 0],
  ];
  for (const [what, options, riff, data] of crashes) {
    it(`has all of a WAV ${what}`, async () => {
      const file = await makeRecording(folder, 'talk.wav', { options, seconds: 10 });
      const bytes = await readFile(file);
      bytes.writeUInt32LE(riff, 4);
      bytes.writeUInt32LE(data, bytes.indexOf('data') + 4);
      await writeFile(file, bytes);
      const measured = await read({ type: 'measure', file });
      near(measured.type === 'measured' ? measured.seconds : 0, 10, 'measured');
      const result = await read({ type: 'cut', file, folder, partBytes: 400_000 });
      assert(result.type === 'parts', JSON.stringify(result));
      near(await heardIn(result.parts.map((part) => part.file)), await heardIn([file]), 'cut');
    });
  }

  it('says how much of a file is lost', async () => {
    const file = await makeRecording(folder, 'talk.flac', { seconds: 20 });
    const whole = await readFile(file);
    await writeFile(file, whole.subarray(0, whole.length / 2));
    const result = await read({ type: 'cut', file, folder, partBytes: 400_000 });
    assert(result.type === 'parts', JSON.stringify(result));
    near((result.parts.at(-1)?.end ?? 0) + (result.missing ?? 0), 20, 'what it claims');
    near(await heardIn(result.parts.map((part) => part.file)), result.parts.at(-1)?.end ?? 0, 'what is left');
  });

  const truncated: readonly (readonly [string, Form, boolean])[] = [
    ['mkv', aac, true],
    ['webm', opus, true],
    ['wav', [], true],
    // These do not say how long they are.
    ['ts', aac, false],
    ['mp2', [], false],
  ];
  for (const [extension, options, saysLength] of truncated) {
    it(`has all that is left of a truncated ${extension}${saysLength ? ', and says what is lost' : ''}`, async () => {
      const file = await makeRecording(folder, `talk.${extension}`, { options, seconds: 20 });
      const bytes = await readFile(file);
      await writeFile(file, bytes.subarray(0, bytes.length * 0.6));
      const result = await read({
        type: 'takeSound',
        copies: 'always',
        file,
        folder: await mkdtemp(join(folder, 'out-')),
      });
      assert(result.type === 'parts', JSON.stringify(result));
      near(await heardIn(result.parts.map((part) => part.file)), await heardIn([file]), 'what is left');
      if (saysLength) near((result.parts.at(-1)?.end ?? 0) + (result.missing ?? 0), 20, 'what it claims');
      else assert.equal(result.missing, undefined);
    });
  }

  it('is refused where Matroska lacks bytes in the middle, behind which players go on', async () => {
    const options = ['-s', '64x48', '-c:v', 'mpeg4', ...aac];
    const file = await makeRecording(folder, 'talk.mkv', { options, seconds: 20, hasPicture: true });
    const bytes = await readFile(file);
    const middle = Math.floor(bytes.length / 2);
    await writeFile(file, Buffer.concat([bytes.subarray(0, middle), bytes.subarray(middle + 20_001)]));
    const result = await read({ type: 'takeSound', copies: 'always', file, folder });
    const left = result.type === 'parts' ? await heardIn(result.parts.map((part) => part.file)) : undefined;
    if (left === undefined) assert.equal(result.type, 'unreadable');
    else near(left, await heardIn([file]), 'what is left');
  });

  const fragments = async () => readFile(await makeRecording(folder, 'talk.mp4', { options: fragmented, seconds: 20 }));

  it('is refused where a box of an MP4 is damaged', async () => {
    const bytes = await fragments();
    const middle = bytes.indexOf('moof', bytes.length / 2);
    bytes.fill(0xff, middle - 4, middle + 4);
    const file = join(folder, 'damaged.mp4');
    await writeFile(file, bytes);
    const result = await read({ type: 'takeSound', copies: 'always', file, folder });
    assert(result.type === 'unreadable', JSON.stringify(result));
    assert.match(result.reason, /damaged at byte \d/);
  });

  it('is refused where the sound of an MP4 has several descriptions', async () => {
    const file = await makeRecording(folder, 'talk.mp4', { options: aac, seconds: 4 });
    await writeFile(file, withSecondDescription(await readFile(file)));
    const result = await read({ type: 'takeSound', copies: 'always', file, folder });
    assert(result.type === 'unreadable', JSON.stringify(result));
    assert.match(result.reason, /its form changes/);
  });

  it('has no empty part of a sound that starts far from 0, and counts from there', async () => {
    for (const [extension, options] of [
      ['webm', opus],
      ['mka', aac],
      ['mp4', aac],
    ] as const) {
      const late = [...options, '-output_ts_offset', '100'];
      const file = await makeRecording(folder, `late.${extension}`, { options: late, seconds: 20 });
      const partBytes = Math.max(20_000, Math.floor((await stat(file)).size / 2));
      const result = await read({ type: 'cut', partBytes, file, folder: await mkdtemp(join(folder, 'out-')) });
      assert(result.type === 'parts', JSON.stringify(result));
      near(result.parts[0]?.clock[0]?.plays ?? 0, 100, 'the start');
      near(await heardIn(result.parts.map((part) => part.file)), await heardIn([file]), 'cut');
    }
  });

  it('counts from the start of a transport stream, and leaves out what an edit has left out', async () => {
    const stream = await makeRecording(folder, 'talk.ts', { options: aac, seconds: 4 });
    const whole = await makeRecording(folder, 'whole.mp4', {
      options: ['-s', '64x48', '-c:v', 'mpeg4', '-g', '500', ...aac],
      seconds: 20,
      hasPicture: true,
    });
    const edited = join(folder, 'edited.mp4');
    execFileSync('ffmpeg', ['-v', 'error', '-ss', '7', '-i', whole, '-c', 'copy', edited]);
    for (const [file, before] of [
      [stream, 0],
      [edited, 0.5],
    ] as const) {
      const result = await read({
        type: 'takeSound',
        copies: 'always',
        file,
        folder: await mkdtemp(join(folder, 'out-')),
      });
      assert(result.type === 'parts', JSON.stringify(result));
      near(result.parts[0]?.clock[0]?.plays ?? 1, -before, 'the start');
      near(await heardIn(result.parts.map((part) => part.file)), (await heardIn([file])) + before, 'heard');
    }
  });

  const codecs: Readonly<Record<string, readonly Form[]>> = {
    mkv: [aac, opus, vorbis, ['-c:a', 'libmp3lame'], ['-c:a', 'flac'], ['-c:a', 'pcm_s16le']],
    webm: [opus, vorbis],
    mp4: [aac, ['-c:a', 'libmp3lame'], fragmented],
    mov: [aac, ['-c:a', 'pcm_s16be']],
    ts: [aac, ['-c:a', 'mp2']],
    wav: [[], ['-c:a', 'pcm_f32le']],
    mp3: [[], ['-ac', '2']],
    ogg: [opus, vorbis],
    flac: [[]],
  };
  const troubles = ['none', 'gap', 'late', 'truncated', 'appended'] as const;

  it('has as many seconds as ffmpeg hears, or says that it has not, for any container, codec and trouble', async () => {
    const recordings = fc.constantFrom(...Object.keys(codecs)).chain((extension) =>
      fc.record({
        extension: fc.constant(extension),
        codec: fc.constantFrom(...(codecs[extension] ?? [])),
        trouble: fc.constantFrom(...troubles),
        at: fc.integer({ min: 3, max: 8 }),
        isCut: fc.boolean(),
      }),
    );
    let refused = 0;
    const numRuns = runs(40);
    await fc.assert(
      fc.asyncProperty(recordings, async ({ extension, codec, trouble, at, isCut }) => {
        const own = await mkdtemp(join(folder, 'any-'));
        const late = trouble === 'late' ? ['-output_ts_offset', `${at}`] : [];
        let file = await makeRecording(own, `talk.${extension}`, { options: [...codec, ...late], seconds: 12 });
        if (trouble === 'gap') {
          const moved = join(own, `moved.${extension}`);
          const gap = `setts=ts=PTS+if(gt(PTS*TB\\,${at})\\,5/TB\\,0)`;
          execFileSync('ffmpeg', ['-v', 'error', '-i', file, '-c', 'copy', '-bsf:a', gap, moved]);
          file = moved;
        }
        const bytes = await readFile(file);
        // The index of these is at the end.
        const isIndexed = ['mp4', 'mov'].includes(extension) && codec !== fragmented;
        if (trouble === 'truncated' && !isIndexed) await writeFile(file, bytes.subarray(0, (bytes.length * at) / 10));
        if (trouble === 'appended' && !isIndexed) await writeFile(file, Buffer.concat([bytes, bytes]));
        const times = trouble === 'appended' && !isIndexed ? 2 : 1;
        // What is appended to Matroska and Ogg is not heard by every version of ffmpeg.
        const heard =
          times === 2 ? 2 * (await heardIn([await original(own, bytes, extension)])) : await heardIn([file]);
        const how = isCut
          ? { type: 'cut' as const, partBytes: Math.max(20_000, Math.floor(bytes.length / 2)) }
          : { type: 'takeSound' as const, copies: 'always' as const };
        const result = await read({ ...how, file, folder: await mkdtemp(join(own, 'out-')) });
        if (result.type !== 'parts') {
          // It is said, and the recording is sent as it is.
          assert.equal(result.type, 'unreadable');
          refused++;
          return;
        }
        near(await heardIn(result.parts.map((part) => part.file)), heard, trouble);
        near(
          result.parts.reduce((sum, { seconds }) => sum + seconds, 0),
          heard,
          'what is counted',
        );
      }),
      { numRuns },
    );
    // What refuses everything would say the truth, too.
    assert(refused * 3 <= numRuns, `${refused} of ${numRuns} were refused`);
  });

  async function original(own: string, bytes: Buffer, extension: string): Promise<string> {
    const file = join(own, `original.${extension}`);
    await writeFile(file, bytes);
    return file;
  }

  const samples = ['s8', 'u8', ...['s16', 's24', 's32', 'f32', 'f64'].flatMap((one) => [`${one}le`, `${one}be`])];
  for (const coding of samples) {
    it(`has the same samples as a video with ${coding}`, async () => {
      const options = ['-c:v', 'mpeg4', '-s', '32x32', '-ac', '2', '-c:a', `pcm_${coding}`];
      const file = await makeRecording(folder, 'talk.mov', { options, seconds: 4, hasPicture: true });
      const result = await read({ type: 'takeSound', file, folder, copies: 'ofVideos' });
      assert(result.type === 'parts', JSON.stringify(result));
      const [copy] = result.parts;
      assert(copy && extname(copy.file) === '.wav');
      const decode = (path: string) =>
        execFileSync('ffmpeg', ['-v', 'error', '-i', path, '-map', '0:a', '-c:a', 'pcm_f64le', '-f', 'md5', '-']);
      assert.equal(`${decode(copy.file)}`, `${decode(file)}`);
    });
  }
});

/** Returns an MP4 whose index, at its end, describes its sound twice, and whose last chunks use the second. */
function withSecondDescription(file: Buffer): Buffer {
  const entry = (name: string) => file.indexOf(name) - 4;
  const [table, chunks] = [entry('stsd'), entry('stsc')];
  const description = file.subarray(table + 16, table + file.readUInt32BE(table));
  const first = file.subarray(chunks + 16, chunks + 28);
  const last = Buffer.from(first);
  last.writeUInt32BE(2, 0);
  last.writeUInt32BE(2, 8);
  const grown = Buffer.from(file);
  for (const [name, length] of [
    ...['moov', 'trak', 'mdia', 'minf', 'stbl'].map((name) => [name, description.length + last.length] as const),
    ['stsd', description.length] as const,
    ['stsc', last.length] as const,
  ]) {
    grown.writeUInt32BE(file.readUInt32BE(entry(name)) + length, entry(name));
  }
  grown.writeUInt32BE(2, table + 12);
  grown.writeUInt32BE(2, chunks + 12);
  const [afterTable, afterChunks] = [table + 16 + description.length, chunks + 28];
  return Buffer.concat([
    grown.subarray(0, afterTable),
    description,
    grown.subarray(afterTable, afterChunks),
    last,
    grown.subarray(afterChunks),
  ]);
}
