import assert from 'node:assert/strict';
import { chmod, mkdtemp, open, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mp3Bytes, pngBytes } from '../support/mediaBytes.ts';
import { type MediaService, startMediaService } from '../support/mediaService.ts';
import { outcomeOf, Repository } from '../support/repository.ts';
import { skipUnless } from '../support/skipUnless.ts';

const picture = (prompt: string) => ({ operation: 'generateImage', prompt, model: 'm' });
const crlf = (text: string) => text.replace(/\r?\n/g, '\r\n');

/** What people do in a project on Windows, with the command line as it ships, in processes of its own. */
describe('The command line on Windows', () => {
  let service: MediaService;
  let repository: Repository;

  beforeEach(async function () {
    skipUnless(this, process.platform === 'win32', 'Windows');
    service = await startMediaService();
    repository = await Repository.make(service.origin, {});
  });

  afterEach(async () => {
    await service?.[Symbol.asyncDispose]();
    await repository?.[Symbol.asyncDispose]();
  });

  async function run(words: readonly string[], cwd?: string, environment: NodeJS.ProcessEnv = {}) {
    const { code, stdout, stderr } = await outcomeOf(repository.start(words, environment, cwd));
    return { code, text: stdout + stderr };
  }

  async function succeeds(...words: readonly string[]): Promise<string> {
    const { code, text } = await run(words);
    assert.equal(code, 0, `${words.join(' ')}: ${text}`);
    return text;
  }

  it('prints its version, and the options of the sandbox', async () => {
    assert.match(await succeeds('--version'), /^\d+\.\d+\.\d+\n$/);
    assert.match(await succeeds('sandbox', '--help'), /--storage FOLDER/);
  });

  it('plans, applies and checks in the sandbox, also with backslashes', async () => {
    await repository.declare({
      'static/img/größe & more.png': picture('a'),
      'static/img/small.webp': { from: 'static/img/größe & more.png', size: [32, 32] },
    });
    assert.equal((await run(['plan', '--sandbox'])).code, 2);
    await succeeds('apply', '--sandbox');
    await succeeds('check', '--sandbox');
    await succeeds('accept', '.\\static\\img\\größe & more.png', '--sandbox');
    assert.match(await repository.read('media.lock.jsonl'), /"path":"static\/img\/größe & more\.png".*"accepted":true/);
    assert.equal(service.requests.length, 0);
  });

  it('pays once, however the folder is written after a kill', async () => {
    await repository.declare({ 'a.png': picture('a') });
    await repository.crash(service.stand());
    service.answerWith();
    const [drive = '', rest = ''] = [repository.root.slice(0, 1), repository.root.slice(1)];
    const otherDrive = drive === drive.toLowerCase() ? drive.toUpperCase() : drive.toLowerCase();
    const spellings = [repository.root, repository.root.toUpperCase(), otherDrive + rest, `\\\\?\\${repository.root}`];
    for (const root of spellings) {
      const words = ['apply', '--manifest', join(root, 'media.jsonc')];
      const { code, text } = await run(words, root.startsWith('\\\\?\\') ? undefined : root);
      assert.match(text, /left +a\.png +Outcome unknown/, `${root}: ${text}`);
      assert.equal(code, 1, root);
    }
    assert.equal(service.requests.length, 1);
    await succeeds('apply', '--again');
    assert.equal(service.requests.length, 2);
  });

  it('records a file by its name on disk, however the manifest is written', async () => {
    await repository.write({ 'site/media.jsonc': JSON.stringify({ assets: { 'static/a.png': picture('a') } }) });
    assert.equal((await run(['apply', '--manifest', 'MEDIA.jsonc'], join(repository.root, 'SITE'))).code, 0);
    const library = await repository.read('.unified-media/library.jsonl');
    assert.match(library, /"site\/static\/a\.png"/);
    assert.doesNotMatch(library, /SITE/);
    assert.deepEqual((await readdir(join(repository.root, 'site'))).sort(), [
      '.unified-media',
      'media.jsonc',
      'media.lock.jsonl',
      'static',
    ]);
  });

  it('reads its variables in any case, also when it applies', async () => {
    await repository.declare({ 'a.png': picture('a') });
    const state = await mkdtemp(join(tmpdir(), 'state-'));
    const { code, text } = await run(['apply'], undefined, { XDG_STATE_HOME: undefined, LocalAppData: state });
    assert.equal(code, 0, text);
    assert((await readdir(join(state, 'unified-media'))).includes('work'));
    await rm(state, { recursive: true });
  });

  it('reads what Notepad and git have saved', async () => {
    await repository.write({ 'guide.md': '# Guide\n\nOpen the door.\n', 'call.mp3': mp3Bytes });
    await repository.declare({
      'guide.mp3': { operation: 'speak', document: 'guide.md', model: 'm', voice: 'nova' },
      'call.md': { operation: 'transcribe', file: 'call.mp3', model: 'm' },
    });
    await succeeds('apply');
    const paid = service.requests.length;
    for (const name of ['media.jsonc', 'media.lock.jsonl', 'guide.md']) {
      await repository.write({ [name]: `\ufeff${crlf(await repository.read(name))}` });
    }
    await repository.write({ 'call.md': crlf(await repository.read('call.md')) });
    await succeeds('check');
    await succeeds('apply');
    assert.equal(service.requests.length, paid);
  });

  it('takes a read-only picture, and says that a file is held', async () => {
    await repository.write({ 'in.png': pngBytes });
    await chmod(join(repository.root, 'in.png'), 0o444);
    const edit = (prompt: string) => ({ operation: 'editImage', prompt, images: ['in.png'], model: 'm' });
    await repository.declare({ 'out.png': edit('one') });
    await succeeds('apply');
    await repository.declare({ 'out.png': edit('two') });
    {
      await using _ = await open(join(repository.root, 'out.png'));
      const { code, text } = await run(['apply']);
      assert.match(text, /out\.png could not be replaced: another program has it open/);
      assert.equal(code, 1);
    }
    await succeeds('apply');
    assert.equal(service.requests.length, 2);
    await writeFile(join(repository.root, 'out.png'), 'by hand');
    assert.equal((await run(['check'])).code, 1);
  });
});
