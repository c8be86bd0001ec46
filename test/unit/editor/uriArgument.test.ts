import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { MediaError } from '../../../src/operations/MediaError.ts';
import { importWithEditor } from '../../support/editorStub.ts';

class Uri {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get scheme(): string {
    return this.#text.split(':', 1)[0] ?? '';
  }

  static parse(text: string, isStrict: boolean): Uri {
    if (isStrict && text.includes('[')) throw new Error('[UriError]');
    return new Uri(text);
  }

  static file(path: string): Uri {
    return new Uri(`file://${path.replaceAll('\\', '/')}`);
  }

  static joinPath(base: Uri, path: string): Uri {
    return new Uri(`file://${posix.join(String(base).slice('file://'.length), path)}`);
  }

  toString(): string {
    return this.#text;
  }
}

const workspace: { workspaceFolders?: readonly { readonly uri: Uri }[] } = {};
// Another test may have loaded the module with its own stub.
const { uriArgument } = await importWithEditor<typeof import('../../../src/editor/MediaInputs.ts')>(
  new URL('../../../src/editor/MediaInputs.ts?uriArgument', import.meta.url),
  { Uri, workspace },
);

describe('the URI in the argument of a command', () => {
  beforeEach(() => {
    workspace.workspaceFolders = [{ uri: Uri.file('/w') }, { uri: Uri.file('/other') }];
  });

  const read = (value: unknown) => uriArgument(value)?.toString();

  it('is a Uri, a URI as text, an absolute path, or a path in the first folder', () => {
    assert.equal(read(undefined), undefined);
    assert.equal(read(Uri.file('/w/call.md')), 'file:///w/call.md');
    assert.equal(read('file:///w/call.md#t=7'), 'file:///w/call.md#t=7');
    assert.equal(read('untitled:Untitled-1'), 'untitled:Untitled-1');
    assert.equal(read('/abs/call.md'), 'file:///abs/call.md');
    assert.equal(read('C:\\docs\\call.md'), 'file://C:/docs/call.md');
    assert.equal(read('docs/call.md'), 'file:///w/docs/call.md');
  });

  it('is named in the error when it is anything else', () => {
    const names = (value: unknown, name?: string) =>
      assert.throws(
        () => uriArgument(value, name),
        (error) =>
          error instanceof MediaError &&
          error.kind === 'invalidInput' &&
          error.field === (name ?? 'uri') &&
          error.message.startsWith(`${name ?? 'uri'} must be`),
      );
    for (const value of [5, null, {}, ' ', 'https://[']) names(value);
    names(5, 'uris');
    workspace.workspaceFolders = [];
    names('docs/call.md');
  });
});
