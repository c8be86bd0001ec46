import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { libraryIn } from '../../../src/cli/libraryIn.ts';
import type { Plan } from '../../../src/manifest/plan.ts';
import { startHttpServer } from '../../support/httpServer.ts';
import { type MediaService, startMediaService } from '../../support/mediaService.ts';
import { outcomeOf, Repository } from '../../support/repository.ts';
import { skipUnless } from '../../support/skipUnless.ts';
import { whileHeld } from '../../support/whileHeld.ts';

const defaults = {
  generateImage: { model: 'm' },
  editImage: { model: 'm' },
  speak: { model: 't', voice: 'nova' },
  transcribe: { model: 'w' },
  animateImage: { model: 'v' },
};

/** One entry of each kind, each needing only files that other entries produce. */
const everything = {
  'static/hero.png': { operation: 'generateImage', prompt: 'A harbour', variants: 3 },
  'static/night.png': { operation: 'editImage', prompt: 'at night', images: ['static/hero.png'] },
  'static/hello.wav': { operation: 'speak', input: 'Hello.' },
  'docs/hello.md': { operation: 'transcribe', file: 'static/hello.wav' },
  'media/intro.mp4': { operation: 'animateImage', prompt: 'the boats leave', image: 'static/hero.png' },
  'media/intro-2.mp4': { operation: 'remixVideo', prompt: 'in the rain', video: 'media/intro.mp4' },
};

describe('apply (promises 34, 39, 40)', () => {
  let service: MediaService;

  before(async () => {
    service = await startMediaService();
  });
  after(() => service[Symbol.asyncDispose]());

  const planOf = async (repository: Repository): Promise<Plan> =>
    JSON.parse((await repository.run(['plan', '--json'])).stdout) as Plan;
  const statesIn = ({ entries }: Plan) => Object.fromEntries(entries.map(({ path, state }) => [path, state]));
  const sentBy = async (work: () => Promise<unknown>): Promise<readonly unknown[]> => {
    const before = service.requests.length;
    await work();
    return service.requests.slice(before).map(({ url }) => url);
  };

  it('writes and sends nothing where the home folder is not known, as the state would be in the project', async function () {
    skipUnless(this, process.platform !== 'win32', 'the variable HOME');
    await using repository = await Repository.make(service.origin, {});
    await repository.declare({ 'a.png': { operation: 'generateImage', prompt: 'a', model: 'm' } });
    for (const verb of ['plan', 'apply']) {
      const started = repository.start([verb], { HOME: '', XDG_STATE_HOME: '' });
      const { code, stderr } = await outcomeOf(started);
      assert.deepEqual([code, stderr.trim().split('\n').length], [1, 1], stderr);
      assert.match(stderr, /^Your home folder is not known/);
    }
    assert.deepEqual((await readdir(repository.root)).sort(), ['.git', 'media.jsonc']);
    assert.equal(service.paid.length, 0);
  });

  it('sends what plan counted, saves to the exact paths, and then has nothing left to do', async () => {
    await using repository = await Repository.make(service.origin, {});
    await repository.declare(everything, { defaults, style: 'flat' });
    const before = await repository.run(['plan', '--json']);
    assert.equal(before.code, 2, before.stderr);
    const plan = JSON.parse(before.stdout) as Plan;
    const sent = await sentBy(async () => {
      const { code, stdout, stderr } = await repository.run(['apply', '--yes']);
      assert.equal(code, 0, stdout + stderr);
    });
    assert.deepEqual(plan.requests, {
      generateImage: 1,
      editImage: 1,
      speak: 1,
      transcribe: 1,
      animateImage: 1,
      remixVideo: 1,
    });
    assert.deepEqual([plan.images, plan.videos, plan.characters], [4, 2, 6]);
    assert.equal(sent.length, 6);
    assert(service.prompts().slice(-6).includes('A harbour, flat'));
    for (const path of Object.keys(everything)) assert(existsSync(join(repository.root, path)), path);
    const after = await repository.run(['plan']);
    assert.equal(after.code, 0, after.stdout);
    assert.deepEqual(await sentBy(() => repository.run(['apply'])), []);
    assert.equal((await repository.run(['check'])).code, 0);
  });

  it('says what it costs by the person’s own prices, in the plan and before sending; nothing in the sandbox', async () => {
    await using repository = await Repository.make(service.origin, {});
    const many = Object.fromEntries(
      ['a', 'b', 'c'].map((name) => [`${name}.png`, { operation: 'generateImage', prompt: name, variants: 2 }]),
    );
    await repository.declare(many, { defaults });
    const prices = { UNIFIED_MEDIA_PRICES: '{"currency": "$", "models": {"m": {"image": 0.02}}}' };
    assert.match((await repository.run(['plan'], prices)).stdout, /3 requests, 6 images, about 0\.12 \$$/m);
    assert.match((await repository.run(['plan', '--markdown'], prices)).stdout, /about 0\.12 \$/);
    const plan = JSON.parse((await repository.run(['plan', '--json'], prices)).stdout) as Plan;
    assert.deepEqual(plan.cost, { amount: 0.12, currency: '$' });
    const before = service.requests.length;
    assert.match((await repository.run(['apply'], prices)).stderr, /needs your confirmation: .*about 0\.12 \$/);
    for (const free of [
      await repository.run(['plan', '--sandbox'], prices),
      await repository.run(['plan'], { UNIFIED_MEDIA_PRICES: prices.UNIFIED_MEDIA_PRICES.replace('"m"', '"other"') }),
      await repository.run(['plan']),
    ]) {
      assert.match(free.stdout, /3 requests, 6 images$/m);
    }
    const wrong = await repository.run(['plan'], { UNIFIED_MEDIA_PRICES: '{"models": 3}' });
    assert.deepEqual([wrong.code, /UNIFIED_MEDIA_PRICES/.test(wrong.stderr)], [1, true]);
    assert.equal(service.requests.length, before);
    await repository.declare({});
    for (const verb of ['check', 'prune']) {
      const { code, stderr } = await repository.run([verb], { UNIFIED_MEDIA_PRICES: 'wrong' });
      assert.deepEqual([code, stderr], [0, ''], verb);
    }
  });

  it('succeeds also when the folder of an original cannot be removed', async () => {
    await using repository = await Repository.make(service.origin, {});
    await repository.declare({ 'a.png': { operation: 'generateImage', prompt: 'a', model: 'm' } });
    const { code, stdout, stderr } = await whileHeld('variants', () => repository.run(['apply']));
    assert.equal(code, 0, stdout + stderr);
    assert.equal((await repository.run(['check'])).code, 0);
  });

  it('writes a lock sorted by path, without times, versions or totals', async () => {
    await using repository = await Repository.make(service.origin, {});
    await repository.declare(everything, { defaults });
    await repository.run(['apply', '--yes']);
    const lock = await repository.read('media.lock.jsonl');
    const lines = lock
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.deepEqual(
      lines.map(({ path }) => path),
      Object.keys(everything).sort(),
    );
    const known = ['path', 'request', 'inputs', 'local', 'output', 'variant', 'videoId', 'blocks', 'sandbox'];
    for (const line of lines)
      assert.deepEqual(
        Object.keys(line).filter((name) => !known.includes(name)),
        [],
      );
    const hero = lines.find(({ path }) => path === 'static/hero.png');
    const bytes = await readFile(join(repository.root, 'static/hero.png'));
    assert.equal(hero?.output, createHash('sha256').update(bytes).digest('hex'));
    assert.equal(hero?.variant, 1);
    assert.doesNotMatch(lock, /\d{4}-\d\d-\d\dT/);
  });

  it('regenerates only the entries whose request changed', async () => {
    await using repository = await Repository.make(service.origin, {});
    const pictures = {
      'a.png': { operation: 'generateImage', prompt: 'a' },
      'b.png': { operation: 'generateImage', prompt: 'b', model: 'own' },
    };
    await repository.declare(pictures, { defaults });
    await repository.run(['apply', '--yes']);
    // The order of fields, formatting and comments do not matter.
    const { 'a.png': a, 'b.png': b } = pictures;
    await repository.write({
      'media.jsonc': `// words\n{"assets": {"b.png": {"model":"own","prompt":"b","operation":"generateImage"},
        "a.png": ${JSON.stringify(a)}}, /* more */ "defaults": ${JSON.stringify(defaults)},}`,
    });
    assert.deepEqual(statesIn(await planOf(repository)), { 'b.png': 'fresh', 'a.png': 'fresh' });
    await repository.declare({ 'a.png': { ...a, prompt: 'another' }, 'b.png': b }, { defaults });
    const plan = await planOf(repository);
    assert.deepEqual(plan.entries[0], { path: 'a.png', state: 'stale', reasons: ['prompt changed'], requests: 1 });
    assert.equal(plan.entries[1]?.state, 'fresh');
    assert.equal((await sentBy(() => repository.run(['apply']))).length, 1);
    await repository.declare(
      { 'a.png': { ...a, prompt: 'another' }, 'b.png': b },
      { defaults: { generateImage: { model: 'new' } } },
    );
    const changed = await planOf(repository);
    assert.deepEqual(
      changed.entries.map(({ reasons }) => reasons),
      [['model changed'], []],
    );
  });

  it('leaves files that people changed or that the lock does not list, until they are accepted', async () => {
    await using repository = await Repository.make(service.origin, { 'b.png': 'drawn by hand' });
    await repository.declare(
      {
        'a.png': { operation: 'generateImage', prompt: 'a' },
        'b.png': { operation: 'generateImage', prompt: 'b' },
      },
      { defaults },
    );
    await repository.run(['apply']);
    await writeFile(join(repository.root, 'a.png'), 'retouched');
    assert.deepEqual(statesIn(await planOf(repository)), { 'a.png': 'changed', 'b.png': 'unlocked' });
    const sent = await sentBy(async () => assert.equal((await repository.run(['apply'])).code, 1));
    assert.deepEqual(sent, []);
    assert.equal(await repository.read('a.png'), 'retouched');
    assert.equal(await repository.read('b.png'), 'drawn by hand');
    const accepted = await sentBy(async () => {
      assert.equal((await repository.run(['accept', 'a.png', 'b.png'])).code, 0);
    });
    assert.deepEqual(accepted, []);
    assert.equal((await repository.run(['check'])).code, 0);
    const wrong = await repository.run(['accept', 'c.png']);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /c\.png/);
  });

  it('counts each of several requests that were out at a kill as unknown, and sends the others', async () => {
    await using repository = await Repository.make(service.origin, {});
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    await repository.declare(
      Object.fromEntries(names.map((name) => [`${name}.png`, { operation: 'generateImage', prompt: name }])),
      { defaults },
    );
    const first = service.paid.length;
    const promptsSent = () => service.paid.slice(first).map(({ body }) => body.prompt);
    const { promise: allOut, resolve } = Promise.withResolvers<void>();
    service.answerWith(() => (service.paid.length - first === 4 ? resolve() : undefined));
    await repository.crash(allOut, ['apply', '--yes', '--jobs', '4']);
    service.answerWith();
    const { code, stdout } = await repository.run(['apply']);
    assert.equal(code, 1);
    const outcomes = stdout
      .trim()
      .split('\n')
      .map((line) => line.split(/ +/).slice(0, 2).join(' '));
    assert.deepEqual(outcomes, [...names.slice(0, 4).map((name) => `left ${name}.png`), 'made e.png', 'made f.png']);
    assert.deepEqual(promptsSent().sort(), names);
    assert.equal((await repository.run(['apply', '--again'])).code, 0);
    assert.equal(promptsSent().length, 10);
  });

  it('sends unsent entries after a kill, but repeats a possibly billed one only with --again', async () => {
    await using repository = await Repository.make(service.origin, {});
    const names = ['a', 'b', 'c', 'd', 'e'];
    await repository.declare(
      Object.fromEntries(names.map((name) => [`${name}.png`, { operation: 'generateImage', prompt: name }])),
      { defaults },
    );
    const stood = service.stand(3);
    const child = repository.start(['apply', '--yes']);
    await stood;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    service.answerWith();
    assert.deepEqual(await planOf(repository).then(({ requests }) => requests), { generateImage: 1 });
    assert.equal((await repository.run(['plan'])).code, 2);
    const first = service.paid.length;
    const next = await repository.run(['apply']);
    assert.equal(next.code, 1);
    assert.match(next.stdout, /left +d\.png +Outcome unknown/);
    assert.deepEqual(
      service.paid.slice(first).map(({ body }) => body.prompt),
      ['e'],
    );
    assert.equal((await repository.run(['plan'])).code, 1, 'apply would send nothing');
    // A state folder of its own, as the editor has.
    const other = await repository.run(['apply'], { XDG_STATE_HOME: `${repository.root}-other` });
    assert.match(other.stdout, /left +d\.png +Outcome unknown/);
    const last = await repository.run(['apply', '--again']);
    assert.equal(last.code, 0, last.stdout);
    assert.deepEqual(
      service.paid.slice(first).map(({ body }) => body.prompt),
      ['e', 'd'],
    );
    assert.equal((await repository.run(['check'])).code, 0);
  });

  it('reuses paid results of an earlier run that were not put in place', async () => {
    await using repository = await Repository.make(service.origin, {});
    await repository.declare({ 'a.png': { operation: 'generateImage', prompt: 'a', variants: 2 } }, { defaults });
    await repository.run(['apply']);
    const made = await readFile(join(repository.root, 'a.png'));
    // As after a crash between saving the results and placing them.
    await rm(join(repository.root, 'media.lock.jsonl'));
    await rm(join(repository.root, 'a.png'));
    assert.deepEqual((await planOf(repository)).entries[0], {
      path: 'a.png',
      state: 'missing',
      reasons: ['the result is paid for and only has to be saved'],
      requests: 0,
    });
    const sent = await sentBy(async () => assert.equal((await repository.run(['apply'])).code, 0));
    assert.deepEqual(sent, []);
    assert.deepEqual(await readFile(join(repository.root, 'a.png')), made);
  });

  it('stops at --max-requests, lists the rest, and refuses a large run without --yes', async () => {
    await using repository = await Repository.make(service.origin, {});
    const entries = ['a', 'b', 'c', 'd', 'e'].map((name) => [
      `${name}.png`,
      { operation: 'generateImage', prompt: name },
    ]);
    await repository.declare(Object.fromEntries(entries), { defaults });
    const refused = await sentBy(async () => {
      const { code, stderr } = await repository.run(['apply']);
      assert.equal(code, 1);
      assert.match(stderr, /5 images/);
    });
    assert.deepEqual(refused, []);
    const sent = await sentBy(async () => {
      const { code, stdout } = await repository.run(['apply', '--yes', '--max-requests', '2']);
      assert.equal(code, 1);
      for (const name of ['c', 'd', 'e']) assert.match(stdout, new RegExp(`left +${name}\\.png`));
    });
    assert.equal(sent.length, 2);
  });

  it('switches to another variant without a request', async () => {
    await using repository = await Repository.make(service.origin, {});
    await repository.declare({ 'a.png': { operation: 'generateImage', prompt: 'a', variants: 3 } }, { defaults });
    await repository.run(['apply']);
    const first = await readFile(join(repository.root, 'a.png'));
    const sent = await sentBy(async () => {
      const { code, stderr } = await repository.run(['choose', 'a.png', '2']);
      assert.equal(code, 0, stderr);
    });
    assert.deepEqual(sent, []);
    assert.notDeepEqual(await readFile(join(repository.root, 'a.png')), first);
    assert.match(await repository.read('media.lock.jsonl'), /"variant":2/);
    assert.equal((await repository.run(['check'])).code, 0);
    assert.match((await repository.run(['choose', 'a.png', '4'])).stderr, /1, 2, 3/);
  });

  it('records the file again when its entry goes back to an earlier prompt with saved variants', async () => {
    await using repository = await Repository.make(service.origin, {});
    const apply = async (prompt: string) => {
      await repository.declare({ 'a.png': { operation: 'generateImage', prompt, variants: 2 } }, { defaults });
      const { code, stdout, stderr } = await repository.run(['apply']);
      assert.equal(code, 0, stdout + stderr);
    };
    const recorded = async () =>
      (await libraryIn(repository.root).entriesAt(['a.png'])).map(({ prompt, id }) => [prompt, id]);
    await apply('first');
    const first = await recorded();
    assert.equal(first[0]?.[0], 'first');
    await apply('second');
    assert.deepEqual(
      (await recorded()).map(([prompt]) => prompt),
      ['second'],
    );
    const sent = await sentBy(() => apply('first'));
    assert.deepEqual(sent, []);
    assert.deepEqual(await recorded(), first);
  });

  it('resizes and converts locally, and resizes from the original when only the size changed', async () => {
    await using repository = await Repository.make('', {});
    const hero = { operation: 'generateImage', prompt: 'a', size: [160, 90] };
    const small = { from: 'a.png', size: [80, 45] };
    const large = { from: 'b.webp', size: [160, 90] };
    await repository.declare({ 'a.png': hero, 'b.webp': small }, { defaults });
    const made = await repository.run(['apply', '--sandbox']);
    assert.equal(made.code, 0, made.stdout + made.stderr);
    assert.equal((await readFile(join(repository.root, 'a.png'))).readUInt32BE(16), 160);
    assert.equal((await readFile(join(repository.root, 'b.webp'))).toString('latin1', 8, 12), 'WEBP');
    await repository.declare({ 'a.png': { ...hero, size: [320, 180] }, 'b.webp': small, 'c.png': large }, { defaults });
    const { code, stdout } = await repository.run(['plan', '--sandbox', '--json']);
    const plan = JSON.parse(stdout) as Plan;
    assert.equal(code, 2);
    assert.deepEqual(plan.requests, {});
    assert.deepEqual(plan.entries[0]?.reasons, ['size changed']);
    const again = await repository.run(['apply', '--sandbox']);
    assert.deepEqual(
      [again.code, again.stdout.match(/.*enlarged.*/g)?.map((line) => line.trim().replace(/ +/g, ' '))],
      [0, ['made c.png Made from b.webp, without a request. It was enlarged from 80 × 45 to 160 × 90 pixels.']],
    );
    assert.equal((await readFile(join(repository.root, 'a.png'))).readUInt32BE(16), 320);
    assert.equal((await repository.run(['check', '--sandbox'])).code, 0);
    const alien = await repository.run(['check']);
    assert.equal(alien.code, 1);
    assert.match(alien.stdout, /a\.png +the sandbox made it/);
  });

  it("prints a service's words as one line without control characters", async () => {
    const message = 'No\u001b]52;c;AAAA\u0007 \u009b31m\n::error::injected';
    await using refusing = await startHttpServer((_, response) => {
      response.writeHead(400).end(JSON.stringify({ error: { message } }));
    });
    await using repository = await Repository.make(refusing.origin, {});
    await repository.declare({ 'a.png': { operation: 'generateImage', prompt: 'a', model: 'm' } });
    const { code, stdout, stderr } = await repository.run(['apply']);
    assert.equal(code, 1);
    assert.match(stdout + stderr, /No.*52;c;AAAA/);
    assert.doesNotMatch(stdout + stderr, /[^\P{Cc}\n]|^::/mu);
  });

  it('requires a host and a key, names their variables, and never prints the key', async () => {
    await using repository = await Repository.make('', {});
    await repository.declare({ 'a.png': { operation: 'generateImage', prompt: 'a' } }, { defaults });
    const noHost = await repository.run(['apply']);
    assert.equal(noHost.code, 1);
    assert.match(noHost.stderr, /UNIFIED_MEDIA_IMAGE_BASE_URL/);
    const noKey = await repository.run(['apply'], { UNIFIED_MEDIA_IMAGE_BASE_URL: 'https://media.invalid' });
    assert.equal(noKey.code, 1);
    assert.match(noKey.stderr, /UNIFIED_MEDIA_API_KEY/);
    const secret = 'sk-very-secret';
    await using refusing = await startHttpServer((request, response) => {
      response.writeHead(401).end(`Not ${request.headers.authorization}`);
    });
    const failed = await repository.run(['apply'], {
      UNIFIED_MEDIA_IMAGE_BASE_URL: refusing.origin,
      UNIFIED_MEDIA_API_KEY: secret,
    });
    assert.equal(failed.code, 1);
    assert.equal(refusing.requests.length, 1);
    assert(!(failed.stdout + failed.stderr).includes(secret));
  });
});
