import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { spokenBlocks } from '../../../src/documents/speakableText.ts';
import type { BlockRange, RecordedMarks } from '../../../src/library/LibraryRecord.ts';
import { marksIn } from '../../../src/marks/readMarks.ts';
import type { MediaError } from '../../../src/operations/MediaError.ts';
import { lineWithMark, markedBlock, type NarrationBlock, narrationBlocks } from '../../../src/wholes/NarrationBlock.ts';
import { narrate, type PreviousNarration } from '../../../src/wholes/narrate.ts';
import { isSameNarration, planNarration, readBlockRanges } from '../../../src/wholes/planNarration.ts';
import { fc, runs } from '../../support/fastCheck.ts';
import { hasFfmpeg } from '../../support/ffmpeg.ts';
import { geob, manifestStore, mp3With } from '../../support/markedFiles.ts';
import { mp3Bytes, wavOf } from '../../support/mediaBytes.ts';
import { blocksOf, type Kind, samplesOf, secondsOf, soundOf, speakerOf, speakInto } from '../../support/narrations.ts';
import { readCues } from '../../support/readCues.ts';
import { readMp3 } from '../../support/readMp3.ts';
import { skipUnless } from '../../support/skipUnless.ts';
import { whileHeld } from '../../support/whileHeld.ts';

interface Narrated {
  readonly file: Buffer;
  readonly blocks: readonly BlockRange[];
  readonly transcript: string;
  readonly spoken: readonly string[];
  readonly marks: RecordedMarks;
}

describe('narrate', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'narrate-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  /** Narrates without saving and removes the parts. */
  async function narrated(
    blocks: readonly NarrationBlock[],
    kind: Kind,
    previous?: PreviousNarration,
    sound = soundOf,
    again?: ReadonlySet<string>,
    isMarked = false,
  ): Promise<Narrated> {
    const parts = join(folder, 'parts');
    const { speak, refuse, spoken } = speakInto(parts, kind, sound);
    await using narration = await narrate(blocks, { folder, speak, refuse }, { previous, again, isMarked });
    const file = await buffer(narration.data);
    await rm(parts, { recursive: true, force: true });
    return { file, ...narration.parts(), spoken, marks: narration.marks };
  }

  function previousOf({ file, blocks }: Narrated, kind: Kind): PreviousNarration {
    const ranges = readBlockRanges(JSON.parse(JSON.stringify(blocks)), file.length);
    assert(ranges);
    return { kind, sha256: sha256(file), blocks: ranges, stream: () => inPieces(file, 1000) };
  }

  it('succeeds, or fails for its own reason, also when its folder cannot be removed', async () => {
    await whileHeld('blocks-', async () => {
      assert.deepEqual((await narrated(blocksOf(['One.'], 'mp3'), 'mp3')).spoken, ['One.']);
      const speak = () => Promise.reject(new Error('no such voice'));
      const whole = { ...speakInto(folder, 'mp3', soundOf), folder, speak };
      const failing = narrate(blocksOf(['One.'], 'mp3'), whole, {});
      await assert.rejects(failing, /no such voice/);
    });
  });

  const texts = ['One.', 'Two, longer.', 'Three is the longest of all.', 'Four.', 'Five!'];

  it('records how much silence was cut from each block, also before, and the subtitles follow', async () => {
    const [second, tone] = [Buffer.alloc(8000, 128), Buffer.alloc(8000, 250)];
    const sound = () => wavOf(Buffer.concat([second, tone, second]));
    const first = await narrated(blocksOf(['One.', 'Two.'], 'wav'), 'wav', undefined, sound);
    const cuts = ({ blocks }: Narrated) => blocks.map(({ cut }) => cut);
    assert.deepEqual(cuts(first), [800, 800]);
    assert.match(first.transcript, /00:00:00\.000 --> 00:00:02\.200[\s\S]*00:00:02\.200 --> 00:00:04\.400/);
    const previous = previousOf(first, 'wav');
    const again = await narrated(blocksOf(['One.', 'Two.', 'Three.'], 'wav'), 'wav', previous, sound);
    assert.deepEqual([cuts(again), again.spoken], [[800, 1600, 800], ['Three.']]);
  });

  for (const kind of ['mp3', 'wav', 'aac'] as const) {
    it(`${kind}: speaks each block, and returns its byte range and its times`, async () => {
      const { file, blocks, transcript, spoken } = await narrated(blocksOf(texts, kind), kind);
      assert.deepEqual(spoken, texts);
      for (const [index, { key, start, end }] of blocks.entries()) {
        assert.equal(key, blocksOf(texts, kind)[index]?.key);
        assert.deepEqual(file.subarray(start, end), samplesOf(kind, texts[index] ?? ''));
      }
      assert.equal(blocks.at(-1)?.end, file.length);
      if (kind === 'mp3') assert.equal(readMp3(file).tag.length, 0);
      const times = [...transcript.matchAll(/(\S+) --> (\S+)/g)].map(([, from, to]) => [clock(from), clock(to)]);
      let at = 0;
      for (const [index, [from = -1, to = -1]] of times.entries()) {
        assert(Math.abs(from - at) < 0.001, `${from} s instead of ${at} s`);
        at += secondsOf(kind, texts[index] ?? '');
        assert(Math.abs(to - at) < 0.001, `${to} s instead of ${at} s`);
      }
      assert.equal(times.length, texts.length);
    });

    it(`${kind}: can say that a model spoke it, before the first block, and reuses blocks all the same`, async () => {
      const marked = (spoken: readonly string[], previous?: PreviousNarration) =>
        narrated(blocksOf(spoken, kind), kind, previous, soundOf, undefined, true);
      const first = await marked(texts);
      const isPossible = kind !== 'aac';
      assert.equal(marksIn(first.file).source, isPossible ? 'trainedAlgorithmicMedia' : undefined);
      assert.deepEqual(first.marks, isPossible ? { digitalSourceType: 'trainedAlgorithmicMedia' } : {});
      for (const [index, { start, end }] of first.blocks.entries()) {
        assert.deepEqual(first.file.subarray(start, end), samplesOf(kind, texts[index] ?? ''));
      }
      const changed = texts.with(2, 'Three.');
      const second = await marked(changed, previousOf(first, kind));
      assert.deepEqual([second.spoken, second.file], [['Three.'], (await marked(changed)).file]);
      // Turning the setting off takes the mark away, turning it on brings it back, and neither costs anything.
      const without = await narrated(blocksOf(changed, kind), kind, previousOf(second, kind));
      assert.deepEqual([without.spoken, marksIn(without.file).kinds], [[], []]);
      assert.deepEqual((await marked(changed, previousOf(without, kind))).file, second.file);
    });

    it(`${kind}: speaks only a changed block, and nothing when the order changed`, async () => {
      const first = await narrated(blocksOf(texts, kind), kind);
      const changed = texts.with(2, 'Three.');
      const second = await narrated(blocksOf(changed, kind), kind, previousOf(first, kind));
      assert.deepEqual(second.spoken, ['Three.']);
      assert.deepEqual(second.file, (await narrated(blocksOf(changed, kind), kind)).file);
      const swapped = texts.toReversed();
      const third = await narrated(blocksOf(swapped, kind), kind, previousOf(first, kind));
      assert.deepEqual(third.spoken, []);
      assert.deepEqual(third.file, (await narrated(blocksOf(swapped, kind), kind)).file);
    });
  }

  it('says that credentials of blocks were not kept, also of those that are used again', async () => {
    const tag = mp3With(geob(manifestStore())).subarray(0, 10 - mp3Bytes.length);
    const sound = (kind: Kind, text: string) =>
      text === 'One.' ? Buffer.concat([tag, samplesOf(kind, text)]) : soundOf(kind, text);
    const first = await narrated(blocksOf(texts, 'mp3'), 'mp3', undefined, sound);
    assert.deepEqual([first.marks, marksIn(first.file).kinds], [{ credentials: 'lost' }, []]);
    const previous = { ...previousOf(first, 'mp3'), ...first.marks };
    const changed = blocksOf(texts.with(2, 'Three.'), 'mp3');
    assert.deepEqual((await narrated(changed, 'mp3', previous, sound)).marks, { credentials: 'lost' });
    const other = await narrated(blocksOf(['Six'], 'mp3'), 'mp3', previous, sound);
    assert.deepEqual(other.marks, {});
  });

  it('speaks a block again on request, also the first, and no other', async () => {
    const blocks = blocksOf(texts, 'wav');
    const first = await narrated(blocks, 'wav');
    const again = new Set([blocks[0]?.key ?? '']);
    const second = await narrated(blocks, 'wav', previousOf(first, 'wav'), soundOf, again);
    assert.deepEqual([second.spoken, second.file], [['One.'], first.file]);
  });

  it('shows the text as it is written in the cue, once, whatever is spoken in how many parts', async () => {
    const limits = { sandbox: false, maxCharacters: 12 };
    const written = [{ text: 'x -> y', say: 'One long. Two long.' }, { text: 'End.' }];
    const { spoken, transcript } = await narrated(narrationBlocks(written, speakerOf('wav'), limits), 'wav');
    assert.deepEqual(spoken, ['One long.', 'Two long.', 'End.']);
    const cues = readCues('vtt', transcript);
    assert.deepEqual(
      cues.map(({ lines }) => lines),
      [['x -&gt; y'], ['End.']],
    );
    assert.equal(cues[0]?.end, cues[1]?.start);
  });

  it('makes the same file after any edits as without reuse, and speaks only new texts', async () => {
    const documents = fc.array(fc.array(fc.constantFrom(...texts, 'Six', 'Seven'), { minLength: 1, maxLength: 6 }), {
      minLength: 2,
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(documents, fc.constantFrom('mp3' as const, 'wav' as const), async (edits, kind) => {
        let last: Narrated | undefined;
        let heard: readonly string[] = [];
        for (const document of edits) {
          const next = await narrated(blocksOf(document, kind), kind, last && previousOf(last, kind));
          assert.deepEqual(
            next.spoken,
            [...new Set(document)].filter((text) => !heard.includes(text)),
          );
          assert.deepEqual(next.file, (await narrated(blocksOf(document, kind), kind)).file);
          [last, heard] = [next, document];
        }
      }),
      { numRuns: runs(20) },
    );
  });

  it('speaks nothing when the file is not the recorded one', async () => {
    const first = await narrated(blocksOf(texts, 'mp3'), 'mp3');
    const file = Buffer.from(first.file);
    file[500] = (file[500] ?? 0) ^ 1;
    for (const wrong of [file, first.file.subarray(0, -417), Buffer.concat([first.file, Buffer.alloc(1)])]) {
      const { speak, refuse, spoken } = speakInto(join(folder, 'parts'), 'mp3');
      const previous = { ...previousOf(first, 'mp3'), stream: () => inPieces(wrong, 1000) };
      const blocks = blocksOf([...texts, 'Six'], 'mp3');
      await assert.rejects(narrate(blocks, { folder, speak, refuse }, { previous }), {
        kind: 'save',
        message: /^Nothing was sent, because the narration file changed/,
      });
      assert.deepEqual(spoken, []);
    }
    assert.deepEqual(await readdir(folder), []);
  });

  it('keeps the spoken blocks when a later block fails', async () => {
    const { speak, refuse, spoken } = speakInto(join(folder, 'parts'), 'mp3');
    let fails = true;
    const attempt = () =>
      narrate(
        blocksOf(texts, 'mp3'),
        {
          folder,
          refuse,
          speak: (part) => (fails && part.request.input === 'Four.' ? Promise.reject(new Error('busy')) : speak(part)),
        },
        {},
      );
    await assert.rejects(attempt(), /busy/);
    assert.deepEqual(spoken, texts.slice(0, 3));
    fails = false;
    await using narration = await attempt();
    await buffer(narration.data);
    assert.deepEqual(spoken, texts);
  });

  it('speaks a few blocks at a time, and after a failure keeps those that have begun', async () => {
    let [running, most] = [0, 0];
    const begun: number[] = [];
    const ended: number[] = [];
    const gate = Promise.withResolvers<void>();
    const refuse = async (_: NarrationBlock, error: MediaError) => error;
    const speak = async ({ request }: NarrationBlock) => {
      const index = texts.indexOf(request.input);
      begun.push(index);
      most = Math.max(most, ++running);
      // The first is alone.
      if (begun.length === 4) gate.resolve();
      if (index > 0) await gate.promise;
      running--;
      if (index === 1) throw new Error('refused');
      ended.push(index);
      return join(folder, `${index}.mp3`);
    };
    const narration = narrate(blocksOf(texts, 'mp3'), { folder, speak, refuse }, { atOnce: 3 });
    await assert.rejects(narration, /refused/);
    assert.equal(most, 3);
    assert.deepEqual(begun, [0, 1, 2, 3]);
    assert.deepEqual(
      begun.filter((index) => index !== 1),
      ended.toSorted((a, b) => a - b),
    );
  });

  it('reports why sounds cannot be joined, and removes an empty one', async () => {
    const first = await narrated(blocksOf(texts, 'wav'), 'wav');
    const stereo = (_: Kind, text: string) => {
      const file = soundOf('wav', text);
      file.writeUInt16LE(2, 22);
      file.writeUInt16LE(2, 32);
      return file;
    };
    const other = blocksOf([...texts, 'Six'], 'wav');
    await assert.rejects(narrated(other, 'wav', previousOf(first, 'wav'), stereo), {
      message: /different format, sample rate/,
    });
    await rm(join(folder, 'parts'), { recursive: true });
    for (const empty of [() => Buffer.from('<html>'), () => soundOf('wav', '')]) {
      await assert.rejects(narrated(other, 'wav', previousOf(first, 'wav'), empty), {
        message: /not a complete wav file/,
      });
      assert.deepEqual(await readdir(join(folder, 'parts')), []);
    }
    const { speak: speakEmpty } = speakInto(join(folder, 'parts'), 'wav', () => soundOf('wav', ''));
    const refuse = () => Promise.reject(new Error('no space left on device'));
    const onFullDisk = async () => {
      await using narration = await narrate(other, { folder, speak: speakEmpty, refuse }, {});
      await buffer(narration.data);
    };
    await assert.rejects(onFullDisk(), { message: /not a complete wav file/ });
    const flac = async ({ key }: NarrationBlock) => {
      await writeFile(join(folder, `${key}.flac`), 'fLaC');
      return join(folder, `${key}.flac`);
    };
    let asked = 0;
    const speak = (block: NarrationBlock) => {
      asked++;
      return flac(block);
    };
    await assert.rejects(
      narrate(other, { folder, speak, refuse: async (_: NarrationBlock, error: MediaError) => error }, {}),
      {
        message: /sent flac files/,
      },
    );
    assert.equal(asked, 1);
  });

  it('keeps what is spoken in another format than the narration, and does not pay for it again', async () => {
    const first = await narrated(blocksOf(texts, 'wav'), 'wav');
    const parts = speakInto(join(folder, 'parts'), 'mp3');
    const dropped: string[] = [];
    const refuse = async ({ request }: NarrationBlock, error: MediaError) => {
      dropped.push(request.input);
      return error;
    };
    for (let attempt = 0; attempt < 2; attempt++) {
      const whole = { folder, speak: parts.speak, refuse };
      const narrating = narrate(blocksOf([...texts, 'Six'], 'wav'), whole, { previous: previousOf(first, 'wav') });
      await assert.rejects(narrating, { message: /a different format/ });
    }
    assert.deepEqual([parts.spoken, dropped], [['Six'], []]);
  });

  for (const [kind, ...options] of [
    ['mp3', '-c:a', 'libmp3lame', '-q:a', '5'],
    ['mp3', '-c:a', 'libmp3lame', '-b:a', '64k', '-ar', '24000'],
    ['wav', '-c:a', 'pcm_s16le'],
    ['aac', '-c:a', 'aac', '-f', 'adts'],
  ] as const) {
    it(`ends its cues with the sound: ${[kind, ...options].join(' ')}`, async function () {
      skipUnless(this, hasFfmpeg(), 'ffmpeg');
      const encoded = (_: Kind, text: string) => {
        const source = `sine=frequency=${200 + text.length * 30}:duration=${0.4 + text.length / 10}:sample_rate=24000`;
        const path = join(folder, `encoded.${kind}`);
        execFileSync('ffmpeg', ['-v', 'error', '-y', '-f', 'lavfi', '-i', source, ...options, path]);
        return readFileSync(path);
      };
      const first = await narrated(blocksOf(texts, kind), kind, undefined, encoded);
      const second = await narrated(
        blocksOf(['Six', ...texts.slice(1).toReversed()], kind),
        kind,
        previousOf(first, kind),
        encoded,
      );
      for (const { file, transcript } of [first, second]) {
        const path = join(folder, `whole.${kind}`);
        await writeFile(path, file);
        const pcm = ['-f', 's16le', '-ac', '1', '-ar', '24000', 'pipe:1'];
        const decoded = execFileSync('ffmpeg', ['-v', 'error', '-i', path, ...pcm], { maxBuffer: 2 ** 26 });
        const end = clock(/.* --> (\S+)/.exec(transcript.split('\n\n').at(-1) ?? '')?.[1]);
        assert(Math.abs(end - decoded.length / 48_000) < 0.05, `${end} s and ${decoded.length / 48_000} s`);
      }
    });
  }
});

describe('planNarration', () => {
  const keys = (blocks: readonly NarrationBlock[]) => blocks.map(({ request }) => request.input);

  it('returns the blocks to reuse, the blocks to generate and their number of characters', () => {
    const before = blocksOf(['One.', 'Two.'], 'mp3');
    const plan = planNarration(blocksOf(['Three.', 'Two.', 'Three.', 'Two.'], 'mp3'), before);
    assert.deepEqual(keys(plan.reuse), ['Two.', 'Two.']);
    assert.deepEqual(keys(plan.generate), ['Three.']);
    assert.equal(plan.characters, 6);
  });

  it('reuses nothing from another model, voice or format, or from the sandbox', () => {
    const before = blocksOf(['One.'], 'mp3');
    for (const other of [{ model: 'n' }, { voice: 'alloy' as const }, { response_format: 'wav' }, {}]) {
      const sandbox = Object.keys(other).length === 0;
      const blocks = narrationBlocks(
        [{ text: 'One.' }],
        { ...speakerOf('mp3'), ...other },
        { sandbox, maxCharacters: 0 },
      );
      assert.equal(planNarration(blocks, before).generate.length, 1, JSON.stringify(other));
    }
  });

  it('compares two narrations block by block (isSameNarration)', () => {
    const blocks = blocksOf(['One.', 'Two.'], 'mp3');
    assert(isSameNarration(blocks, blocksOf(['One.', 'Two.'], 'mp3')));
    for (const other of [['Two.', 'One.'], ['One.'], ['One.', 'Two.', 'Two.']]) {
      assert(!isSameNarration(blocks, blocksOf(other, 'mp3')));
    }
  });
});

describe('markedBlock', () => {
  const languages = [
    [
      'markdown',
      [
        ['---\ntitle: Guide\n---'],
        ['One, with a note[^1].\n<!-- say: First. -->', 'One, with a note.'],
        ['[^1]: A [link][].', 'A link.'],
        ['```js\nlet a;\n\nlet b;\n```'],
        ['Two\nand a half.', 'Two and a half.'],
        ['<!-- hidden\n\nstill hidden -->'],
        ['# Heading', 'Heading.\n\nThree.'],
        ['Three.', 'Heading.\n\nThree.'],
        ['- Item\n- [x] Other item', 'Item.\nOther item.'],
        ['Two\nand a half.', 'Two and a half.'],
        ['| a | b |\n| - | - |\n| c | d |', 'a: c, b: d.'],
        ['[link]: https://example.com'],
      ],
    ],
    [
      'html',
      [
        ['<h1>Heading</h1>', 'Heading.\n\nOne.'],
        ['<p>One.</p>', 'Heading.\n\nOne.'],
        ['<script>\nlet a;\n</script>'],
        ['<p>\nTwo.\n</p>', 'Two.'],
      ],
    ],
    ['asciidoc', [['One.', 'One.'], ['----\ncode\n----'], ['Two.', 'Two.']]],
    ['restructuredtext', [['One::', 'One:'], ['    code'], ['Two.', 'Two.']]],
  ] as const;
  for (const [language, parts] of languages) {
    it(`is what is spoken for each line of ${language}, and nothing for code, comments and data`, () => {
      const text = parts.map(([part]) => part).join('\n\n');
      const blocks = spokenBlocks(text, language);
      const lines = text.split('\n');
      const expected = parts.flatMap(([part, spoken]) => [...part.split('\n').map(() => spoken), undefined]);
      for (const [index, line] of lines.entries()) {
        if (line === '' || line === '| - | - |') continue;
        const marked = spokenBlocks(lines.with(index, lineWithMark(line)).join('\n'), language);
        assert.equal(markedBlock(blocks, marked)?.text, expected[index], `line ${index + 1}: ${line}`);
      }
    });
  }
});

describe('narrationBlocks', () => {
  const plain = { sandbox: false, maxCharacters: 0 };

  it('speaks what a comment says, and keeps the text for the cue', () => {
    const texts = [{ text: 'x -> y', say: 'x to y' }, { text: 'Quiet', say: '' }, { text: 'End.' }];
    const blocks = narrationBlocks(texts, speakerOf('mp3'), plain);
    assert.deepEqual(
      blocks.map(({ request, text }) => [request.input, text]),
      [
        ['x to y', 'x -> y'],
        ['End.', undefined],
      ],
    );
  });

  it('speaks a block with the voice that a comment names, and only this block again', () => {
    const texts = [{ text: 'One.' }, { text: 'Two.', voice: 'other' }];
    const blocks = narrationBlocks(texts, speakerOf('mp3'), plain);
    const before = narrationBlocks([{ text: 'One.' }, { text: 'Two.' }], speakerOf('mp3'), plain);
    assert.deepEqual(
      planNarration(blocks, before).generate.map(({ request }) => [request.input, request.voice]),
      [['Two.', 'other']],
    );
    assert.equal(blocks[1]?.text, undefined, 'the cue has the text');
  });

  it('speaks words as the list of pronunciations says, once and as whole words, and leaves other blocks as they are', () => {
    const texts = ['Use SQL, mySQL and C++.', 'sql', 'Nothing here.'].map((text) => ({ text }));
    const pronunciations = { SQL: 'sequel C', 'C++': 'see plus plus', C: 'see', Use: 'SQL' };
    const blocks = narrationBlocks(texts, speakerOf('mp3'), { ...plain, pronunciations });
    assert.deepEqual(
      blocks.map(({ request }) => request.input),
      ['SQL sequel C, mySQL and see plus plus.', 'sql', 'Nothing here.'],
    );
    const before = narrationBlocks(texts, speakerOf('mp3'), plain);
    assert.deepEqual(
      planNarration(blocks, before).generate.map(({ key }) => key),
      [blocks[0]?.key],
    );
    assert.equal(blocks[0]?.text, 'Use SQL, mySQL and C++.');
  });

  it('splits long blocks and omits blocks without a word', () => {
    const limits = { sandbox: false, maxCharacters: 12 };
    const blocks = narrationBlocks(
      [{ text: 'One. Two. Three. Four.' }, { text: '* * *' }, { text: '3' }],
      speakerOf('mp3'),
      limits,
    );
    assert.deepEqual(
      blocks.map(({ request }) => request.input),
      ['One. Two.', 'Three. Four.', '3'],
    );
  });

  it('hashes exactly the request into the key', () => {
    const [block] = blocksOf(['One.'], 'mp3');
    const sent = JSON.stringify([false, { model: 'm', input: 'One.', voice: 'nova', response_format: 'mp3' }]);
    assert.equal(block?.key, createHash('sha256').update(sent).digest('hex'));
  });
});

describe('readBlockRanges', () => {
  const key = 'a'.repeat(64);
  const range = { key, start: 44, end: 100 };

  it('accepts consecutive ranges', () => {
    const ranges = [range, { key: 'b'.repeat(64), start: 100, end: 200 }];
    assert.deepEqual(readBlockRanges(ranges, 200), ranges);
  });

  const wrong: readonly (readonly [string, unknown])[] = [
    ['an object', {}],
    ['no block', []],
    ['a key that is a path', [{ ...range, key: `${'../'.repeat(21)}x` }]],
    ['a short key', [{ ...range, key: 'ab' }]],
    ['an end beyond the file', [{ ...range, end: 201 }]],
    ['a reversed range', [{ ...range, end: 43 }]],
    ['an empty range', [{ ...range, end: 44 }]],
    ['overlapping ranges', [range, { ...range, start: 99, end: 150 }]],
    ['half a byte', [{ ...range, start: 0.5 }]],
    ['a negative offset', [{ ...range, start: -1 }]],
    ['a string instead of a number', [{ ...range, start: '44' }]],
    ['null', [null]],
  ];
  for (const [what, value] of wrong) {
    it(`rejects ${what}`, () => assert.equal(readBlockRanges(value, 200), undefined));
  }

  it('rejects a first range beyond any header', () => {
    assert.equal(readBlockRanges([{ key, start: 70_000, end: 80_000 }], 100_000), undefined);
  });
});

async function* inPieces(file: Buffer, length: number) {
  for (let start = 0; start < file.length; start += length) yield file.subarray(start, start + length);
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function clock(time = ''): number {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  return hours * 3600 + minutes * 60 + seconds;
}
