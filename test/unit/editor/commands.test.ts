import assert from 'node:assert/strict';
import { commandIds } from '../../../src/contributions.ts';
import { Disposable, importWithEditor } from '../../support/editorStub.ts';

type Run = (...args: readonly unknown[]) => Promise<unknown>;

const registered = new Map<string, Run>();
const { register, run } = await importWithEditor<typeof import('../../../src/editor/commands.ts')>(
  new URL('../../../src/editor/commands.ts', import.meta.url),
  {
    commands: {
      registerCommand: (id: string, command: Run) => {
        registered.set(id, command);
        return new Disposable(() => registered.delete(id));
      },
      executeCommand: (id: string, ...args: readonly unknown[]) => registered.get(id)?.(...args),
    },
  },
);

describe('commands', () => {
  it('load nothing before the first is run, get all arguments and return the result', async () => {
    let loads = 0;
    const load = async () => ({ name: `loaded ${++loads}` });
    const commands = register(load, {
      [commandIds.compareVariants]: ({ name }, argument) => {
        assert.deepEqual([name, argument], ['loaded 1', { name: 'a.png', variants: [] }]);
        return 2;
      },
      [commandIds.compose]: (_, ...args) => assert.deepEqual(args, ['speak', ['a.mp3']]),
    });
    assert.equal(loads, 0);
    assert.equal(await run(commandIds.compareVariants, { name: 'a.png', variants: [] }), 2);
    await run(commandIds.compose, 'speak', ['a.mp3']);
    commands.dispose();
    assert.equal(registered.size, 0);
  });
});
