// `npm run sandbox`: the sandbox without an editor. Prints one line of JSON, then serves until it is interrupted.
import { reasonOf } from '../operations/MediaError.ts';
import { serveSandbox } from './startSandbox.ts';

const abort = new AbortController();
// SIGHUP comes when the console is closed, which on Windows is the only signal then.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => abort.abort());

try {
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  process.exitCode = await serveSandbox(process.argv.slice(2), abort.signal, print);
  process.exit();
} catch (error) {
  process.stderr.write(`${reasonOf(error)}\n`);
  // The exit code for wrong usage. The only other failures here are a taken port and a folder that cannot be written.
  process.exitCode = 2;
}
