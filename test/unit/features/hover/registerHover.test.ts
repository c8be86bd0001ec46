import assert from 'node:assert/strict';
import type { HoverProvider } from 'vscode';
import { importWithEditor } from '../../../support/editorStub.ts';

const providers: { readonly selector: string; readonly provider: HoverProvider }[] = [];
const { registerHover } = await importWithEditor<typeof import('../../../../src/features/hover/registerHover.ts')>(
  new URL('../../../../src/features/hover/registerHover.ts', import.meta.url),
  {
    commands: { registerCommand: () => undefined },
    languages: {
      registerHoverProvider: (selector: string, provider: HoverProvider) => providers.push({ selector, provider }),
    },
  },
);

describe('registerHover', () => {
  /** Returns whether a hover over a line looks for references. */
  async function looksAt(line: string): Promise<boolean> {
    let isAsked = false;
    const projects = () => {
      isAsked = true;
      throw new Error('asked');
    };
    registerHover({ settings: { get: () => true }, projects } as never);
    const document = { lineAt: () => ({ text: line }) };
    try {
      await providers.at(-1)?.provider.provideHover(document as never, { line: 0 } as never, {} as never);
    } catch (error) {
      if (!isAsked) throw error;
    }
    return isAsked;
  }

  it('is for documents of every language', async () => {
    await looksAt('A fox.');
    assert.deepEqual([...new Set(providers.map(({ selector }) => selector))], ['*']);
  });

  for (const line of ['![A](fox.PNG)', '\\includegraphics[width=1cm]{fox}', '\\includesvg{fox}']) {
    it(`looks for references in ${line}`, async () => assert.equal(await looksAt(line), true));
  }

  for (const line of ['A fox.', 'see a.txt', 'const included = include;']) {
    it(`skips ${line}`, async () => assert.equal(await looksAt(line), false));
  }
});
