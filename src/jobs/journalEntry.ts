// A result gets its name in steps that survive a crash: the journal notes the next name, the complete temporary file is
// linked to it, the record is appended, and the journal notes that the result is saved. After a crash in between, the
// file with that name and hash is the result.

import type { Asset } from '../library/Asset.ts';
import { parseJson } from '../operations/parseJson.ts';
import type { RawAnswer } from '../service/Answer.ts';
import type { EndState, JobError, JobFacts } from './JobRecord.ts';

/** An answer whose body is in a file beside the journal. */
export interface AnswerEntry {
  readonly answer: Omit<RawAnswer, 'body'>;
  /** Name of the body's file, and its size when it is complete. */
  readonly file: string;
  readonly bytes: number;
}

/** One line of a job's journal. */
export type JournalEntry =
  /** The request is about to be sent. */
  | { readonly event: 'sending'; readonly job: JobFacts }
  /** The answer was received. `videoId` is the id of the service's job when this is the final answer to polling. */
  | ({ readonly event: 'answered'; readonly videoId?: string | undefined } & AnswerEntry)
  /** The connection was lost after this part of the answer. */
  | ({ readonly event: 'partial' } & AnswerEntry)
  /** The result is complete in a temporary file and is about to get this name. */
  | { readonly event: 'naming'; readonly index: number; readonly named: NamedResult }
  | { readonly event: 'saved'; readonly index: number; readonly asset: Asset }
  /** `hasAnswer` is true when results of the answer still have to be saved. */
  | {
      readonly event: 'ended';
      readonly state: EndState;
      readonly error?: JobError | undefined;
      readonly hasAnswer: boolean;
    };

/** A result that is about to get its final name. */
export interface NamedResult {
  readonly name: string;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly mediaType: string;
}

/** Parses a journal. Skips a line that a crash has cut, since its event did not happen. */
export function entriesIn(text: string): readonly JournalEntry[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : (parseJson<JournalEntry>(line) ?? [])));
}

/** Serialises an entry. The leading line break ends a line that a crash may have cut. */
export function lineOf(entry: JournalEntry): string {
  return `\n${JSON.stringify(entry)}\n`;
}
