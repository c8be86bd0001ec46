import assert from 'node:assert/strict';
import { jobCards, type Starting } from '../../../../src/features/create/jobCards.ts';
import type { Job } from '../../../../src/work/Job.ts';

const wording = {
  titleOf: (id: string) => `<${id}>`,
  stageOf: ({ state }: Pick<Job, 'state'>) => `is ${state}`,
  buttonOf: (action: string) => `Do ${action}`,
  starting: 'starts',
  usePrompt: 'Use',
  chooseModel: 'Model',
  dismiss: 'Dismiss',
};

const error = { kind: 'network', message: 'Cut off.', mayBeBilled: true } as const;

function job(facts: Partial<Job>): Job {
  return {
    id: 'job',
    key: 'job',
    operation: 'generateImage',
    request: { model: 'm', prompt: 'a fox', n: 3, output_format: 'url' },
    createdAt: '2026-01-02T03:04:05Z',
    place: { root: 'file:///w', path: 'media', fileName: '', transcriptFormat: 'markdown' },
    sandbox: false,
    state: 'waiting',
    assets: {},
    hasAnswer: false,
    ...facts,
  };
}

/** @param saved number of saved results by job id */
function cardsOf(
  jobs: readonly Job[],
  saved: Readonly<Record<string, number>> = {},
  starting: readonly Starting[] = [],
  requests: Readonly<Record<string, string>> = {},
) {
  const results = { filesOf: (id: string) => saved[id] ?? 0, newerThan: () => 5 };
  const known = new Map(Object.entries(requests));
  return jobCards(starting, jobs, ({ state }) => state !== 'cancelled', known, results, wording);
}

describe('jobCards', () => {
  it('returns a card for each visible job, with its progress when known', () => {
    const cards = cardsOf([
      job({ id: '1', state: 'sending', progress: { stage: 'sending', bytes: 25, total: 100 } }),
      job({ id: '2', state: 'waiting', progress: { stage: 'waiting', progress: 40 } }),
      job({ id: '3', state: 'downloading', progress: { stage: 'downloading', bytes: 25, total: undefined } }),
      job({ id: '4', state: 'queued', operation: 'transcribe', request: { model: 'm', file: '/a/stand up.m4a' } }),
      job({ id: '5', state: 'cancelled', error }),
    ]);
    assert.deepEqual(
      cards.map(({ id, part, message, words, files }) => [id, part, message, words, files]),
      [
        ['1', 0.25, 'is sending', 'a fox', 3],
        ['2', 0.4, 'is waiting', 'a fox', 3],
        ['3', undefined, 'is downloading', 'a fox', 3],
        ['4', undefined, 'is queued', 'stand up.m4a', 1],
      ],
    );
  });

  it('counts only unsaved results, follows the saved ones, and disappears after the last', () => {
    const [card] = cardsOf([job({ state: 'saving' })], { job: 1 });
    assert.deepEqual([card?.files, card?.position], [2, 6]);
    assert.deepEqual(cardsOf([job({ state: 'saving' })], { job: 3 }), []);
    const [done] = cardsOf([job({ state: 'done' })]);
    assert.equal(done?.message, 'is saving', 'the library has not been read yet');
  });

  it('returns a card for a request that has no job yet', () => {
    const createdAt = '2026-01-02T03:04:05Z';
    const starting = {
      id: 's',
      operation: 'speak',
      words: 'Hello.',
      model: 'm',
      sandbox: false,
      files: 1,
      createdAt,
    } as const;
    const [card] = cardsOf([], {}, [starting]);
    assert.deepEqual([card?.message, card?.kind, card?.words], ['starts', 'speech', 'Hello.']);
  });

  it('returns the error message and the possible actions', () => {
    const [card] = cardsOf([job({ state: 'unknown', error })]);
    assert.deepEqual(
      [card?.state, card?.message, card?.actions.map(({ id }) => id)],
      ['failed', 'Cut off.', ['runAgain', 'showLog', 'usePrompt', 'dismiss']],
    );
    assert.deepEqual(card?.actions[0], { id: 'runAgain', title: 'Do runAgain' });
  });

  it('offers to connect the service where the key is missing or wrong, as the notification does', () => {
    for (const kind of ['noKey', 'unauthorized'] as const) {
      const [card] = cardsOf([job({ state: 'failed', error: { kind, message: 'Wrong.', mayBeBilled: false } })]);
      assert.deepEqual(card?.actions.map(({ id }) => id).slice(0, 2), ['setApiKey', 'setUpService'], kind);
    }
  });

  it('offers another model where the service did not take the request, and the prompt where it may be the reason', () => {
    const actionsOf = (kind: 'notFound' | 'badRequest') => {
      const [card] = cardsOf([job({ state: 'failed', error: { kind, message: 'No.', mayBeBilled: false } })]);
      return card?.actions.map(({ id }) => id);
    };
    assert.deepEqual(actionsOf('notFound'), ['showLog', 'chooseModel', 'dismiss']);
    assert.deepEqual(actionsOf('badRequest'), ['showLog', 'usePrompt', 'chooseModel', 'dismiss']);
  });

  it('returns one card for the parts of a long text', () => {
    const place = job({}).place;
    const request = { model: 'm', input: 'all of it', voice: 'alloy', response_format: 'mp3' } as const;
    const part = (id: string, facts: Partial<Job>) =>
      job({
        id,
        operation: 'speak',
        request: { ...request, input: id },
        whole: { key: 'all', request, place },
        ...facts,
      });
    const cards = cardsOf([
      part('2', { state: 'waiting', createdAt: '2026-01-02T03:05:00Z' }),
      part('1', { state: 'done' }),
    ]);
    assert.deepEqual(
      cards.map(({ id, words, createdAt }) => [id, words, createdAt]),
      [['2', 'all of it', '2026-01-02T03:04:05Z']],
    );
  });

  it('shows of the failed parts one that may be billed again, because its button says so', () => {
    const { place, request } = job({});
    const whole = { key: 'all', request, place };
    const refused = job({ id: 'refused', whole, state: 'failed', error: { ...error, mayBeBilled: false } });
    const unusable = { kind: 'unreadableAnswer', message: 'What?', mayBeBilled: false } as const;
    for (const doubtful of [
      job({ id: 'doubtful', whole, state: 'unknown', error }),
      job({ id: 'doubtful', whole, state: 'failed', error: unusable, hasAnswer: true }),
    ]) {
      for (const jobs of [
        [refused, doubtful],
        [doubtful, refused],
      ]) {
        assert.deepEqual(
          cardsOf(jobs).map(({ id }) => id),
          ['doubtful'],
        );
      }
      assert.equal(cardsOf([doubtful, { ...refused, state: 'waiting' }])[0]?.state, 'running');
    }
  });

  it('names the same run from the sent request to the job, and for all parts of a text', () => {
    const { place, request } = job({});
    const starting = {
      id: 's',
      operation: 'generateImage',
      words: 'a fox',
      model: 'm',
      sandbox: false,
      files: 1,
    } as const;
    const runs = (...of: Parameters<typeof cardsOf>) => cardsOf(...of).map(({ run }) => run);
    assert.deepEqual(runs([], {}, [{ ...starting, createdAt: '2026-01-02T03:04:05Z' }]), ['s']);
    assert.deepEqual(runs([job({ id: '1' })], {}, [], { 1: 's' }), ['s']);
    assert.deepEqual(runs([job({ id: '1' }), job({ id: '2' })]), ['1', '2'], 'the same words are two runs');
    const whole = { key: 'all', request, place };
    assert.deepEqual(runs([job({ id: '1', whole })], {}, [], { all: 's' }), ['s']);
    assert.deepEqual(runs([job({ id: '2', whole }), job({ id: '1', whole, state: 'done' })]), ['all']);
  });

  it('truncates a long prompt without splitting a character', () => {
    const prompt = `${'a'.repeat(299)}🦊${'b'.repeat(100_000)}`;
    const [card] = cardsOf([job({ request: { model: 'm', prompt, output_format: 'url' } })]);
    assert.equal(card?.words, `${'a'.repeat(299)}🦊…`);
  });
});
