import type { Further } from './Further.ts';

/** Where fields are written by name, beside requests. */
export type Surface = 'manifest' | 'tools';

interface FieldBase {
  /** Name of the field in the request. */
  readonly name: string;
  /** Its names elsewhere, where they differ. */
  readonly names?: Readonly<Partial<Record<Surface, string>>>;
  /** Accessible name of its control, in English; tests and assistive technology rely on it. */
  readonly label: string;
  /** The setting whose value replaces the default, where a person is not asked or has not changed it. */
  readonly setting?: string;
}

/** Name of one of the service's models. */
interface ModelField extends FieldBase {
  readonly type: 'model';
}

export interface TextField extends FieldBase {
  readonly type: 'text';
  readonly placeholder: string;
  /** True if it is spoken, so that a document can take its place. */
  readonly isSpoken?: true;
}

export interface IntegerField extends FieldBase {
  readonly type: 'integer';
  readonly minimum: number;
  /** None in the specification. */
  readonly maximum?: number;
  readonly default: number;
  /** True if it is how many results are made, each of which is paid for. */
  readonly isCount?: true;
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
  /**
   * True if it decides only how the answer is transferred: agents do not set it, nobody is asked about it, and a result
   * stays fresh when it changes.
   */
  readonly isTransfer?: true;
  /** True if its values are file extensions, so that the path of the output can decide it. */
  readonly isExtension?: true;
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

/** A field of a request, described well enough to ask for it, draw it, validate it and document it. */
export type Field =
  | ModelField
  | TextField
  | IntegerField
  | ChoiceField
  | ImageField
  | AudioFileField
  /** Id of a video that the same model made earlier. */
  | (FieldBase & { readonly type: 'video' });

/** Returns whether the value of a field is one or more files. */
export function takesFiles(field: Field): field is ImageField | AudioFileField {
  return field.type === 'image' || field.type === 'images' || field.type === 'audioFile';
}

export function defaultOf(field: Field): string | number | undefined {
  return 'default' in field ? field.default : undefined;
}

export type OptionField = ModelField | IntegerField | ChoiceField;

/** Whether a field says how, not what: what it holds can stand without a question, and is recorded by its name. */
export function isOption(field: Field): field is OptionField {
  switch (field.type) {
    case 'model':
    case 'integer':
    case 'choice':
      return true;
    case 'text':
    case 'image':
    case 'images':
    case 'audioFile':
    case 'video':
      return false;
  }
}

/** Whether a field is how many results are made. */
export function isCount(field: Field): boolean {
  return field.type === 'integer' && field.isCount === true;
}

type FieldValue<F extends Field> = F extends IntegerField
  ? number
  : F extends { readonly type: 'images' }
    ? readonly string[]
    : string;

/** The service's three hosts; each has its own timeout. */
export const areas = ['image', 'audio', 'video'] as const;
export type Area = (typeof areas)[number];

/** Kind of result; also the name of the folder that it is saved in. */
export type AssetKind = 'images' | 'speech' | 'transcripts' | 'videos';

export interface Operation {
  readonly id: string;
  readonly title: string;
  readonly area: Area;
  /**
   * Path on the area's host. Those of transcription and translation are settings: the specification does not define
   * them.
   */
  readonly path: string;
  readonly fields: readonly Field[];
  readonly result: AssetKind;
  /** Label of the button that submits it; defaults to the title. */
  readonly button?: string;
  /** Label of the button for several results; `{0}` is their number. */
  readonly buttonForMany?: string;
  /** True if another operation takes the same files: a switch with the label of the button selects this one. */
  readonly isSwitched?: true;
}

const model = { type: 'model', name: 'model', label: 'Model' } as const satisfies ModelField;

const count = {
  type: 'integer',
  name: 'n',
  names: { manifest: 'variants' },
  label: 'Count',
  setting: 'image.count',
  minimum: 1,
  default: 1,
  isCount: true,
} as const satisfies IntegerField;

const videoFormat = {
  type: 'choice',
  name: 'output_format',
  label: 'Result format',
  options: ['url'],
  default: 'url',
  technical: true,
  isTransfer: true,
} as const satisfies ChoiceField;

const imageFormat = {
  ...videoFormat,
  options: ['url', 'b64_json'],
  setting: 'image.outputFormat',
} as const satisfies ChoiceField;

const voice = {
  type: 'choice',
  name: 'voice',
  label: 'Voice',
  options: ['alloy', 'ash', 'ballad', 'coral', 'echo', 'fable', 'onyx', 'nova', 'sage', 'shimmer', 'verse'],
  // Common descriptions of these voices; the specification gives only their names.
  descriptions: {
    alloy: 'neutral',
    ash: 'clear',
    ballad: 'expressive',
    coral: 'warm',
    echo: 'even',
    fable: 'storytelling',
    onyx: 'deep',
    nova: 'bright',
    sage: 'calm',
    shimmer: 'light',
    verse: 'lively',
  },
  default: 'alloy',
  setting: 'speech.voice',
} as const satisfies ChoiceField;

const speechFormat = {
  type: 'choice',
  name: 'response_format',
  label: 'Audio format',
  options: ['mp3', 'wav', 'opus', 'aac', 'flac', 'pcm'],
  default: 'mp3',
  setting: 'speech.responseFormat',
  open: true,
  technical: true,
  isExtension: true,
} as const satisfies ChoiceField;

const audioFile = {
  type: 'audioFile',
  name: 'file',
  label: 'Audio file',
  formats: ['flac', 'mp3', 'mp4', 'mpeg', 'mpga', 'm4a', 'ogg', 'opus', 'wav', 'webm'],
  soundOnlyFormats: ['mov', 'mkv'],
} as const satisfies AudioFileField;

const prompt = <P extends string>(placeholder: P) =>
  ({ type: 'text', name: 'prompt', label: 'Prompt', placeholder }) as const satisfies TextField;

/** The operations, each described once. The numbers are sections of the service's specification. */
export const operations = {
  /** 2.1 */
  generateImage: {
    id: 'generateImage',
    title: 'Generate Image',
    area: 'image',
    path: '/v1/images/generations',
    fields: [model, prompt('What the image shows'), count, imageFormat],
    result: 'images',
    buttonForMany: 'Generate {0} Images',
  },
  /** 2.2 */
  editImage: {
    id: 'editImage',
    title: 'Edit Image',
    area: 'image',
    path: '/v1/images/edits',
    fields: [
      model,
      prompt('What to change'),
      { type: 'images', name: 'image_urls', names: { manifest: 'images', tools: 'images' }, label: 'Images' },
      count,
      imageFormat,
    ],
    result: 'images',
    buttonForMany: 'Edit Image {0} Times',
  },
  /** 2.3 */
  speak: {
    id: 'speak',
    title: 'Generate Speech',
    area: 'audio',
    path: '/v1/audio/speech',
    fields: [
      model,
      {
        type: 'text',
        name: 'input',
        names: { tools: 'text' },
        label: 'Text',
        placeholder: 'The text to speak',
        isSpoken: true,
      },
      voice,
      speechFormat,
    ],
    result: 'speech',
    button: 'Speak',
  },
  /** 2.4 */
  translate: {
    id: 'translate',
    title: 'Translate Audio to English',
    area: 'audio',
    path: '/v1/audio/translations',
    fields: [model, audioFile],
    result: 'transcripts',
    button: 'Translate to English',
    isSwitched: true,
  },
  /** 2.5 */
  transcribe: {
    id: 'transcribe',
    title: 'Transcribe Audio',
    area: 'audio',
    path: '/v1/audio/transcriptions',
    fields: [model, audioFile],
    result: 'transcripts',
    button: 'Transcribe',
  },
  /** 2.6 */
  generateVideo: {
    id: 'generateVideo',
    title: 'Generate Video',
    area: 'video',
    path: '/v1/videos/generations',
    fields: [model, prompt('What happens in the video'), videoFormat],
    result: 'videos',
  },
  /** 2.7; has the path of 2.6 and differs only by `image_url`. */
  animateImage: {
    id: 'animateImage',
    title: 'Generate Video from Image',
    area: 'video',
    path: '/v1/videos/generations',
    fields: [
      model,
      prompt('What happens in the video'),
      { type: 'image', name: 'image_url', names: { manifest: 'image', tools: 'image' }, label: 'Image' },
      videoFormat,
    ],
    result: 'videos',
    button: 'Animate Image',
  },
  /** 2.8 */
  remixVideo: {
    id: 'remixVideo',
    title: 'Remix Video',
    area: 'video',
    path: '/v1/videos/edits',
    fields: [
      model,
      { type: 'video', name: 'video_id', names: { manifest: 'video', tools: 'video' }, label: 'Video' },
      prompt('What to change'),
      videoFormat,
    ],
    result: 'videos',
  },
} as const satisfies Record<string, Operation>;

export type OperationId = keyof typeof operations;

/** The model that the sandbox lists for every operation. It takes any other name as well. */
export const sandboxModel = 'sandbox-1';

export const operationIds = Object.keys(operations) as readonly OperationId[];

export type FieldOf<Id extends OperationId> = (typeof operations)[Id]['fields'][number];
export type FieldName<Id extends OperationId = OperationId> = FieldOf<Id>['name'];

/** Complete request of an operation: every field, as sent. */
export type MediaRequest<Id extends OperationId = OperationId> = {
  [I in Id]: { readonly [F in FieldOf<I> as F['name']]: FieldValue<F> } & {
    /** What it sends beside, or instead of, the operation's own fields. */
    readonly further?: Further;
  };
}[Id];

/** Request as a caller passes it: fields with a default may be omitted. */
export type MediaRequestInput<Id extends OperationId = OperationId> = {
  [I in Id]: {
    readonly [F in Exclude<FieldOf<I>, { readonly default: unknown }> as F['name']]: FieldValue<F>;
  } & { readonly [F in Extract<FieldOf<I>, { readonly default: unknown }> as F['name']]?: FieldValue<F> | undefined };
}[Id];

/** Some values of the fields of any operation. */
export type FieldValues = { readonly [F in FieldOf<OperationId> as F['name']]?: FieldValue<F> | undefined };

/** Returns the field of the prompt or the text to speak; undefined if an operation has neither. */
export function wordsField({ fields }: Operation): TextField | undefined {
  return fields.find((field) => field.type === 'text');
}

/** Returns the prompt of a request or the text to speak; undefined if it has neither. */
export function wordsOf(operation: OperationId, request: object): string | undefined {
  const words = wordsField(operations[operation]);
  const value: unknown = words && new Map(Object.entries(request)).get(words.name);
  return typeof value === 'string' ? value : undefined;
}

/** Returns whether an operation changes an earlier video, which only the model that made it can do. */
export function takesVideo(operation: Operation): boolean {
  return operation.fields.some((field) => field.type === 'video');
}

/** Returns whether an operation sends a file as multipart; all others send JSON. */
export function isMultipart(operation: Operation): boolean {
  return operation.fields.some((field) => field.type === 'audioFile');
}

// File extensions without the dot, in lower case. Those of recordings are in `operations`, because the service decides them.

/** Images that can be edited on this computer. */
const editable = ['png', 'jpg', 'jpeg', 'webp'] as const;

/** Images that VS Code's own preview shows and most services accept. */
export const imageExtensions = [...editable, 'gif', 'avif', 'bmp'] as const;

/** The extensions that an output may have. A result of another type is converted if possible, otherwise refused. */
export const outputExtensions: Readonly<Record<AssetKind, readonly string[]>> = {
  images: editable,
  speech: ['mp3', 'wav', 'opus', 'ogg', 'aac', 'flac', 'pcm'],
  transcripts: ['md', 'txt', 'srt', 'vtt'],
  videos: ['mp4', 'm4v', 'webm', 'mov'],
};

/**
 * Documents that can be read aloud. If several have the name of a recording, the first of these extensions is that of its
 * text. Not `asc`: keys of PGP are named so.
 */
export const spokenExtensions: readonly string[] = [
  ...['md', 'markdown', 'mdx', 'txt', 'rst', 'adoc', 'asciidoc', 'html', 'htm', 'tex', 'qmd', 'rmd', 'vue', 'svelte'],
];

/** Those of {@link spokenExtensions} that a person is offered to have read aloud: of LaTeX the markup would be spoken. */
export const narratedExtensions = spokenExtensions.filter((extension) => extension !== 'tex');

/** Whether a path, URI or name is an image that can be edited on this computer. */
export function isEditableImage(name: string): boolean {
  const extension = extensionOf(name);
  return editable.some((one) => one === extension);
}

/** Returns the extension; empty if there is none. */
export function extensionOf(path: string): string {
  return /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
}

/** What a service recognised in a recording. */
export interface Transcript {
  /** The text, or the subtitle file if `subtitles` is set. */
  readonly text: string;
  readonly subtitles: 'srt' | 'vtt' | undefined;
  readonly language: string | undefined;
  /** Duration in seconds. */
  readonly duration: number | undefined;
  readonly segments: readonly Segment[];
  /** The words with their times, if the service sent them; mostly without punctuation. */
  readonly words?: readonly TimedText[];
}

/** What is said in a stretch of a recording. */
export interface TimedText {
  /** Seconds from the start of the recording. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface Segment extends TimedText {
  readonly speaker?: string;
  /** Whether the service itself says that this is probably silence. */
  readonly isSilence?: true;
}

/** Returns the field of an operation that has this name in the request. */
export function field<Id extends OperationId, Name extends FieldName<Id>>(
  id: Id,
  name: Name,
): Extract<FieldOf<Id>, { readonly name: Name }> {
  const fields: readonly Field[] = operations[id].fields;
  const found = fields.find((one) => one.name === name);
  if (!found) throw new Error(`${id} has no field ${name}`);
  return found as Extract<FieldOf<Id>, { readonly name: Name }>;
}
