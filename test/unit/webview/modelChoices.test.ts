import assert from 'node:assert/strict';
import { operationIds } from '../../../src/operations/operations.ts';
import { kindsOf, operationsFor, suggestedModels } from '../../../src/webview/composer/modelChoices.ts';

const modelsOf = (names: readonly string[], guess?: string) =>
  operationIds.map((operation) => ({ operation, names, gone: [], chosen: '', guess }));

describe('the choice of models after connecting', () => {
  it('takes one whose kind the service does not tell for what its name says, also where there is one already', () => {
    const models = modelsOf(['whisper-1', 'tts-1']);
    assert.deepEqual(operationsFor('whisper-1', models, {}), ['translate', 'transcribe']);
    assert.deepEqual(operationsFor('tts-1', models, { speak: 'other' }), ['speak']);
  });

  it('asks where the name says nothing either, and only for the kinds that the service has', () => {
    const models = modelsOf(['painter']);
    assert.equal(operationsFor('painter', models, {}), undefined);
    assert.deepEqual(kindsOf(models), ['images', 'speech', 'transcripts', 'videos']);
    assert.deepEqual(kindsOf(models.filter(({ operation }) => operation !== 'speak').slice(0, 3)), [
      'images',
      'transcripts',
    ]);
  });

  it('takes one of a kind that the service tells for that kind, whatever its name says', () => {
    const models = modelsOf(['tts-1']).map((one) => ({
      ...one,
      names: one.operation === 'generateImage' || one.operation === 'editImage' ? ['tts-1'] : [],
    }));
    assert.deepEqual(operationsFor('tts-1', models, { editImage: 'other' }), ['generateImage', 'editImage']);
  });

  it('takes one of several kinds for operations that have none', () => {
    const models = modelsOf([]).map((one) => ({ ...one, names: one.operation === 'speak' ? [] : ['all'] }));
    const others = { generateImage: 'a', editImage: 'b', translate: 'c', transcribe: '' };
    assert.deepEqual(operationsFor('all', models, others), [
      ...['transcribe', 'generateVideo', 'animateImage', 'remixVideo'],
    ]);
  });

  it('suggests by name for operations without a model', () => {
    const models = modelsOf(['tts-1', 'mine']).map((one) => ({
      ...one,
      chosen: one.operation === 'speak' ? 'mine' : '',
      guess: one.operation === 'speak' || one.operation === 'transcribe' ? 'whisper-1' : undefined,
    }));
    assert.deepEqual(suggestedModels(models), { transcribe: 'whisper-1' });
  });
});
