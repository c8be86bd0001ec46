// `unified-media`: the assets of a manifest, and tools for agents, without an editor. Wires the parts, and nothing else.
import './cli/polyfills.ts';
import { readCommandLine, usage } from './cli/commandLine.ts';
import { stateFolder } from './cli/environment.ts';
import { reasonOf } from './operations/MediaError.ts';

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${reasonOf(error)}\n`);
  process.exitCode = 1;
}
// What may still be open, such as an idle connection, has nothing more to do.
process.stdout.write('', () => process.exit());

async function run(args: readonly string[]): Promise<number> {
  const line = readCommandLine(args);
  if (!line) {
    process.stdout.write(usage);
    return 0;
  }
  if (line.verb === 'sandbox') {
    const { serveSandbox } = await import('./sandbox/serveSandbox.ts');
    return await serveSandbox(line.words);
  }
  if (line.verb === 'mcp') {
    const { runMcp } = await import('./agents/mcp/runMcp.ts');
    const { stdin: input, stdout: output, stderr: errors, env: environment } = process;
    return await runMcp({ input, output, errors, environment, cwd: process.cwd() });
  }
  const { runVerb } = await import('./cli/runVerb.ts');
  const abort = new AbortController();
  // A second one ends the process as usual.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => abort.abort());
  return runVerb(line, {
    environment: process.env,
    state: stateFolder(process.env),
    signal: abort.signal,
    print: (text) => void process.stdout.write(`${text}\n`),
    note: (text) => void process.stderr.write(`${text}\n`),
  });
}
