import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import type { Uri, Webview } from 'vscode';
import { importWithEditor } from '../../support/editorStub.ts';

type Pages = typeof import('../../../src/editor/createPage.ts');

describe('createPage', () => {
  let page: string;

  before(async () => {
    const { createPage } = await importWithEditor<Pages>(
      new URL('../../../src/editor/createPage.ts', import.meta.url),
      {
        Uri: { joinPath: (...names: readonly string[]) => names.join('/') },
        env: { language: 'de"' },
        l10n: { bundle: undefined },
      },
    );
    const webview = { cspSource: 'https://own.example', asWebviewUri: String } as unknown as Webview;
    page = createPage(webview, 'file:///x' as unknown as Uri, { name: 'main', id: 'view', title: '<b>' }, '"><script>');
  });

  it('allows nothing but its own script, styles and media: no base, no form', () => {
    const [, policy = ''] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
    const [, nonce] = /<script type="module" nonce="([^"]+)"/.exec(page) ?? [];
    assert.deepEqual(policy.split('; '), [
      "default-src 'none'",
      `script-src 'nonce-${nonce}'`,
      'style-src https://own.example',
      'img-src https://own.example',
      'media-src https://own.example',
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    assert.match(nonce ?? '', /^[0-9a-f-]{36}$/);
    // The policy stands before anything that it governs.
    assert(page.indexOf('Content-Security-Policy') < page.search(/<(link|script|base|title)/));
    assert.equal(page.match(/<script/g)?.length, 1);
  });

  it('makes the pages of all webviews', () => {
    const writers = globSync('src/**/*.ts').filter((file) => /\.html = /.test(readFileSync(file, 'utf8')));
    assert(writers.length > 1);
    for (const file of writers) assert.match(readFileSync(file, 'utf8'), /\.html = createPage\(/, file);
  });
});
