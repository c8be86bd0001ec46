import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import type { Metafile, Plugin } from 'esbuild';
import { build } from 'esbuild';

type Part =
  | 'operations'
  | 'service'
  | 'sandbox'
  | 'library'
  | 'recordings'
  | 'jobs'
  | 'documents'
  | 'places'
  | 'images'
  | 'narration'
  | 'agents'
  | 'agentParts'
  | 'manifest'
  | 'editor'
  | 'features'
  | 'webview'
  | 'extension'
  | 'cli';

/**
 * Which part may import which: the table of CONTRIBUTING.md. `node` stands for Node's own modules, `libraries` for
 * npm packages, `types of x` for `import type` only, `path` for Node's path
 * module only, and `protocol` for the messages between the view and its host.
 */
const allowed: Readonly<Record<Part, readonly string[]>> = {
  operations: ['operations', 'libraries'],
  service: ['operations', 'service', 'node', 'libraries'],
  sandbox: ['operations', 'images', 'sandbox', 'node', 'libraries'],
  library: ['operations', 'library', 'node', 'libraries'],
  recordings: ['recordings', 'node', 'libraries'],
  jobs: ['operations', 'service', 'jobs', 'library', 'recordings', 'node', 'libraries'],
  documents: ['documents', 'libraries'],
  places: ['documents', 'places', 'path'],
  images: ['images', 'node', 'libraries'],
  narration: ['operations', 'jobs', 'library', 'documents', 'places', 'narration', 'node', 'libraries'],
  agents: ['operations', 'jobs', 'library', 'documents', 'places', 'images', 'agents', 'node', 'libraries'],
  agentParts: ['agents', 'features', 'service', 'libraries'],
  manifest: [
    'operations',
    'jobs',
    'library',
    'documents',
    'places',
    'images',
    'narration',
    'manifest',
    'node',
    'libraries',
  ],
  editor: [
    'operations',
    'service',
    'types of jobs',
    'library',
    'documents',
    'places',
    'images',
    'editor',
    'contributions',
    'node',
    'vscode',
    'libraries',
  ],
  features: [
    'operations',
    'jobs',
    'library',
    'documents',
    'places',
    'images',
    'narration',
    'agents',
    'manifest',
    'editor',
    'own folder',
    'protocol',
    'contributions',
    'path',
    'vscode',
    'libraries',
  ],
  webview: ['operations', 'webview', 'protocol', 'libraries'],
  extension: [
    'operations',
    'service',
    'sandbox',
    'jobs',
    'library',
    'editor',
    'features',
    'agentParts',
    'contributions',
    'vscode',
    'libraries',
  ],
  cli: [
    'operations',
    'service',
    'sandbox',
    'jobs',
    'library',
    'manifest',
    'agents',
    'editor',
    'cli',
    'node',
    'libraries',
  ],
};

/** esbuild drops `import type`. As `require`, which nothing else here uses, it appears in the metafile with a kind of its own. */
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

const hasPathAlone: readonly string[] = ['documents', 'places', 'features'];

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
        .map(({ path, kind }) => ({ path, kind, target: targetOf(file, path) }))
        .filter(({ path, kind, target }) => !isAllowed(file, path, target, kind === 'require-call'))
        .map(({ path, target }) => `${file} imports ${path} (${target})`),
    );
    assert.deepEqual(wrong, []);
    assert(Object.keys(inputs).length > 50, 'esbuild lists the files');
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
    assert(reached.has('src/jobs/JobRunner.ts'), 'esbuild lists dynamic imports as well');
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

function isAllowed(file: string, path: string, target: string, isType: boolean): boolean {
  const part = partOf(file);
  if (part === 'contributions') return target === 'operations';
  if (part === 'features' && target === 'features') {
    const folder = (name: string) => dirname(name).split('/').slice(0, 3).join('/');
    return folder(file) === folder(path);
  }
  if (target === 'sandbox' && part === 'features') return file.startsWith(join('src', 'features', 'sandbox'));
  return allowed[part].includes(target) || (isType && allowed[part].includes(`types of ${target}`));
}
