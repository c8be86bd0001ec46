import * as l10n from '@vscode/l10n';
import { useEffect, useRef, useState } from 'preact/hooks';
import { reasonOf } from '../../operations/MediaError.ts';
import { request } from '../host.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { followTheme } from '../parts/followTheme.ts';
import type { Region } from '../protocol/messages.ts';
import { areaOf, changedByKey, type RegionSize, type Stroke } from './region.ts';

interface SelectRegionProps {
  /** Webview URI of the picture. */
  readonly source: string;
  readonly name: string;
  /** What is marked already. */
  readonly marked: readonly Stroke[];
  onSelect(region: Region | undefined, strokes: readonly Stroke[]): void;
  onClose(): void;
}

/** A dialog in which a person marks the part of a picture that is to be edited. */
export function SelectRegion({ source, name, marked, onSelect, onClose }: SelectRegionProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [tool, setTool] = useState<'rectangle' | 'brush'>('rectangle');
  const [size, setSize] = useState<RegionSize>();
  /** What was marked after each step. */
  const [steps, setSteps] = useState<readonly (readonly Stroke[])[]>([marked]);
  const strokes = steps.at(-1) ?? [];
  const [problem, setProblem] = useState('');
  const isDrawing = useRef(false);
  useEffect(() => {
    const redraw = (): void => draw(canvas.current, strokes);
    redraw();
    return followTheme(redraw);
  }, [strokes, size]);
  const add = (next: readonly Stroke[]): void => {
    setProblem('');
    setSteps((now) => [...now, next]);
  };
  const undo = (): void => {
    isDrawing.current = false;
    setSteps((now) => (now.length > 1 ? now.slice(0, -1) : now));
  };
  useEffect(() => {
    const undoByKey = (event: KeyboardEvent): void => {
      if (event.key !== 'z' || event.altKey || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      undo();
    };
    document.addEventListener('keydown', undoByKey);
    return () => document.removeEventListener('keydown', undoByKey);
  }, []);
  const pointOf = (event: PointerEvent) => {
    const box = canvas.current?.getBoundingClientRect() ?? new DOMRect();
    const scale = (size?.width ?? 0) / box.width;
    return { x: (event.clientX - box.left) * scale, y: (event.clientY - box.top) * scale };
  };
  const begin = (event: PointerEvent & { readonly currentTarget: HTMLElement }): void => {
    if (event.button !== 0 || !size) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    isDrawing.current = true;
    const from = pointOf(event);
    const radius = Math.max(size.width, size.height) * brushShare;
    if (tool === 'rectangle') add([{ type: 'rectangle', from, to: from }]);
    else add([...strokes.filter(({ type }) => type === 'brush'), { type: 'brush', radius, points: [from] }]);
  };
  const go = (event: PointerEvent): void => {
    if (!isDrawing.current) return;
    const to = pointOf(event);
    setSteps((now) => {
      const drawn = now.at(-1) ?? [];
      const last = drawn.at(-1);
      if (!last) return now;
      const longer = last.type === 'brush' ? { ...last, points: [...last.points, to] } : { ...last, to };
      return [...now.slice(0, -1), [...drawn.slice(0, -1), longer]];
    });
  };
  const end = (): void => {
    isDrawing.current = false;
  };
  const area = size && areaOf(strokes, size);
  const finish = async (): Promise<void> => {
    if (!size) return;
    if (!area) return setProblem(l10n.t('Mark a region first.'));
    const mask = await request('keepMask', { bytes: await maskOf(strokes, size) });
    // The person may have closed the dialog meanwhile.
    if (!dialog.current?.open) return;
    onSelect({ mask, area, size }, strokes);
    dialog.current.close();
  };
  const tryToFinish = () => void finish().catch((error: unknown) => setProblem(reasonOf(error)));
  const tools = (
    <>
      <span role="radiogroup" aria-label={l10n.t('Tool')}>
        <ToolChoice name={l10n.t('Rectangle')} isChosen={tool === 'rectangle'} onChoose={() => setTool('rectangle')} />
        <ToolChoice name={l10n.t('Brush')} isChosen={tool === 'brush'} onChoose={() => setTool('brush')} />
      </span>
      <button type="button" aria-keyshortcuts="Control+Z Meta+Z" aria-disabled={steps.length === 1} onClick={undo}>
        {l10n.t('Undo')}
      </button>
    </>
  );
  return (
    <Dialog
      dialog={dialog}
      class="select-region"
      name={l10n.t('Select Region')}
      bar={{ class: 'region-bar', children: tools }}
      onClose={onClose}
    >
      <div class="region-stage">
        <img
          src={source}
          alt={name}
          draggable={false}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
            setSize({ width: naturalWidth, height: naturalHeight })
          }
        />
        {size && (
          <canvas
            ref={canvas}
            width={size.width}
            height={size.height}
            role="slider"
            tabIndex={0}
            aria-keyshortcuts="Enter"
            aria-label={l10n.t('Region: move it with the arrow keys, resize it with Shift and the arrow keys')}
            aria-valuemin={0}
            aria-valuemax={size.width}
            aria-valuenow={area?.x ?? 0}
            aria-valuetext={
              area
                ? l10n.t('left {0}, top {1}, {2} × {3} pixels', area.x, area.y, area.width, area.height)
                : l10n.t('nothing selected')
            }
            onPointerDown={begin}
            onPointerMove={go}
            onPointerUp={end}
            onPointerCancel={end}
            onKeyDown={(event) => {
              // Ctrl+Enter would send the request elsewhere.
              if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) tryToFinish();
              const changed = changedByKey(event, area, size);
              if (!changed) return;
              event.preventDefault();
              add([changed]);
            }}
          />
        )}
      </div>
      <p class="hint">{l10n.t('Mark what is to be edited. The rest stays as it is.')}</p>
      {problem !== '' && (
        <p role="alert" class="problem">
          {problem}
        </p>
      )}
      <div class="actions">
        <button type="button" class="primary" onClick={tryToFinish}>
          {l10n.t('Use Region')}
        </button>
        <button
          type="button"
          onClick={() => {
            onSelect(undefined, []);
            dialog.current?.close();
          }}
        >
          {l10n.t('Edit the Whole Image')}
        </button>
      </div>
    </Dialog>
  );
}

/** Radius of the brush in relation to the picture's longer side. */
const brushShare = 0.04;

function ToolChoice({
  name,
  isChosen,
  onChoose,
}: {
  readonly name: string;
  readonly isChosen: boolean;
  onChoose(): void;
}) {
  return (
    <label class="shape">
      <input type="radio" name="region-tool" checked={isChosen} onChange={onChoose} />
      <span>{name}</span>
    </label>
  );
}

function draw(canvas: HTMLCanvasElement | null, strokes: readonly Stroke[]): void {
  const context = canvas?.getContext('2d');
  if (!canvas || !context) return;
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = context.strokeStyle = getComputedStyle(canvas).color;
  paint(context, strokes);
}

function paint(context: CanvasRenderingContext2D, strokes: readonly Stroke[]): void {
  for (const stroke of strokes) {
    if (stroke.type === 'rectangle') {
      const { from, to } = stroke;
      context.fillRect(from.x, from.y, to.x - from.x, to.y - from.y);
      continue;
    }
    const { points, radius } = stroke;
    const [first] = points;
    if (!first) continue;
    context.lineWidth = 2 * radius;
    context.lineCap = context.lineJoin = 'round';
    context.beginPath();
    context.moveTo(first.x, first.y);
    // A line of no length is a dot.
    for (const { x, y } of points) context.lineTo(x, y);
    context.stroke();
  }
}

/** Returns a PNG that is black, and transparent where the picture is to be edited. */
async function maskOf(strokes: readonly Stroke[], { width, height }: RegionSize): Promise<Uint8Array> {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d');
  if (!context) throw new Error(l10n.t('The image is too large to select a part of it.'));
  context.fillRect(0, 0, width, height);
  context.globalCompositeOperation = 'destination-out';
  paint(context as unknown as CanvasRenderingContext2D, strokes);
  return new Uint8Array(await (await canvas.convertToBlob({ type: 'image/png' })).arrayBuffer());
}
