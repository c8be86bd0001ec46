// The command `unified-media`: assets of a manifest and tools for agents, without an editor. It only wires the parts.
import './cli/polyfills.ts';
import { readFile } from 'node:fs/promises';
import { readCommandLine, usage } from './cli/commandLine.ts';
import { reasonOf } from './operations/MediaError.ts';
import { stateFolder } from './work/stateFolder.ts';

// A reader that has gone, such as "| head", must not end this process while a paid request is out.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${reasonOf(error)}\n`);
  process.exitCode = 1;
}
// Exit even if something is still open, such as an idle connection.
process.stdout.write('', () => process.exit());

async function run(args: readonly string[]): Promise<number> {
  const line = readCommandLine(args);
  if (!line) {
    process.stdout.write(usage);
    return 0;
  }
  if (line === 'version') {
    const text = await readFile(new URL('../package.json', import.meta.url), 'utf8');
    process.stdout.write(`${(JSON.parse(text) as { readonly version: string }).version}\n`);
    return 0;
  }
  if (line.verb === 'sandbox') {
    const { serveSandbox } = await import('./sandbox/startSandbox.ts');
    return await serveSandbox(line.words);
  }
  if (line.verb === 'mcp') {
    const { runMcp } = await import('./agents/mcp/runMcp.ts');
    const { stdin: input, stdout: output, stderr: errors, env: environment } = process;
    return await runMcp({ input, output, errors, environment, cwd: process.cwd() });
  }
  const { runVerb } = await import('./cli/runVerb.ts');
  const abort = new AbortController();
  // A second signal ends the process at once.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => abort.abort());
  return runVerb(line, {
    environment: process.env,
    state: stateFolder(process.env),
    signal: abort.signal,
    print: (text) => void process.stdout.write(`${text}\n`),
    note: (text) => void process.stderr.write(`${text}\n`),
  });
}
