import type { OperationId } from '../operations/operations.ts';
import type { RawAnswer } from './Answer.ts';
import { readAnswer } from './readAnswer.ts';

/** Returns the result URL in a status answer; undefined when the job is not done, or the answer holds its result. */
export async function resultUrlIn(id: OperationId, raw: RawAnswer, jobId: string): Promise<string | undefined> {
  const { body } = raw;
  // A large answer holds the media itself, and most small ones have no result URL: skip parsing both.
  if (!(body instanceof Uint8Array) || !/"(response|result)_?url"/i.test(Buffer.from(body).toString('latin1'))) {
    return undefined;
  }
  try {
    const answer = await readAnswer(id, raw, [], jobId);
    return answer.type === 'job' && answer.isDone ? answer.resultUrl : undefined;
  } catch {
    // The next reader of this answer gets the same error and reports it.
    return undefined;
  }
}
