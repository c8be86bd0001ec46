import * as l10n from '@vscode/l10n';
import type { DigitalSource } from '../marks/DigitalSource.ts';
import type { Marks } from '../marks/readMarks.ts';
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
export async function digitalSourceOf(
  record: Made,
  library: Pick<Library, 'entries'>,
): Promise<DigitalSource | undefined> {
  const { operation, model, madeFrom, digitalSourceType } = record;
  if (digitalSourceType) return digitalSourceType;
  if (madeFrom && model === localModel) return undefined;
  if (operation !== 'editImage') return 'trainedAlgorithmicMedia';
  const known = new Map((await library.entries('images')).map((entry) => [entry.sha256, entry]));
  return isMadeWhole(record, known, new Map(), 0) ? trained : 'compositeWithTrainedAlgorithmicMedia';
}

/** More edits of edits than this are not followed. */
const maxEdits = 100;

/** Whether a model made all of a picture. @param decided results so far, which also ends a circle in a damaged library */
function isMadeWhole(
  record: Made,
  known: ReadonlyMap<string | undefined, Made>,
  decided: Map<string, boolean>,
  depth: number,
): boolean {
  const { operation, model, madeFrom, digitalSourceType } = record;
  if (madeFrom && model === localModel) return false;
  if (digitalSourceType) return digitalSourceType === trained;
  if (operation !== 'editImage') return true;
  // Not a mask, which is no part of the picture.
  const inputs = inputsOf(record).filter(({ field }) => field === 'image_urls' || field === 'file');
  return (
    depth < maxEdits &&
    inputs.length > 0 &&
    inputs.every(({ sha256 = '' }) => {
      const before = decided.get(sha256);
      if (before !== undefined) return before;
      decided.set(sha256, false);
      const source = known.get(sha256);
      const isWhole = source !== undefined && isMadeWhole(source, known, decided, depth + 1);
      decided.set(sha256, isWhole);
      return isWhole;
    })
  );
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
