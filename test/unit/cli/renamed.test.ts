import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fc, runs } from '../../support/fastCheck.ts';
import { findProgram } from '../../support/findProgram.ts';
import { pngBytes, wavBytes } from '../../support/mediaBytes.ts';
import { Repository } from '../../support/repository.ts';
import { skipUnless } from '../../support/skipUnless.ts';

const picture = (content: string) => Buffer.concat([pngBytes, Buffer.from(content)]);

/** Files of entries, each after what it is made from, and inputs without an entry. */
const files: Readonly<Record<string, Uint8Array>> = {
  'in/photo.png': picture('photo'),
  'in/call.wav': wavBytes,
  'in/page.md': Buffer.from('Words.'),
  'out/hero.png': picture('hero'),
  'out/small.png': picture('small'),
  'out/night.png': picture('night'),
  'out/team.png': picture('team'),
  'out/page.mp3': Buffer.from('sound'),
  'out/call.md': Buffer.from('words'),
};
const names = Object.keys(files);

/** What happens to a file and to its name in the manifest. */
interface Fate {
  readonly name: string;
  readonly isFileRenamed: boolean;
  readonly isByGit: boolean;
  readonly isChanged: boolean;
}

const fate = fc.record({
  name: fc.constantFrom('', 'a', 'é b'),
  isFileRenamed: fc.boolean(),
  isByGit: fc.boolean(),
  isChanged: fc.boolean(),
});

describe('renamed keys, files and folders', () => {
  before(function () {
    skipUnless(this, findProgram('git') !== undefined, 'git');
  });

  it('send nothing unless the content of a request changed', async function () {
    this.timeout(120_000);
    const fates = fc.tuple(...names.map(() => fate));
    await fc.assert(fc.asyncProperty(fates, fc.constantFrom('out', 'site'), fc.constantFrom('out', 'made'), isRight), {
      numRuns: runs(16),
    });
  });
});

async function isRight(fates: readonly Fate[], fileFolder: string, keyFolder: string): Promise<void> {
  await using repository = await Repository.make('', files);
  await repository.declare(
    assetsWith((name) => name, new Set()),
    { defaults },
  );
  const made = names.filter((name) => name.startsWith('out/'));
  const accepted = await repository.run(['accept', ...made]);
  assert.equal(accepted.code, 0, accepted.stderr);
  await repository.write({ '.gitignore': '.unified-media/\n' });
  await repository.git('add', '-A', '.');
  await repository.git('commit', '-qm', 'start');
  const keys = new Map<string, string>();
  const changed = new Set<string>();
  for (const [index, name] of names.entries()) {
    const { name: base = '', isFileRenamed, isByGit, isChanged } = fates[index] ?? {};
    if (isChanged) changed.add(name);
    const folder = name.startsWith('out/') && (isFileRenamed ? fileFolder : keyFolder);
    const renamed = name.replace('/', `/${base}`).replace(/^out(?=\/)/, folder || 'in');
    keys.set(name, renamed);
    // What others are made from is renamed as a whole: nobody can find it by its name alone.
    if (renamed === name || !(isFileRenamed || name.startsWith('in/'))) continue;
    await mkdir(dirname(join(repository.root, renamed)), { recursive: true });
    if (isByGit) await repository.git('mv', name, renamed);
    else await rename(join(repository.root, name), join(repository.root, renamed));
  }
  await repository.declare(
    assetsWith((name) => keys.get(name) ?? name, changed),
    { defaults },
  );
  const { stdout, stderr } = await repository.run(['plan', '--json']);
  const { entries } = JSON.parse(stdout || '{"entries": []}') as { entries: { path: string; requests: number }[] };
  const sent = entries.filter(({ requests }) => requests > 0).map(({ path }) => path);
  const isSent = (name: string) =>
    name !== 'out/small.png' && (changed.has(name) || (name === 'out/night.png' && changed.has('out/hero.png')));
  assert.deepEqual(
    sent,
    made.filter(isSent).map((name) => keys.get(name)),
    stdout + stderr,
  );
  assert(
    made.every(
      (name) => existsSync(join(repository.root, name)) || existsSync(join(repository.root, keys.get(name) ?? '')),
    ),
  );
}

const defaults = {
  generateImage: { model: 'm' },
  editImage: { model: 'm' },
  speak: { model: 't', voice: 'nova' },
  transcribe: { model: 'h' },
};

function assetsWith(named: (name: string) => string, changed: ReadonlySet<string>): object {
  const prompt = (name: string) => ({ prompt: changed.has(name) ? `another ${name}` : name });
  const all: Readonly<Record<string, object>> = {
    'out/hero.png': { operation: 'generateImage', ...prompt('out/hero.png') },
    'out/small.png': { from: named('out/hero.png'), size: [1, 1] },
    'out/night.png': { operation: 'editImage', images: [named('out/hero.png')], ...prompt('out/night.png') },
    'out/team.png': { operation: 'editImage', images: [named('in/photo.png')], ...prompt('out/team.png') },
    'out/page.mp3': {
      operation: 'speak',
      document: named('in/page.md'),
      ...(changed.has('out/page.mp3') && { voice: 'ash' }),
    },
    'out/call.md': {
      operation: 'transcribe',
      file: named('in/call.wav'),
      ...(changed.has('out/call.md') && { model: 'k' }),
    },
  };
  return Object.fromEntries(Object.entries(all).map(([name, entry]) => [named(name), entry]));
}
