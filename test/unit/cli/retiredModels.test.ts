import assert from 'node:assert/strict';
import { startHttpServer } from '../../support/httpServer.ts';
import { pngBytes } from '../../support/mediaBytes.ts';
import { Repository } from '../../support/repository.ts';

describe('check: a model that the service no longer has', () => {
  const warning = 'warning  old.png  The service no longer has the model “m-1”, so it cannot be made again.';
  const notFound = { error: { message: 'The model `m-1` does not exist', code: 'model_not_found', param: 'model' } };

  it('names the assets that cannot be made again, and their files stay', async () => {
    let answer: [status: number, body: unknown] = [200, { data: [{ b64_json: pngBytes.toString('base64') }] }];
    await using service = await startHttpServer((request, response) => {
      const [status, body] = answer;
      request.resume().on('end', () => response.writeHead(status).end(JSON.stringify(body)));
    });
    await using repository = await Repository.make(service.origin, {});
    const old = { operation: 'generateImage', prompt: 'a fox', model: 'm-1' };
    await repository.declare({ 'old.png': old, 'new.png': { ...old, model: 'm-2' } });
    assert.equal((await repository.run(['apply', '--yes'])).code, 0);
    const before = await repository.read('old.png');

    await repository.declare({ 'old.png': { ...old, prompt: 'a bear' }, 'new.png': { ...old, model: 'm-2' } });
    // Some other address is unknown.
    answer = [404, { error: { message: 'Not Found' } }];
    assert.equal((await repository.run(['apply', '--yes'])).code, 1);
    assert.doesNotMatch((await repository.run(['check'])).stdout, /no longer has/);

    answer = [410, notFound];
    assert.equal((await repository.run(['apply', '--yes'])).code, 1);
    const failed = await repository.run(['check']);
    assert(failed.stdout.includes(warning), failed.stdout);
    assert.doesNotMatch(failed.stdout, /warning +new\.png/);
    assert.equal(await repository.read('old.png'), before);

    // What is fresh stays fresh.
    await repository.declare({ 'old.png': old, 'new.png': { ...old, model: 'm-2' } });
    const fresh = await repository.run(['check']);
    assert.equal(fresh.code, 0);
    assert(fresh.stdout.includes(warning), fresh.stdout);

    answer = [200, { data: [{ b64_json: pngBytes.toString('base64') }] }];
    await repository.declare({ 'old.png': { ...old, prompt: 'a bear' }, 'new.png': { ...old, model: 'm-2' } });
    assert.equal((await repository.run(['apply', '--yes'])).code, 0);
    assert.doesNotMatch((await repository.run(['check'])).stdout, /no longer has/);
  });
});
