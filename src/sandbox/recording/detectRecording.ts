import { readMpegAudioFrame } from './readMpegAudioFrame.ts';

/** What a recording is by its first bytes, in words for a person. */
export type RecordingFormat = 'WAV' | 'FLAC' | 'Ogg' | 'WebM' | 'MP4 audio' | 'MP4' | 'MP3' | 'MPEG';

/** @param head at least the first 16 bytes, if there are as many */
export function detectRecording(head: Buffer): RecordingFormat | undefined {
  const text = head.toString('latin1', 0, 16);
  if (/^RIFF[\s\S]{4}WAVE/.test(text)) return 'WAV';
  if (text.startsWith('fLaC')) return 'FLAC';
  if (text.startsWith('OggS')) return 'Ogg';
  if (text.startsWith('\x1a\x45\xdf\xa3')) return 'WebM';
  if (text.slice(4, 8) === 'ftyp') return text.startsWith('M4A', 8) ? 'MP4 audio' : 'MP4';
  if (text.startsWith('ID3')) return 'MP3';
  if (text.startsWith('\0\0\x01\xba')) return 'MPEG';
  const frame = readMpegAudioFrame(head);
  if (!frame) return undefined;
  return frame.layer === 3 ? 'MP3' : 'MPEG';
}
