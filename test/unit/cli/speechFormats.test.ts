import assert from 'node:assert/strict';
import { copyFileSync, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { longText } from '../../support/longText.ts';
import { mp3Bytes } from '../../support/mediaBytes.ts';
import { startMediaService } from '../../support/mediaService.ts';
import { Repository } from '../../support/repository.ts';

describe('the audio format of an entry', () => {
  for (const format of ['opus', 'ogg', 'flac', 'pcm']) {
    it(`is refused by its field before a text is sent in parts that cannot be joined: ${format}`, async () => {
      await using service = await startMediaService();
      await using repository = await Repository.make(service.origin, {});
      const path = `long.${format}`;
      await repository.declare({ [path]: { operation: 'speak', input: longText, model: 't', voice: 'nova' } });
      const { code, stdout, stderr } = await repository.run(['apply']);
      assert.equal(code, 1, stdout + stderr);
      assert.equal(service.paid.length, 0, stdout + stderr);
      assert.match(stdout + stderr, /response_format\)?: .*cannot be joined/);
      assert.equal(existsSync(resolve(repository.root, path)), false);
    });
  }

  it('that the service does not send is named with the file that is kept, and can be used under another name for free', async () => {
    await using service = await startMediaService();
    service.answerWith((response) => response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(mp3Bytes));
    const texts = ['The first paragraph.', 'The second paragraph.'];
    await using repository = await Repository.make(service.origin, { 'guide.md': texts.join('\n\n') });
    const entry = { operation: 'speak', document: 'guide.md', model: 't', voice: 'nova' };
    await repository.declare({ 'guide.wav': entry });
    // The second run shows that its answer can be followed more than once.
    let kept = '';
    for (let run = 0; run < 2; run++) {
      const { code, stdout, stderr } = await repository.run(['apply']);
      assert.equal(code, 1, stdout + stderr);
      assert.match(stdout, /guide\.wav/);
      kept = /kept at (\S*\.mp3)\b/.exec(stdout)?.[1] ?? '';
      assert(existsSync(resolve(repository.root, kept)), stdout);
    }
    copyFileSync(kept, resolve(repository.root, 'guide.mp3'));
    await repository.declare({ 'guide.mp3': entry });
    const { code, stdout, stderr } = await repository.run(['accept', 'guide.mp3']);
    assert.equal(code, 0, stdout + stderr);
    assert.deepEqual([...service.prompts()].sort(), texts);
    assert.equal((await repository.run(['check'])).code, 0);
  });
});
