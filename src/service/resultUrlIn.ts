import type { OperationId } from '../operations/operations.ts';
import type { RawAnswer } from './Answer.ts';
import { readAnswer } from './readAnswer.ts';

/** Where a status answer says that the result is; undefined when the job is not done, or its result is in the answer. */
export async function resultUrlIn(id: OperationId, raw: RawAnswer, jobId: string): Promise<string | undefined> {
  const { body } = raw;
  // Media are in what is large; most others name no such address.
  if (!(body instanceof Uint8Array) || !/"(response|result)_?url"/i.test(Buffer.from(body).toString('latin1'))) {
    return undefined;
  }
  try {
    const answer = await readAnswer(id, raw, [], jobId);
    return answer.type === 'job' && answer.isDone ? answer.resultUrl : undefined;
  } catch {
    // Whoever reads it next is told why.
    return undefined;
  }
}
