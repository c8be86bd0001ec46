import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { mock } from 'node:test';
import { endAtSignal } from '../../../src/cli/threads.ts';

describe('endAtSignal', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  /** A process that gets a signal. @returns what happens, in order */
  function signalled(platform: NodeJS.Platform, signal: NodeJS.Signals): readonly string[] {
    const events: string[] = [];
    const kill = (pid: number, sent: NodeJS.Signals) => events.push(`${sent} to ${pid}`);
    const host = Object.assign(new EventEmitter(), { platform, pid: 7, kill });
    endAtSignal(() => events.push('abort'), host as unknown as NodeJS.Process);
    host.emit(signal);
    // A second one ends the process as the system does.
    assert.equal(host.listenerCount(signal), 0);
    mock.timers.tick(4999);
    events.push('5 s');
    mock.timers.tick(1);
    return events;
  }

  it('aborts when a console of Windows is closed, and ends five seconds later, though nobody can send SIGHUP there', () => {
    assert.deepEqual(signalled('win32', 'SIGHUP'), ['abort', '5 s', 'SIGTERM to 7']);
    assert.deepEqual(signalled('win32', 'SIGINT'), ['abort', '5 s', 'SIGINT to 7']);
  });

  it('leaves SIGHUP to nohup elsewhere', () => {
    assert.deepEqual(signalled('linux', 'SIGHUP'), ['5 s']);
    assert.deepEqual(signalled('darwin', 'SIGTERM'), ['abort', '5 s', 'SIGTERM to 7']);
  });
});
