import { MediaError } from '../../src/operations/MediaError.ts';
import { createDispatcher } from '../../src/service/createDispatcher.ts';
import { MediaClient } from '../../src/service/MediaClient.ts';

// Asks a host for an image and prints the outcome: node generateInProcess.ts <host> system|own [proxy]
const [host = '', certificates, proxy] = process.argv.slice(2);
const dispatcher = createDispatcher({ systemCertificates: certificates === 'system', proxy });
const client = new MediaClient({
  configuration: {
    hosts: { image: host, audio: host, video: host },
    timeoutSeconds: { image: 30, audio: 30, video: 30 },
  },
  key: () => 'key-1',
  dispatcher,
});
try {
  process.stdout.write((await client.send('generateImage', { model: 'm', prompt: 'a fox' })).type);
} catch (error) {
  if (!(error instanceof MediaError)) throw error;
  process.stdout.write(`${error.kind}: ${error.message}`);
}
await dispatcher.destroy();
