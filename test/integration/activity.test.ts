import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { callerOf } from '../../src/editor/Caller.ts';
import { ActivityTree, jobReport } from '../../src/features/activity/ActivityTree.ts';
import { type Job, JobList } from '../../src/work/Job.ts';

describe('the Activity tree', () => {
  let jobs: JobList;
  let tree: ActivityTree;

  beforeEach(() => {
    jobs = new JobList();
    tree = new ActivityTree(jobs);
  });

  afterEach(() => tree.dispose());

  function nextChange(): Promise<readonly string[] | undefined> {
    return new Promise((resolve) => {
      const listening = tree.onDidChangeTreeData((items) => {
        listening.dispose();
        resolve(items?.map(({ jobId }) => jobId));
      });
    });
  }

  function shown(id: string): vscode.TreeItem {
    const item = tree.getChildren().find(({ jobId }) => jobId === id);
    assert(item);
    return tree.resolveTreeItem(tree.getTreeItem(item), item);
  }

  it('lists running jobs first, then failed ones, then finished ones, each newest first', () => {
    const states = ['done', 'failed', 'saving', 'queued', 'unknown', 'cancelled', 'waiting'] as const;
    for (const [second, state] of states.entries()) jobs.set(job(state, { state }, second));
    assert.deepEqual(
      tree.getChildren().map(({ jobId }) => jobId),
      ['waiting', 'saving', 'queued', 'unknown', 'failed', 'cancelled', 'done'],
    );
  });

  it('shows ages anew, of the jobs that are still listed', async () => {
    jobs.set(job('a', { state: 'done' }));
    jobs.set(job('b', { state: 'done' }));
    assert.equal(tree.getChildren().length, 2);
    jobs.remove('b');
    const changed = nextChange();
    tree.showAges();
    assert.deepEqual(await changed, ['a']);
  });

  it('shows the stage and progress of a running job', () => {
    jobs.set(job('a', { state: 'waiting', progress: { stage: 'waiting', status: 'in_progress', progress: 40 } }));
    assert.equal(shown('a').label, 'a fox');
    assert.equal(shown('a').description, 'waiting for the service, in_progress, 40 % · Generate Image');
    assert.equal(shown('a').contextValue, 'running');
    jobs.update('a', { state: 'downloading', progress: { stage: 'downloading', bytes: 1_500_000, total: 3_000_000 } });
    assert.equal(shown('a').description, 'downloading 1.5 MB / 3 MB · Generate Image');
  });

  it('says why a job ended and offers matching actions', () => {
    const error = { kind: 'download', message: 'The result\ncannot be read.', mayBeBilled: true } as const;
    jobs.set(job('a', { state: 'failed', error, hasAnswer: true }));
    assert.match(String(shown('a').description), /^failed · Generate Image · .* · The result cannot be read\.$/);
    assert.equal(shown('a').contextValue, 'ended answer error');
    assert.equal(typeof shown('a').tooltip, 'string');
    jobs.set(job('b', { state: 'unknown', error: { kind: 'network', message: 'x', mayBeBilled: true } }));
    assert.match(String(shown('b').description), /^outcome unknown, may be billed · /);
    jobs.set(
      job('d', { state: 'unknown', sandbox: true, error: { kind: 'network', message: 'x', mayBeBilled: false } }),
    );
    assert.match(String(shown('d').description), /^outcome unknown · /);
    assert.doesNotMatch(JSON.stringify(shown('d')), /bill/);
    jobs.set(job('c', { state: 'cancelled' }));
    assert.equal(shown('c').contextValue, 'ended');
  });

  it('has items that work as arguments of the job and file commands', () => {
    const asset = { uri: 'file:///a.png', prompt: 'a fox' } as Job['assets'][number];
    jobs.set(job('a', { state: 'done', assets: { 0: asset } }));
    const [item] = tree.getChildren();
    assert.deepEqual(
      { jobId: item?.jobId, caller: callerOf(item), uris: item?.uris, title: item?.title },
      { jobId: 'a', caller: 'person', uris: ['file:///a.png'], title: 'a fox' },
    );
    assert.equal(shown('a').contextValue, 'done file picture');
  });

  it('refreshes once for a thousand chunks, and only the changed job', async () => {
    jobs.set(job('a', { state: 'downloading' }, 1));
    jobs.set(job('b', { state: 'waiting' }));
    assert.equal(await nextChange(), undefined);
    let times = 0;
    tree.onDidChangeTreeData(() => times++);
    const change = nextChange();
    for (let bytes = 0; bytes < 1000; bytes++) {
      jobs.update('a', { progress: { stage: 'downloading', bytes, total: 1000 } });
    }
    assert.deepEqual(await change, ['a']);
    jobs.update('a', { state: 'done', progress: undefined });
    assert.equal(await nextChange(), undefined, 'it stands elsewhere now');
    jobs.remove('a');
    await nextChange();
    assert.deepEqual(
      tree.getChildren().map(({ jobId }) => jobId),
      ['b'],
    );
    assert.equal(times, 3);
  });

  it('reports a failure with everything useful except the key and the prompt', () => {
    const error = {
      kind: 'server',
      message: 'The service failed: “overloaded, try later”.',
      status: 500,
      requestId: 'req_7',
      mayBeBilled: true,
    } as const;
    const report = jobReport(job('job-7', { state: 'failed', error }));
    for (const fact of ['“overloaded, try later”', 'Status: 500', 'Request ID: req_7', 'Model: m', 'Kind: server']) {
      assert(report.includes(fact), fact);
    }
    assert.match(report, /Operation: Generate Image\n/);
    assert.match(report, /Requested: 2026-01-02T03:04:00/);
    assert.doesNotMatch(report, /a fox/);
  });

  it('shows no report without a job', async () => {
    await assert.rejects(async () => vscode.commands.executeCommand('unifiedMedia.showJobError'), {
      message: 'Show Error needs the ID of a job (jobId).',
    });
  });
});

function job(id: string, facts: Partial<Job>, second = 0): Job {
  return {
    id,
    key: id,
    operation: 'generateImage',
    request: { model: 'm', prompt: 'a fox', n: 1, output_format: 'url' },
    createdAt: new Date(Date.UTC(2026, 0, 2, 3, 4, second)).toISOString(),
    place: { root: 'file:///folder', path: 'media', fileName: '${prompt}', transcriptFormat: 'markdown' },
    sandbox: false,
    state: 'queued',
    assets: {},
    hasAnswer: false,
    ...facts,
  };
}
