import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CreatedFile } from '../../../src/files/Folder.ts';
import { LocalFolder } from '../../../src/files/LocalFolder.ts';
import type { TranscriptFormat } from '../../../src/transcripts/formatTranscript.ts';
import { type HttpServer, startHttpServer } from '../../support/httpServer.ts';
import { imageJob, jobRunnerAt } from '../../support/jobRunner.ts';
import { wavBytes, wavOf } from '../../support/mediaBytes.ts';

describe('a transcript', () => {
  let parent: string;
  let root: string;
  let server: HttpServer;
  let text: string;
  let segments: readonly object[];
  let more: object;
  let notices: string[];
  let sent: number;
  let recording: Buffer;

  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'transcripts-'));
    root = join(parent, 'workspace');
    await mkdir(join(root, 'talks'), { recursive: true });
    text = 'A fox.';
    segments = [];
    more = {};
    notices = [];
    sent = 0;
    recording = wavBytes;
    server = await startHttpServer((request, response) => {
      sent++;
      request.resume().on('end', () => response.end(JSON.stringify({ text, segments, ...more })));
    });
  });

  afterEach(async () => {
    await server[Symbol.asyncDispose]();
    await rm(parent, { recursive: true });
  });

  /** Transcribes a recording. @returns the name and the text of the transcript */
  async function transcribe(
    file: string,
    transcriptFormat: TranscriptFormat,
    folderAt?: (path: string, folderRoot: string) => LocalFolder,
  ): Promise<readonly [string, string]> {
    await writeFile(file, recording);
    const folders = folderAt ? { folderAt } : {};
    await using window = jobRunnerAt(server.origin, { root, journal: join(parent, 'journal'), ...folders });
    const { place } = imageJob(root);
    await window.runner.run(
      {
        operation: 'transcribe',
        request: { model: 'm', file },
        place: { ...place, path: 'media/transcripts', transcriptFormat },
        sandbox: false,
      },
      {
        signal: new AbortController().signal,
        onProgress: () => undefined,
        onNotice: (sentence) => notices.push(sentence),
      },
    );
    const [name = ''] = await readdir(join(root, 'media/transcripts'));
    return [name, await readFile(join(root, 'media/transcripts', name), 'utf8')];
  }

  for (const [name, accepted] of [
    ['names a status URL', '{"id":"t1","status":"queued","status_url":"/jobs/1"}'],
    ['answers with a Location', ''],
    ['answers with a Location and a word', 'Accepted'],
  ] as const) {
    it(`is waited for when the service ${name}`, async () => {
      const states = [
        '{"status":"queued"}',
        '{"status":"running","text":"A f"}',
        '{"status":"completed","text":"A fox."}',
      ];
      await server[Symbol.asyncDispose]();
      server = await startHttpServer((request, response) => {
        if (request.method === 'GET') return response.end(states.shift());
        const location = accepted.startsWith('{') ? {} : { location: '/jobs/1' };
        return request.resume().on('end', () => response.writeHead(202, location).end(accepted));
      });
      const [, saved] = await transcribe(join(root, 'talks/Stand up.wav'), 'text');
      assert.equal(saved.trim(), 'A fox.');
      assert.equal(server.requests.length, 4);
    });
  }

  it('is named after its recording and links to it within the workspace', async () => {
    const [name, markdown] = await transcribe(join(root, 'talks/Stand up.wav'), 'markdown');
    assert.equal(name, 'stand-up.md');
    assert.match(markdown, /\[Stand up\.wav\]\(\.\.\/\.\.\/talks\/Stand%20up\.wav\)/);
    assert.deepEqual(notices, []);
  });

  it('names a recording outside the workspace without linking to it', async () => {
    const [name, markdown] = await transcribe(join(parent, 'secret.wav'), 'markdown');
    assert.equal(name, 'secret.md');
    assert.match(markdown, /secret\.wav/);
    assert.doesNotMatch(markdown, /\]\(/);
    assert.doesNotMatch(markdown, /\.\.\//);
  });

  it('falls back to Markdown without times, and reports it', async () => {
    const [name] = await transcribe(join(root, 'talk.wav'), 'srt');
    assert.equal(name, 'talk.md');
    assert.deepEqual(notices, [
      'The service sent no timestamps, so the transcript is saved as markdown instead of srt.',
    ]);
  });

  it('is saved with a notice when the service reports an error, too', async () => {
    more = { error: { message: 'partial failure', code: 500 } };
    const [name] = await transcribe(join(root, 'talk.wav'), 'markdown');
    assert.equal(name, 'talk.md');
    assert.deepEqual(notices, [
      'The transcript may be incomplete. The service reported that the work failed. It says: “partial failure”',
    ]);
  });

  it('is saved without a notice when the service has a code of its own for success', async () => {
    more = { success: true, code: 20000, error: null };
    await transcribe(join(root, 'talk.wav'), 'markdown');
    assert.deepEqual(notices, []);
  });

  describe('with times', () => {
    const folder = () => join(root, 'media/transcripts');
    const read = (name: string) => readFile(join(folder(), name), 'utf8');
    const timed = 'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\n<v Ann>A fox.\n';

    beforeEach(() => {
      segments = [{ start: 0, end: 1.5, text: 'A fox.', speaker: 'Ann' }];
    });

    it('has them in seconds whatever the service counts in, by the length of the recording', async () => {
      recording = wavOf(Buffer.alloc(80_000));
      for (const unit of [1, 1e3, 1e6, 1e9]) {
        segments = [
          { start: 0, end: 4 * unit, text: 'A fox.' },
          { start: 8 * unit, end: 10 * unit, text: 'A hare.' },
        ];
        await transcribe(join(root, `talk-${unit}.wav`), 'text');
        assert.match(await read(`talk-${unit}.vtt`), /00:00:08\.000 --> 00:00:10\.000/);
      }
      segments = [{ start: 1.7e9, end: 1.7e9 + 4, text: 'A fox.' }];
      await transcribe(join(root, 'other.wav'), 'text');
      assert.deepEqual(notices, ['The times that the service sent do not fit the recording, so they are left out.']);
      assert(!(await readdir(folder())).includes('other.vtt'));
    });

    it('has them in a .vtt file of its name, and its record names both', async () => {
      await transcribe(join(root, 'talk.wav'), 'text');
      assert.deepEqual(await readdir(folder()), ['talk.txt', 'talk.vtt']);
      assert.equal(await read('talk.vtt'), timed);
      const [line = ''] = (await readFile(join(root, '.unified-media/library.jsonl'), 'utf8')).split('\n');
      const { file, times } = JSON.parse(line);
      const sha256 = createHash('sha256').update(timed).digest('hex');
      assert.deepEqual([file, times], ['media/transcripts/talk.txt', { name: 'talk.vtt', sha256 }]);
    });

    it('never overwrites the times of another recording (promise 12)', async () => {
      await mkdir(folder(), { recursive: true });
      await writeFile(join(folder(), 'talk.vtt'), 'WEBVTT\n\n00:01.000 --> 00:02.000\nMine\n');
      await transcribe(join(root, 'talk.wav'), 'text');
      assert.deepEqual((await readdir(folder())).sort(), ['talk-2.txt', 'talk-2.vtt', 'talk.vtt']);
      assert.match(await read('talk.vtt'), /Mine/);
    });

    it('gets them from the kept answer when they could not be saved, and is saved only once (promise 41)', async () => {
      let isFull = true;
      class FullFolder extends LocalFolder {
        override moveIfAbsent(created: CreatedFile, to: string): Promise<boolean> {
          if (isFull && to.endsWith('.vtt')) throw new Error('no space left on device');
          return super.moveIfAbsent(created, to);
        }
      }
      const folderAt = (path: string, folderRoot: string) => new FullFolder(path, folderRoot);
      await assert.rejects(transcribe(join(root, 'talk.wav'), 'text', folderAt), /its times were not/);
      assert.deepEqual(await readdir(folder()), ['talk.txt']);
      isFull = false;
      await using window = jobRunnerAt(server.origin, { root, journal: join(parent, 'journal'), folderAt });
      await window.recover();
      await window.runner.downloadAgain(window.jobs.all[0]?.id ?? '', {
        signal: new AbortController().signal,
        onProgress: () => undefined,
        onNotice: () => undefined,
      });
      assert.deepEqual(await readdir(folder()), ['talk.txt', 'talk.vtt']);
      assert.equal(sent, 1);
    });

    it('has them inside a transcript in WebVTT, and no second file', async () => {
      await transcribe(join(root, 'talk.wav'), 'vtt');
      assert.deepEqual(await readdir(folder()), ['talk.vtt']);
    });
  });

  it('reports a line that repeats', async () => {
    text = 'Thank you. '.repeat(20);
    await transcribe(join(root, 'talk.wav'), 'markdown');
    assert.match(
      notices.join('\n'),
      /^A line repeats \d+ times in a row: “.*Thank you.*”\. Check it against the recording\.$/,
    );
  });
});
