import type { Segment, TimedText } from './operations.ts';

/**
 * Reads the segments and words of a transcript in JSON, as services and programs write them: OpenAI (also diarized),
 * whisper, WhisperX, whisper.cpp and transformers. Items that have no text or no times are skipped.
 *
 * @param value the object with `segments`, `words`, `transcription` or `chunks`
 * @param recordingSeconds length of the recording that was sent, if known
 * @param maxSeconds times beyond it are not in seconds
 */
export function readSegments(
  value: object,
  recordingSeconds?: number,
  maxSeconds = Number.POSITIVE_INFINITY,
): {
  readonly segments: readonly Segment[];
  readonly words: readonly TimedText[];
  /** What was said, where the times were left out because they fit no unit. */
  readonly spoken?: readonly TimedText[];
} {
  const { segments, words, transcription, chunks, duration, usage } = value as Item;
  const [{ seconds } = {}] = items([usage]);
  const length = recordingSeconds ?? duration ?? seconds;
  const ended = withEnds(chunks, length);
  const areWords = holdWords(ended);
  const lists = [segments, transcription, areWords ? [] : ended].map(segmentsIn);
  const read = lists.find((list) => list.length > 0) ?? [];
  const wordLists = [words, areWords ? ended : []].map((list) => items(list).flatMap(wordOf));
  const own = wordLists.find((list) => list.length > 0) ?? [];
  // Words of the whole recording, or else those of each segment.
  const timed = own.length > 0 ? own : items(segments).flatMap(wordsOf);
  const unit = unitOf([...read, ...timed], length, recordingSeconds === undefined ? maxSeconds : undefined);
  if (unit === undefined) return { segments: [], words: [], spoken: read.length > 0 ? read : timed };
  return { segments: inSeconds(read, unit), words: inSeconds(timed, unit) };
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

/** Units in which services count, per second. */
const units = [1, 1e3, 1e6, 1e9];

/**
 * Finds the unit of times.
 *
 * @param length of the recording in seconds, if known
 * @param maxSeconds limit of times where the length was not measured: the one that a service names may be no more than a
 *   placeholder
 * @returns its number per second; undefined when the times fit no unit
 */
function unitOf(all: readonly TimedText[], length: unknown, maxSeconds: number | undefined): number | undefined {
  const known = numberIn(length) ?? 0;
  // Durations are also rounded, and may leave out silence.
  const latest = known + 60;
  const end = endOf(all);
  const spoken = all.reduce((sum, one) => sum + one.end - one.start, 0);
  // Times of day would fit a small unit, in which nothing takes any time.
  const fits = (one: number) => end / one <= latest && (one === 1 || spoken / one >= all.length * shortestSeconds);
  if (maxSeconds === undefined) return units.find(fits);
  return (known > 1 ? units.find(fits) : undefined) ?? (end <= maxSeconds ? 1 : undefined);
}

/** The mean length of words and sentences is never shorter. */
const shortestSeconds = 0.02;

function endOf(all: readonly TimedText[]): number {
  return all.reduce((latest, { end }) => Math.max(latest, end), 0);
}

function inSeconds<Timed extends TimedText>(all: readonly Timed[], unit: number): readonly Timed[] {
  return unit === 1 ? all : all.map((one) => ({ ...one, start: one.start / unit, end: one.end / unit }));
}

type Item = Readonly<Record<string, unknown>>;

function items(value: unknown): readonly Item[] {
  return Array.isArray(value) ? value.filter((item): item is Item => typeof item === 'object' && item !== null) : [];
}

function segmentsIn(list: unknown): readonly Segment[] {
  const all = items(list);
  // A recording of one channel has that in each segment.
  const channels = new Set(all.map((item) => speakerOf(item, [channelName])));
  const names = channels.size > 1 ? [speakerName, channelName] : [speakerName];
  return all.flatMap((item) => segmentOf(item, names));
}

function segmentOf(item: Item, names: readonly RegExp[]): readonly Segment[] {
  const { text } = item;
  const times = timesOf(item);
  if (!times || typeof text !== 'string') return [];
  const speaker = [item, ...items(item.words)].map((one) => speakerOf(one, names)).find(Boolean);
  return [{ ...times, text, ...(speaker === undefined ? {} : { speaker }), ...silenceOf(item) }];
}

/** Members that name or number a speaker, as services write them. */
const speakerName = /^speaker(_?(id|label|tag|name))?$/i;
const channelName = /^channel(_?(id|index|label|tag))?$/i;

function speakerOf(item: Item, names: readonly RegExp[]): string | undefined {
  const found = Object.keys(item).filter((member) => names.some((name) => name.test(member)));
  return found.map((member) => nameIn(item[member], channelName.test(member) ? 'Channel' : 'Speaker')).find(Boolean);
}

function nameIn(value: unknown, what: string): string | undefined {
  if (typeof value === 'number') return `${what} ${value}`;
  if (typeof value === 'string') return value || undefined;
  const [{ name, label, id } = {}] = items([value]);
  return [name, label, id].map((one) => (isScalar(one) ? nameIn(one, what) : undefined)).find(Boolean);
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
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
