// `npm run sandbox`: the sandbox without an editor. Prints one line of JSON, then serves until it is told to end.
import { serveSandbox } from './serveSandbox.ts';

try {
  process.exitCode = await serveSandbox(process.argv.slice(2));
  process.exit();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  // As commands do for a wrong call; whatever else goes wrong here is a taken port or a folder that cannot be written.
  process.exitCode = 2;
}
