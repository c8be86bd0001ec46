import assert from 'node:assert/strict';
import { startHttpServer } from '../../support/httpServer.ts';
import { pngBytes } from '../../support/mediaBytes.ts';
import { CreateView } from '../createView.ts';
import { Workbench } from '../workbench.ts';

const key = 'canary-key-of-a-journey';

describe('a new user', () => {
  let workbench: Workbench;

  after(() => workbench?.stop());

  it('connects a service in the Create view and generates the first picture', async () => {
    await using service = await startHttpServer((request, response) => {
      if (request.url === '/') response.end('Hello');
      else if (request.headers.authorization !== key) response.writeHead(401).end('{"error":{"message":"No key."}}');
      else if (request.method === 'GET') response.end(JSON.stringify({ data: [{ id: 'painter', type: 'image' }] }));
      else response.end(JSON.stringify({ data: [{ b64_json: pngBytes.toString('base64') }] }));
    });
    workbench = await Workbench.start();
    const view = await CreateView.open(workbench);
    await view.content.getByRole('region', { name: 'Connect a Service' }).waitFor();
    await view.type('Address', service.origin);
    await view.type('Key', key);
    await workbench.page.keyboard.press('Enter');
    const connected = view.content.getByRole('region', { name: 'Service Connected' });
    await view.whenFocused(connected);
    await connected.getByText('Its key is set. Models listed: 1.').waitFor();
    await view.type('Generate Image', 'painter');
    await view.press(view.button('Done'));
    await connected.waitFor({ state: 'detached' });
    await view.type('Prompt', 'A fox in the snow');
    await view.submit();
    await view.whenMade('media/images/a-fox-in-the-snow.png', 'A fox in the snow');
    const paid = service.requests.filter(({ method }) => method === 'POST');
    assert.deepEqual(
      paid.map(({ url }) => url),
      ['/v1/images/generations'],
    );
    assert.deepEqual(workbench.filesWith(key), []);
  });
});
