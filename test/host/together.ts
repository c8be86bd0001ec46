// Runs several npm scripts at the same time: node test/host/together.ts faults soak. Each prints its output when it ends.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

async function run(script: string): Promise<void> {
  const started = performance.now();
  // npm is a .cmd file on Windows, which only a shell can start.
  const child = spawn('npm', ['run', '--silent', script], {
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`\n> ${script} (${seconds} s)\n\n${output}${errors}`);
  if (code !== 0) process.exitCode = 1;
}

await Promise.all(process.argv.slice(2).map(run));
