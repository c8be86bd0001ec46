// `npm run windows`: the unit tests, and a scenario of the command line, in the Node of Windows under Wine, so that we see
// what breaks there before others do. `npm run windows -- work/ cli/` runs the files whose paths hold one of the words.
import { globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from './limits.ts';
import { CannotInstall, inDebian, install, runInWine } from './Wine.ts';

interface Test {
  readonly fullTitle: string;
  readonly file: string;
  readonly err: { readonly message?: string };
}

interface Report {
  readonly passes: readonly Test[];
  readonly pending: readonly Test[];
  readonly failures: readonly Test[];
}

/** A file that takes longer has hung, in seconds. */
const limit = 600;
const reports = '/tmp/reports';

try {
  install();
} catch (error) {
  if (!(error instanceof CannotInstall)) throw error;
  console.error(`Not installed: ${error.message}`);
  process.exit(1);
}

const words = process.argv.slice(2);
const files = globSync(['test/unit/**/*.test.ts', 'test/windows/*.test.ts'])
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort();
rmSync(inDebian(reports), { recursive: true, force: true });
mkdirSync(inDebian(reports), { recursive: true });
await runInWine(scriptFor(files));
// They ran beside others, and a process of Wine fails now and then.
const hung = files.filter((file) => reportOf(file) === undefined);
if (hung.length > 0) await runInWine(scriptFor(hung));
process.exitCode = report(files) ? 0 : 1;

/** Runs each file in a process of its own, two at a time. */
function scriptFor(all: readonly string[]): string {
  const options = '--no-config --require ./test/support/compileCache.ts --extension ts --timeout 180000 --exit';
  return `
cat > /tmp/one.sh <<'END'
name=$(echo "$1" | tr / _)
timeout ${limit} node node_modules/mocha/bin/mocha.js ${options} --reporter json \\
  --reporter-option "output=Z:${reports.replaceAll('/', '\\\\')}\\\\$name.json" "$1" > ${reports}/$name.txt 2>&1
echo "$1"
END
wineboot -i > /tmp/wineboot.txt 2>&1
printf '127.0.0.1 localhost\\r\\n' > /root/.wine/drive_c/windows/system32/drivers/etc/hosts
# Now and then the first thread of a process of Wine ends, and the others stay forever.
while sleep 20; do
  for process in /proc/[0-9]*; do
    [ "$(ls $process/task 2> /dev/null | wc -l)" -gt 1 ] && grep -q '^State:.Z' $process/status && kill -9 \${process#/proc/}
  done
done 2> /dev/null &
xargs -P 2 -n 1 sh /tmp/one.sh <<'END'
${all.join('\n')}
END`;
}

/** Prints what was skipped and what failed. @returns whether only Wine's own limits failed */
function report(all: readonly string[]): boolean {
  const ended = all.map((file) => [file, reportOf(file)] as const);
  const of = (kind: keyof Report) =>
    ended.flatMap(([file, one]) => (one?.[kind] ?? []).map((test) => ({ file, test })));
  const silent = ended.flatMap(([file, one]) => (one ? [] : [file]));
  print(
    'Skipped',
    of('pending').map(({ file, test }) => `${file}: ${test.fullTitle}`),
  );
  const failures = of('failures').map(({ file, test }) => `${file}: ${test.fullTitle}: ${test.err.message ?? ''}`);
  let left = failures;
  for (const { reason, failure } of limits) {
    print(
      `Wine’s limit: ${reason}`,
      left.filter((one) => failure.test(one)),
    );
    left = left.filter((one) => !failure.test(one));
  }
  print('Failed', left);
  print('Did not end', silent);
  console.log(`\n| files | passed | skipped | Wine’s own limits | failed |\n| --- | --- | --- | --- | --- |`);
  const counts = [
    of('passes').length,
    of('pending').length,
    failures.length - left.length,
    left.length + silent.length,
  ];
  console.log(`| ${[all.length, ...counts].join(' | ')} |`);
  return left.length + silent.length === 0;
}

/** Returns what a file reported; undefined when it did not end. */
function reportOf(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(join(inDebian(reports), `${file.replaceAll('/', '_')}.json`), 'utf8')) as Report;
  } catch {
    // The process was killed before or while it wrote.
    return undefined;
  }
}

function print(title: string, lines: readonly string[]): void {
  if (lines.length === 0) return;
  console.log(`\n${title} (${lines.length}):`);
  for (const line of lines) console.log(`- ${line.replaceAll(/\s+/g, ' ').slice(0, 400)}`);
}
