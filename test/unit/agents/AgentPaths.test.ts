import assert from 'node:assert/strict';
import { outputName } from '../../../src/agents/AgentPaths.ts';

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
