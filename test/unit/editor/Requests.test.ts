import assert from 'node:assert/strict';
import type { RunParts } from '../../../src/editor/requests/requests.ts';
import { importWithEditor, type Uri } from '../../support/editorStub.ts';
import { type StoppedTime, stopTime } from '../../support/fakeTime.ts';

type Module = typeof import('../../../src/editor/Requests.ts');

describe('a window looks for interrupted jobs of other windows', () => {
  let Requests: Module['Requests'];
  let time: StoppedTime;
  let runs: InstanceType<Module['Requests']>;
  /** Folders that were read since the last look. */
  let read: string[];
  let trust: () => void;
  const workspace = {
    isTrusted: true,
    onDidGrantWorkspaceTrust: (listener: () => void) => {
      trust = listener;
      return { dispose: () => undefined };
    },
    fs: {
      readDirectory: async ({ path }: Uri) => {
        read.push(path);
        return [['a-file', 1]];
      },
    },
  };

  before(async () => {
    ({ Requests } = await importWithEditor<Module>(new URL('../../../src/editor/Requests.ts', import.meta.url), {
      workspace,
    }));
  });

  beforeEach(() => {
    time = stopTime(['setTimeout', 'setInterval']);
    read = [];
  });

  afterEach(() => {
    runs.dispose();
    time[Symbol.dispose]();
  });

  async function start(isTrusted: boolean): Promise<void> {
    workspace.isTrusted = isTrusted;
    runs = new Requests({ storeFolder: '/store', log: { error: assert.fail } } as unknown as RunParts);
    assert.deepEqual(read, [], 'activation reads nothing');
    await new Promise(setImmediate);
  }

  /** Lets a time in seconds pass. @returns how often the window has looked meanwhile */
  function looksWithin(seconds: number): number {
    time.pass(seconds);
    return looks();
  }

  function looks(): number {
    assert(read.every((folder) => folder === '/store'));
    return read.splice(0).length;
  }

  it('after its start, 5 s later and every 20 s, until it closes', async () => {
    await start(true);
    assert.equal(looks(), 1);
    assert.equal(looksWithin(4.9), 0);
    assert.equal(looksWithin(0.2), 1);
    assert.equal(looksWithin(14.8), 0);
    assert.equal(looksWithin(0.2), 1);
    assert.equal(looksWithin(60), 3);
    runs.dispose();
    assert.equal(looksWithin(60), 0);
  });

  it('not in an untrusted folder, but as soon as the person trusts it', async () => {
    await start(false);
    assert.equal(looks() + looksWithin(60), 0);
    workspace.isTrusted = true;
    trust();
    assert.equal(looks(), 1);
    assert.equal(looksWithin(20), 1);
  });
});
