import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RetiredModels } from '../../../src/service/RetiredModels.ts';

const host = 'https://a.example';

describe('models that a service no longer has', () => {
  let folder: string;
  let file: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'retired-'));
    file = join(folder, 'state', 'models.json');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('are known to other processes, for their host alone', async () => {
    await new RetiredModels(file).refused(host, 'old');
    const other = new RetiredModels(file);
    assert(!other.has(host, 'old'));
    await other.read();
    assert(other.has(host, 'old'));
    assert(other.has(`${host}/`, 'old'));
    assert(!other.has('https://b.example', 'old'));
    assert(!other.has(host, 'new'));
  });

  it('are those that a list had once, until it has them again', async () => {
    const retired = new RetiredModels(file);
    await retired.listed(host, '/v1/models', ['a', 'b']);
    await retired.listed(host, '/models', ['c']);
    assert(!retired.has(host, 'never-listed'));
    const later = new RetiredModels(file);
    await later.listed(host, '/v1/models', ['a']);
    assert.deepEqual([later.has(host, 'a'), later.has(host, 'b'), later.has(host, 'c')], [false, true, false]);
    await later.listed(host, '/v1/models', []);
    assert(!later.has(host, 'a'));
    await later.listed(host, '/v1/models', ['a', 'b']);
    assert(!later.has(host, 'b'));
  });

  it('are no longer gone when they make something', async () => {
    const retired = new RetiredModels(file);
    await retired.refused(host, 'old');
    await retired.worked(host, 'old');
    assert(!retired.has(host, 'old'));
    await retired.read();
    assert(!retired.has(host, 'old'));
  });

  it('are none where the file is damaged, and the names of properties are names', async () => {
    const retired = new RetiredModels(file);
    await retired.refused(host, 'constructor');
    assert(!retired.has(host, 'toString'));
    for (const text of [
      '',
      '{',
      '[]',
      '{"https://a.example/":{"gone":[],"lists":{}}}',
      '{"https://a.example/":null}',
    ]) {
      await writeFile(file, text);
      await retired.read();
      assert(!retired.has(host, 'constructor'), text);
    }
    await retired.refused(host, 'old');
    assert.match(await readFile(file, 'utf8'), /"old"/);
  });

  it('last as long as the process where nothing can be written', async () => {
    await writeFile(join(folder, 'state'), 'a file where the folder should be');
    const retired = new RetiredModels(file);
    await retired.refused(host, 'old');
    assert(retired.has(host, 'old'));
  });
});
