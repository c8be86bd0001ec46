import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OperationId } from '../../../src/operations/operations.ts';
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
    await new RetiredModels(file).refused(host, 'speak', 'old');
    const other = new RetiredModels(file);
    assert(!other.has(host, 'speak', 'old'));
    await other.read();
    assert(other.has(host, 'speak', 'old'));
    assert(other.has(`${host}/`, 'speak', 'old'));
    assert(!other.has('https://b.example', 'speak', 'old'));
    assert(!other.has(host, 'speak', 'new'));
  });

  it('are those that a list had once, until it has them again', async () => {
    const retired = new RetiredModels(file);
    await retired.listed(host, '/v1/models', ['a', 'b']);
    await retired.listed(host, '/models', ['c']);
    assert(!retired.has(host, 'speak', 'never-listed'));
    const later = new RetiredModels(file);
    await later.listed(host, '/v1/models', ['a']);
    assert.deepEqual(
      [later.has(host, 'speak', 'a'), later.has(host, 'speak', 'b'), later.has(host, 'speak', 'c')],
      [false, true, false],
    );
    await later.listed(host, '/v1/models', []);
    assert(!later.has(host, 'speak', 'a'));
    await later.listed(host, '/v1/models', ['a', 'b']);
    assert(!later.has(host, 'speak', 'b'));
  });

  it('are gone only for the operation whose request was refused, until a list has them', async () => {
    const retired = new RetiredModels(file);
    await retired.listed(host, '/v1/models', ['whisper-1', 'tts-1']);
    await retired.refused(host, 'generateImage', 'whisper-1');
    await retired.refused(host, 'generateImage', 'other');
    const goneFor = (id: OperationId) => ['whisper-1', 'other', 'tts-1'].filter((name) => retired.has(host, id, name));
    assert.deepEqual([goneFor('generateImage'), goneFor('transcribe')], [['whisper-1', 'other'], []]);
    await retired.worked(host, 'transcribe', 'whisper-1');
    assert.deepEqual(goneFor('generateImage'), ['whisper-1', 'other']);
    await retired.listed(host, '/v1/models', ['whisper-1', 'tts-1']);
    assert.deepEqual(goneFor('generateImage'), ['other']);
  });

  it('are read from a file of an earlier version, which did not know the operation', async () => {
    await mkdir(join(folder, 'state'));
    await writeFile(file, `{"${host}/":{"lists":{},"gone":{"old":"2026-11-01T00:00:00.000Z"}}}`);
    const retired = new RetiredModels(file);
    await retired.read();
    assert.deepEqual([retired.has(host, 'speak', 'old'), retired.has(host, 'transcribe', 'old')], [true, true]);
    await retired.listed(host, '/v1/models', ['old']);
    assert(!retired.has(host, 'speak', 'old'));
  });

  it('are no longer gone when they make something', async () => {
    const retired = new RetiredModels(file);
    await retired.refused(host, 'speak', 'old');
    await retired.worked(host, 'speak', 'old');
    assert(!retired.has(host, 'speak', 'old'));
    await retired.read();
    assert(!retired.has(host, 'speak', 'old'));
  });

  it('are none where the file is damaged, and the names of properties are names', async () => {
    const retired = new RetiredModels(file);
    await retired.refused(host, 'speak', 'constructor');
    assert(!retired.has(host, 'speak', 'toString'));
    for (const text of [
      '',
      '{',
      '[]',
      '{"https://a.example/":{"gone":[],"lists":{}}}',
      '{"https://a.example/":null}',
    ]) {
      await writeFile(file, text);
      await retired.read();
      assert(!retired.has(host, 'speak', 'constructor'), text);
    }
    await retired.refused(host, 'speak', 'old');
    assert.match(await readFile(file, 'utf8'), /"old"/);
  });

  it('last as long as the process where nothing can be written', async () => {
    await writeFile(join(folder, 'state'), 'a file where the folder should be');
    const retired = new RetiredModels(file);
    await retired.refused(host, 'speak', 'old');
    assert(retired.has(host, 'speak', 'old'));
  });
});
