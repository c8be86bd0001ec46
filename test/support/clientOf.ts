import type { ServiceDispatcher } from '../../src/service/createDispatcher.ts';
import { MediaClient } from '../../src/service/MediaClient.ts';
import type { ServiceConfiguration } from '../../src/service/ServiceConfiguration.ts';

/** Creates a client of a service with one host for everything. */
export function clientOf(
  host: string,
  dispatcher: ServiceDispatcher,
  more: Partial<ServiceConfiguration> = {},
): MediaClient {
  return new MediaClient({
    configuration: {
      hosts: { image: host, audio: host, video: host },
      timeoutSeconds: { image: 300, audio: 300, video: 300 },
      ...more,
    },
    key: () => 'key-1',
    dispatcher,
  });
}

/** Downloads a result by its URL from the service at `base`. */
export async function downloadAll(client: MediaClient, url: string, base: string, from = 0): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await client.download('generateImage', url, { base }, { from })).data) chunks.push(chunk);
  return Buffer.concat(chunks);
}
