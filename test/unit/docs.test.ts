import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { parse } from 'jsonc-parser';
import { optionNames, verbs } from '../../src/cli/commandLine.ts';
import { commandIds, commandOf, contributedSettings } from '../../src/contributions.ts';
import { readManifest } from '../../src/manifest/readManifest.ts';
import { mediaErrorKinds } from '../../src/operations/MediaError.ts';
import { operationIds, outputExtensions } from '../../src/operations/operations.ts';
import { documentsWithTables, withTables } from '../support/generatedTables.ts';

const root = join(import.meta.dirname, '../..');
const read = (name: string) => readFileSync(join(root, name), 'utf8');
const names = globSync(['*.md', 'docs/*.md'], { cwd: root }).map((name) => name.replaceAll('\\', '/'));

/** The text without code, in which links are only examples. */
function proseIn(text: string): string {
  return text.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '');
}

/** The targets of the Markdown links and images of a text that are not addresses. */
function localLinks(text: string): readonly string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => (/^[a-z]+:/.test(target) ? [] : [target]));
}

/** The names by which GitHub links to the headings of a text. */
function anchorsIn(text: string): readonly string[] {
  return [...text.replace(/```[\s\S]*?```/g, '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The words in backquotes in the first cells of the rows of a table. */
function firstCells(text: string): readonly string[] {
  return [...text.matchAll(/^\| (`.+?) \|/gm)].flatMap(([, cell = '']) => codeIn(cell));
}

function codeIn(text: string): readonly string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
}

describe('every document', () => {
  const titles = new Set(
    Object.values(JSON.parse(read('package.nls.json')) as Record<string, string>).map((text) => text.replace(/…$/, '')),
  );
  const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
  const ids = [
    ...Object.values(commandIds),
    ...operationIds.map(commandOf),
    ...Object.keys(contributedSettings).map((name) => `unifiedMedia.${name}`),
  ];

  for (const name of names) {
    const text = read(name);
    const prose = proseIn(text);

    it(`links to files and headings that exist: ${name}`, () => {
      for (const link of localLinks(prose)) {
        const [path = '', anchor] = link.split('#');
        const target = path === '' ? name : normalize(join(dirname(name), path));
        assert(existsSync(join(root, target)), link);
        if (anchor !== undefined) assert(anchorsIn(read(target)).includes(anchor), link);
      }
    });

    it(`names commands, settings and scripts that exist: ${name}`, () => {
      const named = [...prose.matchAll(/_Media: ([^_]+)_/g)].map(([, title = '']) => title.replace(/\s+/g, ' '));
      for (const title of named) assert(titles.has(title.replace(/…$/, '')), title);
      for (const code of codeIn(text)) {
        if (/^unifiedMedia\.[\w.]+$/.test(code)) assert(ids.includes(code), code);
        const [, script] = /^npm run ([\w:]+)/.exec(code) ?? [];
        if (script !== undefined) assert(Object.hasOwn(scripts, script), code);
      }
    });
  }

  it('is linked from the README or from one that is', () => {
    const linked = new Set(['README.md']);
    for (const name of linked) {
      for (const link of localLinks(proseIn(read(name)))) {
        const target = normalize(join(dirname(name), link.replace(/#.*/, ''))).replaceAll('\\', '/');
        if (names.includes(target)) linked.add(target);
      }
    }
    assert.deepEqual(
      names.filter((name) => name !== 'CHANGELOG.md' && !linked.has(name)),
      [],
    );
  });
});

describe('the README', () => {
  const readme = read('README.md');

  it('is read in three minutes', () => {
    assert(Buffer.byteLength(readme) <= 9000, `${Buffer.byteLength(readme)} bytes`);
  });

  it('has no link in code, which vsce would change like the others', () => {
    assert.deepEqual(localLinks(readme), localLinks(proseIn(readme)));
  });

  it('shows every picture that is kept for it, none larger than 1.5 MB', () => {
    const pictures = readdirSync(join(root, 'media/readme')).map((name) => `media/readme/${name}`);
    for (const picture of pictures) {
      assert(readme.includes(`](${picture})`), `${picture} is not used`);
      assert(statSync(join(root, picture)).size <= 1_500_000, picture);
    }
  });
});

describe('the reference', () => {
  it('explains every kind of error once', () => {
    assert.deepEqual(firstCells(read('docs/errors.md')).toSorted(), [...mediaErrorKinds].sort());
  });

  for (const name of documentsWithTables) {
    it(`has the rows that follow from the code: ${name}`, () => {
      assert.equal(read(name), withTables(name, read(name)), 'run npm run generate');
    });
  }

  it('has a manifest that can be read', () => {
    const [, example = ''] = /```jsonc\n([\s\S]*?)```/.exec(read('docs/manifest.md')) ?? [];
    const { manifest, problems } = readManifest(example, join(root, 'media.jsonc'));
    assert.deepEqual(problems, []);
    assert(manifest.entries.length >= 5);
  });

  it('names the file types that an entry of a manifest may have', () => {
    const [text = ''] = /^Keys end in [\s\S]*?\n\n/m.exec(read('docs/manifest.md')) ?? [];
    const endings = codeIn(text).filter((code) => code.startsWith('.'));
    const known = Object.values(outputExtensions).flatMap((some) => some.map((ending) => `.${ending}`));
    assert.deepEqual([...new Set(endings)].sort(), known.toSorted());
  });

  it('has JSON that can be read', () => {
    for (const name of names) {
      for (const [, example = ''] of read(name).matchAll(/```jsonc?\n([\s\S]*?)```/g)) {
        const errors: unknown[] = [];
        parse(example, errors as Parameters<typeof parse>[1]);
        assert.deepEqual(errors, [], name);
      }
    }
  });

  it('names the verbs, options and variables of the command line', () => {
    const text = read('docs/command-line.md');
    const cells = firstCells(text).map((cell) => cell.replace(/ .*/, ''));
    assert.deepEqual(
      cells.filter((cell) => !/^[A-Z]/.test(cell)).toSorted(),
      [...verbs, ...optionNames.map((name) => `--${name}`)].sort(),
    );
    const used = [...read('src/cli/environment.ts').matchAll(/value\('(\w+)'\)/g)].map(([, name = '']) => name);
    assert.deepEqual(
      cells.filter((cell) => /^[A-Z]/.test(cell)).toSorted(),
      used.map((name) => `UNIFIED_MEDIA_${name}`).sort(),
    );
  });
});

describe('CONTRIBUTING.md', () => {
  it('names files that exist', () => {
    const paths = codeIn(read('CONTRIBUTING.md')).filter((code) =>
      /^(src|test|docs|l10n|out|media)\/[\w./-]+$/.test(code),
    );
    assert(paths.length > 15);
    for (const path of paths) if (!path.startsWith('out/')) assert(existsSync(join(root, path)), path);
  });
});

describe('SECURITY.md', () => {
  it('numbers what is promised; the titles of tests have the same numbers', () => {
    const promised = [...read('SECURITY.md').matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
    assert.deepEqual(
      promised,
      promised.map((_, index) => index + 1),
    );
    const tested = globSync('test/**/*.test.ts', { cwd: root }).flatMap((file) =>
      [...read(file).matchAll(/\(promises? ([\d, ]+)\)/g)].flatMap(([, list = '']) => list.split(', ').map(Number)),
    );
    assert.deepEqual(
      [...new Set(tested)].sort((a, b) => a - b),
      promised,
    );
  });
});
