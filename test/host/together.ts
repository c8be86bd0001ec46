// Runs npm scripts at the same time: node test/host/together.ts soak slow then e2e
// After `then` come those that start when the ones before have ended, also if one of them failed. The last of a group prints
// as it runs; the output of the others follows when all have ended.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** Runs a script. @returns its output, unless it was printed already */
async function run(script: string, index: number, { length }: readonly string[]): Promise<string> {
  const started = performance.now();
  const output = index === length - 1 ? 'inherit' : 'pipe';
  // npm is a .cmd file on Windows, which only a shell can start.
  const child = spawn('npm', ['run', '--silent', ...script.split(' ')], {
    shell: process.platform === 'win32',
    stdio: ['ignore', output, output],
  });
  const ended = once(child, 'exit');
  const [printed, errors, [code]] = await Promise.all([textOf(child.stdout), textOf(child.stderr), ended]);
  if (code !== 0) process.exitCode = 1;
  const seconds = Math.round((performance.now() - started) / 1000);
  return `\n> ${script}: ${code === 0 ? 'passed' : 'failed'} in ${seconds} s\n\n${printed}${errors}`;
}

async function textOf(stream: Parameters<typeof text>[0] | null): Promise<string> {
  return stream ? text(stream) : '';
}

for (let scripts = process.argv.slice(2); scripts.length > 0; ) {
  const end = scripts.indexOf('then');
  const group = end === -1 ? scripts : scripts.slice(0, end);
  for (const output of await Promise.all(group.map(run))) process.stdout.write(output);
  scripts = scripts.slice(group.length + 1);
}
