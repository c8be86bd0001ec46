import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { UnifiedMedia } from '../../src/extension.ts';
import type { Asset } from '../../src/library/LibraryRecord.ts';
import type { Job } from '../../src/work/Job.ts';
import { type HttpServer, startHttpServer } from '../support/httpServer.ts';
import { mp4Bytes, pngBytes } from '../support/mediaBytes.ts';
import { answerDialog } from './answerDialog.ts';
import { changeSettings, resetSettings } from './changeSettings.ts';
import { setApiKey } from './setApiKey.ts';
import { emptyFolder, workspaceFolder } from './workspaceFolder.ts';

const prompt = 'a fox';

function run(command: string, argument: unknown): Promise<Asset[]> {
  return Promise.resolve(vscode.commands.executeCommand<Asset[]>(`unifiedMedia.${command}`, argument));
}

/** The commands for jobs, called with ids from the extension's exports. */
describe('jobs by their ids', () => {
  let folder: string;
  let media: UnifiedMedia;

  before(async () => {
    folder = workspaceFolder();
    const extension = vscode.extensions.getExtension<UnifiedMedia>('unified-media.unified-media');
    assert(extension);
    media = await extension.activate();
  });

  afterEach(async () => {
    await vscode.commands.executeCommand('unifiedMedia.removeApiKey');
    await resetSettings();
    await emptyFolder(folder);
    for (const { id } of media.jobs) await run('dismissJob', { jobId: id });
  });

  async function serve(listener: RequestListener): Promise<HttpServer & { paid(): number }> {
    const server = await startHttpServer(listener);
    const { origin } = server;
    await changeSettings({ service: 'remote', imageBaseUrl: origin, videoBaseUrl: origin, openAfterSave: false });
    await setApiKey('key-1');
    return Object.assign(server, { paid: () => server.requests.filter(({ method }) => method === 'POST').length });
  }

  /** Puts a file in the place of the output folder. */
  function blockFolder(): void {
    rmSync(join(folder, 'media'), { recursive: true });
    writeFileSync(join(folder, 'media'), 'no folder');
  }

  /** Responds with an image; `whenPaid` runs when the request has arrived. */
  function image(whenPaid: () => void): RequestListener {
    return (request, response) => {
      if (request.method !== 'POST') return response.end(pngBytes);
      return request.resume().on('end', () => {
        whenPaid();
        response.end('{"data":[{"url":"/result"}]}');
      });
    };
  }

  function newest(): Job {
    const [job] = media.jobs;
    assert(job);
    return job;
  }

  it('can be cancelled and run again as a new job, which removes the old one', async () => {
    let isStill = true;
    await using server = await serve((request, response) => {
      if (!isStill) image(() => undefined)(request, response);
    });
    const incoming = server.next();
    const cancelled = assert.rejects(run('generateImage', { model: 'm', prompt }), {
      message: /bill.* \[cancelled\]$/,
    });
    await incoming;
    const { id, state } = newest();
    assert.equal(state, 'waiting');
    await assert.rejects(run('dismissJob', { jobId: id }), {
      message: /still running\. Cancel it first\. \[invalidInput\]$/,
    });
    assert.equal(await run('cancelJob', { jobId: id }), true);
    await cancelled;
    assert.equal(newest().state, 'cancelled');
    assert.equal(await run('cancelJob', { jobId: id }), false);

    isStill = false;
    // VS Code does not guarantee the order of two concurrent commands.
    const both = await Promise.allSettled([run('runAgain', { jobId: id }), run('runAgain', { jobId: id })]);
    const [refused] = both.filter((result) => result.status === 'rejected');
    assert.match(String(refused?.reason), /already being run again\. \[invalidInput\]$/);
    const [asset] = both.find((result) => result.status === 'fulfilled')?.value ?? [];
    assert.equal(asset?.prompt, prompt);
    assert.notEqual(asset.jobId, id);
    assert.equal(server.paid(), 2);
    assert(media.jobs.every((job) => job.id !== id));
  });

  it('report each change', async () => {
    await using _ = await serve(image(() => undefined));
    const states = new Set<string | undefined>();
    const listening = media.onDidChangeJobs((id) => states.add(media.jobs.find((job) => job.id === id)?.state));
    await run('generateImage', { model: 'm', prompt });
    listening.dispose();
    assert.deepEqual([...states], ['queued', 'sending', 'waiting', 'downloading', 'saving', 'done']);
  });

  it('can download an unsaved result again without paying', async () => {
    await using server = await serve(image(blockFolder));
    await assert.rejects(run('generateImage', { model: 'm', prompt }), {
      message: /kept in the extension's storage.* \[save\]$/,
    });
    const { id, hasAnswer, error } = newest();
    assert(hasAnswer && error?.kind === 'save');
    await rm(join(folder, 'media'));
    const [asset] = await run('downloadAgain', { jobId: id });
    assert.equal(asset?.jobId, id);
    assert.deepEqual(await readFile(join(folder, 'media/images/a-fox.png')), pngBytes);
    assert.equal(newest().state, 'done');
    assert.equal(server.paid(), 1);
    await assert.rejects(run('downloadAgain', { jobId: id }), {
      message: /no unsaved results.* \[invalidInput\]$/,
    });
  });

  it('can save a result in a chosen folder', async () => {
    await using _ = await serve(image(blockFolder));
    await assert.rejects(run('generateImage', { model: 'm', prompt }));
    const elsewhere = await mkdtemp(join(tmpdir(), 'elsewhere-'));
    try {
      using dialog = answerDialog('showOpenDialog', () => [vscode.Uri.file(elsewhere)]);
      const [asset] = await run('saveElsewhere', { jobId: newest().id });
      assert.equal(dialog.questions.length, 1);
      assert.equal(asset?.uri, vscode.Uri.file(join(elsewhere, 'a-fox.png')).toString());
      assert.deepEqual(await readFile(join(elsewhere, 'a-fox.png')), pngBytes);
    } finally {
      await rm(elsewhere, { recursive: true });
    }
  });

  it('can be dismissed with their unsaved results', async () => {
    await using _ = await serve(image(blockFolder));
    await assert.rejects(run('generateImage', { model: 'm', prompt }));
    const { id } = newest();
    assert.equal(await run('dismissJob', { jobId: id }), true);
    assert(media.jobs.every((job) => job.id !== id));
    await assert.rejects(run('downloadAgain', { jobId: id }), { message: /There is no job .* \[invalidInput\]$/ });
  });

  it('fetch a video once the status path is set', async () => {
    await using server = await serve((request, response) => {
      const told: Readonly<Record<string, string | Buffer>> = {
        '/v1/videos/generations': '{"id":"v1","status":"queued"}',
        '/v1/videos/v1': '{"id":"v1","status":"completed"}',
        '/v1/videos/v1/content': mp4Bytes,
      };
      request.resume().on('end', () => response.end(told[request.url ?? '']));
    });
    await assert.rejects(run('generateVideo', { model: 'm', prompt }), { message: /videoStatusPath.* \[noMedia\]$/ });
    await changeSettings({ videoStatusPath: '/v1/videos/{id}' });
    const [asset] = await run('downloadAgain', { jobId: newest().id });
    assert.equal(asset?.videoId, 'v1');
    assert.deepEqual(await readFile(join(folder, 'media/videos/a-fox.mp4')), mp4Bytes);
    assert.equal(server.paid(), 1);
  });
});
