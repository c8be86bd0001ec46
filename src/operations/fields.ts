import {
  type AudioFileField,
  extensionOf,
  type Field,
  field,
  type ImageField,
  imageExtensions,
  type Surface,
  takesFiles,
} from './operations.ts';

// Beside the table of operations, because activation loads that and needs none of this.

/** Returns the name of a field where it is written by hand. */
export function nameIn(surface: Surface, { name, names }: Field): string {
  return names?.[surface] ?? name;
}

/** Returns the text field that a document can take the place of. */
export function spokenField(fields: readonly Field[]): Field | undefined {
  return fields.find((one) => one.type === 'text' && one.isSpoken);
}

/** Returns the field that a further field's file is reported and stored as. */
export function furtherFile(name: string): ImageField {
  return { type: 'image', name, label: name };
}

/** Returns the extensions of the files that a field takes. */
export function extensionsOf(of: ImageField | AudioFileField): readonly string[] {
  return of.type === 'audioFile' ? [...of.formats, ...of.soundOnlyFormats] : imageExtensions;
}

const recording = field('transcribe', 'file');

/** Whether a file is a recording that can be transcribed, by its name. */
export function isRecording(path: string): boolean {
  return extensionsOf(recording).includes(extensionOf(path));
}

/** Whether a recording may be a video, by its name. */
export function mayHoldPicture(path: string): boolean {
  return ['mp4', 'webm', 'mpeg', ...recording.soundOnlyFormats].includes(extensionOf(path));
}

/** Returns the files in the value of a field; none for a field that takes no files. */
export function filesIn(of: Field, value: unknown): readonly string[] {
  return takesFiles(of) ? [value].flat().filter((one) => typeof one === 'string') : [];
}

/** Replaces each file in the value of a field, one after the other. Every other value stays as it is. */
export async function mapFiles(of: Field, value: unknown, change: (file: string) => Promise<string>): Promise<unknown> {
  if (!takesFiles(of)) return value;
  if (!Array.isArray(value)) return typeof value === 'string' ? change(value) : value;
  const changed: unknown[] = [];
  for (const one of value as readonly unknown[]) changed.push(typeof one === 'string' ? await change(one) : one);
  return changed;
}

/** Returns the fields that have a value. */
export function withoutUndefined(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Returns the value that a person typed. Whatever is no number stays a text, for validation to reject. */
export function typedValue({ type }: Field, text: string): unknown {
  return type === 'integer' && /^\s*-?\d+(\.\d+)?\s*$/.test(text) ? Number(text) : text;
}

/** Formats of files whose extension is not the name of the format. */
const formatsOfExtensions: Readonly<Record<string, string>> = { ogg: 'opus', oga: 'opus', m4a: 'aac', jpg: 'jpeg' };

/** Returns the value of a field that follows from the path of the output; undefined if the path does not decide it. */
export function valueForPath(of: Field, path: string): string | undefined {
  if (of.type !== 'choice' || !of.isExtension) return undefined;
  const extension = extensionOf(path);
  const value = formatsOfExtensions[extension] ?? extension;
  return of.options.includes(value) ? value : undefined;
}

/** Whether a value asks for a known format that is not that of the path, so that the file could not be saved there. */
export function isOtherFormat(of: Field, value: unknown, path: string): boolean {
  const format = valueForPath(of, path);
  return of.type === 'choice' && format !== undefined && format !== value && of.options.some((one) => one === value);
}
