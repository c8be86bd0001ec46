import { count, flag, list, nothing, number, object, oneOf, optional, type Shaped, text } from '../../foreign/shape.ts';
import { type RequestTable, ready } from './requestTable.ts';

/** The cues of three hours, and far beyond. */
const maxCues = 100_000;
/** In characters. A file of another program may have a whole recording in one cue, of which a row shows the beginning. */
const maxCueText = 20_000;
const maxSpeaker = 1000;

const cue = object({
  /** Milliseconds from the start. */
  start: count,
  end: count,
  text: text(maxCueText),
  speaker: optional(text(maxSpeaker)),
});
export type PlayerCue = Shaped<typeof cue>;

/** Cuts cues to what the page accepts: it shows nothing at all of a track that it does not. */
export function playerCues(cues: readonly PlayerCue[]): readonly PlayerCue[] {
  return cues.slice(0, maxCues).map((one) => ({
    ...one,
    text: one.text.slice(0, maxCueText),
    speaker: one.speaker?.slice(0, maxSpeaker),
  }));
}

/** A recording and what is known of it. */
const track = object({
  name: text(4000),
  /** Webview URI of the file. */
  source: text(),
  isVideo: flag,
  /** Whether its sound is AAC, which the desktop's VS Code cannot play. */
  isAac: flag,
  /** What a person should know of it. */
  note: optional(text(4000)),
  cues: list(cue, maxCues),
});
export type PlayerTrack = Shaped<typeof track>;

/** The data that the host puts into the page: the recording that is open, if any. */
export const playerStart = object({ track: optional(track) });
export type PlayerStart = Shaped<typeof playerStart>;

/** Requests of the player to the extension host, with their replies. */
export const playerRequests = {
  ready,
  /** Reports each change, and every tenth of a second while it plays. `follows` is the state of the switch. */
  report: { body: object({ milliseconds: count, isPlaying: flag, follows: flag }), reply: nothing },
  /** Asks for the waveform of the recording, which lasts this long. Percent of the loudest, at even distances. */
  measure: { body: object({ seconds: number }), reply: object({ peaks: list(count) }) },
  /** Opens the recording in the system's player. */
  openExternally: { body: object({ milliseconds: count }), reply: nothing },
} as const satisfies RequestTable;

/** Messages of the extension host to the player. */
export const playerMessage = object({
  /** `open` plays on in another file of the same recording at once, `next` when this one has been heard. */
  type: oneOf(['seek', 'toggle', 'skip', 'stopFollowing', 'open', 'next']),
  /** The file that follows, with `open` and `next`. */
  track: optional(track),
  /** Where to start playing with `seek`, and how far to move with `skip`. */
  milliseconds: optional(number),
  /** Where to pause with `seek`; without it the recording is played to its end. */
  until: optional(number),
});
export type PlayerMessage = Shaped<typeof playerMessage>;
