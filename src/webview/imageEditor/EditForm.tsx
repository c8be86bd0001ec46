import * as l10n from '@vscode/l10n';
import type { ImageFormat, ImageStart } from '../protocol/imageEditor.ts';
import { imageFormats } from '../protocol/imageEditor.ts';
import type { Edit } from './CropStage.tsx';
import type { EditState, RatioId, SizeId } from './editState.ts';
import { maxSide, ratioIds, sizeIds, withCropValue, withRatio, withSide, withSize } from './editState.ts';
import { Choice, NumberField } from './fields.tsx';
import { SaveArea } from './SaveArea.tsx';

interface EditFormProps {
  readonly start: ImageStart;
  readonly state: EditState;
  readonly edit: Edit;
}

/** The form for crop area, size and format of the result. */
export function EditForm({ start, state, edit }: EditFormProps) {
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
