import assert from 'node:assert/strict';
import { parse, parseTree } from 'jsonc-parser';
import { withEntry } from '../../../src/files/withEntry.ts';

describe('withEntry', () => {
  /** Adds `"b": {"x": 1}` to `assets`. */
  function added(text: string): string {
    const root = parseTree(text, [], { allowTrailingComma: true });
    assert(root);
    const after = withEntry(text, root, ['assets', 'b'], { x: 1 });
    assert.deepEqual(parse(after).assets.b, { x: 1 });
    return after;
  }

  it('keeps the entry before it and its comments', () => {
    const before = '{\n  "assets": {\n    "a": { "y": 2 } /* own */ // the hero, do not change\n  }\n}\n';
    const after =
      '{\n  "assets": {\n    "a": { "y": 2 }, /* own */ // the hero, do not change\n    "b": {\n      "x": 1\n    }\n  }\n}\n';
    assert.equal(added(before), after);
  });

  function withFile(text: string, path: string): string {
    const root = parseTree(text) ?? assert.fail();
    return withEntry(text, root, ['assets', path], {});
  }

  it('adds an entry where its name belongs, so that two branches rarely add at the same place', () => {
    const text = '{\n  "assets": {\n    "a.png": {}, // first\n    "c.png": {},\n    "e.png": {}\n  }\n}\n';
    const d = withFile(text, 'd.png');
    assert.equal(d, text.replace('"c.png": {},', '"c.png": {},\n    "d.png": {},'));
    assert.equal(withFile(d, 'b.png'), d.replace('// first', '// first\n    "b.png": {},'));
    assert.equal(withFile(text, 'f.png'), text.replace('"e.png": {}', '"e.png": {},\n    "f.png": {}'));
    const unordered = text.replace('a.png', 'z.png');
    assert.equal(withFile(unordered, 'd.png'), unordered.replace('"e.png": {}', '"e.png": {},\n    "d.png": {}'));
  });

  it('keeps a comma after the last entry', () => {
    const before = '{\n  "assets": {\n    "a": 1, // the hero\n    // "c": {}\n  },\n}\n';
    const after =
      '{\n  "assets": {\n    "a": 1, // the hero\n    "b": {\n      "x": 1\n    },\n    // "c": {}\n  },\n}\n';
    assert.equal(added(before), after);
    const late = added('{\n  "assets": {\n    "a": 1 // the hero\n    ,\n  }\n}');
    assert.match(late, /"a": 1, \/\/ the hero\n {4}"b": \{\n {6}"x": 1\n {4}\}\n {4},\n/);
  });

  it('uses the indentation and line breaks of the file', () => {
    const before = '/*\r\n * Ours.\r\n */\r\n{\r\n\t"assets": {\r\n\t\t"a": {\r\n\t\t\t"y": [1,2]\r\n\t\t}\r\n\t}\r\n}';
    const after = before.replace('}\r\n\t}', '},\r\n\t\t"b": {\r\n\t\t\t"x": 1\r\n\t\t}\r\n\t}');
    assert.equal(added(before), after);
  });

  it('adds the first entry, also behind comments', () => {
    const entry = '"b": {\n      "x": 1\n    }';
    assert.equal(added('{\n  "assets": {}\n}'), `{\n  "assets": {\n    ${entry}\n  }\n}`);
    assert.equal(added('{\n  "assets": {\n  }\n}'), `{\n  "assets": {\n    ${entry}\n  }\n}`);
    assert.equal(
      added('{\n  "assets": { // of the site\n    // none yet\n  }\n}'),
      `{\n  "assets": { // of the site\n    ${entry}\n    // none yet\n  }\n}`,
    );
    assert.equal(added('{}'), '{\n  "assets": {\n    "b": {\n      "x": 1\n    }\n  }\n}');
    assert.equal(added('{ "style": "s" }'), '{ "style": "s",\n  "assets": {\n    "b": {\n      "x": 1\n    }\n  } }');
  });

  it('replaces an entry', () => {
    assert.equal(
      added('{ "assets": { "b": 1 /* old */, "c": 2 } }').replace(/\s+/g, ' '),
      '{ "assets": { "b": { "x": 1 } /* old */, "c": 2 } }',
    );
  });
});
