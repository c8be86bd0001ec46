import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { findReferences } from '../../../src/documents/findReferences.ts';
import { languageOf } from '../../../src/documents/Language.ts';
import { findMissing, Places } from '../../../src/projects/Places.ts';
import { staysInProportion } from '../../support/growsLinearly.ts';

const jsx = 'elements of JSX';
const modules = 'pictures of AsciiDoc in modules';

/** The lines of a document with references, by its name. */
const shapes: Readonly<Record<string, readonly [document: string, line: (index: number) => string]>> = {
  'different references': ['a.md', (index) => `![Fox ${index}](img/${index}.png)\n`],
  'one reference': ['a.md', () => '![Fox](img/a.png)\n'],
  'references of both kinds': ['a.md', (index) => (index % 2 ? '![Fox](img/a.png)\n' : `<img src="/${index}.png">\n`)],
  'references and headings': ['a.md', (index) => `# Heading ${index}\n\n![Fox](img/${index}.png)\n\n`],
  'references that lead up and down': ['a.md', (index) => `![Fox](img/../img/./../img/${index}.png)\n`],
  'references in template expressions': ['a.md', (index) => `![Fox]({{ '/img/${index}.png' | url }})\n`],
  'elements of HTML': ['a.html', (index) => `<video src="${index}.mp4" poster="img/${index}.png"></video>\n`],
  'sets of pictures': ['a.html', (index) => `<img srcset="${index}.png 1x, img/${index}.png 2x" alt="Fox">\n`],
  'layers of elements': ['a.html', (index) => `<picture><img src="img/${index}.png">\n`],
  'references of a style sheet': ['a.css', (index) => `a { background: url(img/${index}.png) }\n`],
  'imports of a script': ['a.js', (index) => `import a${index} from './img/${index}.png';\n`],
  [jsx]: ['a.jsx', (index) => `const a${index} = <img src="./img/${index}.png" alt="Fox" />;\n`],
  'pictures of LaTeX and their folders': [
    'a.tex',
    (index) => `\\graphicspath{{a${index}/}{img/}}\n\\includegraphics{${index}}\n\n`,
  ],
  'pictures of AsciiDoc': ['a.adoc', (index) => `image::img/${index}.png[Fox]\n\n`],
  'pictures of AsciiDoc and their folder': ['a.adoc', (index) => `:imagesdir: img\n\nimage::${index}.png[Fox]\n\n`],
  'pictures of AsciiDoc and layers of folders': [
    'a.adoc',
    (index) => `ifdef::a${index}[:imagesdir: img${index}]\n\nimage::${index}.png[Fox]\n\n`,
  ],
  [modules]: ['modules/ROOT/pages/a.adoc', (index) => `image::m${index}:${index}.png[Fox]\n\n`],
  'pictures of reStructuredText': ['a.rst', (index) => `.. image:: img/${index}.png\n   :alt: Fox\n\n`],
};

/** The files of a workspace folder. */
type Files = (count: number) => Readonly<Record<string, string>>;

/** As many files and settings as there are references, for each shape or for one. */
const workspaces: Readonly<Record<string, readonly [files: Files, shape?: string]>> = {
  'nothing else': [() => ({})],
  'the files': [(count) => named(count, (index) => `img/${index}.png`)],
  'files of other names': [(count) => named(count, (index) => `img/other${index}.png`), 'different references'],
  'files in another spelling': [(count) => named(count, (index) => `img/${index}.PNG`), 'different references'],
  'aliases of a bundler': [
    (count) => ({
      'vite.config.js': '',
      'tsconfig.json': JSON.stringify({
        compilerOptions: { paths: Object.fromEntries(numbers(count).map((index) => [`@a${index}/*`, ['./src/*']])) },
      }),
    }),
    jsx,
  ],
  'modules of a site': [
    (count) => ({ 'antora.yml': 'name: a\n', ...named(count, (index) => `modules/m${index}/images/a.png`) }),
    modules,
  ],
};

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function named(count: number, name: (index: number) => string): Readonly<Record<string, string>> {
  return Object.fromEntries(numbers(count).map((index) => [name(index), '']));
}

/** Keeps the names of each folder, as the editor does. */
function placesOf(files: Readonly<Record<string, string>>): Places {
  const folders = new Map<string, Set<string>>();
  for (const file of Object.keys(files)) {
    for (let path = posix.join('/w', file); path !== '/w'; path = posix.dirname(path)) {
      const folder = posix.dirname(path);
      folders.set(folder, (folders.get(folder) ?? new Set()).add(posix.basename(path)));
    }
  }
  const names = async (path: string) => folders.get(path) ?? new Set<string>();
  return new Places('/w', {
    names,
    exists: async (path) => (await names(posix.dirname(path))).has(posix.basename(path)),
    readText: async (path) => files[posix.relative('/w', path)],
  });
}

/** How many references there are at first. */
const count = 500;

describe('time for the references of a document that came with a folder (promise 17)', () => {
  for (const [shape, [name, lineOf]] of Object.entries(shapes)) {
    const language = languageOf('', name);
    const textOf = (size: number) => numbers(size).map(lineOf).join('');

    it(`grows at most linearly in findReferences with ${shape}`, async () => {
      assert(findReferences(textOf(20), language).length >= 10);
      const prepare = async (size: number) => {
        const text = textOf(size);
        return () => findReferences(text, language);
      };
      assert(await staysInProportion(prepare, 4 * count));
    });

    for (const [others, [filesOf, only = shape]] of Object.entries(workspaces)) {
      if (shape !== only) continue;
      it(`grows at most linearly in findMissing with ${shape} beside ${others}`, async () => {
        const prepare = async (size: number) => {
          const references = findReferences(textOf(size), language);
          const places = placesOf({ ...filesOf(size), [name]: '' });
          const document = { path: `/w/${name}`, language };
          return () =>
            findMissing(references, {
              resolve: (reference) => places.resolve(document, reference),
              filesNamed: async () => [],
            });
        };
        assert(await staysInProportion(prepare, count));
      });
    }
  }
});
