import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { decodePicture } from '../../src/images/codecs/decodePicture.ts';
import type { Asset, LibraryRecord } from '../../src/library/LibraryRecord.ts';
import { marksIn } from '../../src/marks/readMarks.ts';
import { manifestStore } from '../support/markedFiles.ts';
import { pngChunk } from '../support/mediaBytes.ts';
import { quartersPng } from '../support/patterns.ts';
import { changeSettings, resetSettings } from './changeSettings.ts';
import { eventually } from './eventually.ts';
import { emptyFolder, useSandboxInWorkspace, workspaceFolder } from './workspaceFolder.ts';

const command = 'unifiedMedia.transformImage';

async function transform(argument: object): Promise<Asset> {
  const assets = await vscode.commands.executeCommand<Asset[]>(command, argument);
  const [asset] = assets;
  assert(asset && assets.length === 1);
  return asset;
}

describe(command, () => {
  let folder: string;
  let picture: Uint8Array;

  before(async () => {
    folder = workspaceFolder();
    picture = quartersPng(300, 200);
    await changeSettings({ service: 'sandbox', openAfterSave: false });
  });

  beforeEach(() => writeFile(join(folder, 'hero.png'), picture));

  after(() => resetSettings());

  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await emptyFolder(folder);
  });

  const uriOf = (name: string) => vscode.Uri.file(join(folder, name));
  const records = async (): Promise<readonly LibraryRecord[]> => {
    const text = await readFile(join(folder, '.unified-media', 'library.jsonl'), 'utf8');
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  };
  const sizeOf = async (asset: Asset) => {
    const bytes = await readFile(vscode.Uri.parse(asset.uri).fsPath);
    assert.equal(bytes.length, asset.bytes);
    assert.equal(createHash('sha256').update(bytes).digest('hex'), asset.sha256);
    const { width, height } = await decodePicture(bytes, { maxPixels: 10_000_000 });
    return [width, height];
  };

  it('saves a new, numbered file beside the source', async () => {
    const resized = await transform({ file: uriOf('hero.png'), width: 150 });
    assert.equal(resized.uri, uriOf('hero-2.png').toString());
    assert.deepEqual(await sizeOf(resized), [150, 100]);
    const again = await transform({ file: uriOf('hero.png'), width: 150 });
    assert.equal(again.uri, uriOf('hero-3.png').toString());
    assert.deepEqual(await readFile(join(folder, 'hero.png')), Buffer.from(picture));
    const files = (await readdir(folder, { recursive: true })).filter((name) => /\.(?:png|part)$/.test(name));
    assert.deepEqual(files.sort(), ['hero-2.png', 'hero-3.png', 'hero.png']);
  });

  it('records its source', async () => {
    const asset = await transform({ file: uriOf('hero.png'), width: 30 });
    const { uri, ...facts } = asset;
    const sha256 = createHash('sha256').update(picture).digest('hex');
    assert.deepEqual(await records(), [{ file: 'hero-2.png', ...facts, madeFrom: { file: 'hero.png', sha256 } }]);
    assert.deepEqual([asset.operation, asset.model, asset.prompt], ['editImage', 'local', undefined]);
  });

  it('keeps the prompt and model of a generated picture, and sends nothing', async () => {
    const request = { model: 'sandbox-1', prompt: 'a harbour', n: 1, output_format: 'b64_json' };
    const [source] = await vscode.commands.executeCommand<Asset[]>('unifiedMedia.generateImage', request);
    assert(source);
    const asset = await transform({ file: source.uri, width: 50, format: 'webp' });
    assert.match(asset.uri, /media\/images\/a-harbour\.webp$/);
    assert.deepEqual(
      [asset.operation, asset.model, asset.prompt, asset.mediaType],
      ['generateImage', 'sandbox-1', 'a harbour', 'image/webp'],
    );
    assert.notEqual(asset.jobId, source.jobId);
    const [, record] = await records();
    assert.deepEqual(record?.madeFrom, { file: 'media/images/a-harbour.png', sha256: source.sha256 });
    assert.equal(record?.sandbox, true);
  });

  const marksOf = async (uri: string) => marksIn(await readFile(vscode.Uri.parse(uri).fsPath));
  const trained = 'trainedAlgorithmicMedia';

  it('says in every file made of a generated picture what it is, unless markGenerated is off', async () => {
    const request = { model: 'sandbox-1', prompt: 'a harbour', n: 1, output_format: 'b64_json' };
    const [source] = await vscode.commands.executeCommand<Asset[]>('unifiedMedia.generateImage', request);
    assert(source);
    for (const format of ['png', 'jpeg', 'webp']) {
      const asset = await transform({ file: source.uri, width: 50, format });
      assert.deepEqual(await marksOf(asset.uri), { kinds: ['iptc'], source: trained }, format);
      assert.equal((await records()).at(-1)?.digitalSourceType, trained);
      await sizeOf(asset);
    }
    const { uri: file } = await transform({ file: source.uri, width: 64 });
    const icons = await vscode.commands.executeCommand<Asset[]>('unifiedMedia.saveFaviconSet', { file });
    for (const { uri } of icons) assert.equal((await marksOf(uri)).source, trained, uri);
    await changeSettings({ markGenerated: false });
    const plain = await transform({ file: source.uri, width: 40 });
    assert.deepEqual(await marksOf(plain.uri), { kinds: [], source: undefined });
    assert.equal((await records()).at(-1)?.digitalSourceType, undefined);
    await changeSettings({ markGenerated: undefined });
  });

  it('says that credentials were not kept, and writes no mark into a photograph', async () => {
    const chunks = [pngChunk('caBX', manifestStore('')), pngChunk('eXIf', Buffer.from('MM place and camera'))];
    const photograph = Buffer.concat([picture.subarray(0, 33), ...chunks, picture.subarray(33)]);
    await writeFile(join(folder, 'photo.png'), photograph);
    const asset = await transform({ file: uriOf('photo.png'), width: 30 });
    const bytes = await readFile(vscode.Uri.parse(asset.uri).fsPath);
    assert(!bytes.includes('camera'));
    assert.deepEqual(marksIn(bytes), { kinds: [], source: undefined });
    const [record] = await records();
    assert.deepEqual([record?.credentials, record?.digitalSourceType], ['lost', undefined]);
    assert(!('credentials' in asset));
    assert.deepEqual(await readFile(join(folder, 'photo.png')), photograph);
  });

  it('rejects invalid input, names the field and saves nothing', async () => {
    await writeFile(join(folder, 'note.png'), 'no picture');
    const wrong: readonly (readonly [object, RegExp])[] = [
      [{ file: 'hero.png', width: 0 }, /width must be .*\[invalidInput\]$/],
      [{ file: 'hero.png', height: '12' }, /height must be .*\[invalidInput\]$/],
      [{ file: 'hero.png', size: 3 }, /size is not a field.*\[invalidInput\]$/],
      [{ file: 'note.png', width: 3 }, /note\.png \(file\): .*\[invalidInput\]$/],
      [{ file: 'gone.png', width: 3 }, /gone\.png \(file\): .*\[invalidInput\]$/],
      [{ file: '', width: 3 }, /file must be .*\[invalidInput\]$/],
      [{ file: 7, width: 3 }, /file must be .*\[invalidInput\]$/],
      [{ file: 'https://example.com/a.png', width: 3 }, /file must be .*\[invalidInput\]$/],
    ];
    for (const [argument, message] of wrong) {
      await assert.rejects(transform(argument), { message }, JSON.stringify(argument));
    }
    assert.deepEqual((await readdir(folder)).sort(), ['hero.png', 'note.png']);
  });

  it('uses the active picture by default', async () => {
    await vscode.commands.executeCommand('vscode.open', uriOf('hero.png'));
    const { tabGroups } = vscode.window;
    const isShown = () => tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputCustom;
    await eventually(tabGroups.onDidChangeTabs, isShown);
    const asset = await transform({ height: 20 });
    assert.deepEqual(await sizeOf(asset), [30, 20]);
  });

  it('opens a tab from the Explorer and from a tree item, and saves nothing when it is closed', async () => {
    for (const argument of [uriOf('hero.png'), { uris: [uriOf('hero.png').toString()] }, { file: 'hero.png' }]) {
      const closed = vscode.commands.executeCommand(command, argument, [argument]);
      const { tabGroups } = vscode.window;
      const label = () => tabGroups.activeTabGroup.activeTab?.label;
      await eventually(tabGroups.onDidChangeTabs, () => label() === 'Change hero.png');
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      assert.equal(await closed, undefined);
    }
    assert.deepEqual(await readdir(folder), ['hero.png']);
  });
});

describe('unifiedMedia.saveFaviconSet', () => {
  const folder = useSandboxInWorkspace();
  const save = async (argument: object) =>
    vscode.commands.executeCommand<readonly Asset[]>('unifiedMedia.saveFaviconSet', argument);

  it('saves the icons with their HTML lines and manifest, and never over a file', async () => {
    await writeFile(join(folder, 'logo.png'), quartersPng(64, 64));
    await writeFile(join(folder, 'favicon.html'), 'own');
    const assets = await save({ file: 'logo.png' });
    const names = ['favicon.ico', 'apple-touch-icon.png', 'icon-192.png', 'icon-512.png'];
    assert.deepEqual(
      assets.map(({ uri }) => uri),
      names.map((name) => vscode.Uri.file(join(folder, name)).toString()),
    );
    const lines = await readFile(join(folder, 'favicon-2.html'), 'utf8');
    assert.match(lines, /href="\/favicon\.ico".*\n.*href="\/apple-touch-icon\.png".*\n.*href="\/site\.webmanifest"/);
    assert.equal(await vscode.env.clipboard.readText(), lines);
    assert.equal(await readFile(join(folder, 'favicon.html'), 'utf8'), 'own');
    const { icons } = JSON.parse(await readFile(join(folder, 'site.webmanifest'), 'utf8'));
    assert.deepEqual(
      icons.map(({ src }: { readonly src: string }) => src),
      ['icon-192.png', 'icon-512.png'],
    );
  });

  it('writes the addresses at which the project serves the icons', async () => {
    await mkdir(join(folder, 'public'));
    await writeFile(join(folder, 'vite.config.js'), 'export default {};');
    await writeFile(join(folder, 'public', 'logo.png'), quartersPng(64, 64));
    await save({ file: 'public/logo.png' });
    assert.match(await readFile(join(folder, 'public', 'favicon.html'), 'utf8'), /href="\/favicon\.ico"/);
  });

  it('refuses other fields than the file', async () => {
    await assert.rejects(save({ file: 'logo.png', width: 3 }), /width is not a field.*\[invalidInput\]$/);
  });
});
