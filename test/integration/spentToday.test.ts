import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import * as vscode from 'vscode';
import { registerStatus } from '../../src/features/connection/registerStatus.ts';
import { LocalFolder } from '../../src/files/LocalFolder.ts';
import { Library } from '../../src/library/Library.ts';
import { JobList } from '../../src/work/Job.ts';
import { eventually, repeatedly } from './eventually.ts';

describe('the status bar item', () => {
  it('no longer says what was spent yesterday when the window gets the focus on the next day', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'spent-'));
    const library = new Library(new LocalFolder(folder, folder));
    const { onDidChangeWindowState, createStatusBarItem } = vscode.window;
    const focused = new vscode.EventEmitter<{ readonly focused: boolean }>();
    const item = createStatusBarItem('spent');
    Object.assign(vscode.window, { onDidChangeWindowState: focused.event, createStatusBarItem: () => item });
    const settings = { usesSandbox: false, prices: { currency: '$', models: { painter: { image: 0.04 } } } };
    const made = { kind: 'images', operation: 'generateImage', model: 'painter', jobId: 'j', file: 'a.png' } as const;
    await library.append({ ...made, createdAt: new Date().toISOString() });
    const status = registerStatus({ settings, jobs: new JobList(), places: { libraryOf: () => library } } as never);
    try {
      await eventually(repeatedly, () => String(item.tooltip).includes('0.04'));
      mock.timers.enable({ apis: ['Date'], now: Date.now() + 24 * 60 * 60 * 1000 });
      focused.fire({ focused: true });
      await eventually(repeatedly, () => item.tooltip === '');
    } finally {
      mock.timers.reset();
      Object.assign(vscode.window, { onDidChangeWindowState, createStatusBarItem });
      status.dispose();
      focused.dispose();
      await rm(folder, { recursive: true });
    }
  });
});
