import add from '@vscode/codicons/src/icons/add.svg';
import arrowLeft from '@vscode/codicons/src/icons/arrow-left.svg';
import arrowRight from '@vscode/codicons/src/icons/arrow-right.svg';
import beaker from '@vscode/codicons/src/icons/beaker.svg';
import chevronDown from '@vscode/codicons/src/icons/chevron-down.svg';
import close from '@vscode/codicons/src/icons/close.svg';
import cloud from '@vscode/codicons/src/icons/cloud.svg';
import pause from '@vscode/codicons/src/icons/debug-pause.svg';
import video from '@vscode/codicons/src/icons/device-camera-video.svg';
import edit from '@vscode/codicons/src/icons/edit.svg';
import ellipsis from '@vscode/codicons/src/icons/ellipsis.svg';
import error from '@vscode/codicons/src/icons/error.svg';
import image from '@vscode/codicons/src/icons/file-media.svg';
import filter from '@vscode/codicons/src/icons/filter.svg';
import remix from '@vscode/codicons/src/icons/git-branch.svg';
import history from '@vscode/codicons/src/icons/history.svg';
import insert from '@vscode/codicons/src/icons/insert.svg';
import library from '@vscode/codicons/src/icons/library.svg';
import link from '@vscode/codicons/src/icons/link.svg';
import mute from '@vscode/codicons/src/icons/mute.svg';
import transcript from '@vscode/codicons/src/icons/note.svg';
import play from '@vscode/codicons/src/icons/play.svg';
import region from '@vscode/codicons/src/icons/screen-cut.svg';
import search from '@vscode/codicons/src/icons/search.svg';
import settings from '@vscode/codicons/src/icons/settings.svg';
import compare from '@vscode/codicons/src/icons/split-horizontal.svg';
import starEmpty from '@vscode/codicons/src/icons/star-empty.svg';
import starFull from '@vscode/codicons/src/icons/star-full.svg';
import speech from '@vscode/codicons/src/icons/unmute.svg';
import animate from '@vscode/codicons/src/icons/wand.svg';
import warning from '@vscode/codicons/src/icons/warning.svg';

const icons = {
  add,
  animate,
  arrowLeft,
  arrowRight,
  beaker,
  chevronDown,
  close,
  cloud,
  compare,
  edit,
  ellipsis,
  error,
  filter,
  history,
  image,
  insert,
  library,
  link,
  mute,
  pause,
  play,
  region,
  remix,
  search,
  settings,
  speech,
  starEmpty,
  starFull,
  transcript,
  video,
  warning,
} as const;

export type IconName = keyof typeof icons;

/** The paths of the icons, extracted from our own files, so that no foreign markup gets into the page. */
const shapes = new Map(
  Object.entries(icons).map(([name, svg]) => {
    const path = [...svg.matchAll(/<path[^>]*? d="([^"]+)"/g)].map(([, d = '']) => d).join(' ');
    return [name, { path, rule: svg.includes('evenodd') ? 'evenodd' : 'nonzero' } as const];
  }),
);

/** A decorative icon: it is beside text, or in a button that has a name. */
export function Icon({ name }: { readonly name: IconName }) {
  const shape = shapes.get(name);
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={shape?.path} fill-rule={shape?.rule} />
    </svg>
  );
}
