import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { importWithEditor } from '../../../support/editorStub.ts';

const listeners: ((file: { readonly path: string }) => void)[] = [];
const listen = () => ({ dispose: () => undefined });
const follow = (listener: (typeof listeners)[number]) => {
  listeners.push(listener);
  return listen();
};
let looks = 0;
const editor = {
  workspace: {
    findFiles: async () => {
      looks++;
      return [];
    },
    createFileSystemWatcher: () => ({ onDidCreate: follow, onDidDelete: follow, onDidChange: listen }),
    onDidChangeWorkspaceFolders: listen,
    onDidChangeConfiguration: listen,
    onDidCloseTextDocument: listen,
  },
  languages: { createDiagnosticCollection: listen, registerCodeActionsProvider: listen },
  commands: { executeCommand: async () => undefined },
};
const load = <Module>(path: string) => importWithEditor<Module>(new URL(path, import.meta.url), editor);
const { watchManifests } = await load<typeof import('../../../../src/features/manifest/watchManifests.ts')>(
  '../../../../src/features/manifest/watchManifests.ts',
);
const { ManifestFeature } = await load<typeof import('../../../../src/features/manifest/ManifestFeature.ts')>(
  '../../../../src/features/manifest/ManifestFeature.ts',
);

describe('manifests that come and go', () => {
  beforeEach(() => {
    listeners.length = 0;
  });

  for (const [path, isNoted] of [
    ['/w/site/media.jsonc', true],
    ['/w/site', true],
    ['/w/site/main.ts', false],
    ['/w/node_modules/site', false],
    ['/w/.git/HEAD', false],
  ] as const) {
    it(`${isNoted ? 'are looked for again, once,' : 'are not looked for'} when ${path} comes or goes`, async () => {
      watchManifests();
      let updates = 0;
      new ManifestFeature({} as never, () => updates++);
      looks = 0;
      for (const listener of listeners) listener({ path });
      await wait(400);
      assert.deepEqual([looks, updates], isNoted ? [1, 1] : [0, 0]);
    });
  }
});
