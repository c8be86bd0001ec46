// An agent in a window of its own: node agentInProcess.ts <origin> <folder> <limit>. Requests an image for each prompt
// of a line of JSON, all at once, and prints a line with the results.
import { createInterface } from 'node:readline';
import { openDesk } from './agentDesk.ts';

const [origin = '', folder = '', limit = ''] = process.argv.slice(2);
await using desk = openDesk(origin, { folder, limit: { images: Number(limit) } });
process.stdout.write('ready\n');
for await (const line of createInterface({ input: process.stdin })) {
  const prompts = JSON.parse(line) as readonly string[];
  const results = await Promise.all(prompts.map((prompt) => desk.ask('media_generate_image', { prompt })));
  process.stdout.write(`${JSON.stringify(results.map(({ status, job_id }) => ({ status, job_id })))}\n`);
}
