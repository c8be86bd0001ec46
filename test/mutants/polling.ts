import type { Mutant } from './Mutant.ts';
import { mutantsOf } from './Mutant.ts';

const polling = mutantsOf(
  'src/work/JobRun.ts',
  ['work/pollJob'],
  [
    ['pauses do not grow', 'seconds * 1.5', 'seconds'],
    [
      'a final state is not kept',
      "if (answer.type !== 'job') await attempt.keep({ ...state, results: resultsIn(answer) });\n    else if",
      'if',
    ],
    ["a failed job's answer is not kept", '      await attempt.keepRefusal(state);\n    }', '    }'],
    [
      'a refusal replaces the address of the result',
      'isKnown || (await this.#answered(answer))',
      'await this.#answered(answer)',
    ],
    ["a gateway's error ends the job", 'if (!isOfJob(raw, error.reason)) return error.reason;', ''],
    ["a busy service's error ends the job", "state === 'failed' || ", "kind !== 'gatewayTimeout' || "],
    ['a refused poll gives the job up', 'if (raw.status >= 300) throw error.reason;', ''],
    ['a refused poll ends polling', "if (status >= 300) return state === 'failed';", ''],
    ...[304, 409, 423, 425].map(
      (status) =>
        [
          `status ${status} is news`,
          '[304, 409, 423, 425];',
          `[304, 409, 423, 425].filter((one) => one !== ${status});`,
        ] as const,
    ),
    ['a job that is done with an error is polled again', " || state === 'done'", ''],
    ['unclear answers never end polling', 'if (patience.isOver()) {', 'if (false) {'],
    ['the last unclear answer is not kept', 'await work.keepRaw(0, bytesOfBody(raw.body));', ''],
    ['an empty 202 is an answer', '(status < 300 && body.length === 0)', 'false'],
    ['another status counts as the same state', '!this.#states.has(status) || progress', 'progress'],
    ['more progress counts as the same state', ' || progress > this.#progress', ''],
    ['alternating states count as new', 'this.#states.add(status);', 'this.#states.clear(); this.#states.add(status);'],
    ['oscillating progress counts as new', 'Math.max(progress, this.#progress)', 'progress'],
    [
      'the id is lost when the final state has no URL',
      'const known = { ...answer, id: answer.id ?? first.id };',
      'const known = { ...answer, id: undefined };',
    ],
    ['pauses grow without a limit', 'const maxPauseSeconds = 30;', 'const maxPauseSeconds = 3000;'],
    ['the first pause is too long', 'const firstPauseSeconds = 2;', 'const firstPauseSeconds = 20;'],
    ['Retry-After is ignored', 'Math.min(raw.retryAfter ?? 0, maxRequestedPauseSeconds)', '0'],
    ['Retry-After is unlimited', 'const maxRequestedPauseSeconds = 300;', 'const maxRequestedPauseSeconds = 300_000;'],
    ['polling ends one failure early', 'const maxRefusals = 8;', 'const maxRefusals = 7;'],
    ['polling ends one failure late', 'const maxRefusals = 8;', 'const maxRefusals = 9;'],
    ['failures accumulate across successes', '    this.#refusals = 0;\n', ''],
    ['offline times accumulate', '    this.#offline = 0;\n', ''],
    ...[404, 408, 429].map(
      (status) =>
        [
          `status ${status} ends polling`,
          '[404, 408, 429]',
          `[404, 408, 429].filter((one) => one !== ${status})`,
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
    ['a polled job occupies its slot', 'attempt.release();', ''],
    [
      'progress from 0 to 1 is treated as percent',
      'progress > 0 && progress < 1 ? progress * 100 : progress',
      'progress',
    ],
  ],
);

const elsewhere = mutantsOf(
  'src/service/readAnswer.ts',
  ['work/pollJob'],
  [
    [
      'an empty answer that names a job in its headers is given up',
      'if (body.length === 0 && elsewhere) return',
      'if (false) return',
    ],
    [
      'an answer that names a job in its headers is given up',
      'if (elsewhere) return elsewhere;\n  // Without a job',
      '// Without a job',
    ],
    ['a job with an id only is not found at its Location', ' ?? elsewhere?.statusUrl', ''],
  ],
);

/** Mutants of polling. */
export const pollingMutants: readonly Mutant[] = [...polling, ...elsewhere];
