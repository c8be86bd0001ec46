/**
 * Returns whether a link leads to subtitles. Such a link beside a player offers what is heard, so it is not read aloud.
 */
export function isTranscript(address: string): boolean {
  return /\.(?:vtt|srt)(?:[?#].*)?$/i.test(address);
}
