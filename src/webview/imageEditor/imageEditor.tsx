import '../styles/imageEditor.css';
import * as l10n from '@vscode/l10n';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { describeBytes } from '../../operations/describeBytes.ts';
import { reasonOf } from '../../operations/MediaError.ts';
import { HostRequests, renderPage, vscode } from '../HostRequests.ts';
import {
  type ImageFormat,
  type ImageStart,
  imageFormats,
  imageMessage,
  imageRequests,
  imageStart,
} from '../protocol/imageEditor.ts';
import {
  changeOf,
  type EditState,
  isEditState,
  maxSide,
  moved,
  type RatioId,
  ratioIds,
  resized,
  type SizeId,
  sizeIds,
  startOf,
  withCropValue,
  withRatio,
  withSide,
  withSize,
} from './editState.ts';

const { request, post } = new HostRequests(imageRequests);

/** The image with its crop area, and the form for the result. */
function ImageEditor(page: { readonly start: ImageStart }) {
  const [start, setStart] = useState(page.start);
  const [state, setState] = useState<EditState>();
  const [broken, setBroken] = useState<string>();
  const isBroken = broken === start.source;
  useEffect(() => {
    window.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (imageMessage(data)) setStart(data.start);
    });
    post('ready', {});
  }, []);
  useEffect(() => {
    if (state) keepState(state);
  }, [state]);
  const begin = (width: number, height: number): void => {
    const kept = keptState();
    const isSame = kept?.source.width === width && kept.source.height === height;
    setState(isSame ? kept : startOf({ width, height }, start.format));
  };
  const edit = (change: (state: EditState) => EditState): void => setState((now) => now && change(now));
  return (
    <div class="image-editor">
      <div class="stage-area">
        <div class="stage">
          <img
            src={start.source}
            alt={start.name}
            draggable={false}
            onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => begin(naturalWidth, naturalHeight)}
            onError={() => setBroken(start.source)}
          />
          {state && <CropStage state={state} edit={edit} />}
        </div>
        {!state && !isBroken && <p class="late">{l10n.t('Loading the image…')}</p>}
        {isBroken && (
          <p role="alert">{l10n.t('This image could not be displayed. The file may be damaged or no longer there.')}</p>
        )}
      </div>
      {state && <EditForm start={start} state={state} edit={edit} />}
    </div>
  );
}

type Edit = (change: (state: EditState) => EditState) => void;

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
function CropStage({ state, edit }: { readonly state: EditState; readonly edit: Edit }) {
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

interface EditFormProps {
  readonly start: ImageStart;
  readonly state: EditState;
  readonly edit: Edit;
}

function EditForm({ start, state, edit }: EditFormProps) {
  return (
    <form class="edit-form" onSubmit={(event) => event.preventDefault()}>
      <CropFields state={state} edit={edit} />
      <SizeFields state={state} edit={edit} />
      <FormatFields state={state} edit={edit} />
      <SaveArea start={start} state={state} />
    </form>
  );
}

type FieldsProps = Omit<EditFormProps, 'start'>;

function CropFields({ state, edit }: FieldsProps) {
  const { crop, source, ratio } = state;
  const names: Readonly<Record<RatioId, string>> = {
    free: l10n.t('Free'),
    source: l10n.t('Original'),
    '1:1': l10n.t('1:1 (square)'),
    '16:9': '16:9',
    '4:3': '4:3',
    '3:2': '3:2',
    size: l10n.t('Same as the size below'),
  };
  const field = (label: string, name: keyof typeof crop, max: number) => (
    <NumberField
      label={label}
      value={crop[name]}
      min={name === 'x' || name === 'y' ? 0 : 1}
      max={max}
      onValue={(value) => edit((now) => withCropValue(now, name, value))}
    />
  );
  return (
    <fieldset>
      <legend>{l10n.t('Crop')}</legend>
      <Choice
        label={l10n.t('Aspect ratio')}
        value={ratio}
        options={ratioIds.filter((id) => id !== 'size' || ratio === 'size').map((id) => [id, names[id]] as const)}
        onChoose={(id) => edit((now) => withRatio(now, id))}
      />
      <div class="pair">
        {field(l10n.t('Left'), 'x', source.width - crop.width)}
        {field(l10n.t('Top'), 'y', source.height - crop.height)}
        {field(l10n.t('Crop width'), 'width', source.width)}
        {field(l10n.t('Crop height'), 'height', source.height)}
      </div>
    </fieldset>
  );
}

function SizeFields({ state, edit }: FieldsProps) {
  const names: Readonly<Record<SizeId, string>> = {
    crop: l10n.t('Same as crop'),
    half: l10n.t('Half'),
    wide: l10n.t('1600 pixels wide'),
    social: l10n.t('1200 × 630 (social)'),
    custom: l10n.t('Custom'),
  };
  return (
    <fieldset>
      <legend>{l10n.t('Size')}</legend>
      <Choice
        label={l10n.t('Preset')}
        value={state.size}
        options={sizeIds.map((id) => [id, names[id]] as const)}
        onChoose={(id) => edit((now) => withSize(now, id))}
      />
      <div class="pair">
        <NumberField
          label={l10n.t('Width')}
          value={state.width}
          min={1}
          max={maxSide}
          onValue={(value) => edit((now) => withSide(now, 'width', value))}
        />
        <NumberField
          label={l10n.t('Height')}
          value={state.height}
          min={1}
          max={maxSide}
          onValue={(value) => edit((now) => withSide(now, 'height', value))}
        />
      </div>
      <label class="switch">
        <input
          type="checkbox"
          checked={state.isLinked}
          onChange={({ currentTarget: { checked } }) => edit((now) => ({ ...now, isLinked: checked }))}
        />
        {l10n.t('Keep aspect ratio')}
      </label>
    </fieldset>
  );
}

const formatNames: Readonly<Record<ImageFormat, string>> = { png: 'PNG', jpeg: 'JPEG', webp: 'WebP' };

function FormatFields({ state, edit }: FieldsProps) {
  const { format, quality } = state;
  return (
    <fieldset>
      <legend>{l10n.t('File')}</legend>
      <Choice
        label={l10n.t('Format')}
        value={format}
        options={imageFormats.map((id) => [id, formatNames[id]] as const)}
        onChoose={(id) => edit((now) => ({ ...now, format: id }))}
      />
      {format !== 'png' && (
        <label class="field">
          {l10n.t('Quality: {0}', quality)}
          <input
            type="range"
            min={1}
            max={100}
            value={quality}
            onInput={({ currentTarget: { valueAsNumber } }) => edit((now) => ({ ...now, quality: valueAsNumber }))}
          />
        </label>
      )}
    </fieldset>
  );
}

interface NumberFieldProps {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  onValue(value: number): void;
}

/** An integer field. It reports its value on blur and Enter, not while the user types. */
function NumberField({ label, value, min, max, onValue }: NumberFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="number"
        min={min}
        max={max}
        step={1}
        value={value}
        onChange={({ currentTarget }) => {
          const typed = currentTarget.valueAsNumber;
          if (Number.isFinite(typed)) onValue(typed);
          else currentTarget.value = String(value);
        }}
      />
    </div>
  );
}

interface ChoiceProps<Id extends string> {
  readonly label: string;
  readonly value: Id;
  readonly options: readonly (readonly [Id, string])[];
  onChoose(id: Id): void;
}

function Choice<Id extends string>({ label, value, options, onChoose }: ChoiceProps<Id>) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        onChange={({ currentTarget }) => {
          const chosen = options.find(([one]) => one === currentTarget.value);
          if (chosen) onChoose(chosen[0]);
        }}
      >
        {options.map(([one, name]) => (
          <option key={one} value={one}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

/** How long after the last change the size of the result is computed, in milliseconds. */
const measureDelay = 400;

/** The state of the last save, as a sentence; a screen reader reads `failed` at once. */
interface SaveState {
  readonly kind: 'saving' | 'saved' | 'failed';
  readonly sentence: string;
}

function SaveArea({ start, state }: { readonly start: ImageStart; readonly state: EditState }) {
  const measured = useMeasured(state, start.source);
  const [outcome, setOutcome] = useState<SaveState>();
  const isSaving = outcome?.kind === 'saving';
  const change = JSON.stringify(changeOf(state));
  const size = `${state.source.width} × ${state.source.height}`;
  const lastSize = useRef(size);
  useEffect(() => {
    // A save that found another picture is what begins anew with its size.
    const isAnother = lastSize.current !== size;
    lastSize.current = size;
    // What was wrong with another change may be right now.
    if (!isAnother) setOutcome((now) => (now?.kind === 'failed' ? undefined : now));
  }, [change, size]);
  const run = (work: () => Promise<string>): void => {
    if (isSaving) return;
    setOutcome({ kind: 'saving', sentence: l10n.t('Saving…') });
    work().then(
      (sentence) => setOutcome({ kind: 'saved', sentence }),
      (error: unknown) => setOutcome({ kind: 'failed', sentence: reasonOf(error) }),
    );
  };
  const save = async (): Promise<string> => {
    const { name, bytes, notes = '' } = await request('save', { change: changeOf(state) });
    return `${l10n.t('Saved {0} ({1}).', name, describeBytes(bytes, document.documentElement.lang))} ${notes}`;
  };
  const saveFavicons = async (): Promise<string> => {
    const { names, notes } = await request('saveFavicons', { crop: state.crop });
    return `${l10n.t('Saved {0}.', names)} ${notes}`;
  };
  return (
    <section class="save-area" aria-label={l10n.t('Result')}>
      <dl>
        <dt>{l10n.t('Result')}</dt>
        <dd>{l10n.t('{0} × {1} pixels', state.width, state.height)}</dd>
        <dd class="measured">{measured}</dd>
        <dt>{l10n.t('Original')}</dt>
        <dd>{l10n.t('{0} × {1} pixels', state.source.width, state.source.height)}</dd>
        <dd>{describeBytes(start.bytes, document.documentElement.lang)}</dd>
      </dl>
      <div class="actions">
        <button type="button" class="primary" aria-disabled={isSaving} onClick={() => run(save)}>
          {l10n.t('Save as New File')}
        </button>
        <button type="button" aria-disabled={isSaving} onClick={() => run(saveFavicons)}>
          {l10n.t('Save Favicon Set')}
        </button>
      </div>
      <p role="status">{outcome && outcome.kind !== 'failed' ? outcome.sentence : ''}</p>
      <p role="alert">{outcome?.kind === 'failed' ? outcome.sentence : ''}</p>
      {outcome?.kind === 'saved' && (
        <div class="actions">
          <button type="button" onClick={() => post('open', {})}>
            {l10n.t('Open')}
          </button>
        </div>
      )}
    </section>
  );
}

/** Returns the size of the resulting file, computed once the user pauses, or the reason why there is none. */
function useMeasured(state: EditState, source: string): string {
  const [measured, setMeasured] = useState('');
  const change = JSON.stringify(changeOf(state));
  useEffect(() => {
    let isCurrent = true;
    setMeasured(l10n.t('calculating…'));
    const timer = setTimeout(() => {
      request('measure', { change: changeOf(state) }).then(
        ({ bytes }) => isCurrent && setMeasured(describeBytes(bytes, document.documentElement.lang)),
        (error: unknown) => isCurrent && setMeasured(reasonOf(error)),
      );
    }, measureDelay);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [change, source]);
  return measured;
}

/** Returns the choices made before the tab was hidden; VS Code creates the page again each time it is shown. */
function keptState(): EditState | undefined {
  const state = vscode.getState();
  return isEditState(state) ? state : undefined;
}

function keepState(state: EditState): void {
  vscode.setState(state);
}

renderPage(imageStart, (start) => <ImageEditor start={start} />);
