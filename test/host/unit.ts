// `npm run unit`: the unit tests that take no seconds. `-- src/work/JobRun.ts` runs those whose imports reach that file, and
// `-- test/unit/…` those alone. Options are Mocha's.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, normalize } from 'node:path';
import { root } from './versions.mjs';

const words = process.argv.slice(2);
const sources = words.filter((word) => /^src\b.*\.tsx?$/.test(normalize(word)));
for (const source of sources) if (!existsSync(join(root, source))) throw new Error(`There is no ${source}.`);
const tests = sources.length === 0 ? [] : testsThatReach(new Set(sources.map((one) => join(root, one))));
if (sources.length > 0 && tests.length === 0) throw new Error(`No quick unit test reaches ${sources.join(' or ')}.`);
const others = words.filter((word) => !sources.includes(word));
const hasFiles = tests.length > 0 || others.some((word) => word.endsWith('.test.ts'));
const mocha = createRequire(import.meta.url).resolve('mocha/bin/mocha.js');
// The other configuration adds all files.
const configuration = hasFiles ? ['--config', 'test/support/.mocharc.json'] : [];
const { status } = spawnSync(process.execPath, [mocha, ...configuration, ...tests, ...others], {
  cwd: root,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;

/** Returns the quick tests that import one of the files, or a module that does, however it is imported. */
function testsThatReach(files: ReadonlySet<string>): readonly string[] {
  const known = new Map<string, readonly string[]>();
  const importsOf = (file: string): readonly string[] => {
    const found = known.get(file) ?? readImports(file);
    known.set(file, found);
    return found;
  };
  return globSync('test/unit/**/*.test.ts', { cwd: root, exclude: ['**/*.slow.test.ts'] }).filter((test) => {
    const reached = new Set([join(root, test)]);
    // A set also goes through what is added meanwhile.
    for (const file of reached) for (const one of importsOf(file)) reached.add(one);
    return [...files].some((file) => reached.has(file));
  });
}

function readImports(file: string): readonly string[] {
  const paths = readFileSync(file, 'utf8').matchAll(/'(\.{1,2}\/[^'\n]+\.tsx?)'/g);
  return [...paths].map(([, path = '']) => join(dirname(file), path)).filter((path) => existsSync(path));
}
