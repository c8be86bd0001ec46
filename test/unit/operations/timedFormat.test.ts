import assert from 'node:assert/strict';
import { fieldTable } from '../../../src/operations/declarations.ts';
import type { OperationId } from '../../../src/operations/operations.ts';
import { timedFormat } from '../../../src/operations/timedFormat.ts';

describe('timedFormat', () => {
  const own = (field: object) => ({ transcribe: { response_format: { type: 'string', ...field } } });
  const rows: readonly (readonly [string, string | undefined, unknown, OperationId?])[] = [
    ['whisper-1', 'verbose_json', { preset: 'openai' }],
    ['gpt-4o-transcribe-diarize', 'diarized_json', { preset: 'openai' }],
    ['gpt-4o-transcribe', undefined, { preset: 'openai' }],
    ['gpt-transcribe', undefined, { preset: 'openai' }],
    ['of-another-service', undefined, { preset: 'openai' }],
    ['whisper-1', undefined, { preset: 'openai' }, 'speak'],
    ['whisper-1', undefined, {}],
    ['any', undefined, { preset: 'local' }],
    ['any', 'verbose_json', own({ values: ['json', 'verbose_json'] })],
    ['any', undefined, own({ values: ['json', 'verbose_json'], default: 'json' })],
  ];
  for (const [model, format, declared, id = 'transcribe'] of rows) {
    it(`is ${format ?? 'left out'} for ${id} by ${model} with ${JSON.stringify(declared)}`, () => {
      assert.equal(timedFormat(fieldTable(id, declared, model)).response_format, format);
    });
  }
});
