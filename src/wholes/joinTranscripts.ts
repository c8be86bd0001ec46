import * as l10n from '@vscode/l10n';
import type { Segment } from '../operations/operations.ts';
import { isObject, type JsonObject, type TranscriptAnswer } from '../service/Answer.ts';
import { type Clock, movedBack } from '../sound/Clock.ts';
import { segmentsIn } from '../transcripts/formatTranscript.ts';

/** Transcript of one part of a recording. */
export interface TranscriptPart {
  /** Position of the part in the recording, in seconds. */
  readonly start: number;
  readonly end: number;
  /** From its time to that of the recording; by default, all of it is later by `start`. */
  readonly clock?: Clock;
  readonly answer: TranscriptAnswer;
}

/** Joins the transcripts of the parts; times count from the start of the recording. */
export function joinTranscripts(parts: readonly TranscriptPart[]): TranscriptAnswer {
  const shifted = parts.map((part) => {
    const own = shiftedSegments(part);
    // Without times of words, each segment counts as one.
    return { ...part, segments: own, words: part.answer.words ? movedBack(clockOf(part), part.answer.words) : own };
  });
  // A service names the speakers of each part separately: A may be someone else in the next part.
  const namesSpeakers = shifted.filter(({ segments }) => segments.some(({ speaker }) => speaker?.trim())).length > 1;
  const hasTimes = shifted.every(({ answer, segments }) => answer.text.trim() === '' || segments.length > 0);
  const hasWords = parts.some(({ answer }) => answer.words !== undefined);
  const segments = shifted.flatMap((part, index) =>
    namesSpeakers ? part.segments.map((segment) => withPart(segment, index + 1)) : part.segments,
  );
  const texts = shifted.map(({ answer, segments: own }) =>
    answer.subtitles ? own.map(({ text }) => text).join(' ') : answer.text.trim(),
  );
  return {
    type: 'transcript',
    requestId: undefined,
    id: undefined,
    usage: sumOf(parts.map(({ answer }) => answer.usage)),
    text: texts.filter((text) => text !== '').join('\n\n'),
    subtitles: undefined,
    language: parts.find(({ answer }) => answer.language !== undefined)?.answer.language,
    duration: parts.at(-1)?.end,
    // If a part has no times, its text would be missing from the subtitles.
    segments: hasTimes ? segments : [],
    ...(hasTimes && !hasWords ? {} : { words: shifted.flatMap(({ words }) => words) }),
    ...reportedIn(parts.map(({ answer }) => answer)),
  };
}

function shiftedSegments(part: TranscriptPart): readonly Segment[] {
  const { answer } = part;
  return movedBack(clockOf(part), answer.subtitles ? segmentsIn(answer) : answer.segments);
}

function clockOf({ start, clock = [{ sent: 0, plays: start }] }: TranscriptPart): Clock {
  return clock;
}

function withPart({ speaker = '', ...segment }: Segment, part: number): Segment {
  return speaker.trim() === '' ? segment : { ...segment, speaker: l10n.t('{0} (part {1})', speaker.trim(), part) };
}

/** Adds up the numbers. Keeps other values that are the same in all parts. */
function sumOf(usages: readonly (JsonObject | undefined)[]): JsonObject | undefined {
  const [first, ...others] = usages.filter((usage) => usage !== undefined);
  return first && others.reduce(added, first);
}

function added(sum: JsonObject, usage: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(sum).flatMap(([name, value]) => {
      const other = usage[name];
      if (typeof value === 'number' && typeof other === 'number') return [[name, value + other]];
      if (isObject(value) && isObject(other)) return [[name, added(value, other)]];
      return value === other ? [[name, value]] : [];
    }),
  );
}

/** Returns what the service reported beside the texts of parts. */
export function reportedIn(parts: readonly Partial<TranscriptAnswer>[]): Pick<TranscriptAnswer, 'failure' | 'notices'> {
  const failure = [...new Set(parts.flatMap((part) => part.failure ?? []))].join(' ');
  const notices = [...new Set(parts.flatMap((part) => part.notices ?? []))];
  return { ...(failure === '' ? {} : { failure }), ...(notices.length > 0 ? { notices } : {}) };
}
