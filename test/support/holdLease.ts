// On request takes the lease of a folder, reports the outcome and holds it: node holdLease.ts <folder> <silence>
import { Lease } from '../../src/jobs/Lease.ts';

const [folder = '', silence = ''] = process.argv.slice(2);
process.on('message', async () => {
  process.send?.((await Lease.take(folder, { silence: Number(silence) })) !== undefined);
});
process.send?.('ready');
