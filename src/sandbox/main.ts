// `npm run sandbox`: the sandbox without an editor. Prints one line of JSON, then serves until it is told to end.
import { parseArgs } from 'node:util';
import type { Sandbox } from './startSandbox.ts';
import { startSandbox } from './startSandbox.ts';

interface CommandLine {
  readonly port: number | undefined;
  readonly storage: string | undefined;
  readonly key: string | undefined;
}

try {
  await serve(readCommandLine(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  // As commands do for a wrong call; whatever else goes wrong here is a taken port or a folder that cannot be written.
  process.exitCode = 2;
}

async function serve({ port, storage, key }: CommandLine): Promise<void> {
  const sandbox = await startSandbox({ ports: port, storage, key });
  const { imageBaseUrl, audioBaseUrl, videoBaseUrl } = sandbox;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end(sandbox));
  process.stdout.write(`${JSON.stringify({ imageBaseUrl, audioBaseUrl, videoBaseUrl, key: sandbox.key })}\n`);
}

async function end(sandbox: Sandbox): Promise<void> {
  await sandbox.stop();
  process.exit(0);
}

function readCommandLine(words: readonly string[]): CommandLine {
  const { values } = parseArgs({
    args: [...words],
    options: { port: { type: 'string' }, storage: { type: 'string' }, key: { type: 'string' } },
  });
  const { port, storage, key } = values;
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) < 65_536)) {
    throw new Error(`--port takes a number from 0 to 65535, not "${port}".`);
  }
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) {
    throw new Error('--key takes letters, digits and signs without spaces: it goes into an HTTP header.');
  }
  if (storage === '') throw new Error('--storage takes the path of a folder.');
  return { port: port === undefined ? undefined : Number(port), storage, key };
}
