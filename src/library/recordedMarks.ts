import * as l10n from '@vscode/l10n';
import type { DigitalSource } from '../marks/DigitalSource.ts';
import type { Marks } from '../marks/readMarks.ts';
import { inputsFirst } from '../operations/inputsFirst.ts';
import type { Library } from './Library.ts';
import type { LibraryRecord, RecordedMarks } from './LibraryRecord.ts';
import { inputsOf } from './origins.ts';

// What the library says about the marks of origin in a file. They are read, never checked.

const noMarks: Marks = { kinds: [], source: undefined };

/** Returns the marks that a file has from us. */
export function marked(source: DigitalSource | undefined): Marks {
  return source ? { kinds: ['iptc'], source } : noMarks;
}

/** Returns what is recorded of a file that is saved as it came. */
export function arrivedMarks({ kinds }: Marks): RecordedMarks {
  return kinds.length > 0 ? { credentials: kinds } : {};
}

/** Returns what is recorded of a file that a local step made. @param before marks of its source @param after its own */
export function keptMarks(before: Marks, after: Marks): RecordedMarks {
  const isLost = before.kinds.some((kind) => !after.kinds.includes(kind));
  return {
    ...(isLost ? { credentials: 'lost' as const } : {}),
    ...(after.source ? { digitalSourceType: after.source } : {}),
  };
}

/** What is known of a result, to say what it is. */
type Made = Pick<LibraryRecord, 'operation' | 'model' | 'inputs' | 'madeFrom' | 'narration' | 'digitalSourceType'>;

/** Model of a picture that was made here from one that the library does not know. */
export const localModel = 'local';

/**
 * Returns what a result is: made by a model, or a photograph that one changed. A picture that the library does not know
 * counts as a photograph.
 *
 * @returns undefined if no model made it, as for a photograph that was cropped
 */
export function digitalSourceOf(record: Made, library: Pick<Library, 'entries'>): Promise<DigitalSource | undefined> {
  return digitalSourcesIn(library)(record);
}

/** Returns a {@link digitalSourceOf} for many results, which reads the library once at most. */
export function digitalSourcesIn(
  library: Pick<Library, 'entries'>,
): (record: Made) => Promise<DigitalSource | undefined> {
  let reading: Promise<ReadonlyMap<string | undefined, Made>> | undefined;
  const read = async () => new Map((await library.entries('images')).map((entry) => [entry.sha256, entry]));
  const decided = new Map<string, boolean>();
  return async (record) => {
    const { operation, model, madeFrom, digitalSourceType } = record;
    if (digitalSourceType) return digitalSourceType;
    if (madeFrom && model === localModel) return undefined;
    if (operation !== 'editImage') return trained;
    reading ??= read();
    return isMadeWhole(record, await reading, decided) ? trained : 'compositeWithTrainedAlgorithmicMedia';
  };
}

/** Whether a model made all of a picture. @param decided results so far by hash; what is in a circle is not whole */
function isMadeWhole(
  record: Made,
  known: ReadonlyMap<string | undefined, Made>,
  decided: Map<string, boolean>,
): boolean {
  const picturesIn = (sha256: string) => {
    const source = decided.has(sha256) ? undefined : known.get(sha256);
    return source ? picturesOf(source) : [];
  };
  for (const sha256 of inputsFirst(picturesOf(record), picturesIn)) {
    const source = known.get(sha256);
    if (!decided.has(sha256)) decided.set(sha256, source !== undefined && isWhole(source, decided));
  }
  return isWhole(record, decided);
}

/** @param decided has its pictures, except those that it is an input of itself */
function isWhole(record: Made, decided: ReadonlyMap<string, boolean>): boolean {
  const { operation, model, madeFrom, digitalSourceType } = record;
  if (madeFrom && model === localModel) return false;
  if (digitalSourceType) return digitalSourceType === trained;
  if (operation !== 'editImage') return true;
  const pictures = picturesOf(record);
  return pictures.length > 0 && pictures.every((sha256) => decided.get(sha256) === true);
}

/** Returns the hashes of the pictures that a picture was made from: not of a mask, which is no part of it. */
function picturesOf(record: Made): readonly string[] {
  const pictures = inputsOf(record).filter(({ field }) => field === 'image_urls' || field === 'file');
  return pictures.map(({ sha256 = '' }) => sha256);
}

const trained: DigitalSource = 'trainedAlgorithmicMedia';

/** Returns what a person is told about the marks of a file; undefined if it has none. */
export function describeMarks({ credentials, digitalSourceType }: RecordedMarks): string | undefined {
  const isLost = credentials === 'lost';
  const sentences = [
    !isLost && credentials?.includes('c2pa') && l10n.t('Content Credentials (present, not verified)'),
    !isLost && credentials?.includes('iptc') && l10n.t('IPTC digital source type (present, not verified)'),
    isLost && l10n.t('made here without the credentials of its source'),
    digitalSourceType === 'trainedAlgorithmicMedia' && l10n.t('marked as made by AI'),
    digitalSourceType === 'compositeWithTrainedAlgorithmicMedia' && l10n.t('marked as changed by AI'),
  ];
  const all = sentences.filter(Boolean);
  return all.length > 0 ? all.join(', ') : undefined;
}
