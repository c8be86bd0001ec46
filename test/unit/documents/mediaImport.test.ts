import assert from 'node:assert/strict';
import { importOf } from '../../../src/documents/mediaImport.ts';

/** Returns the text with the import. */
function withImport(text: string, address: string): string {
  const { insertion } = importOf(text, address);
  return insertion ? text.slice(0, insertion.offset) + insertion.text + text.slice(insertion.offset) : text;
}

describe('importOf', () => {
  const rows: readonly (readonly [title: string, before: string, after: string])[] = [
    ['begins a script without imports', 'export {};\n', "import hero from './hero.png';\nexport {};\n"],
    [
      'follows the last import, in its style',
      'import a from "a"\nimport {\n  b,\n  c,\n} from "b"\n\nconst d = 1\n',
      'import a from "a"\nimport {\n  b,\n  c,\n} from "b"\nimport hero from "./hero.png"\n\nconst d = 1\n',
    ],
    [
      'stays behind comments of the same line and above code that looks like an import',
      "'use client';\n// The page.\nimport a from 'a'; // why\n\nconst text = `\nimport b from 'b';\n`;\n",
      "'use client';\n// The page.\nimport a from 'a'; // why\nimport hero from './hero.png';\n\nconst text = `\nimport b from 'b';\n`;\n",
    ],
    [
      'stays below what has to come first',
      "#!/usr/bin/env node\n'use strict'\nrun();\n",
      "#!/usr/bin/env node\n'use strict'\nimport hero from './hero.png';\nrun();\n",
    ],
    [
      'keeps Windows line breaks, types and effects',
      "import type { A } from 'a';\r\nimport './a.css';\r\nimport x, { y } from 'x' with { type: 'json' };\r\n",
      "import type { A } from 'a';\r\nimport './a.css';\r\nimport x, { y } from 'x' with { type: 'json' };\r\nimport hero from './hero.png';\r\n",
    ],
    [
      'leaves dynamic imports alone',
      "import('./a.js').then(run);\n",
      "import hero from './hero.png';\nimport('./a.js').then(run);\n",
    ],
    ['is written once', "import picture from './hero.png';\n", "import picture from './hero.png';\n"],
  ];
  for (const [title, before, after] of rows) {
    it(title, () => assert.equal(withImport(before, './hero.png'), after));
  }

  it('uses the name of an import that is there', () => {
    assert.deepEqual(importOf("import picture from './hero.png';\n", './hero.png'), { name: 'picture' });
  });

  const names: readonly (readonly [address: string, name: string])[] = [
    ['./a-red-buoy.png', 'aRedBuoy'],
    ['../img/Hero_2.png', 'hero_2'],
    ['./NASA.png', 'nasa'],
    ['./2024 logo.png', 'image2024Logo'],
    ['./default.png', 'defaultImage'],
    ['./class.mp4', 'classVideo'],
    ['./été.mp3', 'été'],
    ['./💡.png', 'image'],
    ['./guide.md?url', 'guide'],
    ['./used.png', 'usedImage2'],
  ];
  for (const [address, name] of names) {
    it(`names ${address} ${name}`, () => assert.equal(importOf('const used = usedImage;\n', address).name, name));
  }

  it('takes no name that is taken elsewhere', () => {
    assert.equal(importOf('', './a/fox.png', new Set(['fox'])).name, 'foxImage');
  });

  it('quotes an address that has quotes', () => {
    assert.equal(withImport('', "./it's.png"), 'import itS from "./it\'s.png";\n');
  });

  it('reads a long script in linear time', () => {
    const text = `import a from 'a';\n${'import { '.repeat(10_000)}`;
    assert.equal(importOf(text, './hero.png').name, 'hero');
  });
});
