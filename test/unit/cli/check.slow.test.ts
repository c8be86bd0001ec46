import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { builtCommandLine } from '../../support/builtCommandLine.ts';
import { itWith } from '../../support/findProgram.ts';
import { type MediaService, startMediaService } from '../../support/mediaService.ts';
import { outcomeOf, Repository } from '../../support/repository.ts';
import { linkFile, skipUnless } from '../../support/skipUnless.ts';

const picture = (prompt: string) => ({ operation: 'generateImage', prompt, model: 'm' });

describe('check (promises 15, 33, 34, 38, 39)', () => {
  let service: MediaService;

  before(async () => {
    service = await startMediaService();
  });
  after(() => service[Symbol.asyncDispose]());

  const made = async (names: readonly string[]): Promise<Repository> => {
    const repository = await Repository.make(service.origin, {});
    await repository.declare(Object.fromEntries(names.map((name) => [`${name}.png`, picture(name)])));
    const { code, stdout } = await repository.run(['apply', '--yes']);
    assert.equal(code, 0, stdout);
    return repository;
  };

  it('needs no network, key or write permission, and accepts a Git LFS pointer for its file', async function () {
    skipUnless(this, spawnSync('unshare', ['-rn', 'true']).status === 0, 'unshare -rn');
    await using repository = await made(['a', 'b']);
    const bytes = await readFile(join(repository.root, 'a.png'));
    const oid = createHash('sha256').update(bytes).digest('hex');
    await repository.write({
      'a.png': `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${bytes.length}\n`,
    });
    const before = await filesIn(repository.root);
    await chmod(repository.root, 0o555);
    try {
      const script = await builtCommandLine();
      const environment = { PATH: process.env.PATH, HOME: '/nonexistent' };
      const command = ['-rn', process.execPath, script, 'check'];
      const options = { cwd: repository.root, env: environment };
      const fresh = await outcomeOf(spawn('unshare', command, options));
      assert.equal(fresh.code, 0, fresh.stdout + fresh.stderr);
      // Root can write anywhere, so compare the modification times too.
      assert.deepEqual(await filesIn(repository.root), before);
      assert(!existsSync(environment.HOME));
      await writeFile(join(repository.root, 'b.png'), 'another');
      const changed = await outcomeOf(spawn('unshare', command, options));
      assert.equal(changed.code, 1);
      assert.match(changed.stdout, /changed +b\.png/);
    } finally {
      await chmod(repository.root, 0o755);
    }
  });

  it("reports the line of each outdated entry in GitHub's format (check), and a Markdown table (plan)", async () => {
    await using repository = await made(['a']);
    await rm(join(repository.root, 'a.png'));
    const { code, stdout } = await repository.run(['check', '--format', 'github']);
    assert.equal(code, 1);
    assert.equal(stdout.trim(), '::error file=media.jsonc,line=3::a.png: missing');
    const markdown = await repository.run(['plan', '--markdown']);
    assert.match(markdown.stdout, /\| missing \| `a\.png` \|/);
    assert.match(markdown.stdout, /1 × Generate Image/);
  });

  it('names the manifest as the repository does, wherever it runs and whatever its name is', async () => {
    await using repository = await Repository.make(service.origin, {});
    const text = (model?: string) => JSON.stringify({ assets: { 'a.png': { ...picture('a'), model } } });
    await repository.write({ 'site/art.jsonc': text('m') });
    const words = ['--manifest', 'art.jsonc'];
    const runIn = (verb: string) => repository.run([...verb.split(' '), ...words], {}, join(repository.root, 'site'));
    assert.equal((await runIn('check --format github')).stdout, '::error file=site/art.jsonc,line=1::a.png: missing\n');
    await repository.write({ 'site/art.jsonc': text() });
    for (const verb of ['plan', 'apply']) assert.match((await runIn(verb)).stderr, /^art\.jsonc:1: a\.png: /, verb);
  });

  it('prints nothing of a manifest that commands a terminal or a build server', async () => {
    await using repository = await Repository.make(service.origin, {});
    const manifests = [
      { 'x.png\n::error file=a::INJECTED\n::stop-commands::tok': picture('a') },
      { '\u001b[31mred.png': picture('b') },
      { '\u202egnp.a': picture('c') },
      {
        'b.png': { ...picture('d'), model: 'm\n::add-mask::a\u001b]0;title\u0007 ##[error]e ##vso[task.a]f' },
        '##[group]c.png': picture('e'),
      },
    ];
    const commands = [
      ['check'],
      ['check', '--format', 'github'],
      ['check', '--json'],
      ['plan'],
      ['plan', '--markdown'],
      ['apply', '--yes'],
    ];
    for (const manifest of manifests) {
      await repository.declare(manifest);
      for (const command of commands) {
        // In a process where more than a report is printed. All others print by the same function.
        const { stdout, stderr } = command.includes('apply')
          ? await outcomeOf(repository.start(command))
          : await repository.run(command);
        assert.notEqual(stdout + stderr, '', command.join(' '));
        for (const row of (stdout + stderr).split('\n')) {
          assert.doesNotMatch(row, /\p{Cc}|\p{Cf}|##\w*\[/u, `${command.join(' ')}: ${row}`);
          assert.doesNotMatch(row, /^\s*::(?!error file=media\.jsonc,line=\d+::)/, command.join(' '));
        }
      }
    }
  });

  itWith(
    'git',
    'accepts a union merge of the lock and the marks of a conflict, but no line that is there twice',
    async () => {
      await using repository = await made(['m']);
      await repository.write({ '.gitattributes': 'media.lock.jsonl merge=union\n', '.gitignore': '.unified-media/\n' });
      await repository.git('add', '.');
      await repository.git('commit', '-qm', 'one');
      const addIn = async (branch: string, name: string) => {
        await repository.git('checkout', '-q', '-b', branch, 'main');
        const text = await repository.read('media.jsonc');
        const line = `    "${name}.png": ${JSON.stringify(picture(name))},\n`;
        const at = text.indexOf(name < 'm' ? '    "m.png"' : '  }\n}');
        const added = name < 'm' ? line : line.replace(/,\n$/, '\n');
        const before = name < 'm' ? text.slice(0, at) : text.slice(0, at).replace(/\}\n$/, '},\n');
        await repository.write({ 'media.jsonc': before + added + text.slice(at) });
        const { code, stdout, stderr } = await repository.run(['apply']);
        assert.equal(code, 0, stdout + stderr);
        await repository.git('add', '.');
        await repository.git('commit', '-qm', branch);
      };
      await addIn('first', 'a');
      await addIn('second', 'z');
      await repository.git('merge', '-q', '-m', 'both', 'first');
      const { code, stdout, stderr } = await repository.run(['check']);
      assert.equal(code, 0, stdout + stderr);
      const lock = await repository.read('media.lock.jsonl');
      const [line = ''] = lock.split('\n');
      await repository.write({ 'media.lock.jsonl': `${lock}${line}\n` });
      const twice = await repository.run(['check']);
      assert.equal(twice.code, 1);
      assert.match(twice.stderr, /Lines 1 and 4 .*a\.png/);
      await repository.write({ 'media.lock.jsonl': `<<<<<<< HEAD\n${lock}` });
      const marked = await repository.run(['check']);
      assert.equal(marked.code, 0, marked.stdout + marked.stderr);
    },
  );

  it('prunes orphans that are unchanged and keeps those that were edited', async () => {
    await using repository = await made(['a', 'b', 'c']);
    await writeFile(join(repository.root, 'b.png'), 'retouched');
    await repository.declare({ 'c.png': picture('c') });
    assert.equal((await repository.run(['plan'])).code, 0);
    assert.equal((await repository.run(['check'])).code, 1);
    const listed = await repository.run(['prune']);
    assert.match(listed.stdout, /a\.png +would be removed\n.*b\.png +changed by hand/);
    assert.equal((await repository.read('b.png')).length, 9);
    assert((await readFile(join(repository.root, 'a.png'))).length > 0, 'listing must not remove anything');
    await repository.run(['prune', '--apply']);
    await assert.rejects(readFile(join(repository.root, 'a.png')));
    assert.equal(await repository.read('b.png'), 'retouched');
    assert.equal((await repository.run(['check'])).code, 0);
  });
});

/** All files and folders with their modification times. */
async function filesIn(root: string): Promise<readonly string[]> {
  const names = await readdir(root, { recursive: true });
  const times = names.map(async (name) => `${name} ${(await stat(join(root, name))).mtimeMs}`);
  return (await Promise.all(times)).sort();
}

describe('manifest validation (promises 15, 33, 34, 38, 39)', () => {
  let service: MediaService;

  before(async () => {
    service = await startMediaService();
  });
  after(() => service[Symbol.asyncDispose]());

  const refused = async (repository: Repository, pattern: RegExp): Promise<void> => {
    const before = service.requests.length;
    for (const verb of ['plan', 'apply', 'check']) {
      const { code, stdout, stderr } = await repository.run([verb]);
      assert.equal(code, 1, `${verb}: ${stdout}`);
      assert.match(stdout + stderr, pattern);
    }
    assert.equal(service.requests.length, before, 'nothing is sent');
  };

  it("rejects paths that leave the project or enter a tool's folder, each with its line", async () => {
    const paths = [
      '../x.png',
      '/x.png',
      'C:\\x.png',
      'https://example.org/x.png',
      'a\0b.png',
      '.git/x.png',
      'a/../x.png',
    ];
    await using repository = await Repository.make(service.origin, {});
    await repository.declare({
      'ok.png': picture('a'),
      ...Object.fromEntries(paths.map((path) => [path, picture('a')])),
      'edit.png': { operation: 'editImage', model: 'm', prompt: 'p', images: ['../../etc/passwd'] },
    });
    const { stderr } = await repository.run(['plan']);
    assert.equal(stderr.match(/^media\.jsonc:\d+: /gm)?.length, paths.length + 1, stderr);
    assert.match(stderr, /media\.jsonc:8: \.\.\/x\.png: The path .* leads out/);
    await refused(repository, /leads out/);
  });

  it('rejects links that leave the project, for outputs and for inputs', async () => {
    await using repository = await Repository.make(service.origin, {});
    const outside = join(dirname(repository.root), 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'secret.png'), 'secret');
    await symlink(outside, join(repository.root, 'linked'), 'junction');
    await repository.declare({ 'ok.png': picture('a'), 'linked/x.png': picture('a') });
    await refused(repository, /leads out of the project/);
    const edit = (images: readonly string[]) => ({ operation: 'editImage', model: 'm', prompt: 'p', images });
    await repository.declare({ 'ok.png': picture('a'), 'x.png': edit(['linked/secret.png']) });
    await refused(repository, /leads out of the project/);
  });

  for (const [verb, ...words] of [['plan'], ['apply', '--yes'], ['check'], ['accept', 'ok.png'], ['prune']]) {
    it(`reads no link to a file as media.jsonc or as its lock: ${verb} (finding 10)`, async function () {
      await using repository = await Repository.make(service.origin, {});
      const secret = join(dirname(repository.root), 'credentials.json');
      await writeFile(secret, '{"aws_secret_access_key": "x"}');
      await repository.declare({ 'ok.png': picture('a') });
      for (const name of ['media.lock.jsonl', 'media.jsonc']) {
        await rm(join(repository.root, name), { force: true });
        await linkFile(this, secret, join(repository.root, name));
        const { code, stdout, stderr } = await repository.run([verb ?? '', ...words]);
        assert.equal(code, 1);
        assert.match(stderr, new RegExp(`${name} is a link to another file, so it is not used`));
        assert.doesNotMatch(stdout + stderr, /aws_secret/);
        assert.equal(await readFile(secret, 'utf8'), '{"aws_secret_access_key": "x"}');
      }
    });
  }

  it('reads no media.jsonc and no lock above 8 MB, and nothing that is not a file (finding 10)', async function () {
    await using repository = await Repository.make(service.origin, {});
    await repository.declare({ 'ok.png': picture('a') });
    const manifest = join(repository.root, 'media.jsonc');
    const lock = join(repository.root, 'media.lock.jsonl');
    await writeFile(lock, '');
    // Sparse: takes no space, but would take the memory.
    await truncate(lock, 620_000_000);
    const started = performance.now();
    assert.match((await repository.run(['check'])).stderr, /media\.lock\.jsonl is larger than 8 MB/);
    await rm(lock);
    await truncate(manifest, 8_000_001);
    assert.match((await repository.run(['check'])).stderr, /media\.jsonc is larger than 8 MB/);
    assert(performance.now() - started < 20_000);
    await rm(manifest);
    await mkdir(manifest);
    assert.match((await repository.run(['check'])).stderr, /media\.jsonc is not a file/);
    await rm(manifest, { recursive: true });
    skipUnless(this, spawnSync('mkfifo', [manifest]).status === 0, 'mkfifo');
    assert.match((await repository.run(['check'])).stderr, /media\.jsonc is not a file/);
  });

  it('reads a media.jsonc of 8 MB', async () => {
    await using repository = await Repository.make(service.origin, {});
    await repository.declare({ 'ok.png': picture('a') });
    const manifest = join(repository.root, 'media.jsonc');
    const text = await readFile(manifest, 'utf8');
    await writeFile(manifest, text.padEnd(8_000_000));
    assert.equal((await repository.run(['plan'])).code, 2);
  });

  it('rejects links to files, for outputs and for inputs', async function () {
    await using repository = await Repository.make(service.origin, {});
    const secret = join(dirname(repository.root), 'secret.png');
    await writeFile(secret, 'secret');
    await linkFile(this, secret, join(repository.root, 'file.png'));
    const edit = (images: readonly string[]) => ({ operation: 'editImage', model: 'm', prompt: 'p', images });
    await repository.declare({ 'ok.png': picture('a'), 'x.png': edit(['file.png']) });
    await refused(repository, /is a link/);
    await repository.declare({ 'ok.png': picture('a'), 'file.png': picture('b') });
    await refused(repository, /is a link/);
  });
});
