import assert from 'node:assert/strict';
import { lfsPointer } from '../../support/lfsPointer.ts';
import { type MediaService, startMediaService } from '../../support/mediaService.ts';
import { Repository } from '../../support/repository.ts';

describe('an input that is a Git LFS pointer', () => {
  let service: MediaService;

  before(async () => {
    service = await startMediaService();
  });
  after(() => service[Symbol.asyncDispose]());

  const entries = {
    'a picture': [
      'in.png',
      'Images (image_urls)',
      'a.png',
      { operation: 'editImage', prompt: 'p', images: ['in.png'] },
    ],
    'a recording': ['call.mp3', 'Audio file (file)', 'a.md', { operation: 'transcribe', file: 'call.mp3' }],
    'a video that is never sent': [
      'call.mov',
      'Audio file (file)',
      'a.md',
      { operation: 'transcribe', file: 'call.mov' },
    ],
    'a document': ['guide.md', 'document', 'a.mp3', { operation: 'speak', document: 'guide.md', voice: 'nova' }],
  } as const;

  for (const [what, [name, field, path, entry]] of Object.entries(entries)) {
    it(`is refused before anything is sent, with its name and its field: ${what}`, async () => {
      await using repository = await Repository.make(service.origin, { [name]: lfsPointer });
      await repository.declare({ [path]: { ...entry, model: 'm' } });
      const { code, stdout, stderr } = await repository.run(['apply']);
      assert.equal(code, 1, stdout + stderr);
      assert(
        (stdout + stderr).includes(
          `${field}: ${name} is a Git LFS pointer, not the file itself. Run “git lfs pull” first.`,
        ),
        stdout + stderr,
      );
      assert.equal(service.requests.length, 0);
    });
  }

  it('is named where another picture is made from it', async () => {
    await using repository = await Repository.make(service.origin, { 'in.png': lfsPointer });
    await repository.declare({ 'a.webp': { from: 'in.png', size: [1, 1] } });
    const { code, stdout } = await repository.run(['apply']);
    assert.equal(code, 1);
    assert.match(stdout, /^failed {3}a\.webp {2}in\.png is a Git LFS pointer, not the file itself\./m);
  });
});
