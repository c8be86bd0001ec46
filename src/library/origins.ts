import type { LibraryEntry, LibraryRecord, RecordedInput } from './LibraryRecord.ts';

/** Returns what a file was made from: the files of its request, the document of a narration or the source of an edit. */
export function inputsOf({
  inputs,
  madeFrom,
  narration,
}: Pick<LibraryRecord, 'inputs' | 'madeFrom' | 'narration'>): readonly RecordedInput[] {
  if (inputs) return inputs;
  if (madeFrom) return [{ field: 'file', ...madeFrom }];
  return narration ? [{ field: 'input', file: narration.document }] : [];
}

/** A result in a list of all results. */
/**
 * Returns what a result was made from, in the order of its request: the results of the list that are these files, and
 * every other file or address as it is recorded.
 */
export function originsOf<T extends { readonly entry: LibraryEntry }>(
  result: T,
  all: readonly T[],
): readonly (T | RecordedInput)[] {
  const { parentVideoId } = result.entry;
  const parent = all.find((one) => parentVideoId !== undefined && isParent(one.entry, result.entry));
  const files = inputsOf(result.entry).map((input) => {
    if (input.sha256 === undefined) return input;
    // The file may have been moved. Among equal files, the one that kept its name is the origin.
    const same = all.filter((one) => one !== result && one.entry.sha256 === input.sha256);
    return same.find(({ entry }) => entry.file === input.file) ?? same[0] ?? input;
  });
  return [...(parent ? [parent] : []), ...files];
}

/** More edits of edits than this are not followed, which also ends a circle in a damaged library. */
const maxEdits = 20;

/**
 * Returns the alternative text of a result: its prompt. An edit's prompt only says what to change, so the prompt of its
 * source is used.
 */
export function altTextOf<T extends { readonly entry: LibraryEntry }>(
  result: T,
  all: readonly T[],
): string | undefined {
  let text = result.entry.prompt;
  let made = result;
  for (let edits = 0; edits < maxEdits && made.entry.operation === 'editImage'; edits++) {
    const [source] = originsOf(made, all);
    if (!source || !('entry' in source)) break;
    made = source;
    text = made.entry.prompt ?? text;
  }
  return text;
}

/** Returns the results that were made from one. */
export function usesOf<T extends { readonly entry: LibraryEntry }>(result: T, all: readonly T[]): readonly T[] {
  const { sha256 } = result.entry;
  const isInput = ({ entry }: T) => sha256 !== undefined && inputsOf(entry).some((input) => input.sha256 === sha256);
  return all.filter((one) => one !== result && (isParent(result.entry, one.entry) || isInput(one)));
}

/** The sandbox and the service assign ids independently. */
function isParent({ videoId, sandbox }: LibraryEntry, remix: LibraryEntry): boolean {
  return videoId !== undefined && videoId === remix.parentVideoId && sandbox === remix.sandbox;
}
