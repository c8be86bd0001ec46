import type { Mutant } from './Mutant.ts';
import { mutantsOf } from './Mutant.ts';

/** Mutants of `src/jobs/speech`. */
export const speechMutants: readonly Mutant[] = [
  ...mutantsOf(
    'src/jobs/speech/speakInParts.ts',
    ['jobs/speech/speakInParts'],
    [
      ['a window that lost its lease continues to pay', 'if (!(await lease.renew())) throw spokenElsewhere();', ''],
      ['the lease of a text is not released', 'await lease.release();', ''],
      ['joined parts stay on disk', 'await removeParts(files);', ''],
      ['unjoined parts are not reported', '  onNotice(\n', '  Array.of(\n'],
      ['raw sound is not saved in parts', "extname(file) === '.pcm' ? 'audio/pcm' : undefined", 'undefined'],
      [
        'a text that cannot be saved is paid for',
        'await checkPlace(options.place).catch(',
        'await Promise.resolve().catch(',
      ],
      [
        'the error does not say that the parts are kept',
        'throw error instanceof MediaError ? withPartsKept(error) : error;',
        'throw error;',
      ],
    ],
  ),
  ...mutantsOf(
    'src/jobs/speech/takeNarration.ts',
    ['jobs/speech/speakInParts'],
    [['two windows pay for the same text', 'if (!lease) throw spokenElsewhere();', '']],
  ),
  ...mutantsOf(
    'src/jobs/speech/speechParts.ts',
    ['jobs/speech/speakInParts'],
    [['a part of the sandbox is taken for the service', 'JSON.stringify([sandbox, {', 'JSON.stringify([{']],
  ),
  ...mutantsOf(
    'src/jobs/sweepParts.ts',
    ['jobs/speech/speakInParts'],
    [
      ['a part is kept for 31 days', 'const partMaxAgeMs = 30 *', 'const partMaxAgeMs = 31 *'],
      ['a part is kept for 29 days', 'const partMaxAgeMs = 30 *', 'const partMaxAgeMs = 29 *'],
      ['the files of attempts stay', "name.endsWith('.part') ? attemptMaxAgeMs : partMaxAgeMs", 'partMaxAgeMs'],
      ['narrations that nobody works on stay', 'if (quiet <= attemptMaxAgeMs) continue;', 'continue;'],
    ],
  ),
  ...mutantsOf(
    'src/jobs/runPart.ts',
    ['jobs/speech/speakInParts'],
    [
      ['a part gets the exact name of the whole', '{ ...shared, root', '{ ...whole.place, root'],
      ['a part that waits to be saved is paid for again', 'if (paid) await', 'if (false && paid) await'],
      ['a spoken part is paid for again', 'if (known) return', 'if (false && known) return'],
    ],
  ),
  ...mutantsOf(
    'src/jobs/speech/splitText.ts',
    ['jobs/speech/splitText'],
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
    'src/jobs/speech/joinFrames.ts',
    ['jobs/speech/joinFrames'],
    [
      ["a part's index frame stays", 'isFirst && format.isIndex(run.subarray(0, length))', 'false'],
      ['parts of different formats are joined', 'if (found !== (setup ?? found))', 'if (false)'],
      ["a tag with a part's length stays", 'return hasLength ? Buffer.alloc(0) : tag;', 'return tag;'],
      ['the tag of the first part is lost', 'return hasLength ? Buffer.alloc(0) : tag;', 'return Buffer.alloc(0);'],
      [
        'bytes that look like a header count as a frame',
        'if (next === window.length || format.read(window, next)?.setup === frame.setup) return offset;',
        'return offset;',
      ],
      ['a truncated frame stays', ' || offset + frame.length > window.length) break;', ') break;'],
    ],
  ),
  ...mutantsOf(
    'src/jobs/speech/findSound.ts',
    ['jobs/speech/joinFrames'],
    [
      ['an ID3v1 tag stays between the parts', "if (at(128, 3) === 'TAG') return", 'if (false) return'],
      ['the footer of an ID3v2 tag counts as sound', '(hasFooter ? 10 : 0)', '0'],
      ['lyrics stay between the parts', 'Number(at(15, 6)) + 15', '0'],
      ['an APE tag stays between the parts', 'tail.readUInt32LE(footer + 12) + (hasHeader ? 32 : 0)', '0'],
    ],
  ),
  ...mutantsOf(
    'src/jobs/speech/joinWav.ts',
    ['jobs/speech/joinWav'],
    [
      ['parts of different formats are joined', 'if (found.setup !== (parts[0]?.setup ?? found.setup))', 'if (false)'],
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
    'src/jobs/speech/readWavPart.ts',
    ['jobs/speech/joinWav'],
    [
      ['half a sample at the end swaps the channels', 'end: end - ((end - start) % blockLength),', 'end,'],
      ['a part with an unknown length counts as empty', 'length === 0 ? !hasTrueSize : start + length > size', 'false'],
      ['chunks of odd length are misread', 'start + length + (length % 2)', 'start + length'],
    ],
  ),
  ...mutantsOf(
    'src/jobs/speech/mp3Format.ts',
    ['jobs/speech/joinFrames'],
    [
      ['padded frames are too short', '/ sampleRate) + padding', '/ sampleRate)'],
      ['the index of mono sound is not found', 'header.isMono ? side.mono : side.stereo', 'side.stereo'],
    ],
  ),
];
