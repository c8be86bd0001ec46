import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import type { Asset } from '../../src/library/LibraryRecord.ts';
import { mp3Bytes, mp4Bytes, pngBytes } from '../support/mediaBytes.ts';
import { type MediaService, startMediaService } from '../support/mediaService.ts';
import { answerDialog } from './answerDialog.ts';
import { changeSettings, resetSettings } from './changeSettings.ts';
import { eventually, repeatedly } from './eventually.ts';
import { choose, fixesAt, titlesOf, untilFixed, workspaceRoot, writeFiles } from './missingMedia.ts';
import { setApiKey } from './setApiKey.ts';
import { remove } from './workspaceFolder.ts';

const command = 'unifiedMedia.generateMissingMedia';
/** An AVIF by its file type box; nothing here can decode it. */
const avifBytes = Buffer.from('\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf\0\0\0\x08mdat', 'latin1');

describe('missing media', () => {
  let service: MediaService;
  /** Each test has its own folder, because the editor may still report changes of earlier tests. */
  let folder: vscode.Uri;
  let image: (prompt: string) => Buffer;
  let count = 0;

  /** VS Code takes up to half a second for each setting, so all tests share them. */
  const settings = () => ({
    imageBaseUrl: service.origin,
    audioBaseUrl: service.origin,
    videoBaseUrl: service.origin,
    models: { generateImage: ['painter'], speak: ['speaker'], generateVideo: ['filmer'] },
  });

  before(async () => {
    service = await startMediaService((prompt) => image(prompt));
    await changeSettings(settings());
    await setApiKey('key');
  });

  beforeEach(async () => {
    image = () => pngBytes;
    service.reset();
    folder = vscode.Uri.joinPath(workspaceRoot(), `missing-${++count}`);
    await writeFiles(folder, { 'docusaurus.config.js': 'export default {}' });
  });

  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await resetSettings(settings());
    await remove(folder.fsPath);
  });

  after(async () => {
    await vscode.commands.executeCommand('unifiedMedia.removeApiKey');
    await resetSettings();
    await service[Symbol.asyncDispose]();
    await vscode.workspace.fs.delete(vscode.Uri.joinPath(workspaceRoot(), '.unified-media'), { recursive: true });
  });

  async function open(path: string, text: string): Promise<vscode.TextDocument> {
    await writeFiles(folder, { [path]: text });
    const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder, path));
    await vscode.window.showTextDocument(document, { preview: false });
    return document;
  }

  const bytesOf = (path: string) => readFile(vscode.Uri.joinPath(folder, path).fsPath);
  const inFolder = (path: string) => `${folder.path.split('/').at(-1)}/${path}`;
  const uriOf = (path: string) => vscode.Uri.joinPath(folder, path).toString();

  describe('are offered', () => {
    it('in this order: existing files at no cost, this file, all files, each counted once', async () => {
      await writeFiles(folder, { 'static/old/quay.png': pngBytes });
      const document = await open(
        'docs/a.md',
        '![A harbour](/img/quay.png)\n![A harbour again](/img/quay.png)\n![A ship](/img/ship.jpg)\n',
      );
      assert.deepEqual(titlesOf(await fixesAt(document, '/img/quay.png')), [
        'Point to static/old/quay.png',
        'Generate static/img/quay.png from "A harbour"',
        'Generate All 2 Missing…',
      ]);
      assert.equal(
        titlesOf(await fixesAt(document, 'A harbour again'))[1],
        'Generate static/img/quay.png from "A harbour"',
      );
      for (const fix of await fixesAt(document, '/img/quay.png')) {
        assert.equal(fix.isPreferred ?? false, false);
        assert.equal(fix.edit, undefined);
      }
    });

    it('not in what a build writes', async () => {
      const document = await open('build/a.md', '![A fox](./fox.png)\n');
      assert.deepEqual(titlesOf(await fixesAt(document, './fox.png')), []);
    });

    it('not for what git ignores', async () => {
      // The windows of the tests leave git out.
      await changeSettings({ enabled: true }, 'git');
      execFileSync('git', ['init', '--quiet'], { cwd: folder.fsPath });
      await writeFiles(folder, { '.gitignore': 'static/made/\n' });
      const document = await open('docs/a.md', '![A fox](/made/fox.png)\n\n![A hen](/img/hen.png)\n');
      // The editor detects the repository with a delay, and may open it again.
      const wanted = ['Generate static/img/hen.png from "A hen"'];
      await eventually(repeatedly, async () =>
        isDeepStrictEqual(titlesOf(await fixesAt(document, '/img/hen.png')), wanted),
      );
      await untilFixed(document, '/made/fox.png');
    });
  });

  it('are pointed to existing files in one undo step', async () => {
    await writeFiles(folder, { 'static/old/hero.png': pngBytes });
    const text = '![A](/img/hero.png)\n![B](/img/hero.png?v=1)\n';
    const document = await open('docs/a.md', text);
    await choose(await fixesAt(document, '/img/hero.png'), 'Point to static/old/hero.png');
    assert.equal(document.getText(), '![A](/old/hero.png)\n![B](/old/hero.png)\n');
    await vscode.commands.executeCommand('undo');
    assert.equal(document.getText(), text);
    assert.deepEqual(service.paid, []);
    await vscode.commands.executeCommand('workbench.action.files.revert');
  });

  describe('cost nothing', () => {
    const text = '![A fox](/img/fox.png)\n\n![A hen](/img/hen.png)\n';

    it('when a caller resolves all code actions', async () => {
      const document = await open('docs/a.md', text);
      assert.equal((await fixesAt(document, '/img/fox.png', undefined, 100)).length, 2);
      assert.deepEqual(service.paid, []);
    });

    it('when a document is saved with fixes of every kind', async () => {
      const document = await open('docs/a.md', text);
      await changeSettings({ codeActionsOnSave: { 'source.fixAll': 'always', quickfix: 'always' } }, 'editor');
      // A fix for every request, which shows that VS Code applies fixes at all.
      let applied = 0;
      const other = vscode.languages.registerCodeActionsProvider(
        { language: 'markdown' },
        {
          provideCodeActions: () => [
            { title: 'x', kind: vscode.CodeActionKind.QuickFix, command: { title: 'x', command: 'test.applied' } },
          ],
        },
        { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
      );
      const counting = vscode.commands.registerCommand('test.applied', () => applied++);
      await vscode.window.activeTextEditor?.edit((edit) => edit.insert(new vscode.Position(1, 0), 'x'));
      await document.save();
      other.dispose();
      counting.dispose();
      assert(applied > 0);
      assert.equal(document.isDirty, false);
      assert.equal(document.getText(), text.replace('\n\n', '\nx\n'));
      assert.deepEqual(service.paid, []);
    });

    it('when Auto Fix and Fix All run', async () => {
      await changeSettings({ missingMedia: 'warning' });
      const document = await open('docs/a.md', text);
      const marks = () =>
        vscode.languages.getDiagnostics(document.uri).filter(({ source }) => source === 'Unified Media');
      await eventually(vscode.languages.onDidChangeDiagnostics, () => marks().length === 2);
      const editor = vscode.window.activeTextEditor;
      assert(editor);
      editor.selection = new vscode.Selection(0, 12, 0, 12);
      await vscode.commands.executeCommand('editor.action.autoFix');
      await vscode.commands.executeCommand('editor.action.fixAll');
      await vscode.commands.executeCommand('editor.action.sourceAction', { kind: 'source', apply: 'first' });
      assert.equal(document.getText(), text);
      assert.deepEqual(service.paid, []);
    });
  });

  describe('are all made', () => {
    const text = [
      '# Boats',
      '![A harbour](/img/hero.png)',
      '![Again](/img/hero.png)',
      '![A ship](/img/ship.png)',
      '<audio src="/call.mp3" title="Good morning"></audio>',
      '<video src="/film.mp4" title="Boats leave"></video>',
      '',
    ].join('\n');

    it('after one question that counts each file once, and a yes', async () => {
      const document = await open('docs/a.md', text);
      const fixes = await fixesAt(document, '/img/ship.png');
      let isWanted = false;
      using asked = answerDialog('showWarningMessage', (_question, _options, button) =>
        isWanted ? button : undefined,
      );
      assert.equal(await choose(fixes, 'Generate All 4 Missing…'), undefined);
      assert.deepEqual(service.paid, []);
      isWanted = true;
      const video = { id: 'v', video: { url: `${service.origin}/film.mp4` } };
      service.answerWith((response, answer, { path }) =>
        path.includes('/videos/') ? response.end(JSON.stringify(video)) : answer(),
      );
      const assets = await choose<readonly Asset[]>(fixes, 'Generate All 4 Missing…');
      assert.deepEqual(asked.questions, ['Generate 4 missing files?', 'Generate 4 missing files?']);
      const [detail = ''] = asked.details;
      assert.match(detail, /^Service: http:.+\n\nhero\.png\nModel: “painter”\nPrompt: A harbour\nCount: 1\n/);
      for (const name of ['static/img/hero.png', 'static/img/ship.png', 'static/call.mp3', 'static/film.mp4']) {
        assert.match(detail, new RegExp(`^Saves to: .*/${name.replaceAll('.', '\\.')}$`, 'm'));
      }
      assert.match(detail, /^Text: Good morning\nVoice: .+$/m);
      assert.equal(assets.length, 4);
      assert.deepEqual(service.prompts().toSorted(), ['A harbour', 'A ship', 'Boats leave', 'Good morning']);
      assert.deepEqual(await bytesOf('static/img/hero.png'), pngBytes);
      assert.deepEqual(await bytesOf('static/call.mp3'), mp3Bytes);
      assert.deepEqual(await bytesOf('static/film.mp4'), mp4Bytes);
      await untilFixed(document, '/img/ship.png');
      assert.equal(document.getText(), text);
    });

    it('for a caller without confirmation, or only those it names', async () => {
      await open('docs/a.md', text);
      const paths = [inFolder('static/img/ship.png')];
      const [ship] = await vscode.commands.executeCommand<Asset[]>(command, { uri: uriOf('docs/a.md'), paths });
      assert.equal(ship?.uri, uriOf('static/img/ship.png'));
      assert.deepEqual(service.prompts(), ['A ship']);
    });
  });

  it('ask for a prompt when the document has none, starting from its heading', async () => {
    const document = await open('docs/a.md', '# Boats in the harbour\n\n![hero.png](/img/hero.png)\n');
    const asked: (vscode.InputBoxOptions | undefined)[] = [];
    const { showInputBox } = vscode.window;
    Object.assign(vscode.window, {
      showInputBox: async (options?: vscode.InputBoxOptions) => {
        asked.push(options);
        return 'Boats at dusk';
      },
    });
    try {
      await choose(await fixesAt(document, '/img/hero.png'), 'Generate static/img/hero.png…');
    } finally {
      Object.assign(vscode.window, { showInputBox });
    }
    assert.deepEqual(
      asked.map((options) => options?.value),
      ['Boats in the harbour'],
    );
    assert.deepEqual(service.prompts(), ['Boats at dusk']);
  });

  it('get their own extension if they cannot be made in that of their name, and all references follow in one undo step', async () => {
    image = () => avifBytes;
    const text = '![A harbour](/img/hero.jpg)\n![Again](/img/hero.jpg?v=1)\n';
    const document = await open('docs/a.md', text);
    const [asset] = await choose<readonly Asset[]>(
      await fixesAt(document, '/img/hero.jpg'),
      'Generate static/img/hero.jpg from "A harbour"',
    );
    assert.equal(asset?.uri, uriOf('static/img/hero.avif'));
    assert.equal(document.getText(), text.replaceAll('hero.jpg', 'hero.avif'));
    await vscode.commands.executeCommand('undo');
    assert.equal(document.getText(), text);
    await vscode.commands.executeCommand('workbench.action.files.revert');
  });

  it('are not paid for twice while a job is making them', async () => {
    const text = '![A harbour](/img/hero.png)\n';
    const document = await open('docs/a.md', text);
    const goOn = service.hold();
    const arrived = service.next();
    const given = { uri: document.uri.toString() };
    const first = Promise.resolve(vscode.commands.executeCommand<Asset[]>(command, given));
    await arrived;
    assert.deepEqual(titlesOf(await fixesAt(document, '/img/hero.png')), []);
    const again = Promise.resolve(vscode.commands.executeCommand(command, given));
    const message = `Already being generated: ${inFolder('static/img/hero.png')}. [invalidInput]`;
    await assert.rejects(again, { message });
    goOn();
    assert.equal((await first).length, 1);
    assert.equal(service.paid.length, 1);
  });

  it('are saved beside a file that appears meanwhile, with a message', async () => {
    const document = await open('docs/a.md', '![A harbour](/img/hero.png)\n');
    using said = answerDialog('showInformationMessage', () => undefined);
    const goOn = service.hold();
    const arrived = service.next();
    const generated = choose<readonly Asset[]>(
      await fixesAt(document, '/img/hero.png'),
      'Generate static/img/hero.png from "A harbour"',
    );
    await arrived;
    await writeFiles(folder, { 'static/img/hero.png': 'mine' });
    goOn();
    const [asset] = await generated;
    assert.equal(asset?.uri, uriOf('static/img/hero-2.png'));
    assert.equal(String(await bytesOf('static/img/hero.png')), 'mine');
    const name = inFolder('static/img/hero.png');
    assert.deepEqual(said.questions, [
      `${name} was created in the meantime, so the generated file was saved beside it as hero-2.png.`,
    ]);
  });

  describe('by a program', () => {
    it('resolves to nothing when no file is missing', async () => {
      await open('docs/a.md', 'No pictures.\n');
      assert.deepEqual(await vscode.commands.executeCommand(command, { uri: uriOf('docs/a.md') }), []);
    });

    const wrong: readonly (readonly [string, object, RegExp])[] = [
      [
        'a path that is not missing',
        { paths: ['x.png'] },
        /Paths \(paths\): x\.png is not one of .* \[invalidInput\]$/,
      ],
      ['an empty list', { paths: [] }, /Paths \(paths\) must be a list .* \[invalidInput\]$/],
      ['another field', { prompt: 'x' }, /There is no field "prompt".* \[invalidInput\]$/],
      ['what is no URI', { uri: 7 }, /^uri must be the URI of a file.* \[invalidInput\]$/],
    ];
    for (const [what, argument, message] of wrong) {
      it(`refuses ${what}, before anything is sent`, async () => {
        await open('docs/a.md', '![A fox](/img/fox.png)\n');
        const given = { uri: uriOf('docs/a.md'), ...argument };
        await assert.rejects(Promise.resolve(vscode.commands.executeCommand(command, given)), { message });
        assert.deepEqual(service.paid, []);
      });
    }
  });

  it('are marked unless the setting says no, until they exist', async () => {
    await changeSettings({ missingMedia: 'off' });
    const document = await open('docs/a.md', '![A fox](/img/fox.png)\n');
    const marks = () =>
      vscode.languages.getDiagnostics(document.uri).filter(({ source }) => source === 'Unified Media');
    assert.deepEqual(marks(), []);
    await changeSettings({ missingMedia: undefined });
    await eventually(vscode.languages.onDidChangeDiagnostics, () => marks().length === 1);
    const [mark] = marks();
    assert.equal(mark?.message, 'static/img/fox.png does not exist.');
    assert.equal(mark?.severity, vscode.DiagnosticSeverity.Hint);
    await writeFiles(folder, { 'static/img/fox.png': pngBytes });
    await eventually(vscode.languages.onDidChangeDiagnostics, () => marks().length === 0);
  });

  it('finding 2: are not marked in a document above 1 MB', async () => {
    await changeSettings({ missingMedia: 'hint' });
    const all: vscode.TextDocument[] = [];
    for (const [name, words] of [
      ['long', 200_000],
      ['short', 1],
    ] as const) {
      all.push(await open(`docs/${name}.md`, `![A fox](/img/fox.png)\n${'word '.repeat(words)}\n`));
    }
    const marked = () =>
      all.map(({ uri }) => vscode.languages.getDiagnostics(uri).some(({ source }) => source === 'Unified Media'));
    await eventually(vscode.languages.onDidChangeDiagnostics, () => marked()[1] === true);
    // Both are marked after the same pause, and the long one was opened first.
    assert.deepEqual(marked(), [false, true]);
  });
});
