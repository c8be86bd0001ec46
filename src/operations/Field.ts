interface FieldBase {
  /** Name of the field in the request. */
  readonly name: string;
  /** Accessible name of its control, in English; tests and assistive technology rely on it. */
  readonly label: string;
}

/** Name of one of the service's models. */
export interface ModelField extends FieldBase {
  readonly type: 'model';
}

export interface TextField extends FieldBase {
  readonly type: 'text';
  readonly placeholder: string;
}

export interface IntegerField extends FieldBase {
  readonly type: 'integer';
  readonly minimum: number;
  readonly default: number;
}

export interface ChoiceField extends FieldBase {
  readonly type: 'choice';
  readonly options: readonly string[];
  /** Short explanations of options that need one. */
  readonly descriptions?: Readonly<Record<string, string>>;
  readonly default: string;
  /** True if the specification does not list every value: other values are sent unchanged. */
  readonly open?: true;
  /** True if a setting decides the value, so the person is not asked for it. */
  readonly technical?: true;
}

/** Maximum number of images that forms and tools offer to send; the specification has no limit. */
export const maxImages = 16;

/**
 * One image URL (`image`) or a list (`images`): `http(s):`, `data:image/…`, or `file:`, which the client sends as
 * `data:`.
 */
export interface ImageField extends FieldBase {
  readonly type: 'image' | 'images';
}

/** Absolute path of an audio file on this machine, which is sent as multipart. */
export interface AudioFileField extends FieldBase {
  readonly type: 'audioFile';
  /** File extensions that the service accepts. */
  readonly formats: readonly string[];
  /** File extensions that services do not accept: only the sound of these files is sent. */
  readonly soundOnlyFormats: readonly string[];
}

/** Id of a video that the same model made earlier. */
interface VideoField extends FieldBase {
  readonly type: 'video';
}

/** A field of a request, described well enough to ask for it, draw it, validate it and document it. */
export type Field = ModelField | TextField | IntegerField | ChoiceField | ImageField | AudioFileField | VideoField;

/** Returns whether the value of a field is one or more files. */
export function takesFiles(field: Field): field is ImageField | AudioFileField {
  return field.type === 'image' || field.type === 'images' || field.type === 'audioFile';
}

export type FieldValue<F extends Field> = F extends IntegerField
  ? number
  : F extends { readonly type: 'images' }
    ? readonly string[]
    : F extends { readonly open: true }
      ? string
      : F extends ChoiceField
        ? F['options'][number]
        : string;

/** Returns the extensions of all files that can be transcribed. */
export function recordingFormats({ formats, soundOnlyFormats }: AudioFileField): readonly string[] {
  return [...formats, ...soundOnlyFormats];
}
