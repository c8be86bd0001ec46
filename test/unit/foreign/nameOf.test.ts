import assert from 'node:assert/strict';
import { nameOf } from '../../../src/foreign/nameOf.ts';

describe('nameOf', () => {
  it('returns the decoded name of a URI, without query and fragment', () => {
    const names = [
      ['https://host.example/a/fox%20%231.png?token=1#top', 'fox #1.png'],
      ['file:///w/100%25.m4a', '100%.m4a'],
      ['vscode-remote://ssh/w/call.m4a', 'call.m4a'],
      ['https://host.example/%E0%A4.png', '%E0%A4.png'],
    ];
    for (const [uri = '', name] of names) assert.equal(nameOf(uri), name);
  });

  it('returns the name of a path as it is', () => {
    const names = [
      ['/w/meeting #3.m4a', 'meeting #3.m4a'],
      ['/w/who is it?.m4a', 'who is it?.m4a'],
      ['/w/100%25.m4a', '100%25.m4a'],
      ['C:\\calls\\meeting #3.m4a', 'meeting #3.m4a'],
      ['media/images/c#.png', 'c#.png'],
    ];
    for (const [path = '', name] of names) assert.equal(nameOf(path), name);
  });
});
