import assert from 'node:assert/strict';
import { type AnswerState, stateOf, stateOfWord } from '../../../src/service/Answer.ts';

const words: Readonly<Record<Exclude<AnswerState, 'unclear'>, readonly string[]>> = {
  done: [
    'completed',
    'COMPLETED',
    'Succeed',
    'succeeded',
    'success',
    'done',
    'finished',
    'Ready',
    'ok',
    'JOB_STATE_SUCCEEDED',
    'TaskStatusDone',
  ],
  failed: [
    ...['failed', 'FAILURE', 'error', 'aborted', 'blocked', 'moderated', 'content_filtered', 'ContentFiltered', 'nsfw'],
    ...['timeout', 'timed_out', 'TimedOut', 'cancelled', 'canceled', 'expired', 'rejected', 'terminated'],
    ...['task_failed', 'processing_failed', 'queue timeout', 'content_policy_violation', 'Task not found'],
  ],
  running: [
    ...['queued', 'IN_QUEUE', 'InQueue', 'pending', 'processing', 'in_progress', 'InProgress', 'submitted', 'starting'],
    ...[
      'not_started',
      'pending_moderation',
      'moderation_pending',
      'failed_retrying',
      'rendering_pass_2',
      'JOB_STATE_QUEUED',
    ],
  ],
  unknown: ['marinated', 'not_completed', 'partial_success', 'JOB_STATE_NOT_DONE', 'task_status', 'generated!', '完成'],
};

describe('stateOfWord and stateOf', () => {
  for (const [state, known] of Object.entries(words)) {
    for (const word of known) it(`classify ${word} as ${state}`, () => assert.equal(stateOfWord(word), state));
  }

  const answers: readonly (readonly [string, Parameters<typeof stateOf>[0], AnswerState | undefined])[] = [
    ['is undefined without a status', { id: 'x' }, undefined],
    ['ignores numbers', { status: 2, data: { status: 1 } }, undefined],
    ['uses the innermost status', { status: 'success', data: { status: 'processing' } }, 'running'],
    ['uses the innermost status of a single item', { status: 'ok', data: [{ state: 'queued' }] }, 'running'],
    [
      'uses the innermost status at any depth',
      { status: 'ok', data: { status: 'done', task: { status: 'failed' } } },
      'failed',
    ],
    ['uses the innermost status even if unknown', { status: 'success', data: { status: 'marinated' } }, 'unknown'],
    [
      'ignores the statuses of several items',
      { status: 'running', data: [{ status: 'done' }, { status: 'queued' }] },
      'running',
    ],
    ['ignores a success that only accepted the task', { status: 'success', data: { task_id: 't' } }, undefined],
    ['treats a success with a result as done', { status: 'success', data: { url: 'x' } }, 'done'],
  ];
  for (const [name, answer, state] of answers) {
    it(`stateOf ${name}`, () => assert.equal(stateOf(answer), state));
  }
});
