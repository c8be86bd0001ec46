import assert from 'node:assert/strict';
import { fittingFor, missingOperations } from '../../../src/manifest/missingOperation.ts';
import { readManifest } from '../../../src/manifest/readManifest.ts';

describe('an entry without an operation', () => {
  it('may be meant for the operations that make such a file and take its fields, the likeliest first', () => {
    for (const [path, names, fitting] of [
      ['a.png', ['prompt'], ['generateImage', 'editImage']],
      ['a.png', ['prompt', 'images'], ['editImage']],
      ['a.png', ['promt', 'size'], ['generateImage', 'editImage']],
      ['a.mp3', ['document'], ['speak']],
      ['a.md', ['file'], ['transcribe', 'translate']],
      ['a.mp4', [], ['generateVideo', 'animateImage', 'remixVideo']],
      ['a.mp4', ['prompt', 'image'], ['animateImage']],
      ['a.mp4', ['video', 'prompt'], ['remixVideo']],
      ['a.gif', ['prompt'], []],
    ] as const) {
      assert.deepEqual(fittingFor(path, names), fitting, `${path} ${names}`);
    }
  });

  it('is found, unlike one that says what it is made from', () => {
    const entries = ['"a.png": {}', '"b.png": {"from": "a.png"}', '"c.srt": {"captions": "c.md"}', '"d.png": 1'];
    const text = `{"assets": {${entries.join(', ')}, "e.png": {"operation": "paint"}}}`;
    const found = missingOperations(text);
    assert.deepEqual(
      found.map(({ start, end }) => text.slice(start, end)),
      ['"a.png": {}'],
    );
  });

  it('gets the field as its first, on a line of its own where the others have one', () => {
    for (const [entry, fixed] of [
      ['{ "prompt": "a" }', '{ "operation": "generateImage", "prompt": "a" }'],
      ['{}', '{ "operation": "generateImage" }'],
      ['{ // why\n    "prompt": "a" }', '{ // why\n    "operation": "generateImage",\n    "prompt": "a" }'],
      ['{\r\n\t"prompt": "a"\r\n}', '{\r\n\t"operation": "generateImage",\r\n\t"prompt": "a"\r\n}'],
    ] as const) {
      const text = `{ "assets": { "a.png": ${entry} } }`;
      const [found] = missingOperations(text);
      assert(found);
      const after = text.slice(0, found.at) + found.fieldFor('generateImage') + text.slice(found.at);
      assert.equal(after, `{ "assets": { "a.png": ${fixed} } }`);
      const { problems } = readManifest(after, '/p/media.jsonc');
      assert(problems.every(({ field }) => field === 'prompt'));
    }
  });
});
