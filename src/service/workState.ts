import type { Json, JsonObject } from './Answer.ts';
import { isObject, textOf } from './json.ts';

/** What an answer says of the work; `unknown` for a word that nobody knows. */
export type WorkState = 'done' | 'failed' | 'running' | 'unknown';

/** Where an answer puts what it says of the work, beside its top. */
const wrappers = ['data', 'output', 'result', 'task', 'job'];

const stateNames = ['status', 'state', 'task_status', 'taskStatus', 'job_status'];
const taskIdNames = ['task_id', 'taskId', 'job_id', 'jobId', 'request_id', 'requestId', 'generation_id'];

/** How deep wrappers lie in each other at most. */
const maximumDepth = 3;

/**
 * What an answer says of the work; undefined when it says nothing. The innermost word counts: those around it may only
 * say that the service could be asked.
 */
export function stateOf(value: JsonObject, depth = 0): WorkState | undefined {
  const inner = depth < maximumDepth ? wrappedIn(value) : [];
  const found = inner.map((part) => stateOf(part, depth + 1)).find((state) => state !== undefined);
  if (found) return found;
  const word = stateWordIn(value);
  if (word === undefined) return undefined;
  // It only says that the task was taken.
  const isEnvelope = /^(success|ok)$/i.test(word) && inner.some((part) => textOf(part, ...taskIdNames));
  return isEnvelope ? undefined : stateOfWord(word);
}

/** The word for the state that an object itself holds. */
export function stateWordIn(value: JsonObject): string | undefined {
  const words = stateNames.map((name) => value[name]);
  return words.find((word): word is string => typeof word === 'string' && /^\s*[a-z]/i.test(word))?.trim();
}

/** The innermost word for the state. */
export function stateWordOf(value: JsonObject, depth = 0): string | undefined {
  const inner = depth < maximumDepth ? wrappedIn(value) : [];
  return inner.map((part) => stateWordOf(part, depth + 1)).find(Boolean) ?? stateWordIn(value);
}

const doneWords = ['completed', 'complete', 'succeeded', 'success', 'succeed', 'done', 'finished', 'ready', 'ok'];

const failedWord =
  /^(fail|failed|failure|error|errored|abort|aborted|block|blocked|moderated|filtered|censored|flagged|rejected|refused|denied|forbidden|prohibited|unsafe|nsfw|violation|cancel|cancelled|canceled|expired|timeout|timedout|timed|terminated|killed|crashed|interrupted|invalid|unsuccessful|incomplete|deleted|revoked)$/;

const runningWord =
  /^(in|.*ing|queue|queued|inqueue|progress|inprogress|start|started|submit|submitted|create|created|accept|accepted|schedule|scheduled|wait|new|received|assigned|dispatched|run)$/;

/** Of several words the last that is known decides: “processing_failed” is an end, “moderation_pending” is none. */
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

/** The objects that stand for the work inside of another. Of a list only a single item can. */
function wrappedIn(value: JsonObject): readonly JsonObject[] {
  return wrappers.flatMap((name) => {
    const inner: Json | undefined = value[name];
    const [item, ...others]: readonly (Json | undefined)[] = Array.isArray(inner)
      ? (inner as readonly Json[])
      : [inner];
    return others.length === 0 && isObject(item) ? [item] : [];
  });
}
