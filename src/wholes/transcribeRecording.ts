import { randomUUID } from 'node:crypto';
import { type FileHandle, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as l10n from '@vscode/l10n';
import { type Agreed, isAgreed, openOnce, readContent } from '../files/AgreedFile.ts';
import { realPath } from '../files/FileCalls.ts';
import type { FileContent } from '../files/Folder.ts';
import { readBytes } from '../files/readBytes.ts';
import { hashOf } from '../files/sha256.ts';
import type { Asset } from '../library/LibraryRecord.ts';
import { inOnePiece } from '../library/saveMedia.ts';
import { mayHoldPicture } from '../operations/fields.ts';
import { MediaError } from '../operations/MediaError.ts';
import { extensionOf, field, type MediaRequest } from '../operations/operations.ts';
import { unusable } from '../operations/validateRequest.ts';
import type { TranscriptAnswer } from '../service/Answer.ts';
import { checkRecording, isFileUrl } from '../service/inputFile.ts';
import { clearlyMoved, isMoved, playsAt, through } from '../sound/Clock.ts';
import {
  type CopiedSound,
  type RecordingTask,
  readRecording,
  type SoundPart,
  type TrackFacts,
} from '../sound/readRecording.ts';
import { clockTime } from '../transcripts/formatTranscript.ts';
import type { RunOptions } from '../work/Attempt.ts';
import type { JobInput, JobRunner } from '../work/JobRunner.ts';
import { beforeSending, inUseElsewhere, isUnbilled, ofPart } from '../work/jobErrors.ts';
import { changedInput, describeInput } from '../work/keepInputs.ts';
import { checkPlace } from '../work/Place.ts';
import { saveAsset } from '../work/saveAsset.ts';
import { openWhole, wholeSaved } from '../work/savedWhole.ts';
import { stateOfWork } from '../work/stateOfWork.ts';
import { transcriptFile } from '../work/transcriptFile.ts';
import type { Work } from '../work/Work.ts';
import { describeTrack } from './describeTrack.ts';
import { joinTranscripts, reportedIn, type TranscriptPart } from './joinTranscripts.ts';
import { checkOutcomes, runPart } from './parts.ts';
import { partPlace } from './speakInParts.ts';
import { wholeKey } from './wholeKey.ts';

export type RecordingInput = JobInput & { readonly request: MediaRequest<'transcribe' | 'translate'> };

/** Facts for asking whether to send a recording in parts that the service refused as too large. */
export interface CutQuestion {
  /** Size of the refused file. */
  readonly bytes: number;
  readonly parts: number;
  /** Maximum size of a part. */
  readonly partBytes: number;
  /** Whether the refused request may be billed: an earlier attempt of it had been sent. */
  readonly mayBeBilled: boolean;
}

/** How recordings are sent. */
export interface RecordingLimits {
  /** Whether to send only the sound of a video. */
  readonly soundOnly: boolean;
  /** Larger recordings are sent in parts; 0 to do so only after the service has refused the whole. */
  readonly maxBytes: number;
  /** Asks the person whether a refused recording may be sent in parts. */
  mayCut?(input: JobInput, question: CutQuestion): Promise<boolean>;
  /**
   * Asks the person which of several sound tracks to send; the best is the first.
   *
   * @returns its number; undefined if the person dismissed the question
   */
  chooseTrack?(input: JobInput, tracks: readonly TrackFacts[]): Promise<number | undefined>;
  /** Milliseconds without progress after which reading a recording is given up; for tests. */
  readonly quietMs?: number;
}

/** A recording cut into parts of at most `partBytes`. A single part is the whole sound of a video, which begins late or has gaps. */
interface Cut {
  readonly partBytes: number;
  readonly parts: readonly SoundPart[];
}

/** What is sent of a recording with several sound tracks. */
interface SentTrack {
  /** Number of sound tracks. */
  readonly count: number;
  /** Undefined if none can be sent alone. */
  readonly track: TrackFacts | undefined;
  readonly isAnswer: boolean;
}

const recordingField = field('transcribe', 'file');

/** Files without a picture that may have several sound tracks. */
const soundsWithTracks = ['m4a', 'ogg'];
/**
 * Files without a picture whose sound may have gaps or start late. An Ogg file may, too, but its reader only adds up what
 * is heard, so nothing tells where.
 */
const soundsWithGaps = ['m4a'];

/** The most common size limit of services, in bytes. */
const usualLimit = 25_000_000;
/** Smaller parts would hold only words, not speech. */
const minPartBytes = 10_000;
/** How much of each end of a recording is read to find what an earlier run has left of it. */
const sampleBytes = 65_536;

/**
 * Transcribes or translates a recording. Sends only the sound of a video, and large recordings in parts, as the limits
 * say. When a part fails, the finished ones are kept, and transcribing the same recording again sends only the rest.
 *
 * @param id of the job that sends the whole recording, if the caller needs to know it in advance
 * @returns one asset
 * @throws MediaError
 */
export async function transcribeRecording(
  input: RecordingInput,
  runner: JobRunner,
  limits: RecordingLimits,
  options: RunOptions,
  id?: string,
): Promise<readonly Asset[]> {
  const { file } = input.request;
  // A person may choose a link, but a file that they agreed to must not have become one.
  const path = options.agreed ? file : await realPath(file).catch(() => file);
  await using opened = await openOnce(path).catch(async (error: unknown) => {
    // Throws an error that says what is wrong with it, if that can be told.
    if (!options.agreed) await checkRecording(file);
    throw unusable(recordingField, l10n.t('{0} cannot be read.', basename(file)), error);
  });
  const agreed = agreedBefore(input) ?? options.agreed;
  return await new Transcription(input, opened, runner, limits, { ...options, agreed }).run(id);
}

/** Returns the files of a request with a key that runs again, as they were when the key was made of them. */
function agreedBefore({ key, request, inputs }: RecordingInput): Agreed {
  if (key === undefined || !inputs) return undefined;
  return inputs.flatMap(({ field, sha256 }) => {
    const file = field === recordingField.name ? request.file : request.further?.values[field];
    if (typeof file !== 'string' || sha256 === undefined) return [];
    return [{ path: isFileUrl(file) ? fileURLToPath(file) : file, sha256 }];
  });
}

/** One run of the transcription of a recording. */
class Transcription {
  readonly #input: RecordingInput;
  /** The recording. All that is cut from it is read here, whatever happens at its path. */
  readonly #opened: FileHandle;
  readonly #runner: JobRunner;
  readonly #limits: RecordingLimits;
  readonly #options: RunOptions;
  /** The state of the recording when it was opened. */
  readonly #stamp: Promise<string>;
  #content: Promise<FileContent> | undefined;
  /** Undefined for a recording with one sound track. */
  #sent: SentTrack | undefined;

  constructor(
    input: RecordingInput,
    opened: FileHandle,
    runner: JobRunner,
    limits: RecordingLimits,
    options: RunOptions,
  ) {
    this.#input = input;
    this.#opened = opened;
    this.#stamp = stampOf(opened);
    this.#runner = runner;
    this.#limits = limits;
    this.#options = options;
  }

  async run(id: string | undefined): Promise<readonly Asset[]> {
    const input = this.#input;
    const { file } = input.request;
    const { maxBytes } = this.#limits;
    // Before the earlier request is given up, which may be billed.
    if (this.#options.again) await this.#unchanged(async () => undefined);
    const isVideo = mayHoldPicture(file);
    const { size } = await this.#opened.stat();
    this.#sent = await this.#findTrack(isVideo, size);
    const isTaken = isVideo || this.#sent !== undefined || soundsWithGaps.includes(extensionOf(file));
    const { key, soundOnly, partBytes: begun } = await this.#partsBegun(isVideo);
    if (!isTaken && begun === undefined && !(maxBytes > 0 && size > maxBytes)) {
      return this.#runner.run(input, this.#options, id).catch(async (error: unknown) => {
        if (!isTooLarge(error)) throw error;
        return this.#holding(key, (held) => this.#afterRefusal(error, wholeOf(file, size), key, held));
      });
    }
    return this.#holding(key, async (held) => {
      const taken = isTaken ? await this.#soundOf(file, held.folder, soundOnly || !isVideo) : [];
      const [sound = wholeOf(file, size)] = taken.length === 1 ? taken : [];
      const limit = begun ?? (maxBytes > 0 && sound.bytes > maxBytes ? maxBytes : undefined);
      // An earlier run may have sent the sound as one part, which must not be cut now.
      const isLarger = limit !== undefined && sound.bytes > limit;
      const smaller = isLarger ? await this.#cutInto(limit, sound, held) : undefined;
      // A chain of videos has several sounds.
      const cut = smaller ?? (taken.length > 1 ? { partBytes: size, parts: taken } : undefined);
      if (cut) return this.#inParts(cut, sound, key, held);
      if (sound.file === file) this.#sayWhole();
      const sent = sound.file === file ? {} : { sentFile: sound.file, ...(await this.#inputs()) };
      // A transport stream that starts later than 0 need not be moved, but an earlier run may have paid for it as a part.
      const running =
        sound.start >= clearlyMoved || isMoved(sound.clock)
          ? this.#inParts({ partBytes: sound.bytes, parts: [sound] }, sound, key, held)
          : this.#runner.run({ ...input, ...sent }, this.#options, id);
      return running.catch((error: unknown) => this.#afterRefusal(error, sound, key, held));
    });
  }

  /**
   * Holds the recording, because two windows that transcribe it would join and remove each other's parts. The folder of
   * the work is for extracted sounds, which are removed at the end.
   */
  async #holding(key: string, make: (held: Work) => Promise<readonly Asset[]>): Promise<readonly Asset[]> {
    const { place } = this.#input;
    await checkPlace(this.#runner.placeAt(place)).catch((error: unknown) => {
      throw beforeSending(error);
    });
    await using held = await openWhole(this.#runner.store, key, place);
    if (!held) throw inUseElsewhere('transcribe');
    await held.reset();
    try {
      return await make(held);
    } finally {
      if (await held.isHeld().catch(() => false)) await held.reset().catch(() => undefined);
    }
  }

  /** Offers to send the recording in parts. Throws the refusal when it cannot be cut or the person declines. */
  async #afterRefusal(error: unknown, sound: SoundPart, key: string, held: Work): Promise<readonly Asset[]> {
    const { mayCut } = this.#limits;
    if (!isTooLarge(error)) throw error;
    if (!mayCut) throw withAdvice(error);
    if (!this.#options.isAttended) throw error;
    const partBytes = Math.min(usualLimit, Math.floor(sound.bytes / 2));
    const cut = await this.#cutInto(partBytes, sound, held);
    const question = { bytes: sound.bytes, parts: cut?.parts.length ?? 0, partBytes, mayBeBilled: error.mayBeBilled };
    if (!cut || !(await mayCut(this.#input, question))) throw error;
    await this.#dismiss(error);
    return this.#inParts(cut, sound, key, held);
  }

  /**
   * Transcribes the parts and joins the transcripts. When the service refuses the first part as too large, all are
   * halved. When it refuses a later one, only that one is halved, because the service bills those that it has taken. None
   * is halved whose refused request may be billed.
   */
  async #inParts(cut: Cut, sound: SoundPart, key: string, held: Work): Promise<readonly Asset[]> {
    const { request, place, into, operation, sandbox } = this.#input;
    const { partBytes } = cut;
    const content = await this.#hash();
    const note = this.#input.key ?? wholeKey('recording in parts', key, content);
    const whole = { key: `${key}.${content}`, note, request, place, sandbox, partBytes, ...(into ? { into } : {}) };
    const keyOfPart = ({ start, end }: SoundPart) => {
      const range = [milliseconds(start), milliseconds(end)];
      return wholeKey(
        'part',
        operation,
        request.model,
        sandbox,
        content,
        range,
        ...furtherIn(request),
        ...this.#trackKey(),
      );
    };
    const keys = cut.parts.map(keyOfPart);
    await checkOutcomes([...keys, ...(sandbox ? [] : [note])], this.#input, this.#runner, this.#options);
    let isTaken = (await this.#runner.store.statesOf(keys, place)).size > 0;
    const transcribe = async (part: SoundPart): Promise<readonly SoundPart[]> => {
      if (!(await held.isHeld())) throw inUseElsewhere('transcribe');
      const sent = {
        key: keyOfPart(part),
        request: { ...request, file: part.file },
        place: partPlace(this.#input),
        whole,
      };
      try {
        const run = runPart({ ...this.#input, ...sent }, this.#runner, this.#options);
        // Silence is no transcript when all of the sound is one part.
        const file = part === sound ? await run : await run.catch((error: unknown) => this.#silentPart(error));
        return [{ ...part, file }];
      } catch (error) {
        if (!isTaken || !isTooLarge(error) || !isUnbilled(error)) throw error;
        return inHalves(part, error);
      }
    };
    const inHalves = async (part: SoundPart, refusal: MediaError): Promise<readonly SoundPart[]> => {
      const halves = await this.#cutInto(Math.floor(part.bytes / 2), part, held);
      if (!halves) throw refusal;
      await this.#dismiss(refusal);
      const { parts } = halves;
      await checkOutcomes(parts.map(keyOfPart), this.#input, this.#runner, this.#options);
      const made: SoundPart[] = [];
      for (const one of parts) made.push(...(await transcribe(one)));
      return made;
    };
    const send = (part: SoundPart) =>
      transcribe(part).catch((error: unknown) => {
        throw isTaken ? ofPart(error) : error;
      });
    try {
      const [first, ...others] = cut.parts;
      // The first part shows whether the service accepts this size.
      const made = first ? [...(await send(first))] : [];
      isTaken = true;
      for (const result of await Promise.allSettled(others.map(send))) {
        if (result.status === 'rejected') throw result.reason;
        made.push(...result.value);
      }
      const assets = await this.#save(made);
      await wholeSaved(this.#runner.store, held, whole, made.map(keyOfPart));
      return assets;
    } catch (error) {
      if (!(error instanceof MediaError) || cut.parts.length === 1) throw error;
      const isFirst = isTooLarge(error) && isUnbilled(error) && !isTaken;
      const smaller = isFirst ? await this.#cutInto(Math.floor(partBytes / 2), sound, held) : undefined;
      if (!smaller) throw isTaken ? withPartsKept(error) : error;
      await this.#dismiss(error);
      return this.#inParts(smaller, sound, key, held);
    }
  }

  /** Removes the job of a refused recording or part from the list, because smaller parts replace it. */
  async #dismiss({ jobId }: MediaError): Promise<void> {
    if (jobId !== undefined) await this.#runner.dismiss(jobId).catch(() => undefined);
  }

  /** Keeps an empty transcript for a part without speech, so that it is not sent again. */
  async #silentPart(error: unknown): Promise<string> {
    if (!(error instanceof MediaError) || error.kind !== 'noMedia' || error.jobId === undefined) throw error;
    const empty = Buffer.from(JSON.stringify({ text: '', segments: [] }));
    const file = await this.#runner.settlePart(error.jobId, 'json', empty);
    if (file === undefined) throw error;
    return file;
  }

  /** @param parts with the files of their transcripts, in order */
  async #save(parts: readonly SoundPart[]): Promise<readonly Asset[]> {
    const { onNotice, onProgress } = this.#options;
    const place = this.#runner.placeAt(this.#input.place);
    const transcripts: TranscriptPart[] = [];
    for (const { clock, seconds, file } of parts) {
      const [start, end] = [playsAt(clock, 0), playsAt(clock, seconds)];
      transcripts.push({ start, end, clock, answer: await readPart(file) });
    }
    const answer = joinTranscripts(transcripts);
    if (answer.text === '') {
      const sentence = l10n.t('The service accepted the recording but sent no text; there may be no speech in it.');
      throw new MediaError('noMedia', sentence);
    }
    const id = randomUUID();
    const job = { ...this.#input, ...(await this.#inputs()), id, key: id, createdAt: new Date().toISOString() };
    onProgress({ stage: 'saving', file: 1, files: 1 });
    const { text, type, times, notices } = await transcriptFile(job, answer, place);
    const missing = transcripts.filter(({ answer: { text: own } }) => own === '');
    if (missing.length > 0) {
      const times = missing.map(({ start, end }) => `${clockTime(start)} – ${clockTime(end)}`).join(', ');
      onNotice(l10n.t('The service sent no text for {0}. Check it against the recording.', times));
    }
    for (const notice of notices) onNotice(notice);
    const result = { index: 0, type, times, open: () => inOnePiece(Buffer.from(text)) };
    return [await saveAsset(result, job, answer, { place })];
  }

  /** Hashes the recording itself: the time of its extraction may be in a file that was extracted from it. */
  #read(): Promise<FileContent> {
    const { signal } = this.#options;
    // Seconds for a long video.
    const onPiece = () => {
      signal.throwIfAborted();
      return undefined;
    };
    this.#content ??= this.#cancellable(readContent(this.#opened, onPiece));
    return this.#content;
  }

  async #hash(): Promise<string> {
    return (await this.#read()).sha256;
  }

  /** The library records the recording itself, not the sound or the parts that are sent of it. */
  async #inputs(): Promise<Pick<JobInput, 'inputs'>> {
    const { request, place, inputs } = this.#input;
    return { inputs: inputs ?? [await describeInput(recordingField, request.file, await this.#hash(), place.root)] };
  }

  /**
   * Extracts something from the recording. It must be as agreed before that, and unchanged afterwards.
   *
   * @throws MediaError `invalidInput` when nothing of it was sent
   */
  async #unchanged<T>(take: () => Promise<T>): Promise<T> {
    const { file } = this.#input.request;
    const { agreed } = this.#options;
    if (agreed && !isAgreed(agreed, file, await this.#read()))
      throw await changedInput(recordingField, basename(file), this.#opened);
    const taken = await take();
    if ((await stampOf(this.#opened)) === (await this.#stamp)) return taken;
    throw await changedInput(recordingField, basename(file), this.#opened);
  }

  /**
   * Returns the key of the recording, and the part size of an earlier, unfinished run. Parts of a video that are paid for
   * are found whatever the setting was then.
   */
  async #partsBegun(isVideo: boolean) {
    const { store } = this.#runner;
    const listing = store.list();
    const find = async (soundOnly: boolean) => {
      const key = await keyOf(this.#input, this.#opened, soundOnly, this.#trackKey());
      const begun = await store.partsOf(key, listing);
      const sizes = begun.flatMap(({ whole }) => whole?.partBytes ?? []);
      const isPaid = begun.some((part) => stateOfWork(part) !== 'none');
      return { key, soundOnly, partBytes: sizes.length === 0 ? undefined : Math.min(...sizes), isPaid };
    };
    // The setting is about videos: a change of it must not make another recording of a sound.
    const own = await find(isVideo && this.#limits.soundOnly);
    if (!isVideo || own.isPaid) return own;
    const other = await find(!own.soundOnly);
    return other.isPaid ? other : own;
  }

  /** Cuts a sound into files in a folder. Returns undefined when it cannot be cut. */
  async #cutInto(partBytes: number, { file, start, clock }: SoundPart, { folder }: Work): Promise<Cut | undefined> {
    if (partBytes < minPartBytes) return undefined;
    const cut = (own?: { readonly fd: number; readonly track?: number }) =>
      this.#prepare({ type: 'cut', file, folder, partBytes, ...own });
    // Extracted sound is in a folder of the store, and has one track.
    const isWhole = file === this.#input.request.file;
    const own = { fd: this.#opened.fd, track: this.#sent?.track?.number };
    const result = await (isWhole ? this.#unchanged(() => cut(own)) : cut());
    if (result.type !== 'parts' || result.parts.length < 2) return undefined;
    if (isWhole) {
      this.#sayMissing(result);
      this.#sayTrack();
    }
    return {
      partBytes,
      parts: result.parts.map((one) => ({
        ...one,
        start: start + one.start,
        end: start + one.end,
        clock: through(one.clock, clock),
      })),
    };
  }

  /**
   * Extracts the sounds of a recording that may be a video. Returns none when it has to be sent as it is.
   *
   * @param folder folder for the new file
   * @throws MediaError `invalidInput` for a video without sound, and for an unreadable video in a format that is never
   *   sent
   */
  async #soundOf(file: string, folder: string, soundOnly: boolean): Promise<readonly SoundPart[]> {
    const extension = extensionOf(file);
    const isNeverSent = recordingField.soundOnlyFormats.some((format) => format === extension);
    const copies = isNeverSent ? 'always' : soundOnly ? 'ofVideos' : 'never';
    const { fd } = this.#opened;
    const track = this.#sent?.track?.number;
    const result = await this.#unchanged(() => this.#prepare({ type: 'takeSound', file, fd, folder, copies, track }));
    this.#sayMissing(result);
    switch (result.type) {
      case 'parts':
        if (result.firstOf !== undefined) this.#sent = { count: result.firstOf, track: { number: 1 }, isAnswer: false };
        this.#sayTrack();
        return result.parts;
      case 'noSound':
        throw unusable(recordingField, l10n.t('{0} has no sound.', basename(file)));
      case 'unreadable':
        // Throws an error that says what the file is instead, if that can be told.
        await checkRecording(file);
        if (isNeverSent) throw notTaken(file, extension);
        return [];
      case 'isSound':
        return [];
    }
  }

  /**
   * Finds the sound track to send, and asks for it where several may be meant.
   *
   * @throws MediaError `cancelled` when the person dismissed the question
   */
  async #findTrack(isVideo: boolean, size: number): Promise<SentTrack | undefined> {
    const { file } = this.#input.request;
    const extension = extensionOf(file);
    if (!isVideo && !soundsWithTracks.includes(extension)) return undefined;
    const found = await this.#prepare({ type: 'tracks', file, fd: this.#opened.fd });
    if (found.type !== 'tracks' || found.count < 2) return undefined;
    const { count, tracks } = found;
    const { chooseTrack, soundOnly, maxBytes } = this.#limits;
    const isNeverSent = recordingField.soundOnlyFormats.some((format) => format === extension);
    const isSentWhole = isVideo && !soundOnly && !isNeverSent && !(maxBytes > 0 && size > maxBytes);
    if (!chooseTrack || !this.#options.isAttended || tracks.length < 2 || isSentWhole) {
      return { count, track: tracks[0], isAnswer: false };
    }
    const answer = await chooseTrack(this.#input, tracks);
    const track = tracks.find(({ number }) => number === answer);
    if (!track) throw new MediaError('cancelled', l10n.t('Cancelled: no sound track was chosen.'));
    return { count, track, isAnswer: true };
  }

  /** Returns what tells apart the parts of another track than the first, which alone was sent in earlier versions. */
  #trackKey(): readonly unknown[] {
    const { number = 1 } = this.#sent?.track ?? {};
    return number === 1 ? [] : [{ track: number }];
  }

  /** Says which of several tracks is sent, unless the person has just chosen it. */
  #sayTrack(): void {
    if (!this.#sent?.track || this.#sent.isAnswer) return;
    const { count, track } = this.#sent;
    const name = basename(this.#input.request.file);
    this.#options.onNotice(
      l10n.t('{0} has {1} sound tracks. Only this one is sent: {2}.', name, count, describeTrack(track)),
    );
  }

  /** Says that a recording is sent with several tracks. */
  #sayWhole(): void {
    if (!this.#sent) return;
    const name = basename(this.#input.request.file);
    const sentence = l10n.t(
      '{0} has {1} sound tracks and is sent whole, so the service chooses one of them.',
      name,
      this.#sent.count,
    );
    this.#options.onNotice(sentence);
  }

  /** Says when a recording is shorter than it claims, because its end is lost. */
  #sayMissing(result: CopiedSound): void {
    if (result.type !== 'parts' || result.missing === undefined) return;
    const [end, missing] = [result.parts.at(-1)?.end ?? 0, result.missing];
    const [name, times] = [basename(this.#input.request.file), [clockTime(end + missing), clockTime(end)] as const];
    const sentence = l10n.t(
      '{0} says that it lasts {1}, but its sound ends at {2}. The rest of it is lost.',
      name,
      ...times,
    );
    this.#options.onNotice(sentence);
  }

  #prepare<Task extends RecordingTask>(task: Task): ReturnType<typeof readRecording<Task>> {
    const { signal, onProgress } = this.#options;
    const { quietMs } = this.#limits;
    const options = {
      signal,
      ...(quietMs === undefined ? {} : { quietMs }),
      onProgress: (share: number) => onProgress({ stage: 'preparing', share }),
    };
    return this.#cancellable(readRecording(task, options));
  }

  #cancellable<T>(work: Promise<T>): Promise<T> {
    const { signal } = this.#options;
    return work.catch((reason: unknown) => {
      throw signal.aborted ? new MediaError('cancelled', l10n.t('Cancelled while preparing the recording.')) : reason;
    });
  }
}

/** Returns the recording itself as what is sent. Its end is not used. */
function wholeOf(file: string, bytes: number): SoundPart {
  return { file, bytes, start: 0, end: 0, seconds: 0, clock: [{ sent: 0, plays: 0 }] };
}

/**
 * Returns the key that a recording is held by. Only the size and the ends of the file are read, since most recordings
 * are sent whole; parts are found by all of its content.
 */
async function keyOf(
  { sandbox, operation, request }: RecordingInput,
  file: FileHandle,
  soundOnly: boolean,
  trackKey: readonly unknown[],
): Promise<string> {
  const { size } = await file.stat();
  const samples: string[] = [];
  for (const position of [0, Math.max(0, size - sampleBytes)]) {
    samples.push(hashOf(await readBytes(file, position, sampleBytes)));
  }
  const further = [...furtherIn(request), ...trackKey];
  return wholeKey('recording', sandbox, operation, request.model, soundOnly, size, samples, ...further);
}

/** Returns what a request sends beyond the specification, as part of its key. */
function furtherIn({ further }: RecordingInput['request']): readonly unknown[] {
  return further ? [further] : [];
}

/** Returns what changes when a file is written to, even if its time is set back. */
async function stampOf(file: FileHandle): Promise<string> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await file.stat({ bigint: true });
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}

function notTaken(file: string, extension: string): MediaError {
  const sentence = l10n.t(
    'The audio of {0} cannot be extracted, and services do not accept {1} files. Convert it to MP3 or MP4 first.',
    basename(file),
    extension.toUpperCase(),
  );
  return unusable(recordingField, sentence);
}

/** Reads the transcript of a part, which `transcriptFile` has written. */
async function readPart(file: string): Promise<TranscriptAnswer> {
  const part = JSON.parse(await readFile(file, 'utf8')) as Partial<TranscriptAnswer>;
  return {
    type: 'transcript',
    text: part.text ?? '',
    subtitles: part.subtitles,
    segments: part.segments ?? [],
    words: part.words,
    language: part.language,
    duration: part.duration,
    usage: part.usage,
    id: undefined,
    requestId: undefined,
    ...reportedIn([part]),
  };
}

function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000);
}

function withPartsKept(error: MediaError): MediaError {
  const sentence = l10n.t(
    '{0} The transcripts of the other parts are kept; you will not pay for them again.',
    error.message,
  );
  return new MediaError(error.kind, sentence, { ...error, cause: error });
}

/** Adds what a person can do where nobody can be asked. */
function withAdvice(error: MediaError): MediaError {
  const sentence = l10n.t('{0} Transcribe the recording in the editor, which can send it in parts.', error.message);
  return new MediaError(error.kind, sentence, { ...error, cause: error });
}

function isTooLarge(error: unknown): error is MediaError {
  return error instanceof MediaError && error.kind === 'tooLarge';
}
