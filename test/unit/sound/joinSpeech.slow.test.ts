import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { joinSpeech } from '../../../src/sound/joinSpeech.ts';
import { joined, pathOf } from '../../support/joinParts.ts';

const run = promisify(execFile);

describe('joinSpeech', () => {
  it('does not join kinds that cannot be concatenated, or an empty list', async () => {
    for (const kind of ['opus', 'ogg', 'flac', 'pcm', 'm4a']) {
      assert.deepEqual(await joinSpeech(kind, []), { joined: false, reason: 'kind' });
    }
    assert.deepEqual(await joinSpeech('mp3', []), { joined: false, reason: 'unreadable' });
    assert.deepEqual(await joinSpeech('wav', []), { joined: false, reason: 'unreadable' });
  });

  it('rejects when a part is missing', async () => {
    for (const kind of ['mp3', 'wav']) {
      await assert.rejects(joinSpeech(kind, [pathOf('none')]), { code: 'ENOENT' });
    }
  });

  describe('with files from an encoder', () => {
    const hasEncoder = spawnSync('ffmpeg', ['-version']).status === 0;
    const encodings: readonly (readonly [kind: string, options: string])[] = [
      ['mp3', '-c:a libmp3lame -q:a 4'],
      ['mp3', '-c:a libmp3lame -b:a 64k -write_id3v1 1 -metadata title=Fox'],
      ['wav', '-c:a pcm_s16le'],
      ['aac', '-c:a aac -f adts'],
    ];
    for (const [index, [kind, options]] of encodings.entries()) {
      const title = `plays for the expected time: ${kind} ${options}`;
      if (!hasEncoder) {
        it.skip(`${title} (skipped: needs ffmpeg)`);
        continue;
      }
      it(title, async () => {
        const lengths = [1.3, 0.7, 2];
        const files = await Promise.all(lengths.map((length) => encode(`${index}-${length}.${kind}`, length, options)));
        const parts = await Promise.all(files.map((file) => readFile(file)));
        const whole = pathOf(`${index}.${kind}`);
        await writeFile(whole, await joined(kind, ...parts));
        const seconds = await decodedSeconds(whole);
        // Encoders add up to 2,000 samples of silence at each end.
        assert(seconds >= 4 && seconds < 4 + 0.15 * lengths.length, `${seconds} seconds`);
      });
    }
  });
});

/** Encodes a tone. @param length in seconds */
async function encode(name: string, length: number, options: string): Promise<string> {
  const source = `-f lavfi -i sine=frequency=440:sample_rate=24000:duration=${length}`;
  const file = pathOf(name);
  await run('ffmpeg', [...`-v error -y ${source} ${options}`.split(' '), file]);
  return file;
}

/** Decodes the whole file; any complaint of the decoder fails the test. */
async function decodedSeconds(file: string): Promise<number> {
  const options = '-f s16le -ac 1 -ar 8000 -'.split(' ');
  const result = await run('ffmpeg', ['-v', 'error', '-xerror', '-i', file, ...options], { encoding: 'buffer' });
  assert.equal(String(result.stderr), '');
  return result.stdout.length / 16_000;
}
