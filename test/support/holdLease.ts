// Takes the lease of a folder on request, reports the outcome and holds it: node holdLease.ts <folder> <silence>
import { Lease, thisProcess } from '../../src/work/Lease.ts';

const [folder = '', silence = ''] = process.argv.slice(2);
process.on('message', async (request) => {
  if (request === 'mark') process.send?.(await thisProcess());
  else process.send?.((await Lease.take(folder, { silence: Number(silence) })) !== undefined);
});
process.send?.('ready');
