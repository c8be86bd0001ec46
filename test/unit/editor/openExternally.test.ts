import assert from 'node:assert/strict';
import { importWithEditor } from '../../support/editorStub.ts';

const calls: string[] = [];
const env = {
  remoteName: undefined as string | undefined,
  openExternal: async () => calls.push('opened'),
};
const window = { showInformationMessage: async (sentence: string) => calls.push(sentence) };
const commands = { executeCommand: async (command: string) => calls.push(command) };
const editor = { env, window, commands };
const { openExternally } = await importWithEditor<typeof import('../../../src/editor/workspaceFiles.ts')>(
  new URL('../../../src/editor/workspaceFiles.ts', import.meta.url),
  editor,
);

describe('openExternally', () => {
  for (const [remoteName, path, expected] of [
    [undefined, '/a.mp3', /^opened$/],
    ['ssh-remote', '/a.mp3', /^VS Code is connected to another system/],
    [undefined, '/a.sh', /^vscode\.open$/],
    ['ssh-remote', '/a.sh', /^vscode\.open$/],
  ] as const) {
    it(`of ${path} in ${remoteName ?? 'a local window'}`, async () => {
      calls.length = 0;
      env.remoteName = remoteName;
      await openExternally({ path } as never);
      assert.equal(calls.length, 1);
      assert.match(calls[0] ?? '', expected);
    });
  }
});
