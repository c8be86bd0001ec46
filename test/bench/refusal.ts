// Receives a refusal of 300 MiB.

import { sendRequest } from '../support/clientOf.ts';
import { clientOf, measureAgainstServer } from './measureAgainstServer.ts';

await measureAgainstServer({
  client: {
    run: async (host) => {
      const refused = sendRequest(clientOf(`${host}/refusing`), 'generateImage', { model: 'm', prompt: 'a fox' });
      await refused.then(
        () => Promise.reject(new Error('the request was not refused')),
        () => undefined,
      );
    },
  },
});
