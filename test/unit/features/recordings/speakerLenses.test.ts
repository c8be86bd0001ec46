import assert from 'node:assert/strict';
import { maxUnaskedLength } from '../../../../src/reading/DocumentReader.ts';
import { importWithEditor } from '../../../support/editorStub.ts';

const editor = { CodeLens: class {} };
const { speakerLenses } = await importWithEditor<
  typeof import('../../../../src/features/recordings/renameSpeakers.ts')
>(new URL('../../../../src/features/recordings/renameSpeakers.ts', import.meta.url), editor);

describe('speakerLenses', () => {
  const lensesOf = (text: string) =>
    speakerLenses({ uri: { path: '/w/call.vtt' }, getText: () => text } as never, {} as never);
  const cue = 'WEBVTT\n\n00:00.000 --> 00:01.000\n<v Ann>Hi.\n';

  it('reads no file that is too long to be read unasked', async () => {
    assert.equal((await lensesOf(cue)).length, 1);
    assert.equal((await lensesOf(cue.padEnd(maxUnaskedLength + 1))).length, 0);
  });
});
