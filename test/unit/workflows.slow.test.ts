import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packageName, packCommandLine } from '../../packCommandLine.mjs';
import { builtCommandLine } from '../support/builtCommandLine.ts';
import { outcomeOf } from '../support/repository.ts';

const workflows = ['.github/workflows/release.yml', '.github/workflows/test.yml', 'media/workflow.yml'];
const [release = '', , added = ''] = workflows.map((file) => readFileSync(file, 'utf8'));
const { version, devDependencies, ...root } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly version: string;
  readonly private?: boolean;
  readonly devDependencies: Readonly<Record<string, string>>;
};

describe('the workflows (promise 38)', () => {
  for (const file of workflows) {
    const text = readFileSync(file, 'utf8');

    it(`pin each action by its hash, and keep no credentials after a checkout: ${file}`, () => {
      const used = [...text.matchAll(/uses: (\S+)(.*)/g)].filter(([, action]) => !action?.startsWith('./'));
      assert(used.length > 0 || file.endsWith('test.yml'));
      for (const [line] of used) assert.match(line, /@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
      const checkouts = text.match(/uses: actions\/checkout@.*\n +with:\n +persist-credentials: false\n/g) ?? [];
      assert.equal(checkouts.length, text.split('uses: actions/checkout@').length - 1);
      assert(checkouts.length > 0 || file.endsWith('test.yml'));
    });

    it(`put no expression into a shell, where its text would be run: ${file}`, () => {
      for (const script of scriptsIn(text)) assert.doesNotMatch(script, /\$\{\{/);
    });

    it(`hold no stored token: ${file}`, () => {
      assert.doesNotMatch(text, /secrets\.|_PAT\b|NODE_AUTH_TOKEN|NPM_TOKEN|--pat\b/);
    });
  }
});

describe('the workflow that Add GitHub Workflow writes (finding 1) (promise 38)', () => {
  const jobs = jobsIn(added);
  const { check = '', comment = '' } = jobs;

  it('gives the right to comment only to the job that runs no package', () => {
    assert.deepEqual(Object.keys(jobs), ['check', 'comment']);
    assert.match(added, /^permissions: \{\}$/m);
    assert.deepEqual(permissionsOf(check), ['contents: read']);
    assert.deepEqual(permissionsOf(comment), ['pull-requests: write']);
    assert.doesNotMatch(check, /github\.token|GH_TOKEN/);
    assert.doesNotMatch(comment, /npx|npm|node|unified-media|checkout/);
    const used = [...comment.matchAll(/uses: ([^@]+)@/g)].map(([, action]) => action);
    assert.deepEqual(used, ['actions/download-artifact']);
    assert.deepEqual(
      [...added.matchAll(/^on:\n((?: .*\n)+)/gm)].map(([, events]) => events),
      ['  pull_request:\n'],
    );
  });

  it('treats the plan as text, and not that of a fork', () => {
    assert.match(comment, /github\.event\.pull_request\.head\.repo\.full_name == github\.repository/);
    const [script = ''] = scriptsIn(comment);
    assert.match(script, /head --bytes 60000 "\$RUNNER_TEMP\/plan\/plan\.md"/);
    assert.match(script, /--body-file "\$RUNNER_TEMP\/comment\.md"/);
    assert.doesNotMatch(script, /\$\(|`|eval|GITHUB_(ENV|OUTPUT|PATH)/);
  });

  it('installs one version of our package before the checkout, and runs that', () => {
    const install = `npm install --global --ignore-scripts ${packageName}@{version}`;
    assert(check.indexOf(install) > 0);
    assert(check.indexOf(install) < check.indexOf('actions/checkout@'));
    assert.doesNotMatch(added, /\bnpx\b|npm exec/);
    assert.deepEqual(
      scriptsIn(check)
        .filter((script) => script !== install)
        .map((script) => script.split(' ')[0]),
      ['unified-media', 'unified-media'],
    );
  });
});

describe('release.yml (findings 1, 18) (promise 38)', () => {
  const { build = '', publish = '', ...others } = jobsIn(release);

  it('lets only the job that publishes prove who it is, and that job runs nothing but locked publishing tools', () => {
    assert.deepEqual(Object.keys(others), ['test']);
    assert.deepEqual(permissionsOf(publish), ['contents: read', 'id-token: write']);
    assert.doesNotMatch(release.replace(publish, ''), /id-token/);
    assert.match(publish, /^ {4}environment: marketplaces$/m);
    assert.deepEqual(scriptsIn(publish), [
      'npm ci --ignore-scripts',
      'npm publish ./packages/unified-media-cli.tgz --access public --provenance --ignore-scripts',
      'npx --no-install vsce publish --oidc --packagePath packages/unified-media.vsix',
      'npx --no-install ovsx publish packages/unified-media.vsix --trusted-publishing',
    ]);
  });

  it('publishes what was built and tested', () => {
    assert.match(publish, /^ {4}needs: build$/m);
    assert.match(build, /^ {4}needs: test$/m);
    assert.match(build, /npm run integration -- --package "\$VSIX_FILE"/);
    assert(build.indexOf('npm run package') < build.indexOf('node packCommandLine.mjs'));
    assert.match(build, /path: \|\n +unified-media\.vsix\n +unified-media-cli\.tgz\n/);
  });

  it('uses publishing tools that are locked and know trusted publishing', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      readonly packages: Readonly<Record<string, { readonly version?: string; readonly integrity?: string }>>;
    };
    for (const [name, oldest] of [
      ['@vscode/vsce', [4, 1]],
      ['ovsx', [1, 3]],
    ] as const) {
      const locked = packages[`node_modules/${name}`];
      assert.equal(devDependencies[name], locked?.version, name);
      assert.match(locked?.integrity ?? '', /^sha512-/);
      const [major = 0, minor = 0] = (locked?.version ?? '').split('.').map(Number);
      assert(major > oldest[0] || (major === oldest[0] && minor >= oldest[1]), name);
    }
  });
});

describe('the package of the command line (finding 1) (promise 38)', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'package-'));
    packCommandLine(dirname(await builtCommandLine()), join(folder, 'package'));
  });
  after(() => rm(folder, { recursive: true }));

  it('has a name that is ours; that of the extension cannot be published to npm', () => {
    assert.equal(root.private, true);
    const manifest = JSON.parse(readFileSync(join(folder, 'package/package.json'), 'utf8'));
    assert.deepEqual([manifest.name, manifest.version], ['@unified-media/cli', version]);
    assert.deepEqual(manifest.bin, { 'unified-media': 'dist/cli.js' });
    assert(!manifest.private && !manifest.scripts && !manifest.dependencies);
    for (const file of ['media/workflow.yml', ...globSync('{*,docs/*}.md')]) {
      assert.doesNotMatch(readFileSync(file, 'utf8'), /\b(npx|npm (exec|install|i)\b.*) unified-media\b/, file);
    }
  });

  it('holds all that the command line loads, and nothing of the extension', async () => {
    const dist = join(folder, 'package/dist');
    const built = readdirSync(dirname(await builtCommandLine()));
    assert.deepEqual(readdirSync(dist).sort(), built.filter((file) => !file.endsWith('.map')).sort());
    const project = join(folder, 'project');
    mkdirSync(project);
    writeFileSync(
      join(project, 'media.jsonc'),
      '{"assets": {"a.png": {"operation": "generateImage", "prompt": "a", "model": "m"}}}',
    );
    const environment = { PATH: process.env.PATH, XDG_STATE_HOME: folder };
    const run = (...args: readonly string[]) =>
      outcomeOf(spawn(process.execPath, [join(dist, 'cli.js'), ...args], { cwd: project, env: environment }));
    assert.deepEqual(await run('--version'), { code: 0, stdout: `${version}\n`, stderr: '' });
    const { code, stderr } = await run('apply', '--sandbox', '--yes');
    assert.equal(code, 0, stderr);
  });

  it('is what npm would publish', () => {
    const npm = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', join(folder, 'package')], {
      encoding: 'utf8',
      shell: process.platform === 'win32',
    });
    assert.equal(npm.status, 0, npm.stderr);
    const parsed = JSON.parse(npm.stdout) as unknown;
    assert.match(JSON.stringify(parsed), /"name":"@unified-media\/cli"/);
    assert.match(JSON.stringify(parsed), /"path":"dist\/cli\.js"/);
  });
});

/** Returns the text of each job by its name. */
function jobsIn(workflow: string): Readonly<Record<string, string>> {
  const [, text = ''] = workflow.split(/^jobs:\n/m);
  const parts = text.split(/^ {2}([a-z]+):\n/m).slice(1);
  return Object.fromEntries(parts.flatMap((name, at) => (at % 2 === 0 ? [[name, parts[at + 1] ?? '']] : [])));
}

function permissionsOf(job: string): readonly string[] {
  const [, lines = ''] = /^ {4}permissions:\n((?: {6}.*\n)+)/m.exec(job) ?? [];
  return lines.trim().split(/\n +/);
}

/** Returns the commands of all steps. */
function scriptsIn(text: string): readonly string[] {
  return [...text.matchAll(/^( *)(?:- )?run: (?:\|\n((?:\1 +.*\n)+)|(.*)$)/gm)].map(([, , lines, line]) =>
    (lines ?? line ?? '').trim(),
  );
}
