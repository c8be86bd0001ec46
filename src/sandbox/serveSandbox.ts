import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { startSandbox } from './startSandbox.ts';

interface CommandLine {
  readonly port: number | undefined;
  readonly storage: string | undefined;
  readonly key: string | undefined;
}

/**
 * Serves the sandbox until the process gets SIGINT or SIGTERM. Prints one line of JSON first.
 *
 * @param args `--port`, `--storage` and `--key`
 * @returns the exit code
 * @throws Error for wrong arguments, a taken port or a folder that cannot be written
 */
export async function serveSandbox(args: readonly string[]): Promise<number> {
  const { port, storage, key } = readCommandLine(args);
  const sandbox = await startSandbox({ ports: port, storage, key });
  const ended = Promise.race((['SIGINT', 'SIGTERM'] as const).map((signal) => once(process, signal)));
  const { imageBaseUrl, audioBaseUrl, videoBaseUrl } = sandbox;
  process.stdout.write(`${JSON.stringify({ imageBaseUrl, audioBaseUrl, videoBaseUrl, key: sandbox.key })}\n`);
  await ended;
  await sandbox.stop();
  return 0;
}

function readCommandLine(args: readonly string[]): CommandLine {
  const { values } = parseArgs({
    args: [...args],
    options: { port: { type: 'string' }, storage: { type: 'string' }, key: { type: 'string' } },
  });
  const { port, storage, key } = values;
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) < 65_536)) {
    throw new Error(`--port takes a number from 0 to 65535, not "${port}".`);
  }
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) {
    throw new Error(
      '--key takes ASCII letters, digits and symbols without spaces, because it is sent in an HTTP header.',
    );
  }
  if (storage === '') throw new Error('--storage takes the path of a folder.');
  return { port: port === undefined ? undefined : Number(port), storage, key };
}
