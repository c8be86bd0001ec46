// `npm run sites`: builds small sites with real generators, and checks that what the extension writes into them works.
// `-- all` runs all generators instead of the quick ones, `-- hugo astro` these, and `-- "hugo/base path"` one project.
import '../support/compileCache.ts';
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canInstallPackages } from '../host/chromium.mjs';
import { exitOnSignals } from '../host/processTree.ts';
import { importWithEditor } from '../support/editorStub.ts';
import { build, open, run } from './build.ts';
import { FolderEditor } from './editor.ts';
import type { Generator } from './Generator.ts';
import { generators } from './generators/generators.ts';
import { type Count, countNames, type Outcome, runSite } from './runSite.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const cache = join(process.env.SITES_CACHE ?? join(root, '.sites-cache'));
const words = process.argv.slice(2).map((word) => word.toLowerCase());
const isAll = words.includes('all');
const bad: readonly Count[] = ['inserted wrong', 'false alarm', 'missed', 'fix wrong', 'corrected wrong'];
const good: readonly Count[] = ['inserted right', 'missing agrees', 'fix right', 'unserved, marked', 'corrected right'];

exitOnSignals(1);
mkdirSync(cache, { recursive: true });
const editor = new FolderEditor();
const { Extension } = await importWithEditor<typeof import('./Extension.ts')>(
  new URL('./Extension.ts', import.meta.url),
  editor.api,
);

const skipped: string[] = [];
const totals = zero();
const rows: string[] = [];
let siteCount = 0;
let failures = 0;
console.log(
  'Small sites of real generators: what Insert at Cursor, missing media and the quick fix do, against the build.\n',
);
const wanted = generators.flatMap((generator) => {
  const names = Object.keys(generator.sites).filter((name) => isWanted(generator, name));
  return names.length > 0 ? [{ generator, names }] : [];
});
await installPrograms(wanted.flatMap(({ generator: { program } }) => program ?? []));
for (const { generator, names } of wanted) {
  const folder = join(cache, generator.name);
  const reason = await install(generator, folder);
  if (reason !== undefined) {
    skipped.push(`${generator.name} (skipped: ${reason})`);
    continue;
  }
  const counts = zero();
  for (const name of names) {
    const outcome = await runOne(generator, name, folder);
    for (const count of countNames) {
      counts[count] += outcome?.counts[count] ?? 0;
      totals[count] += outcome?.counts[count] ?? 0;
    }
  }
  siteCount += names.length;
  rows.push(row(generator.name, names.length, counts));
}
console.log(`\n| Generator | Sites | ${countNames.join(' | ')} |\n| --- |${' --- |'.repeat(countNames.length + 1)}`);
for (const line of [...rows, row('**all**', siteCount, totals)]) console.log(line);
console.log(`\n  ${sum(good)} passing`);
if (skipped.length > 0) console.log(`  ${skipped.length} pending`);
failures += sum(bad);
if (failures > 0) console.log(`  ${failures} failing`);
for (const title of skipped) console.log(`  - ${title}`);
process.exitCode = failures > 0 ? 1 : 0;

function isWanted({ name, quick = false }: Generator, site: string): boolean {
  if (words.length === 0) return typeof quick === 'boolean' ? quick : quick.includes(site);
  return isAll || words.some((word) => word === name || `${name}/${site}`.toLowerCase() === word);
}

function zero(): Record<Count, number> {
  return Object.fromEntries(countNames.map((name) => [name, 0])) as Record<Count, number>;
}

function sum(counts: readonly Count[]): number {
  return counts.reduce((total, name) => total + totals[name], 0);
}

function row(name: string, sites: number, counts: Readonly<Record<Count, number>>): string {
  return `| ${name} | ${sites} | ${countNames.map((count) => counts[count]).join(' | ')} |`;
}

/** Installs what a generator needs, once. @returns why it cannot be run */
async function install({ packages, program }: Generator, folder: string): Promise<string | undefined> {
  if (program && !isInstalled(program.command))
    return `needs ${program.command}, which Debian has as ${program.debian}`;
  mkdirSync(folder, { recursive: true });
  if (!packages) return undefined;
  const manifest = JSON.stringify({ private: true, dependencies: packages }, null, 2);
  const marker = join(folder, 'installed.json');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === manifest) return undefined;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), manifest);
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  const { log, isBuilt } = await tryToRun(['npm', 'install', ...options], folder);
  if (!isBuilt) return `its packages cannot be installed: ${log.trim().split('\n')[0]}`;
  writeFileSync(marker, manifest);
  return undefined;
}

/** Installs the programs that are missing, where Debian's packages can be installed. */
async function installPrograms(programs: readonly NonNullable<Generator['program']>[]): Promise<void> {
  const packages = programs.filter(({ command }) => !isInstalled(command)).flatMap(({ debian }) => debian.split(' '));
  if (packages.length === 0 || !canInstallPackages()) return;
  console.log(`Installing ${packages.join(' ')} with apt-get …`);
  await tryToRun(['apt-get', 'update', '-qq'], root);
  await tryToRun(['apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...packages], root);
}

/** Runs a program; one that does not start, or not end in time, has failed, too. */
function tryToRun(command: readonly string[], folder: string) {
  return run(command, folder).catch((error: unknown) => ({ log: String(error), isBuilt: false }));
}

function isInstalled(command: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, command)));
}

async function runOne(generator: Generator, name: string, folder: string): Promise<Outcome | undefined> {
  const started = performance.now();
  const site = generator.sites[name];
  if (!site) return undefined;
  const title = `${generator.name}, ${name}`;
  const workspace = join(realpathSync(folder), 'projects', name.replaceAll(' ', '-'));
  const openExtension = () => {
    const told = [...editor.messages];
    editor.open(workspace);
    editor.messages.push(...told);
    return new Extension(workspace);
  };
  editor.messages.length = 0;
  try {
    const messages = () => editor.messages;
    const outcome = await runSite(site, {
      workspace,
      packages: generator.packages ?? {},
      openExtension,
      messages,
      build,
      open,
    });
    const seconds = Math.round((performance.now() - started) / 1000);
    const wrong = bad.reduce((total, count) => total + outcome.counts[count], 0);
    console.log(`${wrong === 0 ? '✓' : '✗'} ${title} (${seconds} s)`);
    for (const problem of outcome.problems) console.log(`    ${problem}`);
    if (words.length > 0) for (const one of outcome.silent) console.log(`      ${one}`);
    return outcome;
  } catch (error) {
    failures++;
    console.log(`✗ ${title}: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
}
