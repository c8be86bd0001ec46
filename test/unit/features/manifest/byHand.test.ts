import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { libraryIn } from '../../../../src/cli/libraryIn.ts';
import { findReferences } from '../../../../src/documents/findReferences.ts';
import { readManifest } from '../../../../src/manifest/readManifest.ts';
import { Store } from '../../../../src/work/Store.ts';
import { importWithEditor, Position, Range, Uri } from '../../../support/editorStub.ts';
import { settingsWith } from '../../../support/settingsWith.ts';

interface Item {
  readonly label: string;
  readonly insertText?: { readonly value: string };
  readonly sortText?: string;
  readonly detail?: string;
  readonly range?: Range;
}
interface Action {
  readonly title: string;
  readonly isPreferred: boolean;
  readonly edit: { readonly inserted: readonly [at: Position, text: string] };
  readonly diagnostics: readonly object[];
}

let root = '';
let marks: readonly { readonly range: Range; readonly message: string }[] = [];
const mark = (all: typeof marks) => {
  marks = all;
};
let fixesAt: (document: object, range: Range, context: object) => readonly Action[] = () => [];
const none = { dispose: () => undefined };
const listen = () => none;
const editor = {
  workspace: {
    isTrusted: true,
    textDocuments: [],
    notebookDocuments: [],
    getWorkspaceFolder: () => ({ uri: Uri.file(root) }),
    asRelativePath: ({ fsPath }: Uri) => relative(root, fsPath).split(sep).join('/'),
    findFiles: async (where: string | { readonly base: Uri; readonly pattern: string }) => {
      if (typeof where === 'string') return [Uri.file(join(root, 'media.jsonc'))];
      const { base, pattern } = where;
      const endings = /\{([^}]*)\}/.exec(pattern)?.[1]?.split(',') ?? [];
      const names = await readdir(base.fsPath, { recursive: true });
      const wanted = names.filter((name) => endings.includes(name.split('.').at(-1) ?? ''));
      return wanted.map((name) => Uri.joinPath(base, name.split(sep).join('/')));
    },
    createFileSystemWatcher: () => ({ ...none, onDidCreate: listen, onDidDelete: listen, onDidChange: listen }),
    fs: {
      stat: async ({ fsPath }: Uri) => ({ type: 1, size: (await stat(fsPath)).size }),
      readFile: ({ fsPath }: Uri) => readFile(fsPath),
      readDirectory: async ({ fsPath }: Uri) =>
        (await readdir(fsPath, { withFileTypes: true })).map((one) => [one.name, one.isFile() ? 1 : 2]),
    },
    onDidChangeWorkspaceFolders: listen,
    onDidChangeConfiguration: listen,
    onDidCloseTextDocument: listen,
  },
  languages: {
    createDiagnosticCollection: () => ({ ...none, set: (_: Uri, all: typeof marks) => mark(all) }),
    registerCodeActionsProvider: (_: object, { provideCodeActions }: { provideCodeActions: typeof fixesAt }) => {
      fixesAt = provideCodeActions;
      return none;
    },
  },
  extensions: { getExtension: () => undefined },
  DiagnosticSeverity: { Error: 0 },
  CodeActionTriggerKind: { Invoke: 1, Automatic: 2 },
  CompletionItemKind: { File: 16, Value: 11 },
  CodeLens: class {
    readonly range: Range;
    readonly command: object;
    constructor(range: Range, command: object) {
      [this.range, this.command] = [range, command];
    }
  },
  Diagnostic: class {
    readonly range: Range;
    readonly message: string;
    source = '';
    constructor(range: Range, message: string) {
      [this.range, this.message] = [range, message];
    }
  },
  CompletionItem: class {
    readonly label: string;
    constructor(label: string) {
      this.label = label;
    }
  },
  SnippetString: class {
    readonly value: string;
    constructor(value: string) {
      this.value = value;
    }
  },
  CodeAction: class {
    readonly title: string;
    constructor(title: string) {
      this.title = title;
    }
  },
  WorkspaceEdit: class {
    inserted: unknown;
    insert(_: Uri, at: Position, text: string) {
      this.inserted = [at, text];
    }
  },
};
const load = <Module>(path: string) =>
  importWithEditor<Module>(new URL(`../../../../src/${path}`, import.meta.url), editor);
const { DocumentPlaces } =
  await load<typeof import('../../../../src/editor/DocumentPlaces.ts')>('editor/DocumentPlaces.ts');
const { ManifestFeature } = await load<typeof import('../../../../src/features/manifest/ManifestFeature.ts')>(
  'features/manifest/ManifestFeature.ts',
);

describe('media.jsonc by hand', () => {
  let feature: InstanceType<typeof ManifestFeature>;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'by-hand-'));
    const reader = {
      findReferences: async (...given: Parameters<typeof findReferences>) => findReferences(...given),
    };
    const dependencies = {
      projects: async () => new DocumentPlaces({ references: () => 'auto' }, reader as never),
      places: { libraryOf: () => libraryIn(root) },
      runs: { forManifests: async () => ({ runner: { store: new Store(join(root, 'work')) } }) },
      settings: { ...settingsWith(), usesSandbox: false, declaredFields: undefined, models: () => ['m'], service: {} },
      models: { names: () => [] },
    };
    feature = new ManifestFeature(dependencies as never, () => undefined);
  });
  afterEach(async () => {
    feature.dispose();
    await rm(root, { recursive: true });
  });

  async function write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, name)), { recursive: true });
      await writeFile(join(root, name), text);
    }
  }

  /** Returns the manifest as an open document, and the offset of `|` in it. */
  async function manifest(written: string) {
    const offset = written.indexOf('|');
    const text = written.replace('|', '');
    await write({ 'media.jsonc': text });
    const lines = text.split('\n');
    const positionAt = (at: number) => {
      const before = text.slice(0, at).split('\n');
      return new Position(before.length - 1, before.at(-1)?.length ?? 0);
    };
    const offsetAt = ({ line, character }: Position) =>
      lines.slice(0, line).reduce((sum, { length }) => sum + length + 1, character);
    const lineAt = (line: number) => {
      const found = lines[line] ?? '';
      return { text: found, firstNonWhitespaceCharacterIndex: found.length - found.trimStart().length };
    };
    const document = {
      ...{ uri: Uri.file(join(root, 'media.jsonc')), languageId: 'jsonc', version: 1 },
      ...{ getText: () => text, positionAt, offsetAt, lineAt },
    };
    return { document, text, position: positionAt(offset) };
  }

  async function lenses(text: string): Promise<readonly string[]> {
    const { document } = await manifest(text);
    const found = await feature.lenses(document as never);
    return found.map(({ range, command }) => `${range.start.line + 1} ${command?.title}`);
  }

  /** Returns what is offered at `|`. */
  async function completed(text: string, isCancellationRequested = false): Promise<readonly Item[]> {
    const { document, position } = await manifest(text);
    const token = { isCancellationRequested };
    const items = await feature.complete(
      ...([document, position, token] as unknown as Parameters<typeof feature.complete>),
    );
    return items as unknown as readonly Item[];
  }

  const right = '"a.png": { "operation": "generateImage", "prompt": "a" }';

  it('has one line above an entry that stands for several documents, and applies them all', async () => {
    await write({ 'docs/a.md': 'One.\n\nTwo.', 'docs/b.md': 'Three.', 'docs/c.md': 'Four.', 'static/c.mp3': 'sound' });
    const entry = (document: string) => `{ "operation": "speak", "voice": "nova", "document": "${document}" }`;
    const text = `{ "assets": {\n"static/{name}.mp3": ${entry('docs/*.md')},\n"{name}.mp3": ${entry('*.md')}\n} }`;
    const { document } = await manifest(text);
    const found = await feature.lenses(document as never);
    assert.deepEqual(
      found.slice(2).map(({ range, command }) => `${range.start.line + 1} ${command?.title}`),
      ['2 2 of 3 narrations, 3 paragraphs, 14 characters', '2 Apply…', '3 no document matches'],
    );
    const [argument] = found[3]?.command?.arguments ?? [];
    assert.deepEqual(argument.paths, ['static/a.mp3', 'static/b.mp3']);
  });

  it('shows an error above its entry and what is made from that, and leaves the lines of the others', async () => {
    const text = `{ "assets": {\n${right},\n"b.png": { "prompt": "b" },\n"b.webp": { "from": "b.png" }\n} }`;
    const missing = 'The field "operation" is missing. For this path it is one of: generateImage, editImage.';
    assert.deepEqual(await lenses(text), [
      '1 1 request, 1 image',
      '1 2 entries have errors',
      '2 missing',
      '2 Generate (1 request)',
      `3 error: ${missing}`,
      '4 error: Its input b.png has an error.',
    ]);
    assert.deepEqual(
      marks.map(({ range: { start, end }, message }) => [start.line, start.character, end.character, message]),
      [[2, 0, 27, missing]],
    );
    const nodes = await feature.tree.getChildren();
    assert.deepEqual(
      nodes.map(({ label, problem, line }) => [label, problem, line]),
      [
        ['b.png', missing, 3],
        ['b.webp', 'Its input b.png has an error.', 4],
        ['missing', undefined, undefined],
      ],
    );
    await lenses(`{ "assets": {\n${right}\n} }`);
    assert.deepEqual(marks, []);
  });

  it('says at the top what concerns all entries', async () => {
    const [first, ...others] = await lenses(`{ "stile": "flat",\n"assets": {\n${right}\n} }`);
    assert.match(first ?? '', /^1 error: media\.jsonc:1: There is no field "stile"\./);
    assert.deepEqual(others, []);
    assert.match((await lenses('{ "assets": {')).join(), /^1 error: media\.jsonc:1: This is not valid JSON/);
  });

  it('fixes a missing operation: one for each that fits, the likeliest preferred', async () => {
    const { document, text, position } = await manifest(`{ "assets": {\n${right},\n"b.png": { "prompt": "|b" }\n} }`);
    const at = new Range(position, position);
    const [mine, other] = [{ source: 'Unified Media' }, { source: 'jsonc' }];
    const fixes = fixesAt(document, at, { diagnostics: [mine, other] });
    assert.deepEqual(
      fixes.map(({ title, isPreferred, diagnostics }) => [title, isPreferred, diagnostics]),
      [
        ['Make It an Image (generateImage)', true, [mine]],
        ['Make It an Image (editImage)', false, [mine]],
      ],
    );
    const [where, inserted] = fixes[0]?.edit.inserted ?? [position, ''];
    const offset = document.offsetAt(where);
    const fixed = text.slice(0, offset) + inserted + text.slice(offset);
    assert.deepEqual(readManifest(fixed, '/p/media.jsonc').problems, []);
    const above = new Range(1, 3, 1, 3);
    assert.deepEqual(fixesAt(document, above, { diagnostics: [] }), []);
    // On save, VS Code applies every fix that it gets.
    const only = { value: 'quickfix', intersects: () => true };
    assert.deepEqual(fixesAt(document, at, { diagnostics: [], only, triggerKind: 2 }), []);
  });

  it('offers missing media of the documents first, then files without an entry, then each operation', async () => {
    await write({
      'docs/guide.md': '![A $5 fox](../img/fox.png)\n\n![](../img/a.png) ![An owl](../img/made.png) ![](x.svg)\n',
      'docs/page.html': '<video src="../img/fox.mp4"></video><img src="../img/fox.png" alt="again">',
      'img/made.png': 'made',
      'img/zebra.webp': 'there',
      'notes.md': 'Notes.',
    });
    const entry = '"img/a.png": { "operation": "generateImage", "prompt": "a" }';
    const items = await completed(`{ "assets": {\n"|"\n${entry}\n} }`);
    assert.deepEqual(
      items.map(({ label, detail }) => `${label} ${detail}`),
      [
        '"img/fox.png" missing in docs/guide.md',
        '"img/fox.mp4" missing in docs/page.html',
        '"img/made.png" exists, without an entry',
        '"img/zebra.webp" exists, without an entry',
        'generateImage Generate Image',
        'editImage Edit Image',
        'speak Generate Speech',
        'translate Translate Audio to English',
        'transcribe Transcribe Audio',
        'generateVideo Generate Video',
        'animateImage Generate Video from Image',
        'remixVideo Remix Video',
        'from Made locally from another image, for free',
        'captions Subtitles of a transcript, made locally and for free',
      ],
    );
    assert.deepEqual(
      items.map(({ sortText = '' }) => sortText).toSorted(),
      items.map(({ sortText }) => sortText),
    );
    const [fox] = items;
    const words = '${1:A \\$5 fox}';
    assert.equal(fox?.insertText?.value, `"img/fox.png": { "operation": "generateImage", "prompt": "${words}" },`);
    assert.deepEqual(fox?.range, new Range(new Position(1, 0), new Position(1, 2)));
    const edit = items.find(({ label }) => label === 'editImage')?.insertText?.value;
    assert.equal(
      edit,
      '"${1:name.png}": { "operation": "editImage", "prompt": "$2", "images": ["$3"] },'.replace(
        'name.png',
        'name.png',
      ),
    );
  });

  it('looks for missing media in no document above 1 MB, and in none once it is cancelled (promise 36)', async () => {
    const large = '![](fox.png)'.padEnd(1_000_001);
    await write({ 'large.md': large, 'small.md': large.trim().replace('fox', 'owl') });
    const text = '{ "assets": {\n  |\n} }';
    const [first, second] = await completed(text);
    assert.deepEqual([first?.label, second?.label], ['"owl.png"', 'generateImage']);
    assert.equal((await completed(text, true))[0]?.label, 'generateImage');
  });

  it('completes the key alone where it has a value, and adds no comma after the last entry', async () => {
    await write({ 'docs/guide.md': '![](../img/fox.png)' });
    const [key, ...others] = await completed(`{ "assets": { "|": { "operation": "generateImage" } } }`);
    assert.deepEqual([key?.insertText?.value, others.length], ['"img/fox.png"', 0]);
    const [last] = await completed('{ "assets": {\n  |\n} }');
    assert.equal(last?.insertText?.value, '"img/fox.png": { "operation": "generateImage", "prompt": "$1" }');
    for (const text of ['{ | }', '{ "defaults": { "|" } }', '{ "assets": { "a.png": { "|" } } }']) {
      assert.deepEqual(await completed(text), [], text);
    }
  });

  it('completes the paths of fitting files in fields, but not the entry’s own', async () => {
    await write({ 'call.md': 'Hello.', 'b.png': 'there', 'c.mp4': 'there', '.git/d.png': '' });
    for (const [entry, paths] of [
      ['"a.webp": { "from": "|" }', ['"b.png"', '"e.png"']],
      ['"e.png": { "from": "|" }', ['"b.png"']],
      ['"call.srt": { "captions": "|" }', ['"call.md"']],
      ['"a.mp3": { "operation": "speak", "document": "|" }', ['"call.md"']],
      ['"f.mp4": { "operation": "animateImage", "image": "|" }', ['"b.png"', '"e.png"']],
      ['"f.mp4": { "operation": "remixVideo", "video": "|" }', ['"c.mp4"']],
    ] as const) {
      const more = entry.startsWith('"e.png"') ? '' : ', "e.png": { "prompt": "e" }';
      const items = await completed(`{ "assets": { ${entry}${more} } }`);
      assert.deepEqual(
        items.map(({ label }) => label),
        paths,
        entry,
      );
    }
  });
});
