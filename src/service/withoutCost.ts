import * as l10n from '@vscode/l10n';
import { MediaError } from '../operations/MediaError.ts';
import { parseJson } from '../operations/parseJson.ts';
import { isObject, type Json, type JsonObject, objectOf, textOf } from './Answer.ts';
import { headOf } from './AnswerBody.ts';
import { type Call, send } from './send.ts';

/**
 * Checks whether a host answers at all. Sends no key, and nothing is billed.
 *
 * @returns the HTTP status of the answer, whatever it is
 * @throws MediaError `network`, `tls`, `proxy`, `timeout` or `cancelled`
 */
export async function probeHost(url: URL, dispatcher: Call['dispatcher'], signal?: AbortSignal): Promise<number> {
  const source = { base: url.origin };
  const { status } = await send({ kind: 'probe', name: 'probe', url, source, dispatcher, signal });
  return status;
}

/**
 * Reads a host's list of models, which is not billed. Takes at most 30 s and 8 MiB.
 *
 * @throws MediaError for the status (`unauthorized`, `forbidden`, `notFound`…), `unreadableAnswer` when the answer is
 *   not a list, or `network`, `tls`, `proxy`, `timeout`, `cancelled`
 */
export async function listModels(
  url: URL,
  options: Pick<Call, 'dispatcher' | 'authorization' | 'secrets' | 'ownHeaders' | 'signal' | 'log'>,
): Promise<readonly ListedModel[]> {
  const headers = { accept: 'application/json' };
  const { body } = await send({ ...options, kind: 'list', name: 'models', url, source: { base: url.origin }, headers });
  const models = readModelList(parseJson<Json>(new TextDecoder().decode(await headOf(body))));
  if (models) return models;
  throw new MediaError('unreadableAnswer', l10n.t('{0} did not answer with a list of models.', url.host));
}

export type ModelKind = 'image' | 'speech' | 'transcription' | 'video';

export interface ListedModel {
  /** Name to send in a request. */
  readonly name: string;
  /** What the model makes, according to the list; empty when it does not say. */
  readonly kinds: readonly ModelKind[];
}

/** More than any picker can show; services list hundreds. */
const maxModels = 10_000;
const maxNameLength = 200;

/**
 * Reads a model list in one of the usual shapes: an array of names or objects, alone or as `data`, `models`, `result`,
 * `results` or `items`. Returns it sorted, without duplicates; undefined when the value is not a list of models.
 */
export function readModelList(value: Json | undefined): readonly ListedModel[] | undefined {
  const list = findList(value);
  if (!list) return undefined;
  const kindsByName = new Map<string, Set<ModelKind>>();
  for (const item of list) {
    const name = nameOf(item);
    if (name === undefined) continue;
    const kinds = kindsByName.get(name) ?? new Set();
    for (const kind of isObject(item) ? kindsOf(item) : []) kinds.add(kind);
    kindsByName.set(name, kinds);
  }
  // Without any name, it is a list of something else.
  if (kindsByName.size === 0 && list.length > 0) return undefined;
  const { compare } = new Intl.Collator('en', { numeric: true });
  return [...kindsByName]
    .map(([name, kinds]) => ({ name, kinds: [...kinds].sort() }))
    .sort((a, b) => compare(a.name, b.name))
    .slice(0, maxModels);
}

function findList(value: Json | undefined): readonly Json[] | undefined {
  if (Array.isArray(value)) return value as readonly Json[];
  if (!isObject(value)) return undefined;
  for (const name of ['data', 'models', 'result', 'results', 'items']) {
    const list = value[name];
    if (Array.isArray(list)) return list as readonly Json[];
  }
  return isObject(value.data) ? findList(value.data) : undefined;
}

function nameOf(item: Json): string | undefined {
  // When there is an id, `name` is a display name.
  const name = typeof item === 'string' ? item.trim() : isObject(item) ? textOf(item, 'id', 'model', 'name') : '';
  return name && name.length <= maxNameLength && !/\p{Cc}/u.test(name) ? name : undefined;
}

/** Members that say what a model is for, such as `text-to-image` or `/v1/audio/speech`. */
const useMembers = [
  'type',
  'sub_type',
  'mode',
  'kind',
  'category',
  'task',
  'tasks',
  'pipeline_tag',
  'modality',
  'capabilities',
  'endpoints',
  'supported_endpoints',
  'supported_endpoint_types',
];
/** Members that name the kinds of output. */
const outputMembers = ['output_modalities', 'outputModalities'];

function kindsOf(item: JsonObject): readonly ModelKind[] {
  const parts = [item, objectOf(item, 'architecture'), objectOf(item, 'model_info')];
  const words = (names: readonly string[]) => parts.flatMap((part) => names.flatMap((name) => wordsOf(part[name])));
  return [
    ...words(useMembers).flatMap(kindsOfWord),
    ...words(outputMembers).flatMap((word) => (word === 'audio' ? ['speech' as const] : kindsOfWord(word))),
  ];
}

/**
 * Returns the words of a text, of a list, or of the members that are true. In `text->image`, only the output counts.
 */
function wordsOf(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') {
    return value
      .replace(/^.*->/, '')
      .split(/[+,]/)
      .map((word) =>
        word
          .toLowerCase()
          .replace(/[^a-z0-9]+/g, '-')
          .replace(/^-|-$/g, ''),
      );
  }
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap((word) => wordsOf(String(word)));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([word, isSet]) => (isSet === true ? wordsOf(word) : []));
}

const kindPatterns: readonly (readonly [RegExp, readonly ModelKind[]])[] = [
  [/^(v1-)?((text|image)-to-)?images?(-(generations?|generator|edits?|editing))?$|^(txt|img)2img$/, ['image']],
  [
    /^(v1-)?((text|image|video)-to-)?videos?(-(generations?|generator|edits?|editing))?$|^(txt|img)2vid(eo)?$/,
    ['video'],
  ],
  [/^(v1-)?(audio-)?(speech|text-to-speech|tts|speech-(synthesis|generation)|text-to-audio)$/, ['speech']],
  [
    /^(v1-)?(audio-)?(transcribe|transcriptions?|translations?|speech-to-text|stt|asr|(automatic-)?speech-recognition)$/,
    ['transcription'],
  ],
  [/^audio$/, ['speech', 'transcription']],
];

function kindsOfWord(word: string): readonly ModelKind[] {
  return kindPatterns.find(([pattern]) => pattern.test(word))?.[1] ?? [];
}
