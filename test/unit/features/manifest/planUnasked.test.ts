import assert from 'node:assert/strict';
import { importWithEditor, Uri } from '../../../support/editorStub.ts';

const sizes = new Map<string, number>();
const editor = {
  Uri,
  l10n: { t: (text: string, name: string) => text.replace('{0}', name) },
  workspace: {
    textDocuments: [],
    asRelativePath: ({ path }: Uri) => path.slice(3),
    fs: { stat: async ({ path }: Uri) => ({ size: sizes.get(path) ?? 0 }) },
    // The next step after the sizes.
    getWorkspaceFolder: () => undefined,
  },
};
const { ManifestProjects } = await importWithEditor<
  typeof import('../../../../src/features/manifest/ManifestProjects.ts')
>(new URL('../../../../src/features/manifest/ManifestProjects.ts', import.meta.url), editor);

describe('planUnasked (promise 36)', () => {
  for (const name of ['site/media.jsonc', 'site/media.lock.jsonl']) {
    it(`reads no ${name} above 1 MB`, async () => {
      const plan = async (size: number) => {
        sizes.clear();
        sizes.set(`/w/${name}`, size);
        return new ManifestProjects({} as never).planUnasked(Uri.file('/w/site/media.jsonc'));
      };
      await assert.rejects(plan(1_000_001), { message: `${name} is larger than 1 MB. Plan Assets shows its state.` });
      await assert.rejects(plan(1_000_000), /not in a local workspace folder/);
    });
  }
});
