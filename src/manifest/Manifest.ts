import * as l10n from '@vscode/l10n';
import type { SentAs } from '../files/mayLeave.ts';
import { printableJson } from '../foreign/escape.ts';
import { isPlainLine } from '../foreign/plainText.ts';
import { isReadByTools, windowsReserved } from '../library/fileName.ts';
import { filesIn, nameIn } from '../operations/fields.ts';
import { inputsFirst } from '../operations/inputsFirst.ts';
import { MediaError } from '../operations/MediaError.ts';
import { type FieldValues, type Operation, type OperationId, operations } from '../operations/operations.ts';

/** The content of `media.jsonc`. */
export interface Manifest {
  /** Absolute path of the file. */
  readonly file: string;
  /** Absolute path of its folder, which the paths in it are relative to. */
  readonly folder: string;
  /** With an entry for each document of the patterns. */
  readonly entries: readonly Entry[];
  readonly patterns: readonly EntryPattern[];
}

/** An entry that stands for one narration per document, as `static/{name}.mp3` of `docs/*.md`. */
export interface EntryPattern {
  /** The line in the manifest, starting at 1. */
  readonly line: number;
  readonly document: string;
  /** The paths of the entries that it stands for. */
  readonly paths: readonly string[];
}

interface EntryBase {
  /** Path of the output relative to the manifest, with forward slashes. */
  readonly path: string;
  /** The line in the manifest, starting at 1. */
  readonly line: number;
  /** Size in pixels. The image is cropped from the middle to fill it. */
  readonly size?: readonly [width: number, height: number];
  /** Quality of a JPEG or WebP, 1 to 100. */
  readonly quality?: number;
}

/** What an entry sends beyond the fields of its operation. */
interface EntryFurther {
  /** The setting `fields` with the manifest's `accepts`. */
  readonly declared: unknown;
  /** Values by name. Files are paths relative to the manifest. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The names of the values that are files. */
  readonly files: readonly string[];
  /** Absolute path of the folder that these files are relative to. */
  readonly folder: string;
}

/** An entry whose output the service generates. */
export interface RequestEntry extends EntryBase {
  readonly type: 'request';
  readonly operation: OperationId;
  /** The model of the entry or of the defaults. A remix uses the model of its parent instead. */
  readonly model: string | undefined;
  /** Appended to the prompt. */
  readonly style: string | undefined;
  /** Path of the document that is spoken instead of a text. */
  readonly document: string | undefined;
  /** Values beside those of the operation; undefined if there are none and none are declared. */
  readonly further: EntryFurther | undefined;
  /** By the names of the fields in the request. Files and the video to remix are paths relative to the manifest. */
  readonly values: FieldValues;
}

/** An entry that is made locally: from another image, or as the captions of a transcript. */
export interface DerivedEntry extends EntryBase {
  readonly type: 'derived';
  readonly from: string;
  /** Whether `from` is a transcript, whose times are beside it. */
  readonly captions?: true;
}

/** Returns the path of the times of a transcript, with which captions are made. */
export function timesPathOf(transcript: string): string {
  return transcript.replace(/\.[^./]*$/, '.vtt');
}

export type Entry = RequestEntry | DerivedEntry;

/** An error in a manifest or a lock. */
export interface Problem {
  readonly line: number;
  /** The path of the entry, if it concerns one. */
  readonly path?: string;
  readonly field?: string;
  /** What is wrong, without line and path. */
  readonly sentence: string;
}

export const manifestName = 'media.jsonc';

/** Returns the key that a path is compared by. It ignores case, as some file systems do. */
export function keyOf(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/** Returns the paths of the files that an entry is made from. */
export function inputsOf(entry: Entry): readonly string[] {
  if (entry.type === 'derived') return [entry.from];
  return namedInputsOf(entry).map(({ path }) => path);
}

/** Returns the paths of all files that decide what an entry becomes, also of the times of a transcript. */
export function sourcesOf(entry: Entry): readonly string[] {
  const times = entry.type === 'derived' && entry.captions ? [timesPathOf(entry.from)] : [];
  return [...inputsOf(entry), ...times];
}

/** Returns the paths of the files that an entry sends as they are. */
export function sentFilesOf(entry: RequestEntry): readonly string[] {
  return namedInputsOf(entry).flatMap(({ path, as }) => (as === 'document' || as === 'video' ? [] : [path]));
}

/** A path that an entry sends something of. */
export interface NamedInput {
  /** The name of the field in the manifest. */
  readonly field: string;
  readonly path: string;
  /** Of a `video` to remix, only the service's ID is sent. */
  readonly as: SentAs | 'video';
}

/** Returns the inputs of an entry's request by the names of their fields. */
export function namedInputsOf({ operation, values, further, document }: RequestEntry): readonly NamedInput[] {
  const { fields }: Operation = operations[operation];
  const byName: Readonly<Record<string, unknown>> = values;
  const own = fields.flatMap((field) => {
    const as = field.type === 'audioFile' ? 'recording' : 'image';
    return filesIn(field, byName[field.name]).map((path) => ({ field: nameIn('manifest', field), path, as }) as const);
  });
  const ofFurther = further?.files ?? [];
  return [
    ...own,
    ...ofFurther.map((field) => ({ field, path: String(further?.fields[field]), as: 'media' }) as const),
    ...(document === undefined ? [] : [{ field: 'document', path: document, as: 'document' } as const]),
    ...(values.video_id === undefined ? [] : [{ field: 'video', path: values.video_id, as: 'video' } as const]),
  ];
}

/** Names of folders that no path leads into, also the short names that Windows gives them, such as `GIT~1`. */
export const reservedFolders = /^(\.git|\.vscode|\.unified-media|git~\d+|vscode~\d+|unifie~\d+)$/i;

/** Returns why a path of a manifest is not allowed, or undefined if it is. It does not access the disk. */
export function pathProblem(path: string): string | undefined {
  const shown = printableJson(path.length > 80 ? `${path.slice(0, 80)}…` : path);
  if (path === '') return l10n.t('The path is empty.');
  if (/[\p{Cc}\u2028\u2029]/u.test(path)) return l10n.t('The path {0} contains a control character.', shown);
  // Some of them reverse the text that is shown, and HFS+ ignores some: `.g\u200cit` is `.git` there.
  if (/\p{Cf}/u.test(path) || !isPlainLine(path)) return l10n.t('The path {0} contains an invisible character.', shown);
  if (/^[a-z][a-z0-9+.-]*:/i.test(path)) {
    return l10n.t('The path {0} is a URL or names a drive. Use a path relative to the manifest.', shown);
  }
  if (/^[/\\~]/.test(path)) return l10n.t('The path {0} is absolute. Use a path relative to the manifest.', shown);
  if (path.includes('\\')) return l10n.t('The path {0} contains a backslash. Separate folders with /.', shown);
  const names = path.split('/');
  if (names.includes('..')) return l10n.t('The path {0} leads out of the folder of the manifest.', shown);
  if (names.some((name) => name === '' || name === '.'))
    return l10n.t('The path {0} has an empty or “.” segment.', shown);
  if (names.some((name) => reservedFolders.test(name.replace(/(?<![. ])[. ]+$/, '')))) {
    return l10n.t('The path {0} is in a reserved folder: .git, .vscode or .unified-media.', shown);
  }
  if (names.some((name) => /["*:<>?|]|[. ]$/.test(name) || windowsReserved.test(name))) {
    return l10n.t('The path {0} contains a name that is not valid on every system.', shown);
  }
  return undefined;
}

/** What the path of a pattern has in the place of the name of each document. */
export const namePart = '{name}';

/** Returns a field that is wrong in an entry that stands for several documents, and why; undefined if none is. */
export function patternProblem(
  path: string,
  document: string,
): { readonly field?: string; readonly sentence: string } | undefined {
  if (!/^[^*]*\*[^*/]*$/.test(document)) {
    const sentence = l10n.t(
      '{0} needs a document with one * in its last part, such as docs/*.md, or else no {1}.',
      printableJson(path),
      namePart,
    );
    return { field: 'document', sentence: `document: ${sentence}` };
  }
  if (path.split(namePart).length === 2) return undefined;
  const sentence = l10n.t('The path needs {0} once, for the name of each document of {1}.', namePart, document);
  return { sentence };
}

/** As {@link pathProblem}, for a file that is made. */
export function outputProblem(path: string): string | undefined {
  const problem = pathProblem(path);
  if (problem !== undefined || !isReadByTools(path)) return problem;
  return l10n.t('Agents and tools may take instructions or settings from {0}. Use another path.', JSON.stringify(path));
}

/**
 * Sorts entries so that each comes after its inputs, and otherwise keeps their order.
 *
 * @param entries by the {@link keyOf} of their paths
 * @throws MediaError `invalidInput` for a cycle
 */
export function sortEntries(entries: ReadonlyMap<string, Entry>): readonly Entry[] {
  const sourcesIn = (entry: Entry) => inputsOf(entry).flatMap((input) => entries.get(keyOf(input)) ?? []);
  const fail = (way: readonly Entry[]) => {
    const paths = way.map(({ path }) => path);
    const shown = paths.length > maxShown ? [...paths.slice(0, maxShown), '…', ...paths.slice(-1)] : paths;
    throw new MediaError('invalidInput', l10n.t('Assets depend on each other in a cycle: {0}.', shown.join(' ← ')));
  };
  return [...inputsFirst(entries.values(), sourcesIn, fail)];
}

/** How many paths of a cycle are shown. */
const maxShown = 20;

/** One of several machines that share the work. */
export interface Shard {
  /** Starts at 1. */
  readonly number: number;
  readonly count: number;
}

/**
 * Returns which paths a shard takes care of. An entry is in the same shard as the entries that it is made from, and the
 * shards have about the same number of entries. Paths without an entry belong to the first shard.
 */
export function shardOf({ entries }: Pick<Manifest, 'entries'>, { number, count }: Shard): (path: string) => boolean {
  const sizes = new Array<number>(count).fill(0);
  const shards = new Map<string, number>();
  // The largest groups first, so that the small ones even out the rest.
  const groups = groupsOf(entries).sort((a, b) => b.length - a.length || (first(a) < first(b) ? -1 : 1));
  for (const group of groups) {
    const smallest = sizes.indexOf(Math.min(...sizes));
    sizes[smallest] = (sizes[smallest] ?? 0) + group.length;
    for (const key of group) shards.set(key, smallest);
  }
  return (path) => (shards.get(keyOf(path)) ?? 0) === number - 1;
}

/** Returns the keys of entries that depend on each other, sorted. */
function groupsOf(entries: readonly Entry[]): (readonly string[])[] {
  const neighbours = new Map(entries.map(({ path }) => [keyOf(path), [] as string[]]));
  for (const entry of entries) {
    for (const input of inputsOf(entry)) {
      neighbours.get(keyOf(entry.path))?.push(keyOf(input));
      neighbours.get(keyOf(input))?.push(keyOf(entry.path));
    }
  }
  const seen = new Set<string>();
  return [...neighbours.keys()].flatMap((start) => {
    const group: string[] = [];
    const open = [start];
    for (let key = open.pop(); key !== undefined; key = open.pop()) {
      const next = neighbours.get(key);
      if (!next || seen.has(key)) continue;
      seen.add(key);
      group.push(key);
      for (const one of next) open.push(one);
    }
    return group.length > 0 ? [group.sort()] : [];
  });
}

function first(group: readonly string[]): string {
  return group[0] ?? '';
}
