import assert from 'node:assert/strict';
import { posix } from 'node:path';
import type * as vscode from 'vscode';
import { findReferences } from '../../../../src/documents/findReferences.ts';
import type { Places } from '../../../../src/projects/Places.ts';
import { renderedByDocutils } from '../../../support/docutils.ts';
import { importWithEditor, Uri } from '../../../support/editorStub.ts';

const editor = {
  WorkspaceEdit: class {
    readonly set = () => undefined;
  },
  DocumentDropEdit: class {
    readonly insertText: string;
    constructor(text: string) {
      this.insertText = text;
    }
  },
  workspace: { getConfiguration: () => ({ get: () => undefined }) },
};
const { ReferenceWriter } = await importWithEditor<typeof import('../../../../src/editor/ReferenceWriter.ts')>(
  new URL('../../../../src/editor/ReferenceWriter.ts', import.meta.url),
  editor,
);
const { dropIn } = await importWithEditor<typeof import('../../../../src/features/references/assetCommands.ts')>(
  new URL('../../../../src/features/references/assetCommands.ts', import.meta.url),
  editor,
);

/** Writes addresses relative to the top of the folder. */
const places: Pick<Places, 'write' | 'needsSource'> = {
  write: async (_document, path) => ({ address: path.slice(1), isServed: true }),
  needsSource: async () => false,
};
const references = new ReferenceWriter({ placeOf: () => ({ places, document: {} }) } as never);

interface Place {
  readonly document: vscode.TextDocument;
  readonly range: vscode.Range;
  readonly before: string;
  readonly after: string;
}

/** @param marked a text with two bars around the selection */
function placeIn(name: string, marked: string): Place {
  const [before = '', selected = '', after = ''] = marked.split('¦');
  const lines = (before + selected + after).split('\n');
  const positionOf = (text: string) => {
    const above = text.split('\n');
    return { line: above.length - 1, character: above.at(-1)?.length ?? 0 };
  };
  const document = {
    ...{ uri: Uri.file(name), languageId: posix.extname(name) === '.rst' ? 'restructuredtext' : 'plaintext' },
    getText: () => lines.join('\n'),
    lineAt: (line: number) => ({ text: lines[line] ?? '' }),
    offsetAt: () => before.length,
  } as unknown as vscode.TextDocument;
  const range = { start: positionOf(before), end: positionOf(before + selected) } as vscode.Range;
  return { document, range, before, after };
}

/** Returns a text after the selection is replaced by references to files. */
async function inserted(name: string, marked: string, files: readonly string[], isParagraph?: boolean) {
  const { document, range, before, after } = placeIn(name, marked);
  const assets = { uris: files.map(Uri.file), title: 'A fox', isParagraph };
  const { text } = await references.textFor(document, range, assets as never);
  return before + text + after;
}

/** Returns the text of a drop at the selection. */
async function dropped(name: string, marked: string, files: readonly string[]) {
  const { document, range } = placeIn(name, marked);
  const data = JSON.stringify({ uris: files.map((file) => String(Uri.file(file))), title: 'A fox' });
  const drop = await dropIn(async () => references, document, range.start, data);
  return drop?.insertText;
}

describe('textFor', () => {
  for (const [marked, expected] of [
    ['Text.\n\n¦¦\n', 'Text.\n\nimage::a.png[A fox]\n'],
    ['¦a red fox¦ ', 'image::a.png[A fox] '],
    ['See ¦¦', 'See image:a.png[A fox]'],
    ['¦a red¦ fox', 'image:a.png[A fox] fox'],
    ['* ¦¦', '* image:a.png[A fox]'],
    ['a|¦¦', 'a|image::a.png[A fox]'],
    ['|¦¦', '|image:a.png[A fox]'],
    ['* item\n  ¦¦', '* item\n  image:a.png[A fox]'],
  ] as const) {
    it(`writes a macro of AsciiDoc for its place: ${JSON.stringify(marked)}`, async () =>
      assert.equal(await inserted('a.adoc', marked, ['a.png']), expected));
  }

  const picture = '![A fox](a.png)';
  for (const [marked, expected] of [
    ['One\n¦¦\nTwo', `One\n\n${picture}\n\nTwo`],
    ['One\n\n¦¦\n\nTwo', `One\n\n${picture}\n\nTwo`],
    ['One\r\n¦¦\r\n:::tip', `One\r\n\n${picture}\n\r\n:::tip`],
    ['- One\n  ¦¦\n- Two', `- One\n  \n  ${picture}\n\n- Two`],
    ['¦¦\nTwo', `${picture}\n\nTwo`],
    ['One\n¦¦', `One\n\n${picture}`],
    ['One ¦¦\nTwo', `One ${picture}\nTwo`],
    ['One\n¦a red fox¦\nTwo', `One\n${picture}\nTwo`],
  ] as const) {
    it(`keeps a blank line around what it writes on the only one: ${JSON.stringify(marked)}`, async () =>
      assert.equal(await inserted('a.md', marked, ['a.png']), expected));
  }

  it('links to a sound inside a line of AsciiDoc, which has no player there', async () => {
    assert.equal(await inserted('a.adoc', 'Hear ¦¦.', ['a.mp3']), 'Hear link:a.mp3[A fox].');
    assert.equal(await inserted('a.adoc', '¦¦', ['a.mp3']), 'audio::a.mp3[]');
    assert.equal(await inserted('a.adoc', '¦¦Text', ['a.mp3'], true), 'audio::a.mp3[]Text');
    for (const [before, after] of [
      ['a|', ''],
      ['|Text 2.3+^.>a| ', ' |Text'],
      ['a!', ''],
      ['ifdef::backend-html5[', ']'],
    ] as const)
      assert.equal(await inserted('a.adoc', `${before}¦¦${after}`, ['a.mp3']), `${before}audio::a.mp3[]${after}`);
    for (const [before, after] of [
      ['|', ''],
      ['|Banana|', ''],
      ['a|', ' Text'],
      ['link:b[', ']'],
    ] as const)
      assert.equal(await inserted('a.adoc', `${before}¦¦${after}`, ['a.mp3']), `${before}link:a.mp3[A fox]${after}`);
  });

  for (const [marked, expected] of [
    ['1. ¦¦', '1. .. image:: a.png\n      :alt: A fox\n   .. image:: b.png\n      :alt: A fox'],
    [
      '.. note::\n\n   ¦¦',
      '.. note::\n\n   .. image:: a.png\n      :alt: A fox\n   .. image:: b.png\n      :alt: A fox',
    ],
    ['* - ¦¦', '* - .. image:: a.png\n       :alt: A fox\n    .. image:: b.png\n       :alt: A fox'],
    ['¦¦', '.. image:: a.png\n   :alt: A fox\n.. image:: b.png\n   :alt: A fox'],
  ] as const) {
    it(`indents the options of pictures in reStructuredText: ${JSON.stringify(marked)}`, async () => {
      const text = await inserted('a.rst', marked, ['a.png', 'b.png']);
      assert.equal(text, expected);
      const found = findReferences(text, 'restructuredtext').map(({ address, altText }) => [address, altText]);
      const all = [
        ['a.png', 'A fox'],
        ['b.png', 'A fox'],
      ];
      assert.deepEqual(found, all);
      const [html] = renderedByDocutils([text]) ?? [];
      if (html === undefined) return;
      const shown = Array.from(html.matchAll(/<img alt="([^"]*)".*? src="([^"]*)"/g), ([, alt, src]) => [src, alt]);
      assert.deepEqual(shown, all);
    });
  }

  it('leaves the indentation of a drop to VS Code', async () => {
    const text = await dropped('a.rst', '.. note::\n\n   ¦¦', ['a.png', 'b.png']);
    assert.equal(text, '.. image:: a.png\n   :alt: A fox\n.. image:: b.png\n   :alt: A fox');
    assert.equal(await dropped('a.rst', '1. ¦¦', ['a.png']), '.. image:: a.png\n      :alt: A fox');
  });
});
