import { lengthOf, planSpeech } from '../speech/planSpeech.ts';
import type { Recording } from './inspectRecording.ts';

export interface TranscriptSegment {
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
export function writeTranscript(recording: Recording, fileName: string): Transcript {
  const isOwn = recording.texts.length > 0;
  // Joined parts may be split in the middle of a sentence.
  const text = isOwn ? recording.texts.join(' ') : describe(recording, fileName);
  return {
    text,
    language: isOwn ? 'unknown' : 'english',
    duration: round(recording.duration),
    segments: segmentsOf(text, recording.duration),
  };
}

function describe(recording: Recording, fileName: string): string {
  const { format, codec, size, duration, channels, sampleRate } = recording;
  const facts = [
    format === codec ? format : `${format} (${codec})`,
    `${size.toLocaleString('en')} bytes`,
    `${duration.toFixed(1)} seconds`,
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
