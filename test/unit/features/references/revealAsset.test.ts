import assert from 'node:assert/strict';
import { importWithEditor, Uri } from '../../../support/editorStub.ts';

const calls: string[] = [];
const UIKind = { Desktop: 1, Web: 2 };
const env = {
  remoteName: undefined as string | undefined,
  uiKind: UIKind.Desktop,
  clipboard: { writeText: async (text: string) => calls.push(text) },
};
const editor = {
  ...{ UIKind, env },
  window: {
    showInformationMessage: async (sentence: string, button: string) => {
      calls.push(sentence);
      return button;
    },
  },
  workspace: {
    fs: { stat: async () => ({}) },
    getWorkspaceFolder: ({ fsPath }: Uri) => (fsPath.startsWith('/w/') ? {} : undefined),
  },
  commands: { executeCommand: async (command: string) => calls.push(command) },
};
const { revealAsset } = await importWithEditor<typeof import('../../../../src/features/references/assetCommands.ts')>(
  new URL('../../../../src/features/references/assetCommands.ts', import.meta.url),
  editor,
);

describe('revealAsset', () => {
  const told = ['This window cannot show the folder of /home/a.png, which is outside the workspace.', '/home/a.png'];
  for (const [remoteName, uiKind, path, expected] of [
    [undefined, UIKind.Desktop, '/home/a.png', ['revealFileInOS']],
    ['ssh-remote', UIKind.Desktop, '/home/a.png', told],
    [undefined, UIKind.Web, '/home/a.png', told],
    ['ssh-remote', UIKind.Web, '/w/a.png', ['revealInExplorer']],
  ] as const) {
    it(`of ${path} in ${uiKind === UIKind.Web ? 'a browser' : 'a window'}${remoteName ? ', remote' : ''}`, async () => {
      calls.length = 0;
      Object.assign(env, { remoteName, uiKind });
      await revealAsset(Uri.file(path), {} as never);
      assert.deepEqual(calls, expected);
    });
  }
});
