import assert from 'node:assert/strict';
import { posix } from 'node:path';
import type * as vscode from 'vscode';
import type { Places } from '../../../../src/projects/Places.ts';
import { importWithEditor } from '../../../support/editorStub.ts';

const uriOf = (path: string) => ({ path, scheme: 'file', toString: () => `file://${path}` });
const editor = {
  l10n: { t: (text: string) => text },
  workspace: { getConfiguration: () => ({ get: () => undefined }) },
};
const { AssetReferences } = await importWithEditor<
  typeof import('../../../../src/features/references/AssetReferences.ts')
>(new URL('../../../../src/features/references/AssetReferences.ts', import.meta.url), editor);

/** Writes addresses relative to the top of the folder. */
const places: Pick<Places, 'write' | 'needsSource'> = {
  write: async (_document, path) => ({ address: path.slice(1), isServed: true }),
  needsSource: async () => false,
};
const references = new AssetReferences({ placeOf: () => ({ places, document: {} }) } as never);

/** Returns a document after the selection between two bars is replaced by references to files. */
async function inserted(name: string, marked: string, files: readonly string[], isParagraph?: boolean) {
  const [before = '', selected = '', after = ''] = marked.split('¦');
  const lines = (before + selected + after).split('\n');
  const positionOf = (text: string) => {
    const above = text.split('\n');
    return { line: above.length - 1, character: above.at(-1)?.length ?? 0 };
  };
  const document = {
    ...{ uri: uriOf(`/${name}`), languageId: posix.extname(name) === '.rst' ? 'restructuredtext' : 'plaintext' },
    getText: () => lines.join('\n'),
    lineAt: (line: number) => ({ text: lines[line] ?? '' }),
    offsetAt: () => before.length,
  } as unknown as vscode.TextDocument;
  const range = { start: positionOf(before), end: positionOf(before + selected) } as vscode.Range;
  const assets = { uris: files.map((file) => uriOf(`/${file}`)), title: 'A fox', isParagraph };
  const { text } = await references.textFor(document, range, assets as never);
  return before + text + after;
}

describe('textFor', () => {
  for (const [marked, expected] of [
    ['Text.\n\n¦¦\n', 'Text.\n\nimage::a.png[A fox]\n'],
    ['¦a red fox¦ ', 'image::a.png[A fox] '],
    ['See ¦¦', 'See image:a.png[A fox]'],
    ['¦a red¦ fox', 'image:a.png[A fox] fox'],
    ['* ¦¦', '* image:a.png[A fox]'],
    ['a|¦¦', 'a|image:a.png[A fox]'],
    ['* item\n  ¦¦', '* item\n  image:a.png[A fox]'],
  ] as const) {
    it(`writes a macro of AsciiDoc for its place: ${JSON.stringify(marked)}`, async () =>
      assert.equal(await inserted('a.adoc', marked, ['a.png']), expected));
  }

  it('links to a sound inside a line of AsciiDoc, which has no player there', async () => {
    assert.equal(await inserted('a.adoc', 'Hear ¦¦.', ['a.mp3']), 'Hear link:a.mp3[A fox].');
    assert.equal(await inserted('a.adoc', '¦¦', ['a.mp3']), 'audio::a.mp3[]');
    assert.equal(await inserted('a.adoc', '¦¦Text', ['a.mp3'], true), 'audio::a.mp3[]Text');
  });
});
