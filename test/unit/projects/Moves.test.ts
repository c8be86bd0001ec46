import assert from 'node:assert/strict';
import { MovedFiles, Moves } from '../../../src/projects/Moves.ts';
import { RealProject } from './realProject.ts';

describe('MovedFiles', () => {
  it('are those that will be there: in folders that are new, moved or left, and with names that were traded', async () => {
    const project = new RealProject({ 'a/x.png': 'x', 'a/y.png': 'y', 'b.txt': 'b', 'c.txt': 'c', 'd.txt': 'd' });
    try {
      const at = (path: string) => `${project.folder}/${path}`.replace(/\/$/, '');
      const pairs = { a: 'new/folder/a', 'b.txt': 'c.txt', 'c.txt': 'b.txt', 'd.txt': 'D.txt' };
      const moves = new Moves(Object.entries(pairs).map(([from, to]) => ({ from: at(from), to: at(to) })));
      const files = new MovedFiles(project.files, moves);
      const namesIn = async (path: string) => [...(await files.names(at(path)))].sort();
      assert.deepEqual(await namesIn(''), ['D.txt', 'b.txt', 'c.txt', 'new']);
      assert.deepEqual(await namesIn('new'), ['folder']);
      assert.deepEqual(await namesIn('new/folder/a'), ['x.png', 'y.png']);
      assert.deepEqual(await namesIn('a'), []);
      assert.equal(await files.readText(at('c.txt')), 'b');
      assert.equal(await files.readText(at('new/folder/a/x.png')), 'x');
      assert.equal(await files.readText(at('a/x.png')), undefined);
      const there = ['new', 'new/folder', 'new/folder/a/y.png', 'a', 'a/y.png', 'd.txt'];
      assert.deepEqual(await Promise.all(there.map((path) => files.exists(at(path)))), [
        ...[true, true, true],
        ...[false, false, false],
      ]);
    } finally {
      project.remove();
    }
  });
});
