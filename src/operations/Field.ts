interface FieldBase {
  /** As on the wire. */
  readonly name: string;
  /** The accessible name of its control; part of the contract (English). */
  readonly label: string;
}

/** The name of one of the service's models. */
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
  /** A word or two on an option, where it needs one. */
  readonly descriptions?: Readonly<Record<string, string>>;
  readonly default: string;
  /** True when the specification does not list all values: other words are sent as they are. */
  readonly open?: true;
  /** True for what a setting decides once: it is not asked for each request. */
  readonly technical?: true;
}

/** `image`: one URL; `images`: a list of them. `http(s):`, `data:image/…`, or `file:` for the client to send as `data:`. */
export interface ImageField extends FieldBase {
  readonly type: 'image' | 'images';
}

/** An absolute path of an audio file on this machine; its bytes are sent as multipart. */
export interface AudioFileField extends FieldBase {
  readonly type: 'audioFile';
  /** File extensions the service takes. */
  readonly formats: readonly string[];
  /** Those of which only the sound is sent: services do not take them. */
  readonly soundOnlyFormats: readonly string[];
}

/** The identifier of a video that the same model made earlier. */
interface VideoField extends FieldBase {
  readonly type: 'video';
}

/** A field of a request: enough to ask for it, draw it, validate it and document it. */
export type Field = ModelField | TextField | IntegerField | ChoiceField | ImageField | AudioFileField | VideoField;

/** Whether a field is filled with files. */
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

/** The extensions of the files that can be transcribed. */
export function recordingFormats({ formats, soundOnlyFormats }: AudioFileField): readonly string[] {
  return [...formats, ...soundOnlyFormats];
}
