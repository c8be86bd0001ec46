// Requests images as an agent and prints the statuses: node agentInProcess.ts <origin> <folder> <calls> <limit>
import { once } from 'node:events';
import { openDesk } from './agentDesk.ts';

const [origin = '', folder = '', calls = '', limit = ''] = process.argv.slice(2);
await using desk = openDesk(origin, { folder, limit: { images: Number(limit) } });
process.stdout.write('ready\n');
await once(process.stdin, 'data');
const results = await Promise.all(
  Array.from({ length: Number(calls) }, (_, index) =>
    desk.ask('media_generate_image', { prompt: `picture ${process.pid} ${index}` }),
  ),
);
process.stdout.write(`${JSON.stringify(results.map(({ status }) => status))}\n`);
process.stdin.unref();
