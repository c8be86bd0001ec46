import type { AnswerSource, MediaAnswer, TranscriptAnswer } from '../service/Answer.ts';

/** What was made, and who says so. */
export interface FinalAnswer {
  readonly answer: SavedAnswer;
  readonly source: AnswerSource;
}

/** An answer that is no job of the service any more. */
export type SavedAnswer = MediaAnswer | TranscriptAnswer;
