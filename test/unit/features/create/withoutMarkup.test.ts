import assert from 'node:assert/strict';
import { importWithEditor } from '../../../support/editorStub.ts';

const { withoutMarkup } = await importWithEditor<typeof import('../../../../src/features/create/Gallery.ts')>(
  new URL('../../../../src/features/create/Gallery.ts', import.meta.url),
  { env: { language: 'en' } },
);

describe('the text of a transcript on its tile', () => {
  it('has neither front matter nor the marks of speakers, times and links', () => {
    const text =
      '---\nsource: "call.m4a"\n---\n\n[call.m4a](call.m4a)\n\n[00:07](call.m4a#t=7) **SPEAKER_00:** Hello\\.\n\n**Ada\\*:** 2 \\* 3 is **six**.\n';
    assert.equal(withoutMarkup(text).trim(), '00:07 SPEAKER_00: Hello.\n\nAda*: 2 * 3 is **six**.');
  });
});
