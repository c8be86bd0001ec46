import type { Mutant } from './Mutant.ts';
import { mutantsOf } from './Mutant.ts';

/** Mutants of extracting sound from recordings, cutting it, and paying for its parts. */
export const recordingMutants: readonly Mutant[] = [
  ...mutantsOf(
    'src/recordings/planParts.ts',
    ['recordings/planParts'],
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
    'src/recordings/readRecording.ts',
    ['recordings/readRecording'],
    [
      [
        'a damaged file is read for ever',
        'let deadline = setTimeout(giveUp, quietMs);',
        'let deadline = setTimeout(() => undefined, quietMs);',
      ],
      [
        'a drive that does not respond holds its caller',
        'await Promise.race([worker.terminate(), sleep(endingMs, undefined, { ref: false })]);',
        'await worker.terminate();',
      ],
    ],
  ),
  ...mutantsOf(
    'src/recordings/loudnessFor.ts',
    ['recordings/readRecording'],
    [['MP3 frames give no loudness', "if (codec === 'mp3') return", "if (codec === 'vorbis') return"]],
  ),
  ...mutantsOf(
    'src/jobs/runPart.ts',
    ['jobs/transcripts/transcribeRecording'],
    [['a part is paid for again', 'if (known) return known;', '']],
  ),
  ...mutantsOf(
    'src/jobs/transcripts/transcribeParts.ts',
    ['jobs/transcripts/transcribeRecording'],
    [
      ['a silent part is a failure', "error.kind !== 'noMedia'", "error.kind !== 'noKey'"],
      ['parts that are too large are not halved', 'Math.floor(cut.partBytes / 2)', 'cut.partBytes'],
      ['the transcripts of parts stay', 'await Promise.all(files.map((file) => rm(file, { force: true })));', ''],
      [
        'the error does not say that parts are kept',
        'if (!smaller) throw withPartsKept(error);',
        'if (!smaller) throw error;',
      ],
    ],
  ),
  ...mutantsOf(
    'src/jobs/transcripts/joinTranscripts.ts',
    ['jobs/transcripts/joinTranscripts'],
    [
      ['times are not shifted', 'toMilliseconds(segment.start + start)', 'toMilliseconds(segment.start)'],
      ['speakers of two parts count as the same', '.length > 1;', '.length > 9;'],
      ['incomplete times are used', 'segments: hasTimes ? segments : []', 'segments'],
    ],
  ),
  ...mutantsOf(
    'src/jobs/transcripts/transcribeRecording.ts',
    ['jobs/transcripts/transcribeRecording'],
    [
      [
        'an answered rejection stays on the list',
        'await options.runner.dismiss(error.jobId)',
        'await Promise.resolve()',
      ],
      ['parts are sent without asking', '!(await options.mayCut(', '!(await Array.of('],
      [
        'a recording that was started in parts is sent whole',
        'const begun = input.partBytes ?? (await partsBegun(options.recordingsFolder, key));',
        'const begun = input.partBytes;',
      ],
    ],
  ),
  ...mutantsOf(
    'src/jobs/transcripts/soundOf.ts',
    ['jobs/transcripts/transcribeRecording'],
    [
      [
        'a video without sound is sent',
        "    case 'noSound':\n      throw unusable(field, l10n.t('{0} has no sound.', basename(file)));",
        "    case 'noSound':\n      return wholeFile(file);",
      ],
    ],
  ),
  ...mutantsOf(
    'src/jobs/transcripts/RecordingWork.ts',
    ['jobs/transcripts/transcribeRecording'],
    [
      ['two windows pay for the same recording', 'if (!lease) throw takenElsewhere();', ''],
      [
        'the sound stays on disk',
        'await Promise.all(files.map((name) => rm(',
        'await Promise.all([].map((name) => rm(',
      ],
    ],
  ),
];
