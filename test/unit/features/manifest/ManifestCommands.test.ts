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
import { startMediaService } from '../../../support/mediaService.ts';
import { settingsWith } from '../../../support/settingsWith.ts';

const shown: string[] = [];
const editor = {
  workspace: { isTrusted: true, save: async () => undefined, asRelativePath: ({ path }: Uri) => path },
  window: {
    withProgress: async () => undefined,
    showInformationMessage: async (sentence: string) => void shown.push(sentence),
    showWarningMessage: async (sentence: string, ...[options]: unknown[]) =>
      typeof options === 'object' ? 'Apply' : void shown.push(sentence),
  },
};
const { ManifestCommands } = await importWithEditor<
  typeof import('../../../../src/features/manifest/ManifestCommands.ts')
>(new URL('../../../../src/features/manifest/ManifestCommands.ts', import.meta.url), editor);

describe('applying a manifest in the editor', () => {
  it('shows one message, however many results are not what was asked for', async () => {
    const root = await mkdtemp(join(tmpdir(), 'applied-'));
    const storage = await mkdtemp(join(tmpdir(), 'applied-store-'));
    await using service = await startMediaService();
    await using jobs = jobRunnerAt(service.origin, { root, journal: storage });
    const fields = { background: 'transparent' };
    const picture = (prompt: string) => ({ operation: 'generateImage', prompt, model: 'm', fields });
    const assets = { 'a.png': picture('a'), 'b.png': picture('b'), 'c.png': picture('c') };
    await writeFile(join(root, 'media.jsonc'), JSON.stringify({ accepts: { preset: 'openai' }, assets }));
    const options = { sandbox: false, speechMaxCharacters: 4096, seesWork: true };
    const manifest = Uri.file(join(root, 'media.jsonc'));
    const open = () =>
      ManifestProject.open(manifest.fsPath, { root, library: libraryIn(root), store: new Store(storage) });
    const projects = {
      ...{ open, options: async () => options, all: async () => [manifest], find: async () => manifest },
      plan: async () => planAssets(await open(), options),
    };
    const limits = { speechMaxCharacters: 4096, soundOnly: true, maxBytes: 0 };
    const dependencies = {
      runs: { forManifests: async () => ({ runner: jobs.runner, limits }) },
      service: { checkReady: async () => undefined },
      settings: {
        ...settingsWith(),
        keepsLibraryPrivate: false,
        usesSandbox: false,
        hosts: { image: service.origin },
      },
      log: { warn: assert.fail, error: assert.fail },
    };
    const commands = new ManifestCommands(projects as never, dependencies as never);
    await commands.apply(undefined);
    assert.deepEqual(shown, [
      '3 assets were made. a.png: The result is not what was asked for: background is opaque instead of transparent. Warnings in all: 3.',
    ]);
    await rm(root, { recursive: true });
    await rm(storage, { recursive: true });
  });
});
