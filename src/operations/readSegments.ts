import type { Segment, TimedText } from './operations.ts';

/**
 * Reads the segments and words of a transcript in JSON, as services and programs write them: OpenAI (also diarized),
 * whisper, WhisperX, whisper.cpp and transformers. Items that have no text or no times are skipped.
 *
 * @param value the object with `segments`, `words`, `transcription` or `chunks`
 */
export function readSegments(value: object): {
  readonly segments: readonly Segment[];
  readonly words: readonly TimedText[];
} {
  const { segments, words, transcription, chunks, duration, usage } = value as Item;
  const [{ seconds } = {}] = items([usage]);
  const length = duration ?? seconds;
  const ended = withEnds(chunks, length);
  const areWords = holdWords(ended);
  const lists = [segments, transcription, areWords ? [] : ended].map((list) => items(list).flatMap(segmentOf));
  const read = lists.find((list) => list.length > 0) ?? [];
  const wordLists = [words, areWords ? ended : []].map((list) => items(list).flatMap(wordOf));
  const own = wordLists.find((list) => list.length > 0) ?? [];
  const inSeconds = <Timed extends TimedText>(all: readonly Timed[]) => toSeconds(all, length);
  // Words of the whole recording, or else those of each segment.
  return { segments: inSeconds(read), words: inSeconds(own.length > 0 ? own : items(segments).flatMap(wordsOf)) };
}

/** Whether each of the chunks of transformers is a word. A sentence of a language without spaces begins with none. */
function holdWords(chunks: readonly Item[]): boolean {
  const texts = chunks.map(({ text }) => String(text));
  return texts.length > 1 && texts.every((text) => /^\s*\S+\s*$/.test(text)) && texts.some((text) => /^\s/.test(text));
}

/** Transformers gives no end to a chunk that is cut off. */
function withEnds(chunks: unknown, duration: unknown): readonly Item[] {
  return items(chunks).map((chunk, index, all) => {
    const { start, end } = rangeOf(chunk);
    const next = rangeOf(all[index + 1] ?? {}).start ?? numberIn(duration) ?? 0;
    return start === undefined || end !== undefined ? chunk : { ...chunk, end: Math.max(start, next) };
  });
}

/** @param duration duration of the recording in seconds, if known: it shows whether the times are in milliseconds */
function toSeconds<Timed extends TimedText>(all: readonly Timed[], duration: unknown): readonly Timed[] {
  const end = all.at(-1)?.end ?? 0;
  const known = numberIn(duration) ?? 0;
  // Durations are also rounded, and may leave out silence.
  const latest = known + 60;
  if (known <= 0 || end <= latest || end / 1000 > latest) return all;
  return all.map((one) => ({ ...one, start: one.start / 1000, end: one.end / 1000 }));
}

type Item = Readonly<Record<string, unknown>>;

function items(value: unknown): readonly Item[] {
  return Array.isArray(value) ? value.filter((item): item is Item => typeof item === 'object' && item !== null) : [];
}

function segmentOf(item: Item): readonly Segment[] {
  const { text, speaker } = item;
  const times = timesOf(item);
  if (!times || typeof text !== 'string') return [];
  return [{ ...times, text, ...(typeof speaker === 'string' ? { speaker } : {}), ...silenceOf(item) }];
}

/** Whisper's own limit (`no_speech_threshold`). It drops such a segment only if it also doubts the words. */
const noSpeech = 0.6;

function silenceOf({ no_speech_prob: probability }: Item): Pick<Segment, 'isSilence'> {
  return (numberIn(probability) ?? 0) > noSpeech ? { isSilence: true } : {};
}

function wordsOf({ words }: Item): readonly TimedText[] {
  return items(words).flatMap(wordOf);
}

function wordOf(item: Item): readonly TimedText[] {
  const times = timesOf(item);
  const text = item.word ?? item.text;
  return times && typeof text === 'string' ? [{ ...times, text }] : [];
}

function timesOf(item: Item): { readonly start: number; readonly end: number } | undefined {
  const { offsets } = item;
  const { start, end } = rangeOf(item);
  if (start !== undefined && end !== undefined) return { start, end };
  if (typeof offsets !== 'object' || offsets === null) return undefined;
  // whisper.cpp counts milliseconds.
  const { from: first, to: last } = offsets as Item;
  return typeof first === 'number' && typeof last === 'number' ? { start: first / 1000, end: last / 1000 } : undefined;
}

function rangeOf({ start, start_time, end, end_time, timestamp }: Item) {
  const [from, to]: readonly unknown[] = Array.isArray(timestamp) ? timestamp : [];
  return { start: numberIn(start ?? start_time ?? from), end: numberIn(end ?? end_time ?? to) };
}

function numberIn(value: unknown): number | undefined {
  if (typeof value === 'string') return /^\d+(\.\d+)?$/.test(value) ? Number(value) : undefined;
  return typeof value === 'number' ? value : undefined;
}
