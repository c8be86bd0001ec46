import assert from 'node:assert/strict';
import { parse } from 'jsonc-parser';
import * as vscode from 'vscode';
import { pngBytes } from '../support/mediaBytes.ts';
import { answerDialog, answerWarning } from './answerDialog.ts';
import { changeSettings, resetSettings } from './changeSettings.ts';
import { eventually, repeatedly } from './eventually.ts';
import { runTask } from './runTask.ts';
import { untilRead } from './untilRead.ts';
import { emptyFolder, workspaceFolder } from './workspaceFolder.ts';

interface Plan {
  readonly requests: Readonly<Record<string, number>>;
  readonly entries: readonly { readonly path: string; readonly state: string; readonly reasons: readonly string[] }[];
}

const { executeCommand } = vscode.commands;

describe('media.jsonc in the editor', () => {
  let root: vscode.Uri;
  let manifest: vscode.Uri;

  before(async () => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    assert(folder);
    root = vscode.Uri.joinPath(folder, 'site');
    manifest = vscode.Uri.joinPath(root, 'media.jsonc');
    await changeSettings({ service: 'sandbox', openAfterSave: false });
  });

  afterEach(() => executeCommand('workbench.action.closeAllEditors'));

  after(async () => {
    await resetSettings();
    await emptyFolder(workspaceFolder());
  });

  async function declare(assets: object): Promise<vscode.TextDocument> {
    const text = `${JSON.stringify({ assets }, undefined, 2)}\n`;
    await vscode.workspace.fs.writeFile(manifest, new TextEncoder().encode(text));
    const document = await vscode.workspace.openTextDocument(manifest);
    await vscode.window.showTextDocument(document);
    if (document.getText() !== text) await executeCommand('workbench.action.files.revert');
    return document;
  }

  const picture = (prompt: string) => ({ operation: 'generateImage', prompt, model: 'sandbox-1', size: [32, 32] });
  const statesOf = ({ entries }: Plan) => entries.map(({ path, state }) => `${path} ${state}`);
  const lensesOf = async () => {
    const lenses = await executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', manifest, 100);
    return lenses.map(({ range, command }) => `${range.start.line + 1} ${command?.title}`);
  };

  it('shows the state of each entry in lenses, and apply updates them', async () => {
    await declare({ 'a.png': picture('a'), 'b.webp': { from: 'a.png', size: [16, 16] } });
    const before = await lensesOf();
    assert.deepEqual(before, [
      '1 1 request, 1 image',
      '1 Apply…',
      '3 missing',
      '3 Generate (1 request)',
      '12 missing',
      '12 Make (free) with its source (1 request)',
    ]);
    const plan = await executeCommand<Plan>('unifiedMedia.planAssets', { manifest });
    assert.deepEqual(plan.requests, { generateImage: 1 });
    const applied = await executeCommand<Plan>('unifiedMedia.applyAssets', { manifest });
    assert.deepEqual(statesOf(applied), ['a.png fresh', 'b.webp fresh']);
    assert.deepEqual(await lensesOf(), [
      '1 Nothing to send. · 1 is a sample of the sandbox: without the sandbox, check refuses it.',
      '3 fresh: a sample of the sandbox',
      '12 fresh',
    ]);
    await declare({ 'a.png': picture('another'), 'b.webp': { from: 'a.png', size: [16, 16] } });
    assert((await lensesOf()).includes('3 stale: prompt changed'));
    // A click on the state says the same as the command of the palette.
    const lenses = await executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', manifest, 100);
    for (const title of ['1 request, 1 image', 'stale: prompt changed']) {
      const state = lenses.map(({ command }) => command).find((command) => command?.title === title);
      assert(state);
      using messages = answerDialog('showInformationMessage', () => undefined);
      await executeCommand(state.command, ...(state.arguments ?? []));
      assert.match(messages.questions.join(), /^2 of 2 assets are not fresh\./);
    }
    const kept = await executeCommand<Plan>('unifiedMedia.acceptAssets', { manifest, paths: ['a.png'] });
    assert.deepEqual(statesOf(kept), ['a.png fresh', 'b.webp fresh']);
  });

  it('confirms once, and sends nothing when dismissed', async () => {
    await declare({ 'c.png': picture('c') });
    const asked: string[] = [];
    using _dialog = answerDialog('showWarningMessage', (question) => void asked.push(String(question)));
    const { withProgress } = vscode.window;
    Object.assign(vscode.window, { withProgress: () => assert.fail('a second Cancel is behind the question') });
    using _progress = { [Symbol.dispose]: () => void Object.assign(vscode.window, { withProgress }) };
    const lenses = await executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', manifest, 100);
    const apply = lenses.map(({ command }) => command).find((command) => command?.title === 'Apply…');
    assert(apply);
    assert.equal(await executeCommand(apply.command, ...(apply.arguments ?? [])), undefined);
    assert.deepEqual(asked, ['Send 1 request, 1 image?']);
    const plan = await executeCommand<Plan>('unifiedMedia.checkAssets', { manifest });
    assert(statesOf(plan).includes('c.png missing'));
  });

  it('reports problems with their lines to a caller', async () => {
    await declare({ '../x.png': picture('x') });
    await assert.rejects(
      executeCommand('unifiedMedia.applyAssets', { manifest }) as Promise<unknown>,
      /media\.jsonc:3: .*leads out.*\[invalidInput\]/,
    );
  });

  it('marks an error above its entry, fixes it, and leaves the lines of the others', async () => {
    await declare({ 'a.png': picture('a'), 'z.png': { prompt: 'z', model: 'sandbox-1' } });
    const error = 'The field "operation" is missing. For this path it is one of: generateImage, editImage.';
    const lenses = await lensesOf();
    assert(lenses.includes(`12 error: ${error}`), lenses.join('\n'));
    assert(lenses.some((lens) => /^3 (?:fresh|missing|stale)/.test(lens)));
    assert(vscode.languages.getDiagnostics(manifest).some(({ message }) => message === error));
    const at = new vscode.Range(12, 4, 12, 4);
    const fixes = await executeCommand<vscode.CodeAction[]>('vscode.executeCodeActionProvider', manifest, at);
    const [fix] = fixes.filter(({ title }) => title === 'Make It an Image (generateImage)');
    assert(fix?.edit && fix.isPreferred);
    await vscode.workspace.applyEdit(fix.edit);
    const fixed = await lensesOf();
    assert(fixed.includes('12 missing') && !fixed.join().includes('error'), fixed.join('\n'));
    await executeCommand('workbench.action.files.revert');
  });

  it('completes a new entry with a picture that a document misses', async () => {
    const page = vscode.Uri.joinPath(root, 'page.md');
    await vscode.workspace.fs.writeFile(page, new TextEncoder().encode('![A heron at dawn](img/heron.png)\n'));
    const document = await declare({});
    const at = document.positionAt(document.getText().indexOf('{}') + 1);
    const { items } = await executeCommand<vscode.CompletionList>('vscode.executeCompletionItemProvider', manifest, at);
    const heron = items.find(({ label }) => label === '"img/heron.png"');
    assert(heron?.insertText instanceof vscode.SnippetString);
    assert.equal(
      heron.insertText.value,
      `"img/heron.png": { "operation": "generateImage", "prompt": "\${1:A heron at dawn}" }`,
    );
    await vscode.workspace.fs.delete(page);
  });

  it('completes paths and models', async () => {
    const edit = { operation: 'editImage', prompt: 'p', model: '', images: [''] };
    const speech = { operation: 'speak', input: 'i', model: 't', voice: '' };
    const document = await declare({ 'd.png': picture('d'), 'e.png': edit, 'f.mp3': speech });
    const labelsAt = async (text: string, offset: number) => {
      const position = document.positionAt(document.getText().indexOf(text) + offset);
      const { items } = await executeCommand<vscode.CompletionList>(
        'vscode.executeCompletionItemProvider',
        manifest,
        position,
      );
      return items.map(({ label }) => String(typeof label === 'string' ? label : label.label));
    };
    assert((await labelsAt('"images": [\n        ""', 20)).includes('"d.png"'));
    assert((await labelsAt('"model": ""', 10)).includes('"sandbox-1"'));
    // These come from the schema, once the language server for JSON has started.
    await eventually(repeatedly, async () => (await labelsAt('"voice": ""', 10)).includes('"nova"'));
  });

  it('shows the picture and state of an entry on hover', async () => {
    await declare({ 'a.png': picture('another') });
    const hovers = await executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      manifest,
      new vscode.Position(2, 6),
    );
    const text = hovers
      .flatMap(({ contents }) => contents)
      .map((content) => (typeof content === 'string' ? content : content.value))
      .join('\n');
    assert.match(text, /<img src="[^"]*a\.png"/);
  });

  /** Generates an image and returns its URI. */
  async function generated(prompt: string, more: object = {}): Promise<string> {
    const [asset] = await executeCommand<readonly { readonly uri: string }[]>('unifiedMedia.generateImage', {
      model: 'sandbox-1',
      prompt,
      ...more,
    });
    assert(asset);
    return asset.uri;
  }

  it('adopts a result of the library and locks it', async () => {
    await declare({});
    const uri = await generated('A heron');
    const added = await executeCommand<vscode.Uri>('unifiedMedia.addToManifest', { uri });
    const text = (await vscode.workspace.openTextDocument(added)).getText();
    assert.match(text, /"prompt": "A heron"/);
    const plan = await executeCommand<Plan>('unifiedMedia.checkAssets', { manifest: added });
    assert(
      plan.entries.every(({ state }) => state === 'fresh'),
      statesOf(plan).join(),
    );
    await vscode.workspace.fs.delete(added);
    await vscode.workspace.fs.delete(vscode.Uri.joinPath(added, '../media.lock.jsonl'));
  });

  it('adopts the further fields that a result was made with, as far as they are declared', async () => {
    const accepts = { generateImage: { seed: { type: 'integer' }, size: { type: 'string' } } };
    await changeSettings({ fields: accepts });
    const fields = { seed: 7, size: '64x64' };
    const uri = await generated('A tern', { fields });
    await changeSettings({ fields: undefined });
    // Without the setting only what the manifest accepts by itself is declared.
    const own = { generateImage: { seed: accepts.generateImage.seed } };
    const target = vscode.Uri.joinPath(root, '../media.jsonc');
    const text = JSON.stringify({ accepts: own, assets: {} });
    await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(text));
    await untilRead(target, text);
    const added = await executeCommand<vscode.Uri>('unifiedMedia.addToManifest', { uri });
    const { assets } = JSON.parse((await vscode.workspace.openTextDocument(added)).getText());
    const [entry] = Object.values(assets);
    assert.deepEqual(entry, { operation: 'generateImage', prompt: 'A tern', fields: { seed: 7 } });
    const plan = await executeCommand<Plan>('unifiedMedia.checkAssets', { manifest: added });
    assert(statesOf(plan).every((state) => state.endsWith(' fresh')));
    await vscode.workspace.fs.delete(added);
    await vscode.workspace.fs.delete(vscode.Uri.joinPath(added, '../media.lock.jsonl'));
  });

  it('adopts narrations, edits, animations, transcripts and crops with what they were made from, but no model of the sandbox', async () => {
    const model = 'sandbox-1';
    const target = vscode.Uri.joinPath(root, '../media.jsonc');
    const empty = '{ "assets": {} }';
    await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(empty));
    await untilRead(target, empty);
    const one = async (command: string, argument: object) => {
      const [asset] = await executeCommand<readonly { readonly uri: string }[]>(`unifiedMedia.${command}`, argument);
      assert(asset);
      return asset.uri;
    };
    const document = vscode.Uri.joinPath(root, '../guide.md');
    await vscode.workspace.fs.writeFile(document, new TextEncoder().encode('A bird sings.\n'));
    const picture = await generated('A wren');
    const name = vscode.workspace.asRelativePath(vscode.Uri.parse(picture));
    const narration = await executeCommand<readonly { readonly uri: string }[]>('unifiedMedia.narrateDocument', {
      uri: document.toString(),
      model,
      voice: 'echo',
    });
    const sound = narration[0]?.uri ?? assert.fail();
    const adopted = [
      [sound, { operation: 'speak', document: 'guide.md', voice: 'echo' }],
      [
        await one('editImage', { model, prompt: 'At night', image_urls: [picture] }),
        { operation: 'editImage', prompt: 'At night', images: [name] },
      ],
      [
        await one('animateImage', { model, prompt: 'It sings', image_url: picture }),
        { operation: 'animateImage', prompt: 'It sings', image: name },
      ],
      [
        await one('transcribe', { model, file: sound }),
        { operation: 'transcribe', file: vscode.workspace.asRelativePath(vscode.Uri.parse(sound)) },
      ],
      [await one('transformImage', { file: picture, width: 64, height: 32 }), { from: name, size: [64, 32] }],
    ] as const;
    for (const [uri, entry] of adopted) {
      await executeCommand('unifiedMedia.addToManifest', { uri });
      const { assets } = JSON.parse(new TextDecoder().decode(await vscode.workspace.fs.readFile(target)));
      assert.deepEqual(assets[vscode.workspace.asRelativePath(vscode.Uri.parse(uri))], entry);
    }
    const plan = await executeCommand<Plan>('unifiedMedia.checkAssets', { manifest: target });
    assert.equal(plan.entries.length, adopted.length);
    assert(
      plan.entries.every(({ state }) => state === 'fresh'),
      statesOf(plan).join(),
    );
    // Without its source an entry is shown, but not saved.
    const edit = await one('editImage', { model, prompt: 'At noon', image_urls: [picture] });
    await vscode.workspace.fs.delete(vscode.Uri.parse(picture));
    const saved = new TextDecoder().decode(await vscode.workspace.fs.readFile(target));
    using messages = answerDialog('showInformationMessage', () => undefined);
    await executeCommand('unifiedMedia.addToManifest', { uri: edit });
    assert.match(messages.questions.join(), /^Enter the files that /);
    assert.equal(new TextDecoder().decode(await vscode.workspace.fs.readFile(target)), saved);
    await executeCommand('workbench.action.files.revert');
    await vscode.workspace.fs.delete(document);
    await vscode.workspace.fs.delete(target);
    await vscode.workspace.fs.delete(vscode.Uri.joinPath(target, '../media.lock.jsonl'));
  });

  it('adopts several results at once, and says in one sentence how many', async () => {
    const target = vscode.Uri.joinPath(root, '../media.jsonc');
    const empty = '{ "assets": {} }';
    await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(empty));
    await untilRead(target, empty);
    const uris = [await generated('A kite'), await generated('A swift')];
    const unknown = vscode.Uri.joinPath(root, '../own.png');
    await vscode.workspace.fs.writeFile(unknown, pngBytes);
    using warnings = answerDialog('showWarningMessage', () => undefined);
    using messages = answerDialog('showInformationMessage', () => undefined);
    const added = await executeCommand<vscode.Uri>('unifiedMedia.addToManifest', { uris: [uris[0], unknown, uris[1]] });
    assert.equal(warnings.questions.length, 1);
    assert.match(
      warnings.questions.join(),
      /^Added to media\.jsonc: 2 of 3 files\. The library does not record how own\.png /,
    );
    assert.deepEqual(messages.questions, []);
    const plan = await executeCommand<Plan>('unifiedMedia.checkAssets', { manifest: added });
    assert.equal(plan.entries.length, 2);
    await vscode.workspace.fs.delete(unknown);
    await vscode.workspace.fs.delete(added);
    await vscode.workspace.fs.delete(vscode.Uri.joinPath(added, '../media.lock.jsonl'));
  });

  it('keeps the entry of a file that is in the manifest already', async () => {
    await declare({});
    const uri = await generated('A gull');
    const added = await executeCommand<vscode.Uri>('unifiedMedia.addToManifest', { uri });
    const document = await vscode.workspace.openTextDocument(added);
    const edited = document.getText().replace('"prompt": "A gull"', '"prompt": "A gull, with the words of a person"');
    const edit = new vscode.WorkspaceEdit();
    edit.replace(added, new vscode.Range(0, 0, document.lineCount, 0), edited);
    await vscode.workspace.applyEdit(edit);
    await document.save();
    await assert.rejects(
      executeCommand('unifiedMedia.addToManifest', { uri }) as Promise<unknown>,
      /already has an entry/,
    );
    assert.equal(document.getText(), edited);
    await vscode.workspace.fs.delete(added);
    await vscode.workspace.fs.delete(vscode.Uri.joinPath(added, '../media.lock.jsonl'));
  });

  it('replaces an asset by a chosen variant without paying', async () => {
    await declare({ 'v.png': { ...picture('v'), variants: 2 } });
    await executeCommand('unifiedMedia.applyAssets', { manifest });
    const file = vscode.Uri.joinPath(root, 'v.png');
    const first = await vscode.workspace.fs.readFile(file);
    assert((await lensesOf()).includes('3 2 variants · Compare'), (await lensesOf()).join());
    const chosen = await executeCommand<Plan>('unifiedMedia.chooseVariant', { manifest, paths: ['v.png'], number: 2 });
    assert(statesOf(chosen).includes('v.png fresh'));
    assert.notDeepEqual(await vscode.workspace.fs.readFile(file), first);
    await executeCommand('unifiedMedia.chooseVariant', { manifest, paths: ['v.png'], number: 1 });
    assert.deepEqual(await vscode.workspace.fs.readFile(file), first);
    await assert.rejects(
      async () => executeCommand('unifiedMedia.chooseVariant', { manifest, paths: ['v.png'], number: 3 }),
      /v\.png has no variant 3\. Its variants are: 1, 2\./,
    );
  });

  it('removes an orphaned file only after confirmation', async () => {
    await declare({ 'gone.png': picture('gone') });
    await executeCommand('unifiedMedia.applyAssets', { manifest });
    await declare({});
    using dialogs = answerWarning();
    await executeCommand('unifiedMedia.pruneAssets', manifest);
    assert.deepEqual(dialogs.questions, ['Remove the assets that the manifest no longer has?']);
    assert.equal((await vscode.workspace.fs.stat(vscode.Uri.joinPath(root, 'gone.png'))).type, vscode.FileType.File);
    const plan = await executeCommand<Plan>('unifiedMedia.pruneAssets', { manifest });
    assert.deepEqual(plan.entries, []);
  });

  it('provides tasks for plan and check', async () => {
    await declare({ 'f.png': picture('f') });
    const tasks = await vscode.tasks.fetchTasks({ type: 'media' });
    assert.deepEqual(tasks.map(({ name }) => name).sort(), ['check site/media.jsonc', 'plan site/media.jsonc']);
    const codeOf = async (verb: string) => {
      const task = tasks.find(({ name }) => name.startsWith(verb));
      assert(task);
      return runTask(task);
    };
    assert.deepEqual([await codeOf('plan'), await codeOf('check')], [2, 1]);
  });

  it('shows the view of assets only for manifests of this computer', async () => {
    const { executeCommand: real } = vscode.commands;
    const { findFiles } = vscode.workspace;
    const shown: unknown[] = [];
    let found = [vscode.Uri.parse('memory-media:/project/media.jsonc')];
    Object.assign(vscode.workspace, { findFiles: async () => found });
    Object.assign(vscode.commands, {
      executeCommand: (id: string, ...rest: readonly unknown[]) => {
        if (id === 'setContext' && rest[0] === 'unifiedMedia.hasManifest') shown.push(rest[1]);
        return real(id, ...rest);
      },
    });
    using _ = {
      [Symbol.dispose]: () => {
        Object.assign(vscode.workspace, { findFiles });
        Object.assign(vscode.commands, { executeCommand: real });
      },
    };
    await vscode.workspace.fs.delete(manifest);
    await eventually(repeatedly, () => shown.length > 0);
    assert.equal(shown.at(-1), false);
    found = [...found, manifest];
    await declare({});
    await eventually(repeatedly, () => shown.at(-1) === true);
  });

  it('offers a person to create a manifest, and never replaces one', async () => {
    const own = vscode.Uri.joinPath(root, '..', 'media.jsonc');
    await vscode.workspace.fs.delete(manifest);
    {
      using offer = answerDialog('showInformationMessage', (_sentence, button) => button);
      assert.equal(await executeCommand('unifiedMedia.applyAssets'), undefined);
      assert.equal(offer.questions.length, 1);
      const shown = () => vscode.window.activeTextEditor?.document;
      await eventually(
        repeatedly,
        () => shown()?.uri.path === own.path && shown()?.getText().includes('hero.png') === true,
      );
    }
    const plan = await executeCommand<Plan>('unifiedMedia.checkAssets', { manifest: own });
    assert.deepEqual(statesOf(plan), ['media/hero.png missing', 'media/hero.webp missing']);
    await vscode.workspace.fs.writeFile(own, new TextEncoder().encode('{}\n'));
    assert.equal((await executeCommand<vscode.Uri>('unifiedMedia.createManifest')).toString(), own.toString());
    assert.equal(new TextDecoder().decode(await vscode.workspace.fs.readFile(own)), '{}\n');
    await vscode.workspace.fs.delete(own);
  });

  it('creates a manifest for the command line, which does not know the preset of the person', async () => {
    const own = vscode.Uri.joinPath(root, '..', 'media.jsonc');
    await changeSettings({ fields: { preset: 'openai' } });
    await executeCommand('unifiedMedia.createManifest');
    await changeSettings({ fields: {} });
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(own));
    assert.deepEqual(parse(text).accepts, { preset: 'openai' });
    await vscode.workspace.fs.delete(own);
  });
});
