import assert from 'node:assert/strict';
import { type EntryForm, entrySnippet } from '../../../src/manifest/entrySnippet.ts';
import { readManifest } from '../../../src/manifest/readManifest.ts';
import { operationIds } from '../../../src/operations/operations.ts';

describe('the snippet of a new entry', () => {
  const paths: Readonly<Record<EntryForm, string>> = {
    ...{ generateImage: 'a.png', editImage: 'a.png', speak: 'a.mp3', transcribe: 'a.md', translate: 'a.md' },
    ...{ generateVideo: 'a.mp4', animateImage: 'a.mp4', remixVideo: 'a.mp4', from: 'a.webp', captions: 'a.srt' },
  };

  for (const form of [...operationIds, 'from', 'captions'] as const) {
    it(`for ${form} is an entry that is right once its tab stops are filled in`, () => {
      const filled = entrySnippet(form, '', 2).replace(/\$(\d)/g, (_, stop: string) => `in${stop}.png`);
      assert(filled.includes('in2.png') && !filled.includes('in1.png'), filled);
      const text = `{"assets": {${JSON.stringify(paths[form])}: ${filled}}}`;
      assert.deepEqual(readManifest(text, '/p/media.jsonc').problems, []);
    });
  }

  it('starts with the words that a document has for it, whatever they hold', () => {
    assert.equal(
      entrySnippet('generateImage', 'A "$1" in {braces} \\ here'),
      String.raw`{ "operation": "generateImage", "prompt": "${'$'}{1:A \\"\$1\\" in {braces\} \\\\ here}" }`,
    );
    assert.equal(
      entrySnippet('editImage', 'at night'),
      '{ "operation": "editImage", "prompt": "${1:at night}", "images": ["$2"] }',
    );
  });
});
