import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { mediaErrorKinds } from '../../src/operations/MediaError.ts';
import { settingsInReadme, settingsTable } from '../support/settingsTable.ts';

const root = join(import.meta.dirname, '../..');
const read = (name: string) => readFileSync(join(root, name), 'utf8');
const readme = read('README.md');

/** The targets of the Markdown links and images of a text that are not addresses. */
function localLinks(text: string): readonly string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => (/^[a-z]+:/.test(target) ? [] : [target]));
}

/** The text without code, in which links are only examples. */
const prose = readme.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '');

describe('the README', () => {
  it('lists the settings of package.json; npm run generate updates the list', () => {
    assert.equal(settingsInReadme(), settingsTable());
  });

  it('explains every kind of error once', () => {
    const section = readme.slice(readme.indexOf('\n## Troubleshooting'), readme.indexOf('\n## Settings'));
    const kinds = [...section.matchAll(/^\| (`.+?`) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, kind = '']) => kind),
    );
    assert.deepEqual(kinds.toSorted(), [...mediaErrorKinds].sort());
  });

  it('names commands by their titles', () => {
    const texts = JSON.parse(read('package.nls.json')) as Record<string, string>;
    const titles = new Set(Object.values(texts).map((text) => text.replace(/…$/, '')));
    const named = [...prose.matchAll(/_Media: ([^_]+)_/g)].map(([, title = '']) => title.replace(/…$/, ''));
    assert(named.length > 10);
    assert.deepEqual(
      named.filter((title) => !titles.has(title)),
      [],
    );
  });

  it('links to files and headings that exist', () => {
    const headings = [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    );
    const links = localLinks(prose);
    assert(links.length > 10);
    for (const link of links) {
      if (link.startsWith('#')) assert(headings.includes(link.slice(1)), link);
      else assert(existsSync(join(root, link)), link);
    }
  });

  it('has no link in code, which vsce would change like the others', () => {
    assert.deepEqual(localLinks(readme), localLinks(prose));
  });

  it('shows every picture that is kept for it, none larger than 1.5 MB', () => {
    const pictures = readdirSync(join(root, 'media/readme')).map((name) => `media/readme/${name}`);
    for (const picture of pictures) {
      assert(readme.includes(`](${picture})`), `${picture} is not used`);
      assert(statSync(join(root, picture)).size <= 1_500_000, picture);
    }
  });
});

describe('SECURITY.md', () => {
  /** Paths below `test`, by file name. */
  const files = Map.groupBy(globSync('test/**/*.test.ts', { cwd: root }), (path) => basename(path));

  /** The numbers of the promises, with the paths of their tests. */
  const promises = [...read('SECURITY.md').matchAll(/^\| (\d+) \| .* \| (`.*) \|$/gm)].map(([, number, cell = '']) => {
    let folder = '';
    const paths = [...cell.matchAll(/`([\w/]+\.test\.ts)`/g)].map(([, name = '']) => {
      const all = files.get(basename(name)) ?? [];
      const path = name.includes('/') ? name : (all.find((one) => dirname(one) === folder) ?? all[0] ?? '');
      folder = dirname(path);
      return path;
    });
    return { number: Number(number), paths };
  });

  it('numbers what is promised', () => {
    assert.deepEqual(
      promises.map(({ number }) => number),
      promises.map((_, index) => index + 1),
    );
    assert(promises.length >= 40);
  });

  for (const { number, paths } of promises) {
    it(`names tests of promise ${number}, whose titles name it`, () => {
      assert(paths.length > 0);
      for (const path of paths) assert.match(read(path), new RegExp(`\\(promises? [\\d, ]*\\b${number}\\b`), path);
    });
  }
});
