import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { hashOf } from '../files/sha256.ts';
import { fieldTable } from '../operations/declarations.ts';
import type { FurtherValue } from '../operations/Further.ts';
import { filesIn, mapFiles, nameIn, valueForPath } from '../operations/fields.ts';
import {
  defaultOf,
  extensionOf,
  type Field,
  type MediaRequest,
  operations,
  takesFiles,
  takesVideo,
} from '../operations/operations.ts';
import { furtherOf, toRequest } from '../operations/toRequest.ts';
import { inOrder, validateField } from '../operations/validateRequest.ts';
import { type Speaker, speakerFields } from '../wholes/Speaker.ts';
import { type Entry, namedInputsOf, type RequestEntry } from './Manifest.ts';

/** What an entry is generated from, as hashes. */
export interface Origin {
  /** Hash of the request; undefined until all inputs are known. */
  readonly request: string | undefined;
  /** Hashes of the inputs, by the name of a field, or by `./` and the path of a file. */
  readonly inputs: Readonly<Record<string, string>>;
}

/** The facts that a request needs beside its entry. */
export interface RequestFacts {
  readonly model: string;
  /** Returns the hash of an input file; undefined if it is missing or about to change. */
  contentOf(path: string): string | undefined;
  /** The service's ID of the video to remix. */
  readonly videoId: string | undefined;
  /** Hash of the text that is spoken from a document. */
  readonly spoken: string | undefined;
}

/** Hashes of fields are shortened in the lock; the hash of the request is not. */
const fieldHashLength = 16;

/** Hashes what an entry would send, except `output_format`, which does not change the result. */
export function describeRequest(entry: RequestEntry, facts: RequestFacts): Origin {
  const { own, further, without } = fieldTable(entry.operation, entry.further?.declared, facts.model);
  const inputs: Record<string, string> = {};
  const sent: Record<string, unknown> = { operation: entry.operation };
  let isKnown = true;
  const content = (path: string): string => {
    const hash = facts.contentOf(path);
    isKnown &&= hash !== undefined;
    inputs[`./${path}`] = hash ?? '';
    return hash ?? '';
  };
  const named = (name: string, value: unknown): unknown => {
    inputs[name] = hashOf([value]).slice(0, fieldHashLength);
    return value;
  };
  for (const field of inOrder(own)) {
    if ((field.type === 'choice' && field.isTransfer) || without.includes(field.name)) continue;
    sent[field.name] = hashedValue(field, entry, facts, { content, named });
  }
  for (const { name, type, default: standard } of further) {
    const value = entry.further?.fields[name] ?? standard;
    if (value === undefined) continue;
    sent[name] = type === 'file' ? content(String(value)) : named(`fields.${name}`, value);
  }
  if (entry.style !== undefined) named('style', entry.style);
  if (takesVideo(operations[entry.operation])) isKnown &&= facts.videoId !== undefined;
  if (entry.document !== undefined) isKnown &&= facts.spoken !== undefined;
  return { request: isKnown ? hashOf(sent) : undefined, inputs };
}

function hashedValue(
  field: Field,
  entry: RequestEntry,
  facts: RequestFacts,
  { content, named }: { content(path: string): string; named(name: string, value: unknown): unknown },
): unknown {
  const value = entryValue(field, entry, facts.model);
  if (takesFiles(field)) {
    const hashes = filesIn(field, value).map(content);
    return field.type === 'images' ? hashes : (hashes[0] ?? content(''));
  }
  if (field.type === 'video') {
    named(`./${entry.values.video_id}`, facts.videoId);
    return facts.videoId ?? '';
  }
  if (field.type === 'text' && field.isSpoken && entry.document !== undefined) {
    // For a document, only the spoken text counts, not its markup.
    named(`./${entry.document}`, facts.spoken);
    return { spoken: facts.spoken ?? '' };
  }
  const known = named(nameIn('manifest', field), value ?? defaultOf(field));
  // The lock stores the style under its own name, separate from the prompt.
  return field.name === 'prompt' ? promptOf(entry) : known;
}

/** Returns what an entry holds for a field. Files are paths relative to the manifest. */
function entryValue(field: Field, { values, path }: RequestEntry, model: string): unknown {
  if (field.type === 'model') return model;
  const byName: Readonly<Record<string, unknown>> = values;
  return byName[field.name] ?? valueForPath(field, path);
}

/** A file, or the value of a further field, that is sent for an entry. */
export type Sent =
  | { readonly field: string; readonly file: string }
  | { readonly field: string; readonly value: FurtherValue };

/** Returns each file and each further field that the request of an entry sends, by the names of the manifest. */
export function sentWith(entry: RequestEntry, model: string): readonly Sent[] {
  const files = namedInputsOf(entry).flatMap(({ field, path, as }) => (as === 'video' ? [] : [{ field, file: path }]));
  const { declared, fields = {}, files: ofFurther = [] } = entry.further ?? {};
  const values = fieldTable(entry.operation, declared, model).further.flatMap(({ name, default: standard }) => {
    const value = (fields[name] ?? standard) as FurtherValue | undefined;
    return value === undefined || ofFurther.includes(name) ? [] : [{ field: name, value }];
  });
  return [...files, ...values];
}

/** Returns the request that an entry is spoken with, without its text. */
export function speakerOf(entry: RequestEntry, model: string): Speaker {
  const table = fieldTable('speak', entry.further?.declared, model);
  const own = speakerFields.map((field) => {
    const taken = table.own.find(({ name }) => name === field.name) ?? field;
    return [field.name, validateField(taken, entryValue(taken, entry, model))] as const;
  });
  const { fields = {}, files = [], folder = '' } = entry.further ?? {};
  const located = Object.entries(fields).map(([name, value]) => [
    name,
    files.includes(name) ? urlOf(folder, String(value)) : value,
  ]);
  const further = furtherOf(table, Object.fromEntries(located));
  return { ...Object.fromEntries(own), ...(further && { further }) } as Speaker;
}

function urlOf(folder: string, path: string): string {
  return pathToFileURL(join(folder, path)).href;
}

/** Returns the request of an entry. @throws MediaError `invalidInput` that names the field */
export function requestOf(
  entry: RequestEntry,
  { model, videoId }: Pick<RequestFacts, 'model' | 'videoId'>,
  folder: string,
): Promise<MediaRequest> {
  const { declared, fields } = entry.further ?? {};
  return toRequest(
    entry.operation,
    (field) => {
      if (field.type === 'video') return videoId;
      if (field.name === 'prompt') return promptOf(entry);
      const located = async (path: string) => (field.type === 'audioFile' ? join(folder, path) : urlOf(folder, path));
      return mapFiles(field, entryValue(field, entry, model), located);
    },
    { declared, fields, locate: (_, path) => urlOf(folder, String(path)) },
  );
}

function promptOf({ values: { prompt = '' }, style }: RequestEntry): string {
  return style === undefined ? prompt : `${prompt}, ${style}`;
}

/** Hashes the local processing of an image. Returns none for an entry that is saved as the service returns it. */
export function describeLocal(
  { type, path, size, quality }: Entry,
  source?: string,
): { readonly local: string | undefined; readonly inputs: Readonly<Record<string, string>> } {
  if (type === 'request' && !size && quality === undefined) return { local: undefined, inputs: {} };
  const format = extensionOf(path);
  const inputs = {
    ...(size && { size: hashOf([size]).slice(0, fieldHashLength) }),
    ...(quality !== undefined && { quality: hashOf([quality]).slice(0, fieldHashLength) }),
  };
  return { local: hashOf({ source, size, format, quality }), inputs };
}
