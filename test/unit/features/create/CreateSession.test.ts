import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { JobList } from '../../../../src/work/Job.ts';
import { importWithEditor, Uri } from '../../../support/editorStub.ts';

const listen = () => ({ dispose: () => undefined });
const context = { secrets: { onDidChange: listen }, globalStorageUri: Uri.file('/storage') };
const editor = {
  workspace: { onDidChangeConfiguration: listen, onDidGrantWorkspaceTrust: listen },
};
const { CreateSession } = await importWithEditor<typeof import('../../../../src/features/create/CreateSession.ts')>(
  new URL('../../../../src/features/create/CreateSession.ts', import.meta.url),
  editor,
);

describe('CreateSession in a window without a folder', () => {
  // A request loads more modules that import VS Code.
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'vscode' ? { url: 'data:text/javascript,', shortCircuit: true } : next(specifier, context),
  });
  after(() => hooks.deregister());

  it('keeps the folder that was chosen for a request when its job is dismissed', async () => {
    const jobs = new JobList();
    const folder = new URL('file:///home/ann/pictures');
    let choose: (() => void) | undefined;
    const places = {
      chosen: undefined as URL | undefined,
      onDidChoose: (listener: () => void) => {
        choose = listener;
        return listen();
      },
    };
    const place = { root: folder.href, path: '' };
    const run = async (_requests: unknown, _caller: unknown, { onSending }: { onSending(): void }) => {
      places.chosen = folder;
      choose?.();
      onSending();
      jobs.set({ id: 'job', place, state: 'done', operation: 'generateImage', request: {} } as never);
      return [{ status: 'fulfilled', value: [] }];
    };
    const session = new CreateSession({
      ...{ jobs, places, runs: { run }, settings: {}, previews: { onDidChange: listen } },
      ...{ memory: { get: () => undefined }, context },
      log: { warn: () => undefined },
    } as never);
    const { outcome } = await session.submit('generateImage', { prompt: 'a cat' }, () => true, {} as never);
    assert.equal(outcome, 'started');
    jobs.remove('job');
    assert.deepEqual(session.roots.map(String), [folder.href]);
  });

  it('sends a request once that a page submits again because it was hidden and does not know of the first', async () => {
    const { promise: prepared, resolve: prepare } = Promise.withResolvers<void>();
    let sent = 0;
    const run = async (_requests: unknown, _caller: unknown, { onSending }: { onSending(): void }) => {
      sent++;
      await prepared;
      onSending();
      return [{ status: 'fulfilled', value: [] }];
    };
    const session = new CreateSession({
      ...{ jobs: new JobList(), places: { onDidChoose: listen }, runs: { run }, settings: {} },
      ...{ memory: { get: () => undefined }, previews: { onDidChange: listen }, context },
      log: { warn: () => undefined },
    } as never);
    const submit = (prompt: string) => session.submit('generateImage', { prompt }, () => true, {} as never);
    const submitted = [submit('a cat'), submit('a cat'), submit('a dog')];
    prepare();
    assert.deepEqual(await Promise.all(submitted), Array(3).fill({ outcome: 'started' }));
    assert.equal(sent, 2);
    await submit('a cat');
    assert.equal(sent, 3);
  });
});
