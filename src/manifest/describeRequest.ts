import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { hashOf } from '../files/sha256.ts';
import type { Field, MediaRequest, Operation } from '../operations/operations.ts';
import { extensionOf, operations, takesVideo } from '../operations/operations.ts';
import { validateField, validateRequest } from '../operations/validateRequest.ts';
import type { Entry, RequestEntry } from './Manifest.ts';

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
  const { fields }: Operation = operations[entry.operation];
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
  for (const field of fields) {
    if (field.name === 'output_format') continue;
    sent[field.name] = sentFor(field, entry, facts, { content, named });
  }
  if (entry.style !== undefined) named('style', entry.style);
  if (takesVideo(operations[entry.operation])) isKnown &&= facts.videoId !== undefined;
  if (entry.document !== undefined) isKnown &&= facts.spoken !== undefined;
  return { request: isKnown ? hashOf(sent) : undefined, inputs };
}

interface Names {
  content(path: string): string;
  named(name: string, value: unknown): unknown;
}

function sentFor(field: Field, entry: RequestEntry, facts: RequestFacts, { content, named }: Names): unknown {
  switch (field.type) {
    case 'model':
      return named('model', facts.model);
    case 'text':
      if (field.name === 'prompt') {
        named('prompt', entry.prompt);
        return promptOf(entry);
      }
      if (entry.document === undefined) return named('input', entry.input);
      // For a document, only the spoken text counts, not its markup.
      named(`./${entry.document}`, facts.spoken);
      return { spoken: facts.spoken ?? '' };
    case 'integer':
      return named('variants', entry.variants ?? field.default);
    case 'choice':
      return named(field.name, choiceOf(field.name, entry) ?? field.default);
    case 'images':
      return (entry.images ?? []).map(content);
    case 'image':
      return content(entry.image ?? '');
    case 'audioFile':
      return content(entry.file ?? '');
    case 'video':
      named(`./${entry.video}`, facts.videoId);
      return facts.videoId ?? '';
  }
}

/** Returns the model, voice and format that an entry is spoken with. */
export function speakerOf(entry: RequestEntry, model: string): Omit<MediaRequest<'speak'>, 'input'> {
  const [, , voice, format] = operations.speak.fields;
  return {
    model,
    voice: validateField(voice, entry.voice) as MediaRequest<'speak'>['voice'],
    response_format: choiceOf('response_format', entry) ?? format.default,
  };
}

/** Returns the request of an entry. @throws MediaError `invalidInput` that names the field */
export function requestOf(
  entry: RequestEntry,
  { model, videoId }: Pick<RequestFacts, 'model' | 'videoId'>,
  folder: string,
): MediaRequest {
  const { fields }: Operation = operations[entry.operation];
  const url = (path: string) => pathToFileURL(join(folder, path)).href;
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    if (field.type === 'model') values[field.name] = model;
    else if (field.type === 'text') values[field.name] = field.name === 'prompt' ? promptOf(entry) : entry.input;
    else if (field.type === 'integer') values[field.name] = entry.variants;
    else if (field.type === 'choice') values[field.name] = choiceOf(field.name, entry);
    else if (field.type === 'images') values[field.name] = entry.images?.map(url);
    else if (field.type === 'image') values[field.name] = entry.image && url(entry.image);
    else if (field.type === 'audioFile') values[field.name] = entry.file && join(folder, entry.file);
    else values[field.name] = videoId;
  }
  return validateRequest(entry.operation, values);
}

function promptOf({ prompt = '', style }: RequestEntry): string {
  return style === undefined ? prompt : `${prompt}, ${style}`;
}

/** Returns the value of a choice. The audio format defaults to the extension of the path. */
function choiceOf(name: string, entry: RequestEntry): string | undefined {
  if (name === 'voice') return entry.voice;
  if (name === 'output_format') return entry.output_format;
  const extension = extensionOf(entry.path);
  return entry.response_format ?? (extension === 'ogg' ? 'opus' : extension);
}

/** Hashes the local processing of an image. Returns none for an entry that is saved as the service returns it. */
export function describeLocal(
  { type, path, size, quality }: Entry,
  source?: string,
): { readonly local: string | undefined; readonly inputs: Readonly<Record<string, string>> } {
  if (type === 'request' && !size && quality === undefined) return { local: undefined, inputs: {} };
  const format = extensionOf(path);
  const inputs = {
    ...(size ? { size: hashOf([size]).slice(0, 16) } : {}),
    ...(quality === undefined ? {} : { quality: hashOf([quality]).slice(0, 16) }),
  };
  return { local: hashOf({ source, size, format, quality }), inputs };
}
