import type { Mutant } from './Mutant.ts';
import { mutantsOf } from './Mutant.ts';

/** Mutants of `src/work/speech`. */
export const speechMutants: readonly Mutant[] = [
  ...mutantsOf(
    'src/work/speakInParts.ts',
    ['work/speech/speakInParts'],
    [
      ['joined parts stay on disk', 'await whole.saved();', ''],
      [
        'another length of parts pays for a text again',
        'lengths.includes(setting) ? setting : (lengths[0] ?? setting)',
        'setting',
      ],
      ['a default splits a begun text anew', 'splitsAnew = false', 'splitsAnew = true'],
      ['unjoined parts are not reported', '  onNotice(\n', '  Array.of(\n'],
      ['raw sound is not saved in parts', "extname(file) === '.pcm' ? 'audio/pcm' : undefined", 'undefined'],
      ['a text that cannot be saved is paid for', 'await checkPlace(place).catch(', 'await Promise.resolve().catch('],
      [
        'the error does not say that the parts are kept',
        'throw error instanceof MediaError ? withPartsKept(error) : error;',
        'throw error;',
      ],
      ['a part of the sandbox is taken for the service', 'hashOf([sandbox, Object', 'hashOf([{'],
    ],
  ),
  ...mutantsOf(
    'src/work/speakInParts.ts',
    ['work/speech/speakInParts', 'narration/makeNarration'],
    [
      [
        'a window that lost its lease continues to pay',
        "if (!(await this.#held.isHeld())) throw inUseElsewhere('speak');",
        '',
      ],
      ['the lease of a text is not released', 'await this.#held.release();', ''],
      ['two windows pay for the same text', "if (!held) throw inUseElsewhere('speak');", ''],
      [
        'the first parts are paid for, though the outcome of another is unknown',
        'await this.#runner.checkOutcomes(keys, { ...this.#input, place: this.#whole.place }, options);',
        '',
      ],
    ],
  ),
  ...mutantsOf(
    'src/work/speakInParts.ts',
    ['work/speech/splitText'],
    [
      ['a short paragraph becomes its own part', 'paragraphEnds(window), limit / 2)', 'paragraphEnds(window))'],
      ['sentences are split between words', "    lastCut(window, limit, boundaries(window, 'sentence')) ??\n", ''],
      ['a surrogate pair is split', '? limit - 1 : limit)', '? limit : limit)'],
      ['a grapheme is split', "    lastCut(window, limit, boundaries(window, 'grapheme')) ??\n", ''],
      ['a boundary at the limit is decided without lookahead', 'const lookahead = 32;', 'const lookahead = 0;'],
      [
        'a part is longer than the limit',
        'window.slice(0, cut).trimEnd().length <= limit',
        'window.slice(0, cut).trimEnd().length <= limit + 1',
      ],
    ],
  ),
  ...mutantsOf(
    'src/sound/joinSpeech.ts',
    ['sound/joinFrames', 'sound/markSpeech'],
    [
      ["a part's index frame stays", 'isFirst && format.isIndex(run.subarray(0, length))', 'false'],
      ['parts of different formats are joined', 'if (found !== (setup ?? found))', 'if (false)'],
      ["a tag with a part's length stays", 'return isOfPart ? Buffer.alloc(0) : tag;', 'return tag;'],
      ['the tag of the first part is lost', 'return isOfPart ? Buffer.alloc(0) : tag;', 'return Buffer.alloc(0);'],
      ["a tag with a part's credentials stays", '|application\\/(?:x-)?c2pa', ''],
      ['a second mark is added to a tag', '!frame.includes(sourceProperty)', 'true'],
      ['a WAV gets no mark', 'const marks = mark ?', 'const marks = !mark ?'],
      [
        'bytes that look like a header count as a frame',
        'if (next === window.length || format.read(window, next)?.setup === frame.setup) return offset;',
        'return offset;',
      ],
      ['a truncated frame stays', ' || offset + frame.length > window.length) break;', ') break;'],
    ],
  ),
  ...mutantsOf(
    'src/sound/joinSpeech.ts',
    ['sound/joinFrames'],
    [
      ['an ID3v1 tag stays between the parts', "if (at(128, 3) === 'TAG') return", 'if (false) return'],
      ['the footer of an ID3v2 tag counts as sound', '(hasFooter ? 10 : 0)', '0'],
      ['lyrics stay between the parts', 'Number(at(15, 6)) + 15', '0'],
      ['an APE tag stays between the parts', 'tail.readUInt32LE(footer + 12) + (hasHeader ? 32 : 0)', '0'],
    ],
  ),
  ...mutantsOf(
    'src/sound/joinSpeech.ts',
    ['sound/joinWav'],
    [
      [
        'WAV parts of different formats are joined',
        'if (found.setup !== (parts[0]?.setup ?? found.setup))',
        'if (false)',
      ],
      [
        'a file of odd length is not padded',
        'if (length % 2 === 1) yield { bytes: new Uint8Array(1), seconds: 0 };',
        '',
      ],
      ['the number of samples is left out', 'coding === pcm ? []', 'true ? []'],
      ['a compressed format is joined', '!found || !joinable.includes(found.coding)', '!found'],
      ['a file exceeds the size limit of WAV', 'if (header.length + length > maxSize)', 'if (false)'],
    ],
  ),
  ...mutantsOf(
    'src/sound/joinSpeech.ts',
    ['sound/joinWav'],
    [
      ['half a sample at the end swaps the channels', 'end: end - ((end - start) % blockLength),', 'end,'],
      [
        'a part with an unknown length counts as empty',
        'length === 0 ? riffLength + 8 !== size : start + length > size',
        'false',
      ],
    ],
  ),
  ...mutantsOf(
    'src/sound/wavFile.ts',
    ['sound/joinWav'],
    [['chunks of odd length are misread', 'start + length + (length % 2)', 'start + length']],
  ),
  ...mutantsOf(
    'src/sound/joinSpeech.ts',
    ['sound/joinFrames'],
    [
      ['padded frames are too short', '/ sampleRate) + padding', '/ sampleRate)'],
      ['the index of mono sound is not found', 'header.isMono ? side.mono : side.stereo', 'side.stereo'],
    ],
  ),
];
