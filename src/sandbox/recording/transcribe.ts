import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import busboy, { type Busboy } from 'busboy';
import { framesOf, sevenBit } from '../../marks/containers.ts';
import type { FurtherValue } from '../../operations/Further.ts';
import { type ReadOptions, readRecording, type SoundFacts } from '../../sound/readRecording.ts';
import { readBytes } from '../../sound/wavFile.ts';
import {
  checkContentType,
  checkLength,
  checkRequest,
  type Exchange,
  type SandboxContext,
  SandboxError,
  sendEvents,
  sendJson,
  textOf,
  tooLarge,
} from '../Exchange.ts';
import { asksForEvents } from '../fromSdk.ts';
import { bodyOfForm } from '../furtherFields.ts';
import { software } from '../speech/Sound.ts';
import { lengthOf, planSpeech } from '../speech/speak.ts';
import { readWav, type SpokenText, voiceOf } from './readWav.ts';

/** Returns the handler of transcriptions or translations. The sandbox does not listen, so both answer the same. */
export function transcribe(operation: 'transcribe' | 'translate') {
  return async (exchange: Exchange, context: SandboxContext): Promise<void> => {
    const { folder, maxBytes, accept } = context;
    const upload = uploadPath(folder);
    try {
      const { fields, path } = await receiveRecording(exchange, upload, maxBytes.upload);
      const body = bodyOfForm(operation, fields);
      const { model, file, more } = checkRequest(operation, body, context);
      checkSpeakers(more);
      // Whisper sends no events, whatever is asked for.
      const asEvents = context.isLenient && asksForEvents(body) && !model.startsWith('whisper');
      const recording = path === undefined ? undefined : await inspectRecording(path, exchange.signal);
      if (!recording) {
        throw new SandboxError(
          400,
          'Audio file (file) is damaged, or its format is not one that the sandbox supports.',
          {
            param: 'file',
            code: 'invalid_recording',
          },
        );
      }
      accept(operation);
      const transcript = writeTranscript(recording, file);
      const language = operation === 'translate' ? 'english' : (textOf(more, 'language') ?? transcript.language);
      const format = textOf(more, 'response_format') ?? (context.isLenient ? 'json' : undefined);
      if (asEvents) await sendEvents(exchange, transcriptEvents(transcript, recording, format));
      else sendTranscript({ ...transcript, language }, recording, { format, times: timesOf(more) }, exchange);
    } finally {
      // The second is the sound of an MPEG program stream.
      for (const path of [upload, `${upload}.mpga`]) await rm(path, { force: true }).catch(() => undefined);
    }
  };
}

/** @throws SandboxError 400 if not each name of a speaker has a sample of its voice */
function checkSpeakers(more: ReadonlyMap<string, FurtherValue>): void {
  const countOf = (name: string) => [more.get(name) ?? []].flat().length;
  if (countOf('known_speaker_names') === countOf('known_speaker_references')) return;
  throw new SandboxError(400, 'known_speaker_references must have one sample for each of known_speaker_names.', {
    param: 'known_speaker_references',
    code: 'invalid_value',
  });
}

const fileField = 'file';

/**
 * Reads a multipart body and streams its file to disk. The caller removes the file, also after an error.
 *
 * @param path path to write the file to
 * @throws SandboxError 413 for more than `maxBytes`, 415 for another content type, 400 for an invalid form
 */
async function receiveRecording(
  { request, signal }: Exchange,
  path: string,
  maxBytes: number,
): Promise<{
  /** Values by the names of the parts; the value of the file field is the file's name. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** Path of the received file; undefined if none was sent. */
  readonly path: string | undefined;
}> {
  checkContentType(request, 'multipart/form-data');
  checkLength(request, maxBytes);
  const form = openForm(request.headers);
  // A Map and Object.fromEntries treat a field named __proto__ like any other.
  const fields = new Map<string, readonly string[]>();
  let problem: Error | undefined;
  let writing: Promise<void> | undefined;
  const fail = (error: Error): void => {
    problem ??= error;
  };
  const take = (name: string, value: string): void => {
    if (fields.has(name) && !name.endsWith('[]')) fail(invalidForm(`The form has the field "${name}" twice.`, name));
    if (value.includes('\ufffd')) fail(invalidForm(`The field "${name}" is not valid UTF-8.`, name));
    fields.set(name, [...(fields.get(name) ?? []), value]);
  };
  form.on('field', (name, value, { nameTruncated, valueTruncated }) => {
    if (nameTruncated || valueTruncated) fail(invalidForm('A field of the form is too long.'));
    if (name === fileField) fail(invalidForm('Audio file (file) must be a file part with a file name.', fileField));
    else take(name ?? '', value);
  });
  form.on('file', (name, stream, { filename }) => {
    stream.on('limit', () => fail(tooLarge(maxBytes)));
    take(name ?? '', filename ?? '');
    if (name === fileField && !writing) {
      writing = write(stream, path, signal).catch(fail);
      return;
    }
    fail(invalidForm(`The field "${name}" must not be a file.`, name));
    stream.on('error', fail).resume();
  });
  for (const event of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
    form.on(event, () => fail(invalidForm('The form has too many parts.')));
  }
  try {
    await parse(request, form, maxBytes, signal, () => problem);
  } finally {
    // Otherwise the file could be created after the caller has removed it.
    await writing;
  }
  if (problem) throw problem;
  return { fields, path: writing && path };
}

function uploadPath(folder: string): string {
  return join(folder, `upload-${randomBytes(12).toString('hex')}`);
}

function openForm(headers: Exchange['request']['headers']): Busboy {
  try {
    return busboy({
      headers,
      defParamCharset: 'utf8',
      // A field may hold a sample of a voice.
      limits: { fieldNameSize: 200, fieldSize: 5_000_000, fields: 20, files: 2, parts: 22, headerPairs: 20 },
    });
  } catch {
    throw invalidForm('The content type of the form has no boundary.');
  }
}

async function parse(
  request: Exchange['request'],
  form: Busboy,
  maxBytes: number,
  signal: AbortSignal,
  problem: () => Error | undefined,
): Promise<void> {
  let length = 0;
  try {
    await pipeline(
      request.iterator({ destroyOnReturn: false }),
      async function* (source: AsyncIterable<Buffer>) {
        for await (const chunk of source) {
          length += chunk.length;
          if (length > maxBytes) throw tooLarge(maxBytes);
          const error = problem();
          if (error) throw error;
          yield chunk;
        }
      },
      form,
    );
  } catch (error) {
    if (problem() || error instanceof SandboxError || signal.aborted) throw problem() ?? error;
    throw invalidForm('The form is damaged or incomplete.');
  }
}

async function write(stream: Readable, path: string, signal: AbortSignal): Promise<void> {
  await pipeline(stream, createWriteStream(path), { signal });
}

function invalidForm(message: string, param?: string): SandboxError {
  return new SandboxError(400, message, { param, code: 'invalid_form' });
}

interface Recording {
  readonly format: RecordingFormat;
  /** File size, in bytes. */
  readonly size: number;
  /** Name of the codec, for people. */
  readonly codec: string;
  readonly seconds: number;
  readonly channels: number;
  readonly sampleRate: number;
  /** Texts that the sandbox spoke, one for each of its files that were joined into this one. */
  readonly texts: readonly string[];
  /** Who spoke each of them. */
  readonly speakers: readonly string[];
}

/** Maximum time without progress while a recording is read, in milliseconds; an hour of audio takes a second. */
const maxQuietMs = 10_000;

/** Reads the properties of a recording. Returns undefined if the file is not a recording or is damaged. */
async function inspectRecording(path: string, signal: AbortSignal): Promise<Recording | undefined> {
  await using file = await open(path);
  const { size } = await file.stat();
  const format = detectRecording(await readBytes(file, 0, 16));
  if (!format) return undefined;
  if (format === 'WAV') {
    const facts = await readWav(file);
    return facts && { ...facts, format, size };
  }
  const facts = await examineSound(format === 'MPEG', { file: path, fd: file.fd }, { signal, quietMs: maxQuietMs });
  if (!facts) return undefined;
  const spoken = format === 'MP3' ? await readSpokenTexts(file) : [];
  const texts = spoken.map(({ text }) => text);
  const speakers = spoken.map(({ speaker }) => speaker);
  // Only layer 3 of MPEG audio is MP3.
  const isMp3 = facts.codec.endsWith('Layer 3');
  return { ...facts, texts, speakers, format: format === 'MP3' && !isMp3 ? 'MPEG' : format, size };
}

/** @param isProgram whether it is an MPEG program stream, whose sound must be copied before it can be read */
async function examineSound(
  isProgram: boolean,
  recording: { readonly file: string; readonly fd: number },
  options: ReadOptions,
): Promise<SoundFacts | undefined> {
  const task = { type: 'takeSound', ...recording, folder: dirname(recording.file), copies: 'always' } as const;
  const copied = isProgram ? await readRecording(task, options) : undefined;
  const file = copied?.type === 'parts' ? copied.parts[0]?.file : undefined;
  const examined = await readRecording({ type: 'examine', ...(file === undefined ? recording : { file }) }, options);
  return examined.type === 'examined' ? examined.sound : undefined;
}

/** Container formats, named for people. */
type RecordingFormat = 'WAV' | 'FLAC' | 'Ogg' | 'WebM' | 'MP4 audio' | 'MP4' | 'MP3' | 'MPEG';

/** Detects the format from the first 16 bytes. */
function detectRecording(head: Buffer): RecordingFormat | undefined {
  const text = head.toString('latin1', 0, 16);
  if (/^RIFF[\s\S]{4}WAVE/.test(text)) return 'WAV';
  if (text.startsWith('fLaC')) return 'FLAC';
  if (text.startsWith('OggS')) return 'Ogg';
  if (text.startsWith('\x1a\x45\xdf\xa3')) return 'WebM';
  if (text.slice(4, 8) === 'ftyp') return text.startsWith('M4A', 8) ? 'MP4 audio' : 'MP4';
  if (text.startsWith('\0\0\x01\xba')) return 'MPEG';
  // 0 as the layer of a frame is AAC.
  const [first = 0, second = 0] = head;
  const isFrame = first === 0xff && second >= 0xe0 && (second & 6) !== 0;
  return text.startsWith('ID3') || isFrame ? 'MP3' : undefined;
}

const tagSignature = Buffer.from('ID3\x04\0\0', 'latin1');
const headBytes = 10;
const maxTagBytes = 1_000_000;
const tagWindowBytes = 1 << 20;

/** Finds the sandbox's own tags. A file joined from several has one before each part. */
async function readSpokenTexts(file: FileHandle): Promise<readonly SpokenText[]> {
  const { size } = await file.stat();
  const texts: SpokenText[] = [];
  let offset = 0;
  while (offset < size) {
    const window = await readBytes(file, offset, tagWindowBytes);
    const at = window.indexOf(tagSignature);
    if (at < 0) {
      // A tag's signature may begin in this window and end in the next.
      offset += Math.max(1, window.length - tagSignature.length + 1);
      continue;
    }
    const tagStart = offset + at;
    const head = await readBytes(file, tagStart, headBytes);
    const length = head.length === headBytes ? sevenBit(head, 6) : 0;
    const text =
      length > 0 && length <= maxTagBytes
        ? spokenTextOfTag(await readBytes(file, tagStart + headBytes, length))
        : undefined;
    if (text === undefined) {
      offset = tagStart + tagSignature.length;
      continue;
    }
    texts.push(text);
    offset = tagStart + headBytes + length;
  }
  return texts;
}

/** Returns the text of a tag, or undefined if the sandbox did not write it. */
function spokenTextOfTag(frames: Buffer): SpokenText | undefined {
  const contents = new Map(Array.from(framesOf(frames, 4), ({ id, content }) => [id, content]));
  // One byte for the encoding, then the software's name.
  if (contents.get('TSSE')?.toString('utf8', 1) !== software) return undefined;
  // One byte for the encoding, three for the language, one that ends the empty description.
  const text = contents.get('USLT')?.toString('utf8', 5);
  return text === undefined ? undefined : { text, speaker: voiceOf(contents.get('TPE1')?.toString('utf8', 1)) };
}

interface TranscriptSegment {
  readonly id: number;
  /** Seconds. */
  readonly start: number;
  /** Seconds. */
  readonly end: number;
  readonly text: string;
}

export interface HeardTranscript {
  readonly text: string;
  readonly language: string;
  /** Seconds. */
  readonly duration: number;
  readonly segments: readonly TranscriptSegment[];
}

/** Returns the text of the sandbox's own speech. For any other recording, returns a description of the file. */
function writeTranscript(recording: Recording, fileName: string): HeardTranscript {
  const isOwn = recording.texts.length > 0;
  // Joined parts may be split in the middle of a sentence.
  const text = isOwn ? recording.texts.join(' ') : describe(recording, fileName);
  const duration = round(recording.seconds);
  return { text, language: isOwn ? 'unknown' : 'english', duration, segments: segmentsOf(text, duration) };
}

function describe(recording: Recording, fileName: string): string {
  const { format, codec, size, seconds, channels, sampleRate } = recording;
  const facts = [
    format === codec ? format : `${format} (${codec})`,
    `${size.toLocaleString('en')} bytes`,
    `${seconds.toFixed(1)} seconds`,
    channels === 1 ? '1 channel' : `${channels} channels`,
    `${sampleRate.toLocaleString('en')} Hz`,
  ];
  return `This is the sandbox: it does not listen. It received the recording ${fileName}: ${facts.join(', ')}.`;
}

/** What the times are of; segments if it is not said. */
function timesOf(more: ReadonlyMap<string, FurtherValue>): readonly unknown[] {
  const times = more.get('timestamp_granularities');
  return Array.isArray(times) ? times : ['segment'];
}

/** Yields the events of a transcript: its words, or its segments with who spoke them, and the whole text. */
function* transcriptEvents(transcript: HeardTranscript, recording: Recording, format: string | undefined) {
  const { text } = transcript;
  if (format === 'diarized_json') yield* spokenSegments(recording, transcript);
  else for (const delta of text.match(/\S+\s*/g) ?? []) yield { type: 'transcript.text.delta', delta };
  yield { type: 'transcript.text.done', text, usage: usageOf(transcript) };
}

function usageOf({ duration }: HeardTranscript) {
  return { type: 'duration', seconds: Math.ceil(duration) };
}

/** Answers with a transcript in the form that is asked for; by default with all that is known, except speakers. */
function sendTranscript(
  transcript: HeardTranscript,
  recording: Recording,
  { format, times }: { readonly format: string | undefined; readonly times: readonly unknown[] },
  { response }: Exchange,
): void {
  const { text, segments, duration } = transcript;
  switch (format) {
    case 'json':
      sendJson(response, 200, { text, usage: usageOf(transcript) });
      break;
    case 'text':
      sendText(response, 'text/plain', `${text}\n`);
      break;
    case 'srt':
      sendText(response, 'application/x-subrip', cuesOf(segments, ',').join('\n'));
      break;
    case 'vtt':
      sendText(response, 'text/vtt', `WEBVTT\n\n${cuesOf(segments, '.').join('\n')}`);
      break;
    case 'diarized_json':
      sendJson(response, 200, {
        task: 'transcribe',
        text,
        duration,
        segments: spokenSegments(recording, transcript),
        usage: usageOf(transcript),
      });
      break;
    default: {
      // Clients of Whisper expect them.
      const facts = format === 'verbose_json' ? whisperFacts : {};
      sendJson(response, 200, {
        ...transcript,
        segments: times.includes('segment') ? segments.map((one) => ({ ...one, ...facts })) : undefined,
        ...(times.includes('word') ? { words: wordsOf(text, duration) } : {}),
      });
    }
  }
}

const whisperFacts = {
  seek: 0,
  tokens: [],
  temperature: 0,
  avg_logprob: 0,
  compression_ratio: 1,
  no_speech_prob: 0,
};

/** Returns the cues of subtitles. @param mark between seconds and milliseconds */
function cuesOf(segments: readonly TranscriptSegment[], mark: string): readonly string[] {
  return segments.map(
    ({ id, start, end, text }) => `${id + 1}\n${clock(start, mark)} --> ${clock(end, mark)}\n${text}\n`,
  );
}

function clock(seconds: number, mark: string): string {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const rest = String(Math.round((seconds - whole) * 1000)).padStart(3, '0');
  return `${parts.map((part) => String(part).padStart(2, '0')).join(':')}${mark}${rest}`;
}

function sendText(response: Exchange['response'], type: string, body: string): void {
  const bytes = Buffer.from(body);
  response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'content-length': bytes.length });
  response.end(bytes);
}

/** Returns the segments with who spoke them: the voices of the sandbox's own files, otherwise one speaker. */
function spokenSegments({ texts, speakers }: Recording, { text, duration }: HeardTranscript) {
  const parts = texts.length > 0 ? texts : [text];
  const lengths = parts.map((part) => lengthOf(planSpeech(part)));
  const scale = duration / lengths.reduce((sum, length) => sum + length, 0);
  let start = 0;
  return parts.flatMap((part, index) => {
    const from = start;
    const seconds = (lengths[index] ?? 0) * scale;
    start += seconds;
    const speaker = speakers[index] ?? 'A';
    return segmentsOf(part, seconds).map((one) => ({
      ...one,
      id: `seg_${index}_${one.id}`,
      type: 'transcript.text.segment',
      speaker,
      start: round(from + one.start),
      end: round(from + one.end),
    }));
  });
}

function wordsOf(text: string, duration: number) {
  const words = planSpeech(text);
  const scale = duration / lengthOf(words);
  let at = 0;
  return words.map(({ text: word, tone, rest }) => {
    const start = at;
    at += (tone + rest) * scale;
    return { word, start: round(start), end: round(start + tone * scale) };
  });
}

/** Splits the text into sentences and spreads them over the duration by their estimated speaking time. */
function segmentsOf(text: string, duration: number): readonly TranscriptSegment[] {
  const sentences = [...new Intl.Segmenter('und', { granularity: 'sentence' }).segment(text)]
    .map(({ segment }) => segment.trim())
    .filter((sentence) => sentence !== '');
  const lengths = sentences.map((sentence) => lengthOf(planSpeech(sentence)));
  const scale = duration / lengths.reduce((sum, length) => sum + length, 0);
  let at = 0;
  return sentences.map((sentence, id) => {
    const start = at;
    at += (lengths[id] ?? 0) * scale;
    return { id, start: round(start), end: round(at), text: sentence };
  });
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
