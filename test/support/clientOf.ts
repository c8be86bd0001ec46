import type { ServiceDispatcher } from '../../src/service/createDispatcher.ts';
import { MediaClient } from '../../src/service/MediaClient.ts';
import type { ServiceConfiguration } from '../../src/service/ServiceConfiguration.ts';

/** A client of a service whose three hosts are one. */
export function clientOf(
  host: string,
  dispatcher: ServiceDispatcher,
  more: Partial<ServiceConfiguration> = {},
): MediaClient {
  return new MediaClient({
    configuration: {
      hosts: { image: host, audio: host, video: host },
      timeoutSeconds: { image: 30, audio: 30, video: 30 },
      ...more,
    },
    key: () => 'key-1',
    dispatcher,
  });
}

/** All bytes of a result that the service at `base` named. */
export async function downloadAll(client: MediaClient, url: string, base: string, from = 0): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await client.download('generateImage', url, { base }, { from })).data) chunks.push(chunk);
  return Buffer.concat(chunks);
}
