/** Whether a link leads to subtitles: beside a player it offers what is heard there, so nobody reads the link aloud. */
export function isTranscript(address: string): boolean {
  return /\.(?:vtt|srt)(?:[?#].*)?$/i.test(address);
}
