import assert from 'node:assert/strict';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describeWithFfmpeg, makeRecording } from '../../support/makeRecording.ts';
import { startMediaService } from '../../support/mediaService.ts';
import { Repository } from '../../support/repository.ts';

describeWithFfmpeg('a manifest entry that transcribes a video', () => {
  it('uploads only the sound', async () => {
    await using service = await startMediaService();
    await using repository = await Repository.make(service.origin, {});
    const folder = join(repository.root, 'recordings');
    await mkdir(folder);
    const video = await makeRecording(folder, 'call.mp4', { seconds: 10, hasPicture: true });
    await repository.declare({ 'call.md': { operation: 'transcribe', model: 'w', file: 'recordings/call.mp4' } });
    const { code, stdout, stderr } = await repository.run(['apply']);
    assert.equal(code, 0, stdout + stderr);
    const sent = Number(service.requests[0]?.headers['content-length']);
    const { size } = await stat(video);
    assert(sent < size, `${sent} of ${size} bytes were sent`);
    assert.match(await repository.read('call.md'), /said 1/);
  });
});
