import * as l10n from '@vscode/l10n';
import { useId, useRef, useState } from 'preact/hooks';
import { nameOf } from '../../foreign/nameOf.ts';
import type { FurtherField } from '../../operations/declarations.ts';
import { type ChoiceField, isOption, type OptionField, operations, takesVideo } from '../../operations/operations.ts';
import { post, request } from '../host.ts';
import { Combobox } from '../parts/Combobox.tsx';
import { ToolButton } from '../parts/ToolButton.tsx';
import { type ShapeId, shapeIds } from '../protocol/messages.ts';
import { type Composition, type FieldProblem, shapeName } from './composition.ts';

export function controlId(field: string): string {
  return `field-${field}`;
}

export const problemId = 'problem';

interface OptionsProps {
  readonly composition: Composition;
  readonly models: readonly string[];
  /** Those of them that the service no longer has. */
  readonly gone: readonly string[];
  /** Those of them that the person can remove. */
  readonly forgettable: readonly string[];
  readonly problem: FieldProblem | undefined;
  readonly favouriteVoices: readonly string[];
  onModel(model: string): void;
  onForgetModel(model: string): void;
  /** Called when the model field gets the focus. */
  onModelFocus(): void;
  onOption(name: string, text: string): void;
  onShape(shape: ShapeId | undefined): void;
}

/** The model and the options of the result. A button reveals the technical ones. */
export function Options(props: OptionsProps) {
  const { composition, problem, onOption, onShape } = props;
  const [isMore, setMore] = useState(false);
  const moreId = useId();
  const { own, further, canCrop, shape } = composition;
  const options = own.filter(isOption).filter(hasChoice);
  const technical = options.filter(isTechnical);
  // An invalid field must be visible.
  const more = [...technical, ...further];
  const hasMore = more.length > 0 || canCrop;
  const isOpen = hasMore && (isMore || more.some(({ name }) => name === problem?.field));
  return (
    <>
      {options
        .filter((field) => !isTechnical(field))
        .map((field) => (
          <Option key={field.name} {...props} field={field} />
        ))}
      {hasMore && (
        <ToolButton
          name={l10n.t('More Options')}
          icon="settings"
          aria-expanded={isOpen}
          aria-controls={isOpen ? moreId : undefined}
          onClick={() => setMore(!isMore)}
        />
      )}
      {isOpen && (
        <div id={moreId} class="more-options">
          {technical.map((field) => (
            <label key={field.name} for={controlId(field.name)}>
              <span>{l10n.t(field.label)}</span>
              <Option {...props} field={field} />
            </label>
          ))}
          {canCrop && <CropShapes shape={shape} onShape={onShape} />}
          <FurtherOptions composition={composition} problem={problem} onOption={onOption} />
        </div>
      )}
    </>
  );
}

/** The shapes to which this computer crops a picture, where the service has none to choose. */
function CropShapes({
  shape,
  onShape,
}: {
  readonly shape: ShapeId | undefined;
  onShape(shape: ShapeId | undefined): void;
}) {
  return (
    <div class="shapes">
      <span aria-hidden="true">{l10n.t('Shape')}</span>
      <div role="radiogroup" aria-label={l10n.t('Shape')}>
        {[undefined, ...shapeIds].map((id) => (
          <label key={id} class="shape">
            <input type="radio" name="crop-shape" checked={shape === id} onChange={() => onShape(id)} />
            <span>{id === undefined ? l10n.t('Default') : shapeName(id)}</span>
          </label>
        ))}
      </div>
    </div>
  );
}

/** Whether there is more than one option to choose from, and it changes the result and not only how it travels. */
function hasChoice(field: OptionField): boolean {
  return field.type !== 'choice' || (!field.isTransfer && (field.options.length > 1 || field.open === true));
}

function isTechnical(field: OptionField): boolean {
  return field.type === 'choice' && field.technical === true;
}

function Option(props: OptionsProps & { readonly field: OptionField }) {
  const { field, composition, models, problem, favouriteVoices, onOption } = props;
  const text = composition.values[field.name] ?? '';
  const isInvalid = problem?.field === field.name;
  const attributes = {
    id: controlId(field.name),
    'aria-label': l10n.t(field.label),
    'aria-invalid': isInvalid,
    'aria-describedby': isInvalid ? problemId : undefined,
  };
  const combobox = {
    id: attributes.id,
    name: attributes['aria-label'],
    text,
    isInvalid,
    describedBy: attributes['aria-describedby'],
  };
  if (field.type === 'model') {
    const isRemix = takesVideo(operations[composition.operation]);
    return (
      <Combobox
        {...combobox}
        suggestions={models}
        gone={props.gone}
        forgettable={props.forgettable}
        isDisabled={isRemix}
        onEdit={props.onModel}
        onForget={props.onForgetModel}
        onFocus={props.onModelFocus}
      />
    );
  }
  if (field.type === 'integer') {
    return (
      <input
        {...attributes}
        class="count"
        type="number"
        title={l10n.t(field.label)}
        min={field.minimum}
        max={field.maximum}
        step={1}
        value={text}
        onInput={(event) => onOption(field.name, event.currentTarget.value)}
      />
    );
  }
  const onEdit = (value: string): void => onOption(field.name, value);
  const voices = field.name === 'voice' ? favouriteVoices : [];
  const inOrder = [...field.options].sort((a, b) => Number(voices.includes(b)) - Number(voices.includes(a)));
  const control = field.open ? (
    <Combobox {...combobox} suggestions={inOrder} onEdit={onEdit} />
  ) : (
    <select
      {...attributes}
      title={l10n.t(field.label)}
      value={text}
      onChange={(event) => onEdit(event.currentTarget.value)}
    >
      {inOrder.map((option) => (
        <option key={option} value={option}>
          {voices.includes(option) ? `★ ${optionLabel(field, option)}` : optionLabel(field, option)}
        </option>
      ))}
    </select>
  );
  if (field.name !== 'voice') return control;
  return (
    <span class="voice">
      {control}
      <VoiceButtons model={composition.values.model ?? ''} voice={text} isFavourite={voices.includes(text)} />
    </span>
  );
}

/** Lets a voice be heard, and marks it as a favourite. */
function VoiceButtons({
  model,
  voice,
  isFavourite,
}: {
  readonly model: string;
  readonly voice: string;
  readonly isFavourite: boolean;
}) {
  const [isWaiting, setWaiting] = useState(false);
  const [isPlaying, setPlaying] = useState(false);
  const audio = useRef<HTMLAudioElement>(null);
  const play = async (): Promise<void> => {
    const { current } = audio;
    if (!current || isWaiting) return;
    if (isPlaying) {
      current.pause();
      return;
    }
    setWaiting(true);
    try {
      const source = await request('hearVoice', { model, voice });
      if (source === null) return;
      current.src = source;
      await current.play();
    } finally {
      setWaiting(false);
    }
  };
  return (
    <>
      <ToolButton
        name={isPlaying ? l10n.t('Stop') : l10n.t('Play Voice')}
        icon={isPlaying ? 'pause' : 'play'}
        aria-disabled={isWaiting}
        onClick={() => void play().catch(() => undefined)}
      />
      <ToolButton
        name={l10n.t('Favourite Voice')}
        icon={isFavourite ? 'starFull' : 'starEmpty'}
        title={isFavourite ? l10n.t('Remove from Favourites') : l10n.t('Favourite: comes first in the list')}
        aria-pressed={isFavourite}
        onClick={() => post('keepFavourite', { voice, isFavourite: !isFavourite })}
      />
      {/* biome-ignore lint/a11y/useMediaCaption: one fixed sentence, which the question names */}
      <audio
        ref={audio}
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onEnded={() => setPlaying(false)}
      />
    </>
  );
}

function optionLabel({ descriptions }: ChoiceField, option: string): string {
  const description = descriptions?.[option];
  return description === undefined ? option : l10n.t('{0} – {1}', option, l10n.t(description));
}

interface FurtherOptionsProps {
  readonly composition: Composition;
  readonly problem: FieldProblem | undefined;
  onOption(name: string, text: string): void;
}

/** The further fields of the service. */
function FurtherOptions({ composition, problem, onOption }: FurtherOptionsProps) {
  return (
    <>
      {composition.further.map((field) => {
        const props = {
          field,
          text: composition.entered[field.name] ?? '',
          isInvalid: problem?.field === field.name,
          onText: (text: string) => onOption(field.name, text),
        };
        if (isShape(field)) return <Shapes key={field.name} {...props} />;
        return (
          <label key={field.name} for={controlId(field.name)} title={field.description && l10n.t(field.description)}>
            <span>{l10n.t(field.label)}</span>
            <Control {...props} />
          </label>
        );
      })}
    </>
  );
}

interface ControlProps {
  readonly field: FurtherField;
  readonly text: string;
  readonly isInvalid: boolean;
  onText(text: string): void;
}

/** Fields that decide the shape of a picture or video, with few values. */
function isShape({ name, type, values }: FurtherField): boolean {
  return (name === 'size' || name === 'aspect_ratio') && type === 'string' && (values?.length ?? 0) > 0;
}

/** A shape, chosen by a button of its own. The service decides if none is. */
function Shapes({ field, text, isInvalid, onText }: ControlProps) {
  const { values = [], open, label } = field;
  const isOther = text !== '' && !values.includes(text);
  return (
    <div class="shapes">
      <span aria-hidden="true">{l10n.t(label)}</span>
      <div role="radiogroup" aria-label={l10n.t('Shape')} aria-invalid={isInvalid}>
        {['', ...values.map(String)].map((value) => (
          <label key={value} class="shape">
            <input
              type="radio"
              name={controlId(field.name)}
              id={value === '' ? controlId(field.name) : undefined}
              checked={text === value}
              onChange={() => onText(value)}
            />
            <span>{value === '' ? l10n.t('Default') : value}</span>
          </label>
        ))}
      </div>
      {open && (
        <input
          type="text"
          class="other-shape"
          aria-label={l10n.t('Other {0}', l10n.t(label))}
          placeholder={l10n.t('Other')}
          value={isOther ? text : ''}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      )}
    </div>
  );
}

function Control({ field, text, isInvalid, onText }: ControlProps) {
  const { name, type, values, open, minimum, maximum } = field;
  const attributes = {
    id: controlId(name),
    'aria-label': l10n.t(field.label),
    'aria-invalid': isInvalid,
    'aria-describedby': isInvalid ? problemId : undefined,
  };
  if (type === 'file') return <FileControl name={name} label={l10n.t(field.label)} text={text} onText={onText} />;
  const choices = type === 'boolean' ? ['true', 'false'] : type === 'string' && !open ? values?.map(String) : undefined;
  if (choices) {
    return (
      <select {...attributes} value={text} onChange={(event) => onText(event.currentTarget.value)}>
        <option value="">{l10n.t('Default')}</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    );
  }
  if (type === 'string' && values) {
    return (
      <Combobox
        id={attributes.id}
        name={attributes['aria-label']}
        text={text}
        isInvalid={isInvalid}
        describedBy={attributes['aria-describedby']}
        suggestions={values.map(String)}
        onEdit={onText}
      />
    );
  }
  const shown = {
    ...attributes,
    value: text,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) => onText(event.currentTarget.value),
  };
  const placeholder = type === 'strings' ? l10n.t('separated by commas') : l10n.t('Default');
  if (type !== 'integer' && type !== 'number') return <input {...shown} type="text" placeholder={placeholder} />;
  const step = type === 'number' ? 'any' : 1;
  return <input {...shown} type="number" min={minimum} max={maximum} step={step} placeholder={placeholder} />;
}

function FileControl({
  name,
  label,
  text,
  onText,
}: {
  readonly name: string;
  readonly label: string;
  readonly text: string;
  onText(text: string): void;
}) {
  const file = nameOf(text);
  const shown = file === '' ? l10n.t('Choose a File…') : file;
  const choose = async (): Promise<void> => {
    const uri = await request('chooseFile', { field: label });
    if (uri !== null) onText(uri);
  };
  return (
    <span>
      <button type="button" id={controlId(name)} aria-label={`${label}: ${shown}`} onClick={() => void choose()}>
        {shown}
      </button>
      {file !== '' && (
        <button type="button" aria-label={l10n.t('Remove {0}', file)} onClick={() => onText('')}>
          ×
        </button>
      )}
    </span>
  );
}
