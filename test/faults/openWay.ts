import type { NetworkSettings } from '../../src/service/createDispatcher.ts';
import { serverCertificate } from '../support/certificates.ts';
import { startHttpServer } from '../support/httpServer.ts';
import { startProxyServer } from '../support/proxyServer.ts';
import type { Fault } from './faults.ts';

interface Way extends AsyncDisposable {
  /** Address of the service by this route; undefined for the service's own. */
  readonly host?: string;
  readonly network?: NetworkSettings;
}

const service = 'https://service.test';

/** Opens the route to the service, with the given fault on it. */
export async function openWay(wrong: Fault['way']): Promise<Way> {
  switch (wrong) {
    case undefined:
      return { [Symbol.asyncDispose]: async () => undefined };
    case 'no proxy':
      return { host: service, network: { proxy: 'http://127.0.0.1:1' }, [Symbol.asyncDispose]: async () => undefined };
    case 'untrusted certificate': {
      const server = await startHttpServer(undefined, serverCertificate);
      return { host: server.origin, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
    }
    default: {
      const proxy = await startProxyServer(wrong === 'proxy asks who' ? { credentials: 'name:word' } : {});
      return {
        host: service,
        network: { proxy: proxy.url },
        [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
      };
    }
  }
}
