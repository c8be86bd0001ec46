import * as l10n from '@vscode/l10n';
import { useEffect, useRef, useState } from 'preact/hooks';
import { post } from '../host.ts';
import { clock } from '../parts/clock.ts';
import { Icon, type IconName } from '../parts/Icon.tsx';
import { ToolButton } from '../parts/ToolButton.tsx';
import { type FeedItem, maxPreviewBytes } from '../protocol/messages.ts';

export const kindIcons: Readonly<Record<FeedItem['kind'], IconName>> = {
  images: 'image',
  speech: 'speech',
  transcripts: 'transcript',
  videos: 'video',
};

/** The still view of a result: image, first frame or text. */
export function ItemMedia({ item }: { readonly item: FeedItem }) {
  const { kind, source, words, name, text, isMissing } = item;
  /** The address of a file that is not the picture that it should be. */
  const [unshown, setUnshown] = useState<string>();
  if (source === undefined) {
    return isMissing ? (
      <Placeholder icon="warning" words={l10n.t('missing')} />
    ) : (
      <Placeholder icon="cloud" words={l10n.t('no file')} />
    );
  }
  if (source === unshown) return <Placeholder icon="warning" words={l10n.t('cannot be shown')} />;
  switch (kind) {
    case 'images':
      return (
        <img
          src={source}
          alt={words ?? name}
          loading="lazy"
          decoding="async"
          draggable={false}
          onError={() => setUnshown(source)}
        />
      );
    case 'videos':
      return <FirstFrame item={item} source={source} />;
    case 'speech':
      // The name stands below.
      if (words === undefined) {
        return (
          <span class="placeholder">
            <Icon name="speech" />
          </span>
        );
      }
      return (
        <span class="words" dir="auto">
          {words}
        </span>
      );
    case 'transcripts':
      return (
        <span class="words" dir="auto">
          {text}
        </span>
      );
  }
}

/** Says why nothing is shown. */
export function Placeholder({
  icon,
  words,
  name,
}: {
  readonly icon: IconName;
  readonly words: string;
  readonly name?: string;
}) {
  return (
    <span class="placeholder">
      <Icon name={icon} />
      <span>{words}</span>
      {name !== undefined && <span>{name}</span>}
    </span>
  );
}

/** The saved first frame of a video. Without one, the video itself, from which the frame is then captured. */
function FirstFrame({ item, source }: { readonly item: FeedItem; readonly source: string }) {
  const [seconds, setSeconds] = useState(item.seconds);
  return (
    <>
      {item.preview === undefined ? (
        <video
          src={atFirstFrame(source)}
          crossOrigin="anonymous"
          preload="auto"
          muted
          tabIndex={-1}
          aria-label={item.words ?? item.name}
          onLoadedMetadata={({ currentTarget }) => setSeconds(currentTarget.duration)}
          onSeeked={({ currentTarget }) => void saveFirstFrame(item.id, currentTarget)}
        />
      ) : (
        <img src={item.preview} alt={item.words ?? item.name} loading="lazy" decoding="async" draggable={false} />
      )}
      <span class="length">
        <Icon name="video" />
        {seconds === undefined || !Number.isFinite(seconds) ? '' : clock(seconds * 1000)}
      </span>
    </>
  );
}

/** Maximum side of a preview, in pixels. */
const maxSide = 320;

/** The time of the captured frame, in seconds; many videos start with a black frame. */
const frameTime = 0.1;

/**
 * Captures the current frame of a video and asks the host to save it.
 *
 * @param video loaded with `crossorigin`, so that a canvas may read it
 */
async function saveFirstFrame(id: string, video: HTMLVideoElement): Promise<void> {
  const { videoWidth, videoHeight, duration } = video;
  if (videoWidth === 0 || !Number.isFinite(duration)) return;
  // A busy computer reports the position before it has decoded the frame. Nothing is drawn then, until the frame comes.
  const again = video.requestVideoFrameCallback(() => void saveFirstFrame(id, video));
  const scale = Math.min(1, maxSide / Math.max(videoWidth, videoHeight));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(videoWidth * scale));
  canvas.height = Math.max(1, Math.round(videoHeight * scale));
  const context = canvas.getContext('2d');
  context?.drawImage(video, 0, 0, canvas.width, canvas.height);
  const pixels = context?.getImageData(0, 0, canvas.width, canvas.height).data;
  if (!pixels?.some((value, index) => index % 4 === 3 && value > 0)) return;
  video.cancelVideoFrameCallback(again);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/webp', 0.75));
  if (blob?.type !== 'image/webp' || blob.size > maxPreviewBytes) return;
  post('keepPreview', { id, bytes: new Uint8Array(await blob.arrayBuffer()), seconds: duration });
}

function atFirstFrame(source: string): string {
  return `${source}#t=${frameTime}`;
}

interface LargeMediaProps {
  readonly item: FeedItem;
  /** Called with the size of a picture or a video in pixels, once it is known. */
  readonly onSize?: (width: number, height: number) => void;
}

/** The media of a result at full size. */
export function LargeMedia({ item, onSize }: LargeMediaProps) {
  const { kind, source, name, words, text, isMissing, isSilent } = item;
  const [unshown, setUnshown] = useState<string>();
  if (source === undefined) {
    return (
      <p class="empty">
        {isMissing ? l10n.t('The file no longer exists.') : l10n.t('This video was added by its ID and has no file.')}
      </p>
    );
  }
  if (source === unshown) return <p class="empty">{l10n.t('This file cannot be shown as a picture.')}</p>;
  switch (kind) {
    case 'images':
      return (
        <div class="large">
          <img
            key={source}
            src={source}
            alt={words ?? name}
            onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => onSize?.(naturalWidth, naturalHeight)}
            onError={() => setUnshown(source)}
          />
        </div>
      );
    case 'videos':
      return (
        <>
          <div class="large">
            {/* biome-ignore lint/a11y/useMediaCaption: the service generates no captions */}
            <video
              key={source}
              src={source}
              controls
              preload="metadata"
              aria-label={name}
              onLoadedMetadata={({ currentTarget: { videoWidth, videoHeight } }) => onSize?.(videoWidth, videoHeight)}
            />
          </div>
          {isSilent && <p class="hint">{l10n.t('VS Code cannot play the AAC sound of this video.')}</p>}
        </>
      );
    case 'speech':
      // biome-ignore lint/a11y/useMediaCaption: the caption would be the text that was spoken
      return <audio key={source} src={source} controls preload="metadata" aria-label={name} />;
    case 'transcripts':
      return (
        <p class="whole-prompt" dir="auto">
          {text}
        </p>
      );
  }
}

/** An audio player for tiles, where the browser's own player does not fit. */
export function Player({ source, name }: { readonly source: string; readonly name: string }) {
  const audio = useRef<HTMLAudioElement>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [length, setLength] = useState(0);
  const [time, setTime] = useState(0);
  const toggle = (): void => {
    if (isPlaying) audio.current?.pause();
    else audio.current?.play().catch(() => setPlaying(false));
  };
  return (
    <div class="player">
      {/* biome-ignore lint/a11y/useMediaCaption: the caption would be the text that was spoken */}
      <audio
        ref={audio}
        src={source}
        preload="metadata"
        aria-label={name}
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onEnded={() => setPlaying(false)}
        onTimeUpdate={({ currentTarget }) => setTime(currentTarget.currentTime)}
        onLoadedMetadata={({ currentTarget }) => setLength(currentTarget.duration)}
      />
      <PlayerControls
        isPlaying={isPlaying}
        time={time}
        length={length}
        step={0.1}
        shownTime={isPlaying || time > 0 ? time : length}
        tabIndex={-1}
        onToggle={toggle}
        onSeek={(seconds) => {
          if (audio.current) audio.current.currentTime = seconds;
        }}
      />
    </div>
  );
}

interface PlayerControlsProps {
  readonly isPlaying: boolean;
  /** Position, length and step of the slider, in seconds. */
  readonly time: number;
  readonly length: number;
  readonly step: number;
  /** The time to show, in seconds. */
  readonly shownTime: number;
  readonly tabIndex?: number;
  onToggle(): void;
  onSeek(seconds: number): void;
}

/** A play button, a position slider and the time. */
export function PlayerControls(props: PlayerControlsProps) {
  const { isPlaying, time, length, step, shownTime, tabIndex, onToggle, onSeek } = props;
  return (
    <>
      <ToolButton
        name={isPlaying ? l10n.t('Pause') : l10n.t('Play')}
        icon={isPlaying ? 'pause' : 'play'}
        tabIndex={tabIndex}
        data-play
        onClick={onToggle}
      />
      <input
        type="range"
        tabIndex={tabIndex}
        aria-label={l10n.t('Position')}
        aria-valuetext={clock(time * 1000)}
        min={0}
        max={length || 1}
        step={step}
        value={time}
        onInput={({ currentTarget }) => onSeek(Number(currentTarget.value))}
      />
      <span class="time">{clock(shownTime * 1000)}</span>
    </>
  );
}

/** Returns the current time in milliseconds, updated once a second. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
