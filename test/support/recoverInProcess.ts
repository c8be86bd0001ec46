// Recovers on request, as another window does, and sends the states: node recoverInProcess.ts '<ProcessOptions>'
import type { ProcessOptions } from './jobProcess.ts';
import { jobRunnerAt } from './jobRunner.ts';

const { host, ...options } = JSON.parse(process.argv[2] ?? '{}') as ProcessOptions;
const { recover } = jobRunnerAt(host, options);
process.on('message', async () => {
  const ended = await recover();
  process.send?.(ended.map(({ state }) => state));
});
process.send?.('ready');
