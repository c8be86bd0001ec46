// Forked: starts a sandbox, sends its address, and then what happens at it. Takes the number of requests that may arrive;
// others wait.
import { startSandbox } from '../../src/sandbox/startSandbox.ts';

/** The n-th accepted request has arrived or is answered, or its result is downloaded or was. */
export type Stage = 'arrived' | 'answered' | 'downloading' | 'downloaded';

export interface SandboxEvent {
  readonly stage: Stage;
  readonly requests: number;
}

let requests = 0;
let allowed = 0;
let changed = Promise.withResolvers<void>();
const tell = (stage: Stage) => process.send?.({ stage, requests } satisfies SandboxEvent);

const sandbox = await startSandbox({
  imageSize: 64,
  key: 'key-1',
  ports: 0,
  // Called for what is worked on: a repeated request is answered before.
  intercept: async ({ request, response }) => {
    const isPaid = request.method === 'POST';
    while (isPaid && requests >= allowed) await changed.promise;
    if (isPaid) requests++;
    tell(isPaid ? 'arrived' : 'downloading');
    response.on('finish', () => tell(isPaid ? 'answered' : 'downloaded'));
    return false;
  },
});
process.on('message', (message) => {
  if (typeof message !== 'number') return process.send?.(sandbox.counts.generateImage);
  allowed = message;
  changed.resolve();
  changed = Promise.withResolvers();
  return true;
});
process.on('disconnect', () => void sandbox.stop());
process.send?.(sandbox.imageBaseUrl);
