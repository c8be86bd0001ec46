import type { Segment, TimedText } from './operations.ts';

/**
 * Reads the segments and words of a transcript in JSON, as services and programs write them: OpenAI (also diarized),
 * whisper, WhisperX and whisper.cpp. Items that have no text or no times are skipped.
 *
 * @param value the object with `segments`, `words` or `transcription`
 */
export function readSegments(value: object): Timing {
  const { segments, words, transcription } = value as Readonly<Record<string, unknown>>;
  const read = [...items(segments), ...items(transcription)].flatMap(segmentOf);
  const own = items(words).flatMap(wordOf);
  // Words of the whole recording, or else those of each segment.
  return { segments: read, words: own.length > 0 ? own : items(segments).flatMap(wordsOf) };
}

export interface Timing {
  readonly segments: readonly Segment[];
  readonly words: readonly TimedText[];
}

type Item = Readonly<Record<string, unknown>>;

function items(value: unknown): readonly Item[] {
  return Array.isArray(value) ? value.filter((item): item is Item => typeof item === 'object' && item !== null) : [];
}

function segmentOf(item: Item): readonly Segment[] {
  const { text, speaker } = item;
  const times = timesOf(item);
  if (!times || typeof text !== 'string') return [];
  return [{ ...times, text, ...(typeof speaker === 'string' ? { speaker } : {}) }];
}

function wordsOf({ words }: Item): readonly TimedText[] {
  return items(words).flatMap(wordOf);
}

function wordOf(item: Item): readonly TimedText[] {
  const times = timesOf(item);
  const text = item.word ?? item.text;
  return times && typeof text === 'string' ? [{ ...times, text }] : [];
}

function timesOf({ start, end, offsets }: Item): { readonly start: number; readonly end: number } | undefined {
  if (typeof start === 'number' && typeof end === 'number') return { start, end };
  if (typeof offsets !== 'object' || offsets === null) return undefined;
  // whisper.cpp counts milliseconds.
  const { from, to } = offsets as Item;
  return typeof from === 'number' && typeof to === 'number' ? { start: from / 1000, end: to / 1000 } : undefined;
}
