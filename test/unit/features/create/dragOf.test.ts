import assert from 'node:assert/strict';
import { addressInWindow } from '../../../../src/features/create/dragOf.ts';

describe('the address of a dragged tile', () => {
  const domain = 'vscode-resource.vscode-cdn.net';
  const rows = [
    ['file', `https://file+.${domain}/w/a%20fox.png`, 'file:///w/a%20fox.png'],
    [
      'SSH',
      `https://vscode-remote+ssh-002dremote-002bhost.${domain}/w/a.png`,
      'vscode-remote://ssh-remote+host/w/a.png',
    ],
    [
      'a browser',
      `https://vscode-remote+localhost-003a8080.${domain}/w/a.png`,
      'vscode-remote://localhost:8080/w/a.png',
    ],
    ['a virtual workspace', `https://vscode-vfs+github.${domain}/o/r/a.png`, 'vscode-vfs://github/o/r/a.png'],
  ] as const;
  for (const [where, source, address] of rows) {
    it(`is right for ${where}`, () => assert.equal(addressInWindow(source), address));
  }

  it('is unknown for any other URI', () => {
    for (const source of ['', 'file:///w/a.png', 'https://a.example/a.png']) {
      assert.equal(addressInWindow(source), undefined);
    }
  });
});
