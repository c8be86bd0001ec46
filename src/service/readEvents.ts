import type { AssetKind } from '../operations/operations.ts';
import { parseJson } from '../operations/parseJson.ts';
import { firstOf, isObject, type Json, type JsonObject, objectOf, textOf } from './Answer.ts';
import { Base64Decoder, type DataDecoder, HexDecoder } from './LongTexts.ts';
import { reportsFailure } from './problemIn.ts';

// A service may send its result as server-sent events, whether or not that was asked for. They are made into the JSON that
// it would have sent at once, so that there is one reader.

/** One event with JSON. */
export interface ServiceEvent {
  /** From its `event:` line, or the type in its JSON. */
  readonly name: string;
  readonly value: JsonObject;
}

/** Lines that begin a stream of events. */
const firstLine = /^\uFEFF?\s*(:|(data|event|id|retry):)/;

/** Whether a text begins like a stream of events. */
export function beginsStream(text: string): boolean {
  return firstLine.test(text.slice(0, 100));
}

/** Returns the events with JSON in a text; undefined when it is not a stream of them. WHATWG HTML, 9.2.6. */
export function eventsIn(text: string): readonly ServiceEvent[] | undefined {
  if (!beginsStream(text)) return undefined;
  const events: ServiceEvent[] = [];
  let name = '';
  let data: string[] = [];
  let isEnded = false;
  for (const line of [...text.split(/\r\n|\n|\r/), '']) {
    const [, member = '', content = ''] = /^(data|event):? ?([\s\S]*)$/.exec(line) ?? [];
    if (member === 'event') name = content.trim();
    if (member === 'data') data.push(content);
    if (line !== '') continue;
    const sent = data.join('\n').trim();
    const value = sent === '' ? undefined : parseJson<Json>(sent);
    if (isObject(value)) events.push(eventOf(name, value));
    if (sent === endMark) isEnded = true;
    [name, data] = ['', []];
  }
  if (isEnded && events.length > 0) events.push({ name: endMark, value: {} });
  return events.length > 0 ? events : undefined;
}

/** What some services send after the last event. */
const endMark = '[DONE]';

function eventOf(name: string, value: JsonObject): ServiceEvent {
  const isError = name === 'error' && value.error === undefined;
  return { name: name || (textOf(value, 'type', 'object') ?? ''), value: isError ? { error: value } : value };
}

/**
 * Returns what the service would have sent at once. Previews and steps on the way are left out.
 *
 * @param hasMedia whether a value holds media of the kind
 */
export async function wholeOf(
  events: readonly ServiceEvent[],
  kind: AssetKind,
  hasMedia: (value: JsonObject) => Promise<boolean>,
): Promise<JsonObject> {
  const failed = events.find(({ value }) => reportsFailure(value))?.value;
  const error = failed && failed.error !== undefined ? { error: failed.error } : failed;
  const final = events.filter((event) => !isPartial(event) && event.value !== failed);
  if (kind === 'transcripts') return { ...spokenIn(final), ...error };
  const sound = kind === 'speech' ? soundIn(final) : undefined;
  if (sound) return { ...sound, ...error };
  const made: ServiceEvent[] = [];
  for (const event of final.toReversed()) {
    // The same result may be in an event of its own and in the last, which repeats all.
    if (made.length > 0 && event.name !== made[0]?.name) continue;
    if (await hasMedia(event.value)) made.unshift(event);
  }
  const [first, ...others] = made;
  if (!first) return failed ?? final.findLast(({ name }) => name !== endMark)?.value ?? {};
  return others.length === 0 ? { ...first.value, ...error } : { data: made.map(({ value }) => value), ...error };
}

const partialName = /partial|preview|progress|keep.?alive|ping|queued|(^|[._])(created|started|added)$/i;

function isPartial({ name, value }: ServiceEvent): boolean {
  return partialName.test(name) || Object.keys(value).some((member) => /^partial_/.test(member));
}

/** Joins a transcript. The last event has the whole text; those before it have pieces and, if at all, the times. */
function spokenIn(events: readonly ServiceEvent[]): JsonObject {
  const values = events.map(({ value }) => value);
  const timed = values.filter((value) => value.start !== undefined && typeof value.text === 'string');
  const whole = values.findLast((value) => value.start === undefined && typeof value.text === 'string');
  const pieces = values.map((value) => value.delta ?? objectOf(firstOf(value, 'choices'), 'delta').content);
  const text = pieces.filter((piece) => typeof piece === 'string').join('');
  const segments = timed.length > 0 ? { segments: timed } : {};
  if (whole) return { ...segments, ...whole };
  const isEnded = events.some(({ name, value }) => name === endMark || isLast(value));
  const isCut = !isEnded && (text !== '' || timed.length > 0);
  return {
    ...values.at(-1),
    ...segments,
    ...(text === '' ? {} : { text }),
    ...(isCut ? { status: 'incomplete' } : {}),
  };
}

/** Whether an event of a chat model is its last. */
function isLast(value: JsonObject): boolean {
  return typeof firstOf(value, 'choices').finish_reason === 'string';
}

/** Fewer characters are no sound, but an id. */
const minSoundCharacters = 64;

/** Joins the pieces of a sound, which are where the first one is. */
function soundIn(events: readonly ServiceEvent[]): JsonObject | undefined {
  const first = events.find(({ value }) => dataPath(value) !== undefined);
  const path = first && dataPath(first.value);
  if (!path) return undefined;
  const texts = events.flatMap(({ value }) => {
    const text = at(value, path);
    return typeof text === 'string' && text !== '' ? [text] : [];
  });
  // Silence in base64 consists of the letter A.
  const isHex = texts.every((text) => /^[0-9a-f]+$/i.test(text)) && texts.some((text) => /\d/.test(text));
  const pieces = texts.flatMap((text) => decoded(text, isHex ? new HexDecoder() : new Base64Decoder()) ?? []);
  const last = pieces.at(-1);
  const before = Buffer.concat(pieces.slice(0, -1));
  // Some services repeat the whole sound at the end.
  const isWhole =
    last && before.length > 0 && last.length >= before.length && last.subarray(0, before.length).equals(before);
  const sound = isWhole ? last : Buffer.concat(pieces);
  if (sound.length === 0) return undefined;
  const usage = events.findLast(({ value }) => value.usage !== undefined)?.value.usage;
  return { audio_base64: sound.toString('base64'), ...(usage === undefined ? {} : { usage }) };
}

function decoded(text: string, decoder: DataDecoder): Buffer | undefined {
  try {
    return Buffer.concat([decoder.decode(text), decoder.end()]);
  } catch {
    return undefined;
  }
}

/** Maximum nesting of a piece of sound. */
const maxDepth = 6;

/** Returns the path to the first long text of base64 or hexadecimal. */
function dataPath(value: Json | undefined, depth = 0): readonly string[] | undefined {
  if (typeof value === 'string') {
    return value.length >= minSoundCharacters && /^[\w+/=-]+$/.test(value) ? [] : undefined;
  }
  if (typeof value !== 'object' || value === null || depth > maxDepth) return undefined;
  for (const [name, inner] of Object.entries(value as Readonly<Record<string, Json>>)) {
    const rest = dataPath(inner, depth + 1);
    if (rest) return [name, ...rest];
  }
  return undefined;
}

function at(value: Json | undefined, [name, ...rest]: readonly string[]): Json | undefined {
  if (name === undefined || typeof value !== 'object' || value === null) return value;
  return at(new Map<string, Json>(Object.entries(value as Readonly<Record<string, Json>>)).get(name), rest);
}
