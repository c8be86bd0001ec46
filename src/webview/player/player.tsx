import '../styles/player.css';
import * as l10n from '@vscode/l10n';
import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { flag, number, object, oneOf, type Shaped } from '../../foreign/shape.ts';
import { HostRequests, renderPage, vscode } from '../HostRequests.ts';
import { clock } from '../parts/clock.ts';
import { followTheme } from '../parts/followTheme.ts';
import { ToolButton } from '../parts/ToolButton.tsx';
import {
  type PlayerCue,
  type PlayerMessage,
  type PlayerTrack,
  playerMessage,
  playerRequests,
  playerStart,
} from '../protocol/player.ts';
import { cueAt, drawnRows, findCues, placeIn, sentenceFrom, sentenceStarts, tabStopOf } from './cues.ts';

const { request, post } = new HostRequests(playerRequests);

const speeds = ['0.5', '0.75', '1', '1.25', '1.5', '1.75', '2', '2.5', '3'] as const;

/** What is kept from one recording to the next. */
const choices = object({ volume: number, speed: oneOf(speeds), follows: flag });
type Choices = Shaped<typeof choices>;

function keptChoices(): Choices {
  const state = vscode.getState();
  return choices(state) ? state : { volume: 1, speed: '1', follows: true };
}

/** Milliseconds between reports while it plays. */
const reportPause = 100;

function Player({ opened }: { readonly opened: PlayerTrack | undefined }) {
  const [track, setTrack] = useState(opened);
  useEffect(() => post('ready', {}), []);
  if (track) return <OpenPlayer track={track} setTrack={setTrack} />;
  return (
    <p class="empty">
      {l10n.t('Nothing is open here yet. Run “Media: Play from Here” in a transcript or a narrated document.')}
    </p>
  );
}

interface OpenPlayerProps {
  readonly track: PlayerTrack;
  readonly setTrack: (track: PlayerTrack) => void;
}

function OpenPlayer({ track, setTrack }: OpenPlayerProps) {
  const media = useRef<HTMLVideoElement>(null);
  const [chosen, setChosen] = useState(keptChoices);
  const [search, setSearch] = useState('');
  const found = useMemo(() => findCues(track.cues, search), [track, search]);
  const starts = useMemo(() => sentenceStarts(track.cues), [track]);
  const choose = (change: Partial<Choices>): void => setChosen((before) => ({ ...before, ...change }));
  const stopFollowing = (): void => choose({ follows: false });
  const { now, duration, isPlaying, problem } = usePlayback(media, chosen, stopFollowing);
  const peaks = usePeaks(duration);
  usePlayingOn(media, track, setTrack);
  useEffect(() => vscode.setState(chosen), [chosen]);
  const seek = (milliseconds: number): void => {
    if (media.current) ends.delete(media.current);
    if (media.current) media.current.currentTime = Math.max(0, milliseconds / 1000);
  };
  // From where the media is: what is shown is older than a click just before.
  const toSentence = (direction: -1 | 1) => () => {
    const start = sentenceFrom(starts, Math.round((media.current?.currentTime ?? 0) * 1000), direction);
    if (start !== undefined) seek(start);
  };
  const silent = track.isAac && document.createElement('audio').canPlayType('audio/mp4; codecs="mp4a.40.2"') === '';
  return (
    <div class="player">
      {/* A video element also plays sound. Its cues are in the list below. */}
      {/* biome-ignore lint/a11y/useMediaCaption: the list of cues has the words */}
      <video ref={media} class={track.isVideo ? 'picture' : 'no-picture'} src={track.source} preload="metadata" />
      <div class="controls">
        <div class="transport">
          <ToolButton icon="arrowLeft" name={l10n.t('Previous Sentence')} onClick={toSentence(-1)} />
          <ToolButton name={l10n.t('Back 5 Seconds')} onClick={() => moveBy(media, -5)}>
            <span aria-hidden="true">−5</span>
          </ToolButton>
          <ToolButton
            icon={isPlaying ? 'pause' : 'play'}
            name={isPlaying ? l10n.t('Pause') : l10n.t('Play')}
            onClick={() => toggle(media)}
          />
          <ToolButton name={l10n.t('Forward 5 Seconds')} onClick={() => moveBy(media, 5)}>
            <span aria-hidden="true">+5</span>
          </ToolButton>
          <ToolButton icon="arrowRight" name={l10n.t('Next Sentence')} onClick={toSentence(1)} />
          <span class="time">
            {clock(now)} / {clock(duration)}
          </span>
          <span class="name" title={track.name}>
            {track.name}
          </span>
          <select
            aria-label={l10n.t('Speed')}
            value={chosen.speed}
            onChange={({ currentTarget: { value } }) => choose({ speed: speeds.find((one) => one === value) ?? '1' })}
          >
            {speeds.map((speed) => (
              <option key={speed} value={speed}>
                {Number(speed).toLocaleString(document.documentElement.lang)} ×
              </option>
            ))}
          </select>
          <input
            class="volume"
            type="range"
            aria-label={l10n.t('Volume')}
            min={0}
            max={1}
            step={0.05}
            value={chosen.volume}
            onInput={({ currentTarget: { value } }) => choose({ volume: Number(value) })}
          />
          <label class="follow">
            <input
              type="checkbox"
              role="switch"
              aria-checked={chosen.follows}
              checked={chosen.follows}
              onChange={({ currentTarget: { checked } }) => choose({ follows: checked })}
            />
            {l10n.t('Follow')}
          </label>
          {track.cues.length > 0 && (
            <input
              class="find"
              type="search"
              aria-label={l10n.t('Find in Cues')}
              placeholder={l10n.t('Find in Cues')}
              value={search}
              onInput={({ currentTarget: { value } }) => setSearch(value)}
            />
          )}
        </div>
        <Waveform cues={track.cues} peaks={peaks} now={now} duration={duration} seek={seek} />
        <p class="note" role="status">
          {track.note}
        </p>
        {(problem || silent) && (
          <p role="alert">
            {silent ? silentSentence() : brokenSentence()}{' '}
            <button type="button" onClick={() => openExternally(now)}>
              {l10n.t('Open Externally at {0}', clock(now))}
            </button>
          </p>
        )}
      </div>
      <CueList
        cues={track.cues}
        found={found}
        current={cueAt(track.cues, now)}
        follows={chosen.follows}
        play={(start) => playFrom(media, start)}
        onScrolledAway={stopFollowing}
      />
    </div>
  );
}

function silentSentence(): string {
  return l10n.t('VS Code has no decoder for AAC, so it cannot play this sound. Open the file externally.');
}

function brokenSentence(): string {
  return l10n.t(
    'This recording cannot be played here. Its format may be unknown to VS Code, or the file may be damaged.',
  );
}

function openExternally(milliseconds: number): void {
  post('openExternally', { milliseconds: Math.round(milliseconds) });
}

type MediaRef = RefObject<HTMLVideoElement | null>;

/** Where a paragraph ends that is played by itself, in milliseconds; dropped when the person plays or moves. */
const ends = new WeakMap<HTMLVideoElement, number>();

/** Pauses at the end of a paragraph. It is looked at with every report, since the speed may change until then. */
function pauseAtEnd(media: HTMLVideoElement): void {
  const end = ends.get(media);
  if (end === undefined || media.paused) return;
  const left = (end - media.currentTime * 1000) / media.playbackRate;
  if (left > 2 * reportPause) return;
  setTimeout(() => {
    if (ends.get(media) !== end) return;
    ends.delete(media);
    media.pause();
  }, left);
}

function toggle({ current }: MediaRef): void {
  if (current) ends.delete(current);
  if (current?.paused) start(current);
  else current?.pause();
}

function playFrom({ current }: MediaRef, milliseconds: number, until?: number): void {
  if (!current) return;
  whenKnown(current, () => {
    if (until === undefined) ends.delete(current);
    else ends.set(current, until);
    current.currentTime = milliseconds / 1000;
    start(current);
  });
}

/** A place beyond the start is forgotten until the duration is known. What came earlier is done first. */
function whenKnown(media: HTMLVideoElement, act: () => void): void {
  if (media.readyState > 0) act();
  else media.addEventListener('loadedmetadata', act, { once: true });
}

function skip(media: HTMLVideoElement, milliseconds: number): void {
  ends.delete(media);
  media.currentTime = Math.max(0, media.currentTime + milliseconds / 1000);
}

function moveBy({ current }: MediaRef, seconds: number): void {
  if (current) skip(current, seconds * 1000);
}

/** The browser may refuse to play before the person has clicked; the button still says *Play* then. */
function start(media: HTMLVideoElement): void {
  media.play().catch(() => undefined);
}

/** Follows the state of the media element, reports it to the host, and obeys the host and the media keys. */
function usePlayback(media: MediaRef, { volume, speed, follows }: Choices, stopFollowing: () => void) {
  const [now, setNow] = useState(0);
  const [duration, setDuration] = useState(0);
  const [isPlaying, setPlaying] = useState(false);
  const [problem, setProblem] = useState(false);
  const followsNow = useRef(follows);
  followsNow.current = follows;
  useEffect(() => {
    if (!media.current) return;
    media.current.volume = volume;
    media.current.playbackRate = Number(speed);
    // The next file begins with this one.
    media.current.defaultPlaybackRate = Number(speed);
  }, [volume, speed]);
  useEffect(() => {
    const element = media.current;
    if (!element) return;
    const read = (): void => {
      const milliseconds = Math.round(element.currentTime * 1000);
      setNow(milliseconds);
      setPlaying(!element.paused);
      if (Number.isFinite(element.duration)) setDuration(element.duration * 1000);
      post('report', { milliseconds, isPlaying: !element.paused, follows: followsNow.current });
    };
    for (const event of ['play', 'pause', 'seeked', 'ended', 'loadedmetadata', 'durationchange']) {
      element.addEventListener(event, read);
    }
    element.addEventListener('error', () => setProblem(true));
    element.addEventListener('loadedmetadata', () => setProblem(false));
    const timer = setInterval(() => {
      if (element.paused) return;
      read();
      pauseAtEnd(element);
    }, reportPause);
    const stopListening = listen(media, stopFollowing);
    setMediaKeys(media);
    return () => {
      clearInterval(timer);
      stopListening();
    };
  }, []);
  // The host must know the state of the switch also while nothing plays.
  useEffect(() => {
    const element = media.current;
    if (!element) return;
    const milliseconds = Math.round(element.currentTime * 1000);
    post('report', { milliseconds, isPlaying: !element.paused, follows });
  }, [follows]);
  return { now, duration, isPlaying, problem };
}

function listen(media: MediaRef, stopFollowing: () => void): () => void {
  const obey = ({ type, milliseconds = 0, until }: PlayerMessage): void => {
    const element = media.current;
    if (!element) return;
    if (type === 'stopFollowing') stopFollowing();
    else if (type === 'seek') playFrom(media, milliseconds, until);
    else if (type === 'toggle') whenKnown(element, () => toggle(media));
    else whenKnown(element, () => skip(element, milliseconds));
  };
  const receive = ({ data }: MessageEvent<unknown>): void => {
    if (playerMessage(data) && !data.track) obey(data);
  };
  window.addEventListener('message', receive);
  return () => window.removeEventListener('message', receive);
}

/** Plays on in another file of the same recording: at the same words, or after what has been heard. */
function usePlayingOn(media: MediaRef, track: PlayerTrack, setTrack: (track: PlayerTrack) => void): void {
  useEffect(() => {
    const element = media.current;
    if (!element) return undefined;
    let shown = track;
    let next: PlayerTrack | undefined;
    /** Where a file plays on that is loading: until then the element is at its start. */
    let place: { readonly milliseconds: number; readonly goesOn: boolean } | undefined;
    const open = (to: PlayerTrack): void => {
      next = undefined;
      if (to.source !== shown.source) {
        const isHeard = place === undefined && element.ended;
        const { milliseconds, goesOn } = place ?? {
          milliseconds: element.currentTime * 1000,
          goesOn: !element.paused || (isHeard && !ends.has(element)),
        };
        place = { milliseconds: placeIn(shown.cues, to.cues, milliseconds, isHeard), goesOn };
      }
      shown = to;
      setTrack(to);
    };
    const playOn = (): void => {
      if (!place || element.currentSrc !== new URL(shown.source, document.baseURI).href) return;
      element.currentTime = place.milliseconds / 1000;
      if (place.goesOn) start(element);
      place = undefined;
    };
    const receive = ({ data }: MessageEvent<unknown>): void => {
      if (!playerMessage(data) || !data.track) return;
      if (data.type === 'next' && !element.ended) next = data.track;
      else open(data.track);
    };
    const openNext = (): void => {
      if (next) open(next);
    };
    element.addEventListener('loadedmetadata', playOn);
    element.addEventListener('ended', openNext);
    window.addEventListener('message', receive);
    return () => window.removeEventListener('message', receive);
  }, []);
}

/** Media keys, where the platform gives them to pages. */
function setMediaKeys(media: MediaRef): void {
  navigator.mediaSession?.setActionHandler('play', () => media.current && start(media.current));
  navigator.mediaSession?.setActionHandler('pause', () => media.current?.pause());
  navigator.mediaSession?.setActionHandler('seekbackward', () => moveBy(media, -5));
  navigator.mediaSession?.setActionHandler('seekforward', () => moveBy(media, 5));
}

/** Asks for the waveform as soon as the duration is known. */
function usePeaks(duration: number): readonly number[] {
  const [peaks, setPeaks] = useState<readonly number[]>([]);
  useEffect(() => {
    if (duration <= 0) return;
    request('measure', { seconds: duration / 1000 }).then(
      (measured) => setPeaks(measured.peaks),
      () => undefined,
    );
  }, [duration]);
  return peaks;
}

interface WaveformProps {
  readonly cues: readonly PlayerCue[];
  /** Percent of the loudest, at even distances; empty until they are measured. */
  readonly peaks: readonly number[];
  /** Milliseconds. */
  readonly now: number;
  readonly duration: number;
  readonly seek: (milliseconds: number) => void;
}

/** Colours of the speakers, from the theme; the first is also that of recordings without speakers. */
const colours = ['blue', 'orange', 'green', 'purple', 'red', 'yellow'].map((name) => `--vscode-charts-${name}`);
/** Width of a column and the space after it, in pixels. */
const columnWidth = 3;

/** The waveform with the speakers in colours, below the slider that moves in it. */
function Waveform({ cues, peaks, now, duration, seek }: WaveformProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const speakers = useMemo(() => [...new Set(cues.map(({ speaker }) => speaker ?? ''))], [cues]);
  const draw = useRef<() => void>(() => undefined);
  useEffect(() => {
    draw.current = () => {
      const element = canvas.current;
      if (!element) return;
      const { clientWidth: width, clientHeight: height } = element;
      const scale = window.devicePixelRatio;
      [element.width, element.height] = [width * scale, height * scale];
      const context = element.getContext('2d');
      if (!context || peaks.length === 0) return;
      context.scale(scale, scale);
      const style = getComputedStyle(element);
      for (let x = 0; x < width; x += columnWidth) {
        const first = Math.floor((x / width) * peaks.length);
        const last = Math.max(first + 1, Math.floor(((x + columnWidth) / width) * peaks.length));
        const peak = Math.max(0, ...peaks.slice(first, last));
        const cue = cues[cueAt(cues, (x / width) * duration)];
        const speaker = speakers.indexOf(cue?.speaker ?? '');
        const bar = Math.max(1, (peak / 100) * height);
        context.globalAlpha = (x / width) * duration <= now ? 1 : 0.45;
        context.fillStyle = style.getPropertyValue(colours[Math.max(0, speaker) % colours.length] ?? '');
        context.fillRect(x, (height - bar) / 2, columnWidth - 1, bar);
      }
    };
    draw.current();
  }, [cues, speakers, peaks, Math.round(now / 250), duration]);
  useEffect(() => {
    const resized = new ResizeObserver(() => draw.current());
    if (canvas.current) resized.observe(canvas.current);
    const stopFollowing = followTheme(() => draw.current());
    return () => {
      resized.disconnect();
      stopFollowing();
    };
  }, []);
  return (
    <div class="waveform">
      <canvas ref={canvas} />
      <input
        type="range"
        aria-label={l10n.t('Position')}
        aria-valuetext={l10n.t('{0} of {1}', clock(now), clock(duration))}
        min={0}
        max={Math.max(1, Math.round(duration))}
        step={1000}
        value={now}
        onInput={({ currentTarget: { value } }) => seek(Number(value))}
      />
    </div>
  );
}

interface CueListProps {
  readonly cues: readonly PlayerCue[];
  /** Indexes of the cues to show. */
  readonly found: readonly number[];
  /** Index of the cue that is heard; -1 before the first. */
  readonly current: number;
  readonly follows: boolean;
  readonly play: (milliseconds: number) => void;
  /** Called when the person scrolls while the list follows. */
  readonly onScrolledAway: () => void;
}

/** In pixels; also in player.css. All rows have the same height, so only the visible ones are drawn. */
const rowHeight = 24;
/** Rows that are drawn above and below the visible ones. */
const margin = 10;

/** The cues, of which the one that is heard is marked. The list is one stop of the Tab key; arrows move inside it. */
function CueList({ cues, found, current, follows, play, onScrolledAway }: CueListProps) {
  const list = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const measure = ({ scrollTop, clientHeight }: HTMLElement): void => setView({ top: scrollTop, height: clientHeight });
  const [focused, setFocused] = useState<number>();
  const row = found.indexOf(current);
  useEffect(() => {
    if (follows && row >= 0) reveal(list.current, row);
  }, [follows, row]);
  useEffect(() => {
    if (focused === undefined) return;
    reveal(list.current, focused);
    list.current?.querySelector<HTMLElement>(`[data-row="${focused}"]`)?.focus();
  }, [focused]);
  const isDrawn = found.length > 0;
  // A list that is drawn again begins at its top.
  useEffect(() => {
    const { current } = list;
    if (!current) return undefined;
    const sizes = new ResizeObserver(() => measure(current));
    sizes.observe(current);
    return () => sizes.disconnect();
  }, [isDrawn]);
  // The rows are those of other cues now.
  useEffect(() => setFocused(undefined), [found]);
  if (cues.length === 0) {
    return <p class="empty">{l10n.t('There are no subtitles beside this recording.')}</p>;
  }
  const first = Math.max(0, Math.floor(view.top / rowHeight) - margin);
  const last = Math.min(found.length, Math.ceil((view.top + view.height) / rowHeight) + margin);
  const tabStop = tabStopOf([focused, row], first, last, Math.ceil(view.top / rowHeight));
  const move = (event: KeyboardEvent): void => {
    const to = movedRow(event.key, tabStop, found.length, Math.floor(view.height / rowHeight));
    if (to === undefined) return;
    event.preventDefault();
    onScrolledAway();
    setFocused(to);
  };
  return (
    <>
      <div class="status" role="status">
        {!isDrawn && <p class="empty">{l10n.t('No cue has these words.')}</p>}
      </div>
      {isDrawn && (
        <div
          ref={list}
          class="cues"
          onScroll={({ currentTarget }) => measure(currentTarget)}
          onWheel={() => follows && onScrolledAway()}
        >
          <ul
            class="all-cues"
            aria-label={l10n.t('Cues')}
            style={{ height: `${found.length * rowHeight}px` }}
            onKeyDown={move}
          >
            {drawnRows(first, last, focused, found.length).map((place) => {
              const index = found[place] ?? -1;
              const cue = cues[index];
              return (
                cue && (
                  <li
                    key={index}
                    aria-posinset={place + 1}
                    aria-setsize={found.length}
                    style={{ top: `${place * rowHeight}px` }}
                    class="cue"
                  >
                    <button
                      type="button"
                      data-row={place}
                      tabIndex={place === tabStop ? 0 : -1}
                      aria-current={index === current ? 'true' : undefined}
                      title={cue.text}
                      onFocus={() => setFocused(place)}
                      onClick={() => play(cue.start)}
                    >
                      <span class="at">{clock(cue.start)}</span>
                      {cue.speaker && <span class="speaker">{cue.speaker}</span>}
                      <span class="words">{cue.text}</span>
                    </button>
                  </li>
                )
              );
            })}
          </ul>
        </div>
      )}
    </>
  );
}

function movedRow(key: string, row: number, rows: number, page: number): number | undefined {
  const to = { ArrowUp: row - 1, ArrowDown: row + 1, PageUp: row - page, PageDown: row + page, Home: 0, End: rows - 1 };
  const moved = to[key as keyof typeof to];
  return moved === undefined ? undefined : Math.max(0, Math.min(rows - 1, moved));
}

/** Scrolls only as far as needed to show a row. */
function reveal(list: HTMLElement | null, row: number): void {
  if (!list) return;
  const [top, bottom] = [row * rowHeight, (row + 1) * rowHeight];
  if (top < list.scrollTop) list.scrollTop = top;
  else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
}

renderPage(playerStart, ({ track }) => <Player opened={track} />);
