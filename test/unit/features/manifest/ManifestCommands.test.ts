import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { libraryIn } from '../../../../src/cli/libraryIn.ts';
import { ManifestProject } from '../../../../src/manifest/ManifestProject.ts';
import { planAssets } from '../../../../src/manifest/plan.ts';
import { Store } from '../../../../src/work/Store.ts';
import { importWithEditor, Uri } from '../../../support/editorStub.ts';
import { jobRunnerAt } from '../../../support/jobRunner.ts';
import { pngBytes } from '../../../support/mediaBytes.ts';
import { startMediaService } from '../../../support/mediaService.ts';
import { settingsWith } from '../../../support/settingsWith.ts';

const shown: string[] = [];
const asked: string[] = [];
/** What the person answers next. */
const answers: string[] = [];
let whole = '';
let textOf: (uri: object) => string | undefined;
const editor = {
  Uri: Object.assign(Uri, { from: (parts: object) => parts }),
  workspace: {
    isTrusted: true,
    save: async () => undefined,
    asRelativePath: ({ path }: Uri) => path,
    registerTextDocumentContentProvider: (
      _: string,
      { provideTextDocumentContent }: { provideTextDocumentContent: typeof textOf },
    ) => {
      textOf = provideTextDocumentContent;
      return { dispose: () => undefined };
    },
    openTextDocument: async (uri: object) => {
      whole = textOf(uri) ?? '';
    },
  },
  window: {
    withProgress: async () => undefined,
    showTextDocument: async () => undefined,
    showInformationMessage: async (sentence: string) => void shown.push(sentence),
    showWarningMessage: async (sentence: string, ...[options]: readonly unknown[]) => {
      if (typeof options !== 'object') return void shown.push(sentence);
      asked.push(`${sentence}\n${(options as { readonly detail: string }).detail}`);
      return answers.shift();
    },
  },
};
const { ManifestCommands } = await importWithEditor<
  typeof import('../../../../src/features/manifest/ManifestCommands.ts')
>(new URL('../../../../src/features/manifest/ManifestCommands.ts', import.meta.url), editor);

/** Returns the commands on the manifest in a folder. */
function commandsFor(root: string, storage: string, runner: object, origin: string) {
  const options = { sandbox: false, speechMaxCharacters: 4096, seesWork: true };
  const manifest = Uri.file(join(root, 'media.jsonc'));
  const open = (_?: unknown, only?: readonly string[]) =>
    ManifestProject.open(manifest.fsPath, { root, library: libraryIn(root), store: new Store(storage), only });
  const projects = {
    ...{ open, options: async () => options, all: async () => [manifest], find: async () => manifest },
    plan: async (_: unknown, __: unknown, only?: readonly string[]) => planAssets(await open(_, only), options),
  };
  const limits = { speechMaxCharacters: 4096, soundOnly: true, maxBytes: 0 };
  const dependencies = {
    runs: { forManifests: async () => ({ runner, limits }) },
    service: { checkReady: async () => undefined },
    settings: { ...settingsWith(), keepsLibraryPrivate: false, usesSandbox: false, hosts: { image: origin } },
    log: { warn: () => undefined, error: assert.fail },
  };
  return new ManifestCommands(projects as never, dependencies as never);
}

describe('applying a manifest in the editor', () => {
  it('makes a right entry beside one with an error, which it is for whoever names that or all', async () => {
    const root = await mkdtemp(join(tmpdir(), 'applied-'));
    const storage = await mkdtemp(join(tmpdir(), 'applied-store-'));
    await using service = await startMediaService();
    await using jobs = jobRunnerAt(service.origin, { root, journal: storage });
    const right = { operation: 'generateImage', prompt: 'a', model: 'm' };
    await writeFile(
      join(root, 'media.jsonc'),
      JSON.stringify({ assets: { 'a.png': right, 'b.png': { prompt: 'b' }, 'b.webp': { from: 'b.png' } } }),
    );
    const commands = commandsFor(root, storage, jobs.runner, service.origin);
    for (const paths of [undefined, ['b.png'], ['a.png', 'b.webp']]) {
      await assert.rejects(commands.apply({ paths }), /media\.jsonc:1: b\.(?:png: The field|webp: Its input)/);
    }
    assert.equal(service.paid.length, 0);
    const plan = await commands.apply({ paths: ['a.png'] });
    assert.deepEqual(
      plan?.entries.map(({ path, state }) => `${path} ${state}`),
      ['a.png fresh'],
    );
    assert.equal(service.paid.length, 1);
    await rm(root, { recursive: true });
    await rm(storage, { recursive: true });
  });

  it('asks with a table, and shows the whole texts under Show All only (promise 33)', async () => {
    const root = await mkdtemp(join(tmpdir(), 'applied-'));
    const storage = await mkdtemp(join(tmpdir(), 'applied-store-'));
    await using service = await startMediaService();
    await using jobs = jobRunnerAt(service.origin, { root, journal: storage });
    await writeFile(join(root, 'in.png'), pngBytes);
    const commands = commandsFor(root, storage, jobs.runner, service.origin);
    for (const prompt of ['a harbour', `${'a harbour at dawn, '.repeat(30)}wide`]) {
      const assets = {
        'a.png': { operation: 'generateImage', prompt, model: 'm' },
        'b.png': { operation: 'editImage', prompt, model: 'm', images: ['in.png'] },
      };
      await writeFile(join(root, 'media.jsonc'), JSON.stringify({ assets }));
      asked.length = 0;
      shown.length = 0;
      answers.push('Show All');
      await commands.apply(undefined);
      const title = 'Send 2 requests, 2 images?';
      const note = 'The service may bill each request. Files that you changed are not overwritten.';
      const table = ['a.png · new · 1 request, 1 image', 'b.png · new · 1 request, 1 image · sends in.png'];
      assert.deepEqual(asked, [[title, ...table, '', `Service: ${service.origin}`, '', note].join('\n')]);
      assert.deepEqual(shown, [`${title} ${note}`]);
      assert.match(whole, /SHA-256 [0-9a-f]{64}/);
      for (const part of [prompt, join(root, 'in.png')]) assert(whole.includes(part), `${part} in ${whole}`);
    }
    assert.equal(service.paid.length, 0);
    await rm(root, { recursive: true });
    await rm(storage, { recursive: true });
  });

  it('shows one message, however many results are not what was asked for', async () => {
    const root = await mkdtemp(join(tmpdir(), 'applied-'));
    const storage = await mkdtemp(join(tmpdir(), 'applied-store-'));
    await using service = await startMediaService();
    await using jobs = jobRunnerAt(service.origin, { root, journal: storage });
    const fields = { background: 'transparent' };
    const picture = (prompt: string) => ({ operation: 'generateImage', prompt, model: 'm', fields });
    const assets = { 'a.png': picture('a'), 'b.png': picture('b'), 'c.png': picture('c') };
    await writeFile(join(root, 'media.jsonc'), JSON.stringify({ accepts: { preset: 'openai' }, assets }));
    const commands = commandsFor(root, storage, jobs.runner, service.origin);
    shown.length = 0;
    answers.push('Apply');
    await commands.apply(undefined);
    assert.deepEqual(shown, [
      '3 assets were made. a.png: The result is not what was asked for: background is opaque instead of transparent. Warnings in all: 3.',
    ]);
    await rm(root, { recursive: true });
    await rm(storage, { recursive: true });
  });
});
