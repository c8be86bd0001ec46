import * as l10n from '@vscode/l10n';
import { useRef } from 'preact/hooks';
import type { EditState } from './editState.ts';
import { moved, resized } from './editState.ts';

export type Edit = (change: (state: EditState) => EditState) => void;

const corners = ['top left', 'top right', 'bottom left', 'bottom right'] as const;
type Corner = (typeof corners)[number];

interface Drag {
  readonly corner: Corner | undefined;
  readonly x: number;
  readonly y: number;
  readonly from: EditState;
  /** Image pixels per screen pixel. */
  readonly scale: number;
}

/** The crop area: mouse and arrow keys move it, its corners and Shift with the arrow keys resize it. */
export function CropStage({ state, edit }: { readonly state: EditState; readonly edit: Edit }) {
  const drag = useRef<Drag | undefined>(undefined);
  const { crop, source } = state;
  const percent = (part: number, whole: number) => `${(part / whole) * 100}%`;
  const begin = (event: PointerEvent, corner?: Corner): void => {
    const { currentTarget: element } = event;
    if (!(element instanceof HTMLElement)) return;
    const stage = element.closest('.stage');
    if (event.button !== 0 || !stage) return;
    event.stopPropagation();
    element.setPointerCapture(event.pointerId);
    const scale = source.width / stage.clientWidth;
    drag.current = { corner, x: event.clientX, y: event.clientY, from: state, scale };
  };
  const go = (event: PointerEvent): void => {
    const now = drag.current;
    if (!now) return;
    const by = { x: (event.clientX - now.x) * now.scale, y: (event.clientY - now.y) * now.scale };
    edit((current) => ({ ...current, ...cropOf(dragged(now.from, now.corner, by)) }));
  };
  const end = (): void => {
    drag.current = undefined;
  };
  const dragging = { onPointerMove: go, onPointerUp: end, onPointerCancel: end };
  return (
    <div
      class="crop"
      role="slider"
      tabIndex={0}
      aria-label={l10n.t('Crop area: move it with the arrow keys, resize it with Shift and the arrow keys')}
      aria-valuemin={0}
      aria-valuemax={source.width - crop.width}
      aria-valuenow={crop.x}
      aria-valuetext={l10n.t('left {0}, top {1}, {2} × {3} pixels', crop.x, crop.y, crop.width, crop.height)}
      style={{
        left: percent(crop.x, source.width),
        top: percent(crop.y, source.height),
        width: percent(crop.width, source.width),
        height: percent(crop.height, source.height),
      }}
      onPointerDown={(event) => begin(event)}
      {...dragging}
      onKeyDown={(event) => {
        const change = changeByKey(event, state);
        if (!change) return;
        event.preventDefault();
        edit(change);
      }}
    >
      {corners.map((corner) => (
        <div
          key={corner}
          class={`corner ${corner}`}
          aria-hidden="true"
          onPointerDown={(event) => begin(event, corner)}
          {...dragging}
        />
      ))}
    </div>
  );
}

function cropOf({ crop, width, height }: EditState): Pick<EditState, 'crop' | 'width' | 'height'> {
  return { crop, width, height };
}

function dragged(
  state: EditState,
  corner: Corner | undefined,
  { x, y }: { readonly x: number; readonly y: number },
): EditState {
  if (corner === undefined) return moved(state, { x, y });
  const [dx, dy] = [Math.round(x), Math.round(y)];
  const leading = Math.abs(dx) * state.crop.height >= Math.abs(dy) * state.crop.width ? 'width' : 'height';
  return resized(
    state,
    {
      ...(corner.endsWith('left') ? { left: dx } : { right: dx }),
      ...(corner.startsWith('top') ? { top: dy } : { bottom: dy }),
    },
    leading,
  );
}

/** Returns the change of an arrow key: by a hundredth of the image, with Ctrl or Alt by one pixel. */
function changeByKey(
  { key, shiftKey, ctrlKey, altKey }: KeyboardEvent,
  { source }: EditState,
): ((state: EditState) => EditState) | undefined {
  const step = (side: number) => (ctrlKey || altKey ? 1 : Math.max(1, Math.round(side / 100)));
  const [across, down] = [step(source.width), step(source.height)];
  switch (key) {
    case 'ArrowLeft':
      return (state) => (shiftKey ? resized(state, { right: -across }) : moved(state, { x: -across }));
    case 'ArrowRight':
      return (state) => (shiftKey ? resized(state, { right: across }) : moved(state, { x: across }));
    case 'ArrowUp':
      return (state) => (shiftKey ? resized(state, { bottom: -down }, 'height') : moved(state, { y: -down }));
    case 'ArrowDown':
      return (state) => (shiftKey ? resized(state, { bottom: down }, 'height') : moved(state, { y: down }));
    default:
      return undefined;
  }
}
