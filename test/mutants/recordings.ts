import type { Mutant } from './Mutant.ts';
import { mutantsOf } from './Mutant.ts';

/** Mutants of extracting sound from recordings, cutting it, and paying for its parts. */
export const recordingMutants: readonly Mutant[] = [
  ...mutantsOf(
    'src/sound/copySound.ts',
    ['sound/planParts'],
    [
      [
        'a part may be too large',
        'const last = lastBelow(until, before + partBytes);',
        'const last = lastBelow(until, before + 2 * partBytes);',
      ],
      ['noise decides where to cut', 'const clearlyQuieter = 0.9;', 'const clearlyQuieter = 1.1;'],
      ['cuts ignore pauses', 'if (loud < least * clearlyQuieter)', 'if (false)'],
    ],
  ),
  ...mutantsOf(
    'src/sound/readRecording.ts',
    ['sound/recordingMinutes'],
    [['a recording counts as nothing', 'Math.max(1, Math.ceil(', 'Math.max(0, Math.ceil(']],
  ),
  ...mutantsOf(
    'src/sound/SoundTrack.ts',
    ['sound/recordingMinutes'],
    [
      ['a header that lies is believed', 'if (!isCredible(seconds, size)) {', 'if (false) {'],
      ['packets whose times lie are believed', 'if (!isCredible(seconds, bytes)) seconds', 'if (false) seconds'],
      ['the picture of a video counts as sound', 'tracks.length > 1 ? packets.bytes : size', 'size'],
      ['bytes that the header hides are free', 'tracks.length > 1 ? packets.bytes : size', 'packets.bytes'],
    ],
  ),
  ...mutantsOf(
    'src/sound/loudness.ts',
    ['sound/readRecording'],
    [['MP3 frames give no loudness', "if (codec === 'mp3') return", "if (codec === 'vorbis') return"]],
  ),
  ...mutantsOf(
    'src/work/transcribeRecording.ts',
    ['work/transcripts/joinTranscripts'],
    [
      ['times are not shifted', 'toMilliseconds(text.start + seconds)', 'toMilliseconds(text.start)'],
      ['speakers of two parts count as the same', '.length > 1;', '.length > 9;'],
      ['incomplete times are used', 'segments: hasTimes ? segments : []', 'segments'],
    ],
  ),
  ...mutantsOf(
    'src/work/transcribeRecording.ts',
    ['work/transcripts/transcribeRecording'],
    [
      ['a recording that was not agreed to is cut', 'agreed && !isAgreed(agreed, file, await this.#read())', 'false'],
      [
        'a recording that is written to while it is cut is sent',
        'if ((await stampOf(this.#opened)) === (await this.#stamp)) return taken;',
        'return taken;',
      ],
      ['what is at the path is cut, not what was opened', 'this.#unchanged(() => cut(this.#opened.fd))', 'cut()'],
      ['what is at the path is heard, not what was opened', 'file, fd, folder, copies }', 'file, folder, copies }'],
      ['an answered rejection stays on the list', 'await this.#runner.dismiss(jobId)', 'await Promise.resolve()'],
      ['a refusal cuts those anew that are paid for', '!isTaken || !isTooLarge(error) || error.mayBeBilled', 'true'],
      ['parts are sent without asking', '!(await mayCut(', '!(await Array.of('],
      ['a recording that was started in parts is sent whole', 'partBytes: begun } =', 'begun = undefined } ='],
      ['another setting for videos pays for the parts again', 'return other.isPaid ? other : own;', 'return own;'],
      ['a silent part is a failure', "error.kind !== 'noMedia' ||", "error.kind !== 'noKey' ||"],
      ['parts that are too large are not halved', 'this.#cutInto(Math.floor(partBytes / 2)', 'this.#cutInto(partBytes'],
      ['the transcripts of parts stay', 'await this.#runner.store.wholeSaved(held, whole);', ''],
      [
        'the error does not say that parts are kept',
        'if (!smaller) throw withPartsKept(error);',
        'if (!smaller) throw error;',
      ],
      [
        'a video without sound is sent',
        "      case 'noSound':\n        throw unusable(recordingField, l10n.t('{0} has no sound.', basename(file)));",
        "      case 'noSound':\n        return wholeFile(file);",
      ],
      ['two windows pay for the same recording', "if (!held) throw inUseElsewhere('transcribe');", ''],
      [
        'a window that lost its lease continues to pay',
        "if (!(await held.isHeld())) throw inUseElsewhere('transcribe');",
        '',
      ],
      ['the sound stays on disk', 'await held.reset().catch(() => undefined);', 'undefined;'],
      [
        'the first parts are paid for, though the outcome of another is unknown',
        'await this.#runner.checkOutcomes(keys, this.#input, this.#options);',
        '',
      ],
      ['the parts of another recording are taken', 'sandbox, content, range, ', 'sandbox, range, '],
      ['the recording begins again with parts of another size', 'whole?.key.startsWith(`${key}.`)', 'false'],
    ],
  ),
];
