import { maxSide } from '../images/ImageChange.ts';
import { fieldTable } from '../operations/declarations.ts';
import { nameIn, spokenField } from '../operations/fields.ts';
import { type Field, type FieldName, type OperationId, operations, takesVideo } from '../operations/operations.ts';
import { presetIds } from '../operations/presets.ts';

/** A field of an entry in the manifest. */
export interface EntryField {
  readonly name: string;
  readonly type: 'text' | 'integer' | 'choice' | 'path' | 'paths' | 'size' | 'style' | 'fields';
  /** Whether it is a prompt or a text to be spoken, which may be about an address. */
  readonly isWords?: true;
  readonly isRequired: boolean;
  /** Whether `defaults` may hold it, too. */
  readonly hasDefault: boolean;
  /** The values of a choice; if `isOpen`, other values are accepted as well. */
  readonly options?: readonly string[];
  readonly isOpen?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  /** JSON schemas of the values in an object, which may have others. */
  readonly properties?: Readonly<Record<string, object>>;
  /** Shown by editors while a user writes the manifest. */
  readonly description: string;
}

/** Default maximum for integer fields that declare none. */
export const usualMaximum = 1000;

/** What some fields are for; others are described by their labels. */
const descriptions: Readonly<Partial<Record<FieldName, string>>> = {
  model: 'Name of the model',
  n: 'How many images to request at once; `choose` picks one of them',
  image_urls: 'Paths of the images to edit',
  image_url: 'Path of the input image',
  file: 'Path of the recording',
  video_id: 'Path of the video to remix',
};

const optional = { isRequired: false, hasDefault: false } as const;

const size: EntryField = {
  ...optional,
  name: 'size',
  type: 'size',
  description:
    'Width and height in pixels, such as [1200, 630] or "1200x630"; the image is cropped from the middle to fill them, for free',
};

/** Of a styled prompt. */
const style: EntryField = {
  ...optional,
  name: 'style',
  type: 'style',
  description: 'false to leave the style of the manifest out of this prompt',
};

/** Reads a size as people write it. @returns undefined if it is none */
export function readSize(value: unknown): readonly [width: number, height: number] | undefined {
  const written = typeof value === 'string' ? /^([1-9]\d*)x([1-9]\d*)$/.exec(value)?.slice(1).map(Number) : value;
  if (!Array.isArray(written) || written.length !== 2) return undefined;
  const [width, height] = written as readonly unknown[];
  return isSide(width) && isSide(height) ? [width, height] : undefined;
}

function isSide(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= maxSide;
}

const quality: EntryField = {
  ...optional,
  name: 'quality',
  type: 'integer',
  minimum: 1,
  maximum: 100,
  description: 'Quality of a JPEG or WebP file, from 1 to 100',
};

/** The further fields of an entry, of which editors complete those of the presets. */
function furtherFields(id: OperationId): EntryField {
  return {
    name: 'fields',
    isRequired: false,
    hasDefault: true,
    type: 'fields',
    // Only the schema needs them. Reading the tables of all presets takes longer than all else for an entry.
    get properties() {
      const known = presetIds.map((preset) => fieldTable(id, { preset })).flatMap(({ further }) => further);
      return Object.fromEntries(known.map((field) => [field.name, { description: field.description ?? field.label }]));
    },
    description: 'Further fields of the service, which the setting "unifiedMedia.fields" or "accepts" declares',
  };
}

/** The fields of an entry that is made locally from another image. */
export const derivedFields: readonly EntryField[] = [
  {
    name: 'from',
    type: 'path',
    isRequired: true,
    hasDefault: false,
    description: 'Path of the image to make this one from, locally and for free',
  },
  size,
  quality,
];

/** Extensions of the files that are made from a transcript. */
export const captionEndings: readonly string[] = ['srt', 'vtt'];

/** The fields of an entry that is made from a transcript. */
export const captionFields: readonly EntryField[] = [
  {
    name: 'captions',
    type: 'path',
    isRequired: true,
    hasDefault: false,
    description: 'Path of the transcript to make subtitles from, locally and for free',
  },
];

/**
 * Returns the fields of an entry with an operation, except `operation`. They follow from the fields of the operation.
 */
export function entryFields(id: OperationId, sent: readonly Field[] = operations[id].fields): readonly EntryField[] {
  // A remix uses the model of its parent.
  const own = sent.filter(({ type }) => type !== 'model' || !takesVideo(operations[id]));
  const spoken = spokenField(sent);
  const local = operations[id].result === 'images' ? [size, quality] : [];
  return [
    ...own.flatMap((field) => [entryField(field), ...(field === spoken ? [document] : [])]),
    ...(own.some(({ name }) => name === 'prompt') ? [style] : []),
    furtherFields(id),
    ...local,
  ];
}

// Exactly one of the spoken text and the document is required; readManifest checks that.
const document: EntryField = {
  ...optional,
  name: 'document',
  type: 'path',
  description: 'Path of the document to read aloud',
};

function entryField(field: Field): EntryField {
  const known: Readonly<Partial<Record<string, string>>> = descriptions;
  const base = {
    name: nameIn('manifest', field),
    description: known[field.name] ?? ('placeholder' in field ? field.placeholder : field.label),
    isRequired: !('default' in field),
    hasDefault: 'default' in field,
  };
  switch (field.type) {
    case 'model':
      // The defaults and the settings may name it.
      return { ...base, type: 'text', isRequired: false, hasDefault: true };
    case 'text':
      return { ...base, type: 'text', isRequired: !field.isSpoken, isWords: true };
    case 'integer':
      return { ...base, type: 'integer', minimum: field.minimum, maximum: field.maximum ?? usualMaximum };
    case 'choice':
      return { ...base, type: 'choice', options: field.options, isOpen: field.open };
    case 'images':
      return { ...base, type: 'paths' };
    case 'image':
    case 'audioFile':
    case 'video':
      return { ...base, type: 'path' };
  }
}
