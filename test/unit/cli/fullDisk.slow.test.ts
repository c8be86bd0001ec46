import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { mp3Bytes, mp4Bytes, pngBytes } from '../../support/mediaBytes.ts';
import { type MediaService, startMediaService } from '../../support/mediaService.ts';
import { type Disk, mountDisk } from '../../support/mountDisk.ts';
import { outcomeOf, Repository } from '../../support/repository.ts';
import { skipUnless } from '../../support/skipUnless.ts';

/** More than is reserved for an answer. */
const much = Buffer.alloc(256 * 1024, 7);

/** Uses up a disk to the last byte. */
function fill({ path }: Disk): void {
  const file = join(path, 'filler');
  writeFileSync(file, '');
  for (let bytes = 2 ** 20; bytes > 0; bytes = bytes >> 1) {
    try {
      for (;;) appendFileSync(file, Buffer.alloc(bytes));
    } catch (error) {
      assert.match(String(error), /ENOSPC/);
    }
  }
}

/** The project and the person's state are on one disk, as on most computers. */
describe('apply while the disk is full (promise 41)', () => {
  let service: MediaService;
  let repository: Repository;
  let disk: Disk;

  beforeEach(async function () {
    disk = mountDisk('size=24m');
    skipUnless(this, disk.isReal, 'a small disk');
    service = await startMediaService(() => Buffer.concat([pngBytes, much]));
    repository = await Repository.make(service.origin, { 'guide.md': 'One.\n\nTwo.' }, disk.path);
  });

  afterEach(async () => {
    await service?.[Symbol.asyncDispose]();
    await repository?.[Symbol.asyncDispose]();
    disk[Symbol.dispose]();
  });

  /** Applies while the disk gets full as soon as the request is out, and makes room again. */
  async function applyWithoutRoom(): Promise<string> {
    const goOn = service.hold();
    const sent = service.next();
    const outcome = outcomeOf(repository.start(['apply']));
    await sent;
    fill(disk);
    goOn();
    const { code, stdout } = await outcome;
    await rm(join(disk.path, 'filler'));
    assert.equal(code, 1, stdout);
    assert.doesNotMatch(stdout, /before you close|in memory/);
    return stdout;
  }

  /** Checks that a large answer is in the system's temporary folder, and is not paid for again. */
  async function keepsAside(path: string, paid: Buffer): Promise<void> {
    const stdout = await applyWithoutRoom();
    const [, file = ''] = /is kept in (\S*answer)\b/.exec(stdout) ?? [];
    assert(file.startsWith(tmpdir()), stdout);
    assert((await readFile(file)).includes(paid));
    await rm(dirname(file), { recursive: true });
    const next = await repository.run(['apply']);
    assert.match(next.stdout, new RegExp(`left +${path} +Outcome unknown`));
    assert.equal(service.paid.length, 1);
    const again = await repository.run(['apply', '--again']);
    assert.equal(again.code, 0, again.stdout);
  }

  it('keeps a picture that has no room in the temporary folder, and does not pay for it again', async () => {
    await repository.declare({ 'a.png': { operation: 'generateImage', prompt: 'a', model: 'm' } });
    await keepsAside('a.png', Buffer.from(Buffer.concat([pngBytes, much]).toString('base64')));
  });

  it('keeps a paragraph that has no room in the temporary folder, and does not pay for it again', async () => {
    const sound = Buffer.concat([mp3Bytes, ...Array.from({ length: 600 }, () => mp3Bytes.subarray(10))]);
    service.answerWith((response) => response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(sound));
    await repository.declare({ 'guide.mp3': { operation: 'speak', document: 'guide.md', model: 'm' } });
    await keepsAside('guide.mp3', sound);
  });

  it('saves a video, whose answer is short, when there is room again', async () => {
    service.answerWith((response) => response.end(`{"id":"v","video":{"url":"${service.origin}/a.mp4"}}`));
    service.downloadWith((response) => response.end(Buffer.concat([mp4Bytes, much])));
    await repository.declare({ 'a.mp4': { operation: 'generateVideo', prompt: 'a', model: 'm' } });
    await applyWithoutRoom();
    const { code, stdout } = await repository.run(['apply']);
    assert.equal(code, 0, stdout);
    assert.equal(service.paid.length, 1);
  });
});
