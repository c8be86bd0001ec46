import type { MediaRequestInput, OperationId } from '../../src/operations/operations.ts';
import type { Answer, AnswerSource } from '../../src/service/Answer.ts';
import type { ServiceDispatcher } from '../../src/service/createDispatcher.ts';
import { MediaClient } from '../../src/service/MediaClient.ts';
import type { ServiceConfiguration } from '../../src/service/ServiceConfiguration.ts';
import type { SendOptions } from '../../src/service/send.ts';

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

/** Sends a request and reads its answer, as a work does in two steps. */
export async function sendRequest<Id extends OperationId>(
  client: MediaClient,
  id: Id,
  input: MediaRequestInput<Id>,
  options: SendOptions = {},
): Promise<Answer> {
  return client.read(id, await client.exchange(id, input, options));
}

/** Downloads a result by its URL from a service, which may be given by its base URL. */
export async function downloadAll(
  client: MediaClient,
  url: string,
  service: AnswerSource | string,
  from = 0,
): Promise<Buffer> {
  const source = typeof service === 'string' ? { base: service } : service;
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await client.download('generateImage', url, source, { from })).data) chunks.push(chunk);
  return Buffer.concat(chunks);
}
