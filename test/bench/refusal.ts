// Receives a refusal of 300 MiB.
import { clientOf, measureAgainstServer } from './measureAgainstServer.ts';

await measureAgainstServer({
  client: {
    run: async (host) => {
      const refused = clientOf(`${host}/refusing`).send('generateImage', { model: 'm', prompt: 'a fox' });
      await refused.then(
        () => Promise.reject(new Error('the request was not refused')),
        () => undefined,
      );
    },
  },
});
