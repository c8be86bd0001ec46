import type { Mutant } from './Mutant.ts';
import { mutantsOf } from './Mutant.ts';

const polling = mutantsOf(
  'src/jobs/pollJob.ts',
  ['jobs/pollJob'],
  [
    ['pauses do not grow', 'seconds * 1.5', 'seconds'],
    ['a final state is not kept', "if (answer.type !== 'job') await onAnswer(state);\n    else if", 'if'],
    ['what a failed job says is not kept', '      await onAnswer(state);\n    }', '    }'],
    ['a refusal of a gateway ends the job', 'if (!isOfJob) return error.reason;', ''],
    ['a page of a gateway ends the job', 'isJson(raw) && !passingKinds', '!passingKinds'],
    ['answers that say nothing never end polling', 'if (patience.isOver()) {', 'if (false) {'],
    ['the last answer that says nothing is not kept', 'await options.onUnclear(raw);', ''],
    ['an empty 202 is an answer', 'return status === 202 && body.length === 0;', 'return false;'],
    ['a state with another word is the same', '!this.#states.has(status) || progress', 'progress'],
    ['a state with more progress is the same', ' || progress > this.#progress', ''],
    [
      'states that alternate are always new',
      'this.#states.add(status);',
      'this.#states.clear(); this.#states.add(status);',
    ],
    ['a progress that goes back and forth is always new', 'Math.max(progress, this.#progress)', 'progress'],
    [
      'the id is lost when the final state names no address',
      'const known = { ...state, id: state.id ?? first.id };',
      'const known = { ...state, id: undefined };',
    ],
    ['pauses grow without end', 'const maxPauseSeconds = 30;', 'const maxPauseSeconds = 3000;'],
    ['the first pause is long', 'const firstPauseSeconds = 2;', 'const firstPauseSeconds = 20;'],
    ['the pause that the service asks for is ignored', 'Math.min(raw.retryAfter ?? 0, maxRequestedPauseSeconds)', '0'],
    [
      'the service may ask for any pause',
      'const maxRequestedPauseSeconds = 300;',
      'const maxRequestedPauseSeconds = 300_000;',
    ],
    ['polling ends one failure early', 'const maxRefusals = 8;', 'const maxRefusals = 7;'],
    ['polling ends one failure late', 'const maxRefusals = 8;', 'const maxRefusals = 9;'],
    ['failures that are not in a row end polling', '    this.#refusals = 0;\n', ''],
    ['times offline add up', '    this.#offline = 0;\n', ''],
    ...[404, 408, 425, 429].map(
      (status) =>
        [
          `status ${status} ends polling`,
          '[404, 408, 425, 429]',
          `[404, 408, 425, 429].filter((one) => one !== ${status})`,
        ] as const,
    ),
    ['a busy service ends polling', 'error.status >= 500 || ', ''],
    [
      'polling does not end while the state is the same',
      'if (this.#unchanged >= this.#unchangedSeconds) throw',
      'if (false) throw',
    ],
    ['being offline ends polling at once', '!isOffline || this.#offline >= this.#unchangedSeconds', 'true'],
    ['being offline never ends polling', '!isOffline || this.#offline >= this.#unchangedSeconds', '!isOffline'],
    ['a job that is polled holds its slot', 'options.onPolling();', ''],
    [
      'progress from 0 to 1 is taken for percent',
      'progress > 0 && progress < 1 ? progress * 100 : progress',
      'progress',
    ],
  ],
);

/** Mutants of polling. */
export const pollingMutants: readonly Mutant[] = [...polling];
