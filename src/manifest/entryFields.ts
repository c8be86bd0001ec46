import type { Field } from '../operations/Field.ts';
import type { Operation, OperationId } from '../operations/operations.ts';
import { operations, takesVideo } from '../operations/operations.ts';

/** A field of an entry in the manifest. */
export interface EntryField {
  readonly name: string;
  readonly type: 'text' | 'count' | 'choice' | 'path' | 'paths' | 'size' | 'quality';
  readonly isRequired: boolean;
  /** Whether `defaults` may hold it, too. */
  readonly hasDefault: boolean;
  /** The values of a choice; if `isOpen`, other values are accepted as well. */
  readonly options?: readonly string[] | undefined;
  readonly isOpen?: boolean | undefined;
  /** Shown by editors while a user writes the manifest. */
  readonly description: string;
}

const size: EntryField = {
  name: 'size',
  type: 'size',
  isRequired: false,
  hasDefault: false,
  description: 'Width and height in pixels; the image is cropped from the middle to fill them, for free',
};

const quality: EntryField = {
  name: 'quality',
  type: 'quality',
  isRequired: false,
  hasDefault: false,
  description: 'Quality of a JPEG or WebP file, from 1 to 100',
};

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

/**
 * Returns the fields of an entry with an operation, except `operation`. They follow from the fields of the operation.
 */
export function entryFields(id: OperationId): readonly EntryField[] {
  const { fields, result }: Operation = operations[id];
  return [...fields.flatMap((field) => fieldFor(id, field)), ...(result === 'images' ? [size, quality] : [])];
}

function fieldFor(id: OperationId, field: Field): readonly EntryField[] {
  const base = { isRequired: true, hasDefault: false } as const;
  switch (field.type) {
    case 'model':
      // A remix uses the model of its parent.
      if (takesVideo(operations[id])) return [];
      return [{ name: 'model', type: 'text', isRequired: false, hasDefault: true, description: 'Name of the model' }];
    case 'text':
      if (field.name !== 'input') return [{ ...base, name: field.name, type: 'text', description: field.placeholder }];
      // Exactly one of the two is required; readManifest checks that.
      return [
        { ...base, name: 'input', type: 'text', isRequired: false, description: 'The text to speak' },
        {
          ...base,
          name: 'document',
          type: 'path',
          isRequired: false,
          description: 'Path of the document to read aloud',
        },
      ];
    case 'integer':
      return [
        {
          name: 'variants',
          type: 'count',
          isRequired: false,
          hasDefault: true,
          description: 'How many images to request at once; `choose` picks one of them',
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
      return [{ ...base, name: 'images', type: 'paths', description: 'Paths of the images to edit' }];
    case 'image':
      return [{ ...base, name: 'image', type: 'path', description: 'Path of the input image' }];
    case 'audioFile':
      return [{ ...base, name: 'file', type: 'path', description: 'Path of the recording' }];
    case 'video':
      return [{ ...base, name: 'video', type: 'path', description: 'Path of the video to remix' }];
  }
}
