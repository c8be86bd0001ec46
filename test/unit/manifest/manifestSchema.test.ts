import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { manifestSchema } from '../../../src/manifest/readManifest.ts';

describe('media/media.schema.json', () => {
  it('matches the operations', () => {
    const written = JSON.parse(readFileSync('media/media.schema.json', 'utf8')) as unknown;
    assert.deepEqual(
      written,
      JSON.parse(JSON.stringify(manifestSchema())),
      'run node test/support/writeSchema.ts && npm run format',
    );
  });
});
