import assert from 'node:assert/strict';
import { findReferences } from '../../../src/documents/findReferences.ts';
import { languageOf } from '../../../src/documents/Language.ts';
import { alt, missingPictures } from '../../support/missingPictures.ts';
import { RealProject } from './realProject.ts';

describe('a missing picture in a document of', () => {
  for (const [name, { files, document, text, file, name: shown = file }] of Object.entries(missingPictures)) {
    it(`${name} is looked for at ${file}`, async () => {
      const [before = '', href = '', after = ''] = text.split(/[«»]/);
      const content = before + href + after;
      const project = new RealProject({ '.git/HEAD': '', ...files, [document]: content });
      try {
        const references = findReferences(content, languageOf('', document));
        assert.deepEqual(
          references.map((one) => [one.address, one.alt && content.slice(one.alt.start, one.alt.end)]),
          [[href, alt]],
        );
        const [reference] = references;
        assert(reference);
        const target = await project.resolve(document, reference.address, reference.form, reference.folders);
        assert.deepEqual([target?.path, target?.exists, target?.isOutput], [file, false, false]);
        assert.equal(await project.nameIn(document, file), shown);
      } finally {
        project.remove();
      }
    });
  }
});
