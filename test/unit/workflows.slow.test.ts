import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { packageName, packCommandLine } from '../../packCommandLine.mjs';
import { builtCommandLine } from '../support/builtCommandLine.ts';
import { outcomeOf } from '../support/repository.ts';
import { skipUnless } from '../support/skipUnless.ts';

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
  const jobs = (parse(release) as Workflow).jobs;
  const publishing = ['npm', 'marketplace', 'openvsx'];
  const job = (name: string): Job => jobs[name] ?? {};
  const stepsOf = (name: string) => job(name).steps ?? [];

  it('makes the packages from locked dependencies without install scripts, and runs nothing else beside them', () => {
    assert.deepEqual(
      stepsOf('build').map(({ uses, run }) => uses?.split('@')[0] ?? run?.trim().split('\n')),
      [
        'actions/checkout',
        'actions/setup-node',
        ['test "v$(node -p \'require("./package.json").version\')" = "$GITHUB_REF_NAME"'],
        ['npm ci --ignore-scripts'],
        ['npm run package -- --out unified-media.vsix'],
        [
          'node packCommandLine.mjs out/cli',
          'npm pack --ignore-scripts ./out/cli',
          'mv unified-media-cli-*.tgz unified-media-cli.tgz',
        ],
        [
          '{',
          "  echo 'sums<<END'",
          '  sha256sum unified-media.vsix unified-media-cli.tgz',
          '  echo END',
          '} >> "$GITHUB_OUTPUT"',
        ],
        'actions/upload-artifact',
      ],
    );
    assert.deepEqual(Object.keys(job('build')), ['runs-on', 'timeout-minutes', 'outputs', 'steps']);
    // Neither a cache that other jobs fill nor a registry of its own.
    assert.deepEqual(stepsOf('build')[1]?.with, { 'node-version': 24 });
    for (const name of ['build', ...publishing]) assert.doesNotMatch(JSON.stringify(job(name)), /cache|registry-url/);
  });

  it('lets only the jobs that publish prove who they are, and those run nothing but locked publishing tools', () => {
    const others = Object.keys(jobs).filter((name) => !publishing.includes(name));
    assert.deepEqual(others, ['test', 'build', 'integration', 'sites']);
    assert.deepEqual((parse(release) as Workflow).permissions, { contents: 'read' });
    for (const name of others) assert.equal(job(name).permissions, undefined, name);
    assert.deepEqual(job('npm').permissions, { 'id-token': 'write' });
    for (const name of ['marketplace', 'openvsx'])
      assert.deepEqual(job(name).permissions, { contents: 'read', 'id-token': 'write' });
    for (const name of publishing) {
      assert.equal(job(name).environment, 'marketplaces');
      for (const { run = '' } of stepsOf(name))
        assert.match(run, /^($|npm ci --ignore-scripts$|printf |package=|npx --no-install (vsce|ovsx) publish )/);
    }
  });

  it('publishes after all tests, to three places that do not wait for each other', () => {
    for (const name of publishing) assert.deepEqual(job(name).needs, ['test', 'build', 'integration', 'sites'], name);
    assert.equal(job('test').uses, './.github/workflows/test.yml');
    const integration = stepsOf('integration').map(({ run = '' }) => run);
    assert(integration.some((run) => run.includes('npm run integration -- --package packages/unified-media.vsix')));
    assert(integration.some((run) => run.includes('npm install --global --ignore-scripts ./packages/')));
    assert(stepsOf('sites').some(({ run }) => run === 'npm run sites -- all'));
  });

  it('compares the packages with what the build made before anything uses them', () => {
    for (const name of ['integration', ...publishing]) {
      const steps = stepsOf(name);
      const download = steps.findIndex(({ uses }) => uses?.startsWith('actions/download-artifact@'));
      assert(download >= 0, name);
      assert(!steps.slice(0, download).some(({ run }) => run?.includes('packages/')));
      const { run, env, ...compare } = steps[download + 1] ?? {};
      assert.match(run ?? '', /\| sha256sum --check --strict$/, name);
      assert.deepEqual(env, { SUMS: `\${{ needs.build.outputs.sums }}` });
      assert.equal(compare.if, undefined);
    }
    assert.deepEqual(job('build').outputs, { sums: `\${{ steps.sums.outputs.sums }}` });
  });

  it('can publish again, with Microsoft Entra until a variable says that the Marketplace takes the workflow', () => {
    const [login, entra, oidc] = stepsOf('marketplace').slice(-3);
    assert.match(login?.uses ?? '', /^azure\/login@/);
    assert.deepEqual(Object.keys(login?.with ?? {}), ['client-id', 'tenant-id', 'allow-no-subscriptions']);
    assert.deepEqual([login?.if, entra?.if], ["vars.MARKETPLACE_OIDC != 'true'", "vars.MARKETPLACE_OIDC != 'true'"]);
    assert.equal(oidc?.if, "vars.MARKETPLACE_OIDC == 'true'");
    const rest = '--skip-duplicate --packagePath packages/unified-media.vsix';
    assert.equal(entra?.run, `npx --no-install vsce publish --azure-credential ${rest}`);
    assert.equal(oidc.run, `npx --no-install vsce publish --oidc ${rest}`);
    assert.equal(
      stepsOf('openvsx').at(-1)?.run,
      'npx --no-install ovsx publish packages/unified-media.vsix --trusted-publishing --skip-duplicate',
    );
  });

  describe('its scripts', () => {
    let folder: string;
    before(async function () {
      skipUnless(this, process.platform === 'linux', 'Linux');
      folder = await mkdtemp(join(tmpdir(), 'release-'));
      mkdirSync(join(folder, 'packages'));
    });
    after(() => (folder ? rm(folder, { recursive: true }) : undefined));

    /** Runs a script as GitHub does. */
    const bash = (script: string | undefined, cwd: string, env: Readonly<Record<string, string>>) =>
      outcomeOf(
        spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script ?? 'exit 99'], {
          cwd,
          env: { PATH: process.env.PATH, HOME: folder, ...env },
        }),
      );

    it('refuse a package that another job has replaced', async () => {
      const packages = join(folder, 'packages');
      for (const name of ['unified-media.vsix', 'unified-media-cli.tgz']) writeFileSync(join(packages, name), name);
      const output = join(folder, 'output');
      const sum = stepsOf('build').find(({ id }) => id === 'sums')?.run;
      assert.equal((await bash(sum, packages, { GITHUB_OUTPUT: output })).code, 0);
      const [, SUMS = ''] = /^sums<<END\n([\s\S]*)\nEND\n$/.exec(readFileSync(output, 'utf8')) ?? [];
      const compare = stepsOf('npm').find(({ env }) => env?.SUMS)?.run;
      assert.equal((await bash(compare, packages, { SUMS })).code, 0);
      assert.notEqual((await bash(compare, packages, { SUMS: '' })).code, 0);
      writeFileSync(join(packages, 'unified-media-cli.tgz'), 'another');
      const { code, stdout } = await bash(compare, packages, { SUMS });
      assert.notEqual(code, 0);
      assert.match(stdout, /^unified-media\.vsix: OK\nunified-media-cli\.tgz: FAILED$/m);
    });

    it('leave a version that npm has, and publish one that it has not', async () => {
      const asked: string[] = [];
      const known = { name: packageName, version: '1.2.3', dist: { tarball: 'https://example.com/cli.tgz' } };
      const registry = createServer(({ method, url = '' }, response) => {
        asked.push(`${method} ${decodeURIComponent(url)}`);
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ ...known, 'dist-tags': { latest: '1.2.3' }, versions: { '1.2.3': known } }));
      });
      await once(registry.listen(0, '127.0.0.1'), 'listening');
      const { port } = registry.address() as AddressInfo;
      const publish = (tag: string) =>
        bash(stepsOf('npm').at(-1)?.run, folder, {
          GITHUB_REF_NAME: tag,
          npm_config_registry: `http://127.0.0.1:${port}/`,
          npm_config_update_notifier: 'false',
        });
      try {
        writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: packageName, version: '1.2.4' }));
        const pack = 'npm pack --ignore-scripts . && mv unified-media-cli-*.tgz packages/unified-media-cli.tgz';
        assert.equal((await bash(pack, folder, {})).code, 0);
        assert.deepEqual(await publish('v1.2.3'), {
          code: 0,
          stdout: `${packageName}@1.2.3 has been published before\n`,
          stderr: '',
        });
        assert(asked.length > 0 && asked.every((request) => request === `GET /${packageName}`));
        // Publishing needs the identity of the workflow, which is nowhere else.
        const { code, stderr } = await publish('v1.2.4');
        assert.notEqual(code, 0);
        assert.match(stderr, /npm error code (ENEEDAUTH|EUSAGE)/);
      } finally {
        registry.close();
      }
    });
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
    const stale = ['package/dist/cli-old.js', 'package/notes.txt'].map((file) => join(folder, file));
    mkdirSync(join(folder, 'package/dist'), { recursive: true });
    for (const file of stale) writeFileSync(file, 'from before');
    packCommandLine(dirname(await builtCommandLine()), join(folder, 'package'));
    // Somebody may name a folder of their own.
    assert.deepEqual(stale.map(existsSync), [false, true]);
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
    assert.doesNotMatch(JSON.stringify(parsed), /cli-old|notes\.txt/);
  });
});

interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
  readonly uses?: string;
  readonly needs?: string | readonly string[];
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly outputs?: Readonly<Record<string, string>>;
  readonly steps?: readonly {
    readonly id?: string;
    readonly if?: string;
    readonly uses?: string;
    readonly run?: string;
    readonly with?: Readonly<Record<string, unknown>>;
    readonly env?: Readonly<Record<string, string>>;
  }[];
}

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
