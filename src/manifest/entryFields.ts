import type { Field } from '../operations/Field.ts';
import type { AssetKind, Operation, OperationId } from '../operations/operations.ts';
import { operations, takesVideo } from '../operations/operations.ts';

/** A field of an entry. */
export interface EntryField {
  readonly name: string;
  readonly type: 'text' | 'count' | 'choice' | 'path' | 'paths' | 'size' | 'quality';
  readonly isRequired: boolean;
  /** Whether `defaults` can hold it as well. */
  readonly hasDefault: boolean;
  /** The words that it takes; others are taken too where the operation's list is open. */
  readonly options?: readonly string[] | undefined;
  readonly isOpen?: boolean | undefined;
  /** For people who write the file. */
  readonly description: string;
}

const size: EntryField = {
  name: 'size',
  type: 'size',
  isRequired: false,
  hasDefault: false,
  description: 'Width and height in pixels: the picture is cropped from the middle to fill them, for free',
};

const quality: EntryField = {
  name: 'quality',
  type: 'quality',
  isRequired: false,
  hasDefault: false,
  description: 'Quality of a JPEG or WebP file, 1 to 100',
};

/** What an entry that is made of another picture holds. */
export const derivedFields: readonly EntryField[] = [
  {
    name: 'from',
    type: 'path',
    isRequired: true,
    hasDefault: false,
    description: 'The picture that this one is made of, on this machine and for free',
  },
  size,
  quality,
];

/** The fields of an entry that an operation makes, beside `operation`; they follow from the operation's own. */
export function entryFields(id: OperationId): readonly EntryField[] {
  const { fields, result }: Operation = operations[id];
  return [...fields.flatMap((field) => fieldFor(id, field)), ...(result === 'images' ? [size, quality] : [])];
}

function fieldFor(id: OperationId, field: Field): readonly EntryField[] {
  const base = { isRequired: true, hasDefault: false } as const;
  switch (field.type) {
    case 'model':
      // A remix is made by the model of its parent.
      if (takesVideo(operations[id])) return [];
      return [{ name: 'model', type: 'text', isRequired: false, hasDefault: true, description: 'The model' }];
    case 'text':
      if (field.name !== 'input') return [{ ...base, name: field.name, type: 'text', description: field.placeholder }];
      // One of both; readManifest says so.
      return [
        { ...base, name: 'input', type: 'text', isRequired: false, description: 'The text to speak' },
        { ...base, name: 'document', type: 'path', isRequired: false, description: 'The document to read aloud' },
      ];
    case 'integer':
      return [
        {
          name: 'variants',
          type: 'count',
          isRequired: false,
          hasDefault: true,
          description: 'How many pictures one request asks for; `choose` picks one of them',
        },
      ];
    case 'choice':
      return [
        {
          name: field.name,
          type: 'choice',
          isRequired: false,
          hasDefault: true,
          options: field.options,
          isOpen: field.open,
          description: field.label,
        },
      ];
    case 'images':
      return [{ ...base, name: 'images', type: 'paths', description: 'The pictures to edit' }];
    case 'image':
      return [{ ...base, name: 'image', type: 'path', description: 'The picture that the video starts with' }];
    case 'audioFile':
      return [{ ...base, name: 'file', type: 'path', description: 'The recording' }];
    case 'video':
      return [{ ...base, name: 'video', type: 'path', description: 'The video that is remixed' }];
  }
}

/** What an output may be called, by what makes it; what comes back in another type is converted or refused. */
export const outputExtensions: Readonly<Record<AssetKind, readonly string[]>> = {
  images: ['png', 'jpg', 'jpeg', 'webp'],
  speech: ['mp3', 'wav', 'opus', 'ogg', 'aac', 'flac', 'pcm'],
  transcripts: ['md', 'txt', 'srt', 'vtt'],
  videos: ['mp4', 'm4v', 'webm', 'mov'],
};

/** Without the dot, in lower case; empty where there is none. */
export function extensionOf(path: string): string {
  return /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
}
