import assert from 'node:assert/strict';
import { globSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, extname } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';

/**
 * Which part may import which, from the bottom to the top. `node` stands for Node's own modules, `path` for its path
 * module only, `libraries` for npm packages, and `protocol` for the messages between the view and its host. A feature may
 * also import from its own folder. Type imports count.
 */
const allowed = {
  foreign: 'foreign node',
  operations: 'foreign operations libraries',
  workers: 'workers node',
  marks: 'marks node',
  documents: 'documents libraries',
  projects: 'foreign operations documents projects path',
  reading: 'operations workers documents reading node libraries',
  files: 'operations files node libraries',
  images: 'workers foreign marks images node libraries',
  sound: 'workers marks sound node libraries',
  service: 'foreign operations files service node libraries',
  sandbox: 'foreign operations workers marks images sound sandbox node libraries',
  transcripts: 'foreign operations documents transcripts libraries',
  library: 'foreign operations files marks library node libraries',
  work: 'foreign operations files marks service images sound transcripts library work node libraries',
  wholes: 'foreign operations files marks service transcripts sound library work wholes node libraries',
  manifest:
    'foreign operations reading files marks images sound transcripts library work wholes manifest node libraries',
  agents: 'foreign operations files images sound transcripts library work wholes agents node libraries',
  editor:
    'foreign operations documents projects reading files marks service images sound transcripts library work wholes editor protocol contributions node vscode libraries',
  features:
    'foreign operations documents projects reading files marks service images sound transcripts library work wholes manifest agents editor protocol contributions path vscode libraries',
  webview: 'foreign operations webview protocol libraries',
  extension: 'foreign service work editor features contributions vscode libraries',
  cli: 'foreign operations files service sandbox library work wholes manifest agents cli contributions node libraries',
} as const;

type Part = keyof typeof allowed;
type Target = Part | 'node' | 'path' | 'libraries' | 'protocol' | 'contributions' | 'vscode';
type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

function targetsFrom(part: Part): readonly Target[] {
  return allowed[part].split(' ') as readonly Words<(typeof allowed)[Part]>[];
}

/** esbuild drops `import type`. As `require` it appears in the metafile. */
const keepTypeImports: Plugin = {
  name: 'keep type imports',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[/\\\\]src[/\\\\].*\.tsx?$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace(
        /^(?:import|export) type [^;]*? from ('[^']+');/gm,
        'require($1);',
      ),
      loader: extname(path) === '.tsx' ? 'tsx' : 'ts',
    }));
  },
};

const hasPathAlone: readonly string[] = ['documents', 'projects', 'features'];

describe('the import table', () => {
  let inputs: Metafile['inputs'];

  before(async () => {
    const { metafile } = await build({
      entryPoints: globSync('src/**/*.{ts,tsx}', { exclude: ['**/*.d.ts'] }),
      jsxImportSource: 'preact',
      jsx: 'automatic',
      bundle: true,
      write: false,
      metafile: true,
      platform: 'node',
      format: 'esm',
      outdir: 'out',
      splitting: true,
      packages: 'external',
      loader: { '.woff': 'binary', '.css': 'empty' },
      plugins: [keepTypeImports],
    });
    inputs = metafile.inputs;
  });

  it('allows every import in src', () => {
    const wrong = Object.entries(inputs).flatMap(([file, { imports }]) =>
      imports
        .map(({ path }) => ({ path, target: targetOf(file, path) }))
        .filter(({ path, target }) => !isAllowed(file, path, target))
        .map(({ path, target }) => `${file} imports ${path} (${target})`),
    );
    assert.deepEqual(wrong, []);
    assert(Object.keys(inputs).length > 50, 'esbuild lists the files');
  });

  it('names each module once in a file', async () => {
    const files = globSync('{src,test}/**/*.{ts,tsx}', { exclude: ['test/sites/**'] });
    const twice = await Promise.all(
      files.map(async (file) => {
        // Scripts of tests, which begin further down, may import anew.
        const [head = ''] = /^(?:import[^;]*;\n|\/\/.*\n|\n)*/.exec(await readFile(file, 'utf8')) ?? [];
        const names = [...head.matchAll(/^import (?:[^;'*]*? from )?('[^']+');/gm)].map(([, name]) => name);
        return names.length === new Set(names).size ? [] : [file];
      }),
    );
    assert.deepEqual(twice.flat(), []);
  });

  it('goes down the floors of CONTRIBUTING.md, which name every room once', async () => {
    const [, drawn = ''] =
      /\n## The floors\n[\s\S]*?```\n([\s\S]*?)```/.exec(await readFile('CONTRIBUTING.md', 'utf8')) ?? [];
    const floors = drawn
      .trim()
      .split('\n')
      .map((line) => (line.split('  ')[0] ?? '').split(', '));
    const rooms = readdirSync('src', { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const named = floors.flat();
    assert.deepEqual(named.toSorted(), [...rooms.map(({ name }) => name), 'extension'].sort());
    const floorOf = (room: string) => floors.findIndex((floor) => floor.includes(room));
    for (const room of Object.keys(allowed) as readonly Part[]) {
      for (const target of targetsFrom(room)) {
        if (named.includes(target))
          assert(floorOf(target) >= floorOf(room), `${room} imports ${target}, which is above it`);
      }
    }
  });

  it('lets no function of a feature reach another through extension.ts', async () => {
    assert.deepEqual(handedOver(await readFile('src/extension.ts', 'utf8')), []);
    // The rule itself: what it must see.
    const uses = {
      "const { deliver } = await import('./features/recordings/deliver.ts');": ['./features/recordings/deliver.ts'],
      "import { deliver } from './features/recordings/deliver.ts';\nregisterJobs({ deliver });": ['deliver'],
      "import { deliver as registerAll } from './features/a/deliver.ts';": ['deliver as registerAll'],
      "import * as jobs from './features/jobs/registerJobs.ts';\njobs.registerJobs();": ['* as jobs'],
      "import { registerJobs } from './features/jobs/registerJobs.ts';\nregisterB(registerJobs);": ['registerJobs'],
      "import { Jobs } from './features/jobs/Jobs.ts';\nregisterB({ Jobs });": ['Jobs'],
      "import { registerJobs } from './features/jobs/registerJobs.ts';\nregisterJobs();": [],
      "import { Jobs } from './features/jobs/Jobs.ts';\nconst jobs = new Jobs();": [],
    };
    for (const [source, expected] of Object.entries(uses)) assert.deepEqual(handedOver(source), expected, source);
  });

  it('shows messages in two places, which remove what could forge a part of them (promise 14)', async () => {
    const showing = Object.keys(inputs).filter((file) => file.startsWith('src/'));
    const texts = await Promise.all(showing.map(async (file) => [file, await readFile(file, 'utf8')] as const));
    const shown = texts.filter(([, text]) => /\bshow(?:Information|Warning|Error)Message\b/.test(text));
    assert.deepEqual(shown.map(([file]) => file).sort(), ['src/editor/askInDialog.ts', 'src/editor/notify.ts']);
  });

  it('asks about spending in one place, which shows everything that is sent (promise 23)', async () => {
    const texts = await Promise.all(
      Object.keys(inputs).map(async (file) => [file, await readFile(file, 'utf8')] as const),
    );
    const asking = texts.filter(([, text]) => /\baskInDialog\(/.test(text));
    // The others ask about files, results, the agents' budget and what was made before, never about what is sent.
    assert.deepEqual(asking.map(([file]) => file).toSorted(), [
      'src/editor/changeFiles.ts',
      'src/editor/recordingsToSend.ts',
      'src/editor/requests/JobActions.ts',
      'src/features/agents/AgentQuestions.ts',
      'src/features/agents/AgentServerFeature.ts',
      'src/features/manifest/ManifestCommands.ts',
    ]);
  });

  it('keeps in editor/ only what imports VS Code', () => {
    const others = Object.entries(inputs).filter(
      ([file, { imports }]) => file.startsWith('src/editor/') && !imports.some(({ path }) => path === 'vscode'),
    );
    assert.deepEqual(
      others.map(([file]) => file),
      [],
    );
  });

  it('keeps VS Code out of the command line', () => {
    const reached = new Set<string>();
    const visit = (file: string): void => {
      if (reached.has(file)) return;
      reached.add(file);
      for (const { path, external } of inputs[file]?.imports ?? []) {
        assert.notEqual(path, 'vscode', file);
        if (!external) visit(path);
      }
    };
    visit('src/cli.ts');
    assert(reached.has('src/work/JobRunner.ts'), 'esbuild lists dynamic imports as well');
  });

  it('has no circular imports', () => {
    const done = new Set<string>();
    const visit = (file: string, trail: readonly string[]): void => {
      assert(!trail.includes(file), `circular import: ${[...trail, file].join(' → ')}`);
      if (done.has(file)) return;
      for (const { path, external } of inputs[file]?.imports ?? []) {
        if (!external) visit(path, [...trail, file]);
      }
      done.add(file);
    };
    for (const file of Object.keys(inputs)) visit(file, []);
  });
});

/**
 * Returns what the source of `extension.ts` takes from features, except `register…` functions that it calls and classes
 * that it constructs. Anything else could be handed to another feature, which would then run it at run time.
 */
function handedOver(source: string): readonly string[] {
  const importing = /^import (?!type )([^;]*?) from '\.\/features\/[^']+';/gm;
  const code = source.replace(/^import [^;]*;/gm, '');
  const isWired = (name: string) => {
    const wired = /^register[A-Z]\w*$/.test(name)
      ? `\\b${name}\\(`
      : /^[A-Z]\w*$/.test(name)
        ? `\\bnew ${name}\\(`
        : undefined;
    return wired !== undefined && !new RegExp(`\\b${name}\\b`).test(code.replace(new RegExp(wired, 'g'), ''));
  };
  const names = [...source.matchAll(importing)].flatMap(([, clause = '']) =>
    clause
      .replace(/^\{|,?\s*\}$/g, '')
      .split(',')
      .map((name) => name.trim()),
  );
  const dynamic = [...source.matchAll(/import\('(\.\/features\/[^']+)'\)/g)].map(([, path = '']) => path);
  return [...names.filter((name) => !isWired(name)), ...dynamic];
}

function partOf(file: string): Part | 'contributions' {
  return (file.match(/^src\/(\w+)/)?.[1] ?? '') as Part | 'contributions';
}

function targetOf(file: string, path: string): string {
  if (path === 'vscode') return 'vscode';
  if (/^(node:)?path(\/|$)/.test(path)) return hasPathAlone.includes(partOf(file)) ? 'path' : 'node';
  if (path.startsWith('node:')) return 'node';
  if (path.startsWith('src/webview/protocol/')) return 'protocol';
  return path.startsWith('src/') ? partOf(path) : 'libraries';
}

function isAllowed(file: string, path: string, target: string): boolean {
  const part = partOf(file);
  if (part === 'contributions') return target === 'operations';
  if (part === 'features' && target === 'features') {
    const folder = (name: string) => dirname(name).split('/').slice(0, 3).join('/');
    return folder(file) === folder(path);
  }
  if (target === 'sandbox' && part === 'features') return file.startsWith('src/features/connection/');
  const targets: readonly string[] = targetsFrom(part);
  return targets.includes(target);
}
