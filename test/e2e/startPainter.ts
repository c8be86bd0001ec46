import type { RequestListener } from 'node:http';
import { type HttpServer, startHttpServer } from '../support/httpServer.ts';
import { setApiKey } from './setApiKey.ts';
import { Workbench, type WorkbenchOptions } from './workbench.ts';

/** The key that the window has for the service. */
export const painterKey = 'canary-key-1234';

export interface Painter extends AsyncDisposable {
  readonly workbench: Workbench;
  readonly server: HttpServer;
}

/** Opens a window whose image service is a server of the test, with the model `painter` and a key. */
export async function startPainter(answer: RequestListener, options: WorkbenchOptions = {}): Promise<Painter> {
  const server = await startHttpServer((request, response) => {
    request.resume().on('end', () => answer(request, response));
  });
  const workbench = await Workbench.start({
    ...options,
    machineSettings: {
      'unifiedMedia.imageBaseUrl': server.origin,
      'unifiedMedia.models': { generateImage: ['painter'] },
      'unifiedMedia.openAfterSave': false,
    },
  });
  await setApiKey(workbench, painterKey);
  return {
    workbench,
    server,
    async [Symbol.asyncDispose]() {
      await workbench.stop();
      await server[Symbol.asyncDispose]();
    },
  };
}
