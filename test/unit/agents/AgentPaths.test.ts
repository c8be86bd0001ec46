import assert from 'node:assert/strict';
import { win32 } from 'node:path';
import { outputName } from '../../../src/agents/agentPaths.ts';
import { isOutside } from '../../../src/files/pathFrom.ts';

describe('outputName', () => {
  const names: readonly (readonly [string, string])[] = [
    ['hero', 'hero'],
    ['hero.png', 'hero'],
    ['hero.gif', 'hero'],
    ['talk.MP3', 'talk'],
    ['notes.md', 'notes'],
    ['v1.2', 'v1.2'],
  ];
  for (const [value, name] of names) it(`returns ${name} for ${value}`, () => assert.equal(outputName(value), name));
});

describe('isOutside', () => {
  const isOutsideOf = (folder: string, path: string) => isOutside(win32.relative(folder, path), win32);

  it('recognises a path on another drive of Windows', () => {
    assert.equal(isOutsideOf('C:\\site', 'D:\\docs\\fox.png'), true);
    assert.equal(isOutsideOf('C:\\site', 'C:\\docs\\fox.png'), true);
  });

  it('accepts a name that only starts with two dots', () => {
    assert.equal(isOutsideOf('C:\\site', 'C:\\site\\..fox.png'), false);
    assert.equal(isOutsideOf('C:\\site', 'C:\\site\\media\\fox.png'), false);
  });
});
