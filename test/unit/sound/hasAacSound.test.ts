import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasAacSound } from '../../../src/sound/hasAacSound.ts';

describe('hasAacSound', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aac-'));
  });

  after(() => rm(folder, { recursive: true }));

  async function ask(...parts: readonly Buffer[]): Promise<boolean> {
    const path = join(folder, 'video.mp4');
    await writeFile(path, Buffer.concat(parts));
    return hasAacSound(path);
  }

  const kind = box('ftyp', 'isom');
  const silent = box('moov', 'avc1');
  const sounding = box('moov', 'avc1 mp4a');

  it('finds the format in the index before or after the data', async () => {
    assert.equal(await ask(kind, sounding, box('mdat', 'data')), true);
    assert.equal(await ask(kind, box('mdat', 'data'), sounding), true);
    assert.equal(await ask(kind, largeBox('mdat', 'data'), sounding), true);
  });

  it('returns false without it, even when the data looks like it', async () => {
    assert.equal(await ask(kind, box('mdat', 'moov mp4a'), silent), false);
  });

  it('returns false for a file that is not MP4, truncated or without a length', async () => {
    assert.equal(await ask(Buffer.from('<html>mp4a</html>')), false);
    assert.equal(await ask(), false);
    assert.equal(await ask(kind, sounding.subarray(0, 6)), false);
    assert.equal(await ask(Buffer.from('\0\0\0\x02moovmp4a', 'latin1')), false);
    assert.equal(await ask(kind, Buffer.from('\0\0\0\0mdatmoov mp4a', 'latin1')), false);
  });
});

function box(type: string, content: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(8 + content.length);
  return Buffer.concat([length, Buffer.from(type + content, 'latin1')]);
}

/** A box with a 64-bit length. */
function largeBox(type: string, content: string): Buffer {
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(16 + content.length));
  return Buffer.concat([
    Buffer.from('\0\0\0\x01', 'latin1'),
    Buffer.from(type, 'latin1'),
    length,
    Buffer.from(content),
  ]);
}
