import type { Json, JsonObject } from './Answer.ts';
import { isObject, textOf } from './json.ts';

/** State of a job as an answer reports it; `unknown` for a status word that is not recognised. */
export type WorkState = 'done' | 'failed' | 'running' | 'unknown';

/** Members that may hold the status, besides the top level. */
const wrappers = ['data', 'output', 'result', 'task', 'job'];

const stateNames = ['status', 'state', 'task_status', 'taskStatus', 'job_status'];
const taskIdNames = ['task_id', 'taskId', 'job_id', 'jobId', 'request_id', 'requestId', 'generation_id'];

/** Maximum nesting of wrappers. */
const maxDepth = 3;

/**
 * Returns the state that an answer reports; undefined when it reports none. The innermost status wins: those around it
 * may only say that the status request succeeded.
 */
export function stateOf(value: JsonObject, depth = 0): WorkState | undefined {
  const inner = depth < maxDepth ? wrappedIn(value) : [];
  const found = inner.map((part) => stateOf(part, depth + 1)).find((state) => state !== undefined);
  if (found) return found;
  const word = stateWordIn(value);
  if (word === undefined) return undefined;
  // Here "success" only means that the task was accepted.
  const isEnvelope = isEnvelopeWord(word) && inner.some((part) => textOf(part, ...taskIdNames));
  return isEnvelope ? undefined : stateOfWord(word);
}

/** Whether a status word may only say that the HTTP request succeeded. */
export function isEnvelopeWord(word: string | undefined): boolean {
  return word !== undefined && /^(success|ok)$/i.test(word);
}

/** Returns the status word of the object itself. */
export function stateWordIn(value: JsonObject): string | undefined {
  const words = stateNames.map((name) => value[name]);
  return words.find((word): word is string => typeof word === 'string' && /^\s*[a-z]/i.test(word))?.trim();
}

/** Returns the innermost status word. */
export function stateWordOf(value: JsonObject, depth = 0): string | undefined {
  const inner = depth < maxDepth ? wrappedIn(value) : [];
  return inner.map((part) => stateWordOf(part, depth + 1)).find(Boolean) ?? stateWordIn(value);
}

const doneWords = ['completed', 'complete', 'succeeded', 'success', 'succeed', 'done', 'finished', 'ready', 'ok'];

const failedWord =
  /^(fail|failed|failure|error|errored|abort|aborted|block|blocked|moderated|filtered|censored|flagged|rejected|refused|denied|forbidden|prohibited|unsafe|nsfw|violation|cancel|cancelled|canceled|expired|timeout|timedout|timed|terminated|killed|crashed|interrupted|invalid|unsuccessful|incomplete|deleted|revoked)$/;

const runningWord =
  /^(in|.*ing|queue|queued|inqueue|progress|inprogress|start|started|submit|submitted|create|created|accept|accepted|schedule|scheduled|wait|new|received|assigned|dispatched|run)$/;

/** Classifies a status by its last known word: “processing_failed” has failed, “moderation_pending” is running. */
export function stateOfWord(word: string): WorkState {
  const words = word
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter(Boolean);
  if (doneWords.includes(words.join(' '))) return 'done';
  if (/\bnot found$/.test(words.join(' '))) return 'failed';
  const last = words.findLast((part) => failedWord.test(part) || runningWord.test(part));
  if (last === undefined) return 'unknown';
  return failedWord.test(last) ? 'failed' : 'running';
}

/** Returns the nested objects that may hold the status. A list counts only when it has a single item. */
function wrappedIn(value: JsonObject): readonly JsonObject[] {
  return wrappers.flatMap((name) => {
    const inner: Json | undefined = value[name];
    const [item, ...others]: readonly (Json | undefined)[] = Array.isArray(inner)
      ? (inner as readonly Json[])
      : [inner];
    return others.length === 0 && isObject(item) ? [item] : [];
  });
}
