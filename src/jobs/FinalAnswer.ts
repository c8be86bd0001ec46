import type { AnswerSource, MediaAnswer, TranscriptAnswer } from '../service/Answer.ts';

/** The final answer and its source. */
export interface FinalAnswer {
  readonly answer: SavedAnswer;
  readonly source: AnswerSource;
}

/** An answer with results, not one that names a job of the service. */
export type SavedAnswer = MediaAnswer | TranscriptAnswer;
