// The command `unified-media`: assets of a manifest and tools for agents, without an editor. It only wires the parts.
import './cli/polyfills.ts';
import { readFile } from 'node:fs/promises';
import { isMainThread } from 'node:worker_threads';
import { readCommandLine, usage } from './cli/commandLine.ts';
import { runInThread, runOnThread } from './cli/threads.ts';
import { type Printable, printableText } from './foreign/escape.ts';
import { reasonOf } from './operations/MediaError.ts';
import { stateFolder } from './work/stateFolder.ts';

if (isMainThread) {
  let lost: Error | undefined;
  // A reader that has gone, such as "| head", must not end this process while a paid request is out.
  const keepLost = (error?: NodeJS.ErrnoException | null) => {
    if (error && error.code !== 'EPIPE') lost = error;
  };
  for (const stream of [process.stdout, process.stderr]) stream.on('error', keepLost);
  try {
    process.exitCode = await run(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${printableText(reasonOf(error))}\n`);
    process.exitCode = 1;
  }
  // Exit even if something is still open, such as an idle connection.
  process.stdout.write('', (error) => {
    keepLost(error);
    if (!lost) process.exit();
    process.stderr.write(printableText(`The output could not be written: ${reasonOf(lost)}\n`), () => process.exit(1));
  });
} else {
  await runInThread(async (line, { signal, print, note }) => {
    if (line.verb === 'sandbox') {
      const { serveSandbox } = await import('./sandbox/startSandbox.ts');
      return serveSandbox(line.words, signal, (text) => print(printableText(text)));
    }
    const { runVerb } = await import('./cli/runVerb.ts');
    return runVerb(line, { environment: process.env, state: stateFolder(process.env), signal, print, note });
  });
}

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
  const print = (text: Printable) => void process.stdout.write(`${text}\n`);
  const note = (text: Printable) => void process.stderr.write(`${text}\n`);
  switch (line.verb) {
    case 'mcp': {
      const { runMcp } = await import('./agents/mcp/runMcp.ts');
      const { stdin: input, stdout: output, stderr: errors, env: environment } = process;
      return await runMcp({ input, output, errors, environment, cwd: process.cwd() });
    }
    // These leave nothing half done, so a signal may end them at once, and a thread would take 30 ms to start.
    case 'plan':
    case 'check': {
      const { runVerb } = await import('./cli/runVerb.ts');
      const { signal } = new AbortController();
      return runVerb(line, { environment: process.env, state: stateFolder(process.env), signal, print, note });
    }
    default:
      return runOnThread(new URL(import.meta.url), line, { print, note });
  }
}
