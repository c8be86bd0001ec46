import assert from 'node:assert/strict';
import { findReferences } from '../../../src/documents/findReferences.ts';
import { findMissing } from '../../../src/projects/Places.ts';
import { RealProject } from './realProject.ts';

describe('findMissing', () => {
  const files = {
    'docusaurus.config.js': '',
    'static/img/there.png': '',
    'static/old/hero.png': '',
    'archive/2020/hero.png': '',
  };
  const text = [
    '![A harbour](/img/hero.png) ![](/img/there.png)',
    '![Again](/img/hero.png?x) <audio src="./call.mp3"></audio>',
    '![](../build/a.png) ![](https://x.org/a.png) ![](./ignored.png) ![](./own.png)',
  ].join('\n');
  let project: RealProject;

  beforeEach(() => {
    project = new RealProject(files);
  });

  afterEach(() => project.remove());

  it('lists each missing file once, with all its references and other files of the same name', async () => {
    const found = await findMissing(findReferences(text, 'markdown'), {
      resolve: (reference) => project.resolve('docs/a.md', reference.address, reference.form, reference.folders),
      filesNamed: async (name) =>
        Object.keys(files)
          .filter((path) => path.endsWith(`/${name}`))
          .toReversed(),
      isIgnored: async (path) => path.endsWith('ignored.png'),
    });
    assert.deepEqual(
      found.map(({ path, references, candidates }) => [path, references.map(({ altText }) => altText), candidates]),
      [
        ['static/img/hero.png', ['A harbour', 'Again'], ['static/old/hero.png', 'archive/2020/hero.png']],
        ['docs/own.png', [''], []],
      ],
    );
  });

  it('returns nothing when no file is missing', async () => {
    project.create('static/img/hero.png');
    const found = await findMissing(findReferences('![](/img/hero.png)', 'markdown'), {
      resolve: (reference) => project.resolve('docs/a.md', reference.address, reference.form),
      filesNamed: () => Promise.reject(new Error('No file may be looked up.')),
    });
    assert.deepEqual(found, []);
  });
});
