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
  /** Seconds; null where the sandbox cannot tell. */
  readonly duration: number | null;
  readonly segments: readonly TranscriptSegment[];
}

/** What is said in the sandbox's own speech; of any other recording what it is. */
export function writeTranscript(recording: Recording, fileName: string): Transcript {
  const duration = recording.wav?.duration ?? null;
  const spoken = recording.wav?.text;
  const text = spoken ?? describe(recording, fileName);
  return {
    text,
    language: spoken === undefined ? 'english' : 'unknown',
    duration: duration === null ? null : round(duration),
    segments: duration === null ? [] : segmentsOf(text, duration),
  };
}

function describe({ format, size, wav }: Recording, fileName: string): string {
  const facts = [format, `${size.toLocaleString('en')} bytes`];
  if (wav) {
    const channels = wav.channels === 1 ? '1 channel' : `${wav.channels} channels`;
    facts.push(`${wav.duration.toFixed(1)} seconds`, channels, `${wav.sampleRate.toLocaleString('en')} Hz`);
  }
  return `This is the sandbox: it does not listen. It got the recording ${fileName}: ${facts.join(', ')}.`;
}

/** Sentences, spread over the duration by the time that each would take to say. */
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
