import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Busboy } from 'busboy';
import busboy from 'busboy';
import type { RecordingThreads } from '../../sound/readRecording.ts';
import { readRecording } from '../../sound/readRecording.ts';
import { readBytes } from '../../sound/wavFile.ts';
import type { Exchange, SandboxContext } from '../Exchange.ts';
import { checkContentType, checkLength, checkRequest, SandboxError, sendJson, tooLarge } from '../Exchange.ts';
import { software } from '../speech/Sound.ts';
import { lengthOf, planSpeech } from '../speech/speak.ts';
import { readWav } from './readWav.ts';

/** Returns the handler of transcriptions or translations. The sandbox does not listen, so both answer the same. */
export function transcribe(operation: 'transcribe' | 'translate') {
  return async (
    exchange: Exchange,
    { folder, maxBytes, accept, recordingThreads: threads }: SandboxContext,
  ): Promise<void> => {
    const upload = uploadPath(folder);
    try {
      const { fields, path } = await receiveRecording(exchange, upload, maxBytes.upload);
      const { file } = checkRequest(operation, fields);
      const recording = path === undefined ? undefined : await inspectRecording(path, exchange.signal, threads);
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
      sendJson(exchange.response, 200, {
        ...transcript,
        language: operation === 'translate' ? 'english' : transcript.language,
      });
    } finally {
      // The second is the sound of an MPEG program stream.
      for (const path of [upload, `${upload}.mpga`]) await rm(path, { force: true });
    }
  };
}

/** A multipart form whose file is on disk. */
export interface ReceivedForm {
  /** Values by field name; the value of the file field is the file's name. */
  readonly fields: Readonly<Record<string, string>>;
  /** Path of the received file; undefined if none was sent. */
  readonly path: string | undefined;
}

const fileField = 'file';

/**
 * Reads a multipart body and streams its file to disk. The caller removes the file, also after an error.
 *
 * @param path path to write the file to
 * @throws SandboxError 413 for more than `maxBytes`, 415 for another content type, 400 for an invalid form
 */
async function receiveRecording({ request, signal }: Exchange, path: string, maxBytes: number): Promise<ReceivedForm> {
  checkContentType(request, 'multipart/form-data');
  checkLength(request, maxBytes);
  const form = openForm(request.headers);
  // A Map and Object.fromEntries treat a field named __proto__ like any other.
  const fields = new Map<string, string>();
  let problem: Error | undefined;
  let writing: Promise<void> | undefined;
  const fail = (error: Error): void => {
    problem ??= error;
  };
  const take = (name: string, value: string): void => {
    if (fields.has(name)) fail(invalidForm(`The form has the field "${name}" twice.`, name));
    if (value.includes('\ufffd')) fail(invalidForm(`The field "${name}" is not valid UTF-8.`, name));
    fields.set(name, value);
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
  return { fields: Object.fromEntries(fields), path: writing && path };
}

/** Returns a new path for an upload. */
function uploadPath(folder: string): string {
  return join(folder, `upload-${randomBytes(12).toString('hex')}`);
}

function openForm(headers: Exchange['request']['headers']): Busboy {
  try {
    return busboy({
      headers,
      defParamCharset: 'utf8',
      limits: { fieldNameSize: 200, fieldSize: 100_000, fields: 20, files: 2, parts: 22, headerPairs: 20 },
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
}

/** Maximum time without progress while a recording is read, in milliseconds; an hour of audio takes a second. */
const maxQuietMs = 10_000;

/** Reads the properties of a recording. Returns undefined if the file is not a recording or is damaged. */
async function inspectRecording(
  path: string,
  signal: AbortSignal,
  threads: RecordingThreads,
): Promise<Recording | undefined> {
  await using file = await open(path);
  const { size } = await file.stat();
  const format = detectRecording(await readBytes(file, 0, 16));
  if (!format) return undefined;
  if (format === 'WAV') {
    const facts = await readWav(file);
    return facts && { ...facts, format, size };
  }
  const task = { type: 'probe', file: path, fd: file.fd, folder: dirname(path) } as const;
  const facts = await readRecording(task, { signal, quietMs: maxQuietMs, threads });
  if (facts.type !== 'facts') return undefined;
  const texts = format === 'MP3' ? await readSpokenTexts(file) : [];
  // Only layer 3 of MPEG audio is MP3.
  const isMp3 = facts.codec.endsWith('Layer 3');
  return { ...facts, texts, format: format === 'MP3' && !isMp3 ? 'MPEG' : format, size };
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
async function readSpokenTexts(file: FileHandle): Promise<readonly string[]> {
  const { size } = await file.stat();
  const texts: string[] = [];
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
    const length = head.length === headBytes ? sevenBitLength(head, 6) : 0;
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
function spokenTextOfTag(frames: Buffer): string | undefined {
  const contents = new Map<string, Buffer>();
  let offset = 0;
  while (offset + headBytes <= frames.length) {
    const length = sevenBitLength(frames, offset + 4);
    const content = frames.subarray(offset + headBytes, offset + headBytes + length);
    contents.set(frames.toString('latin1', offset, offset + 4), content);
    offset += headBytes + length;
  }
  // One byte for the encoding, then the software's name.
  if (contents.get('TSSE')?.toString('utf8', 1) !== software) return undefined;
  // One byte for the encoding, three for the language, one that ends the empty description.
  return contents.get('USLT')?.toString('utf8', 5);
}

function sevenBitLength(bytes: Buffer, offset: number): number {
  return [0, 1, 2, 3].reduce((length, index) => (length << 7) | ((bytes[offset + index] ?? 0) & 0x7f), 0);
}

interface TranscriptSegment {
  readonly id: number;
  /** Seconds. */
  readonly start: number;
  /** Seconds. */
  readonly end: number;
  readonly text: string;
}

export interface Transcript {
  readonly text: string;
  readonly language: string;
  /** Seconds. */
  readonly duration: number;
  readonly segments: readonly TranscriptSegment[];
}

/** Returns the text of the sandbox's own speech. For any other recording, returns a description of the file. */
function writeTranscript(recording: Recording, fileName: string): Transcript {
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
