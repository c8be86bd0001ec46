import * as l10n from '@vscode/l10n';
import { MediaError } from '../operations/MediaError.ts';
import type { Json, JsonObject, RawAnswer, Segment, TranscriptAnswer } from './Answer.ts';
import { isObject, numberOf, objectOf, textOf } from './json.ts';

type Base = Pick<TranscriptAnswer, 'requestId' | 'id' | 'usage'>;

/**
 * Reads a transcript: JSON with `text` and optional `segments`, plain text, or subtitles (SubRip, WebVTT).
 *
 * @throws MediaError `noMedia` when it has no text, `unreadableAnswer` for a web page or truncated JSON
 */
export function readTranscript(value: Json, raw: RawAnswer, base: Base): TranscriptAnswer {
  if (isObject(value)) return readObject(value, raw, base);
  if (typeof value !== 'string' || value.trim() === '') throw noText(raw);
  const isJson = raw.contentType === 'application/json';
  if (/^\s*<(!doctype|html|\?xml)/i.test(value) || (isJson && /^\s*[[{]/.test(value))) {
    const sentence = l10n.t('The service accepted the recording but did not send a transcript. It may still bill it.');
    const { status, requestId } = raw;
    throw new MediaError('unreadableAnswer', sentence, { status, requestId, mayBeBilled: true });
  }
  const text = value.trim();
  return { ...base, type: 'transcript', text, ...subtitlesOf(text), language: undefined, duration: undefined };
}

function subtitlesOf(text: string): Pick<TranscriptAnswer, 'subtitles' | 'segments'> {
  if (/^WEBVTT\b/.test(text)) return { subtitles: 'vtt', segments: [] };
  const isSubRip = /^\d+\r?\n\d{1,2}:\d\d:\d\d[,.]\d{1,3} --> /.test(text);
  return { subtitles: isSubRip ? 'srt' : undefined, segments: [] };
}

function readObject(value: JsonObject, raw: RawAnswer, base: Base): TranscriptAnswer {
  const parts = [value, ...['data', 'result', 'results', 'output'].map((name) => objectOf(value, name))];
  for (const part of parts) {
    const segments = readSegments(part.segments);
    const text =
      textOf(part, 'text', 'transcript', 'transcription') ?? segments.map((segment) => segment.text.trim()).join(' ');
    if (text === '') continue;
    return {
      ...base,
      type: 'transcript',
      text,
      subtitles: subtitlesOf(text).subtitles,
      language: textOf(part, 'language'),
      duration: numberOf(part, 'duration') ?? numberOf(objectOf(part, 'usage'), 'seconds'),
      segments,
    };
  }
  throw noText(raw);
}

function readSegments(value: Json | undefined): readonly Segment[] {
  if (!Array.isArray(value)) return [];
  return (value as readonly Json[]).flatMap((item) => {
    if (!isObject(item)) return [];
    const { start, end, text, speaker } = item;
    if (typeof start !== 'number' || typeof end !== 'number' || typeof text !== 'string') return [];
    return [{ start, end, text, ...(typeof speaker === 'string' ? { speaker } : {}) }];
  });
}

function noText(raw: RawAnswer): MediaError {
  const sentence = l10n.t(
    'The service accepted the recording but sent no text; there may be no speech in it. The service may still bill it.',
  );
  return new MediaError('noMedia', sentence, { status: raw.status, requestId: raw.requestId, mayBeBilled: true });
}
