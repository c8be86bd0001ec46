import { MediaError } from '../../src/operations/MediaError.ts';
import { createDispatcher } from '../../src/service/createDispatcher.ts';
import { clientOf, sendRequest } from './clientOf.ts';

// Asks a host for an image and prints the outcome: node generateInProcess.ts <host> system|own [proxy]
const [host = '', certificates, proxy] = process.argv.slice(2);
const dispatcher = createDispatcher({ systemCertificates: certificates === 'system', proxy });
try {
  process.stdout.write(
    (await sendRequest(clientOf(host, dispatcher), 'generateImage', { model: 'm', prompt: 'a fox' })).type,
  );
} catch (error) {
  if (!(error instanceof MediaError)) throw error;
  process.stdout.write(`${error.kind}: ${error.message}`);
}
await dispatcher.destroy();
